"""Offer what may follow a command, while a person types it: only what the same person may use at the same address."""

from collections.abc import Sequence

from bot.core import phrases
from bot.core.command_choices import MAX_CHOICE_CHARACTERS, MAX_CHOICES, ChoiceRequest, CommandChoice
from bot.core.languages import speaking
from bot.core.limits import DecisionTerms, GetCurrentTerms
from bot.core.messages import InboundMessage, role_display_name
from bot.core.rights import Right
from bot.core.texts import people_help
from bot.engine.delegation_log import why_sender_may_not_read
from bot.journal import admission
from bot.journal.languages import language_of_reader
from bot.journal.schedule_commands import buttons_of_schedule
from bot.journal.schedules import list_schedules_of_person
from bot.store import Store, delegations, turns
from bot.store.connection import Connection
from bot.store.delegations import Delegation

COMMANDS_FOR_ROLES = ("/log", "/tell", "/retry")  # each takes the number of a role, at work or ended


class CommandChoices:
    def __init__(self, store: Store, terms: GetCurrentTerms) -> None:
        self.store = store
        self.terms = terms

    async def list_choices(self, request: ChoiceRequest) -> Sequence[CommandChoice]:
        """Return what may follow the command that somebody types."""
        return await self.store.read(list_command_choices, request, self.terms())


def list_command_choices(db: Connection, request: ChoiceRequest, terms: DecisionTerms) -> list[CommandChoice]:
    """Return the choices that have what was typed, at most MAX_CHOICES. Return none if the person may not speak."""
    message = request.message
    rights = admission.rights_of_sender(db, message.address, message.sender, message.group_chat, terms)
    if Right.TALK not in rights:
        return []
    name, typed = message.text.partition(" ")[0].casefold(), request.typed.strip().casefold()
    with speaking(language_of_reader(db, message, terms)):
        found = choices_of_command(db, name, message, terms)
    shown = [each for each in found if typed in each.text.casefold() or typed in each.value.casefold()]
    return shown[:MAX_CHOICES]


def choices_of_command(db: Connection, name: str, message: InboundMessage, terms: DecisionTerms) -> list[CommandChoice]:
    if name == "/stop":
        at_work = [turn.id for turn in turns.list_queued_and_running_delegations(db, message.address)]
        found = [make_role_choice(each) for each in delegations.load_delegations_with_ids(db, at_work)]
        return [*found, CommandChoice(text=people_help.CHOICE_ALL(), value="all")] if found else []
    if name in COMMANDS_FOR_ROLES:
        newest = delegations.list_newest_delegations_with_numbers(db, message.address, MAX_CHOICES)
        return [make_role_choice(each) for each in newest if not why_sender_may_not_read(db, each, message, terms)]
    if name == "/schedules":
        return list_schedule_choices(db, message, terms)
    return []


def make_role_choice(delegation: Delegation) -> CommandChoice:
    turn = delegation.turn
    role, state = role_display_name(turn.role), phrases.describe_state(delegation.state)
    text = people_help.CHOICE_ROLE(number=turn.number, role=role, state=state, task=delegation.task_excerpt)
    return CommandChoice(text=phrases.first_words(text, MAX_CHOICE_CHARACTERS), value=str(turn.number))


def list_schedule_choices(db: Connection, message: InboundMessage, terms: DecisionTerms) -> list[CommandChoice]:
    chat = None if message.group_chat is None else message.address.whole_chat
    found = []
    for schedule in list_schedules_of_person(db, message.address.channel, message.sender.id, terms, chat):
        for button, change, number in buttons_of_schedule(schedule):
            text = people_help.CHOICE_SCHEDULE(change=button, text=schedule.text)
            short = phrases.first_words(text, MAX_CHOICE_CHARACTERS)
            found.append(CommandChoice(text=short, value=f"{change} {number}"))
    return found
