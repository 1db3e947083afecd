"""`/log` and the finding of a delegation by its number: what one delegation has done, as text that fits in a chat."""

from collections.abc import Sequence
from typing import NamedTuple

from bot.core import phrases
from bot.core.limits import DecisionTerms
from bot.core.messages import Address, InboundMessage, role_display_name
from bot.core.prices import format_micro_dollars
from bot.core.reply_plan import POST_UPDATE_TOOL_NAME
from bot.core.texts import Sentence, people
from bot.core.turn import Call
from bot.journal.admission import is_owner
from bot.journal.openings import RoleResolver
from bot.journal.people import is_same_person
from bot.store import delegations, inbox, transcript
from bot.store.connection import Connection
from bot.store.delegations import Delegation

MAX_TASK_CHARACTERS, MAX_WORDS_CHARACTERS, MAX_REPORT_CHARACTERS = 600, 300, 8_000
MAX_STEPS = 20  # lines of steps; of more, the first and the last are shown


class Refusals(NamedTuple):
    """Why a command does nothing with a delegation."""

    of_stranger: Sentence  # it works neither for the sender, nor is the sender the owner
    of_other_group: Sentence  # an asked group has begun it


READING_REFUSALS = Refusals(people.LOG_FOR_ANOTHER, people.LOG_OF_ANOTHER_GROUP)


def log_command_reply(db: Connection, message: InboundMessage, terms: DecisionTerms, resolver: RoleResolver) -> str:
    """Return what a delegation has done: its task, its calls and updates in order, and its report."""
    delegation, refusal = find_delegation_with_number(db, message, argument_of_command(message), terms)
    return format_delegation_log(db, delegation, terms) if delegation else refusal or people.LOG_USAGE()


def find_delegation_with_number(
    db: Connection, message: InboundMessage, which: str, terms: DecisionTerms, refusals: Refusals | None = None
) -> tuple[Delegation | None, str]:
    """Return the newest delegation with the number that stands in `which`, or None and why the sender may do nothing
    with it: only its own person and the owner may, and nobody may if an asked group began it. The reason is empty if
    `which` is no number."""
    number = read_number(which)
    if not number:
        return None, ""
    delegation = find_delegation_by_number(db, message.address, number)
    if delegation is None:
        return None, people.NO_DELEGATION_WITH_NUMBER(number=number)
    refusal = why_sender_may_not_read(db, delegation, message, terms, refusals)
    return (None, refusal) if refusal else (delegation, "")


def argument_of_command(message: InboundMessage) -> str:
    """Return what follows a command's name, in one line."""
    return " ".join(message.text.split()[1:])


def read_number(which: str) -> str:
    """Return the number of a delegation as people write it, without its `#`; empty if it is no number."""
    number = which.strip().removeprefix("#")
    return number if number.isascii() and number.isdecimal() and len(number) < 10 else ""


def find_delegation_by_number(db: Connection, address: Address, which: str) -> Delegation | None:
    number = read_number(which)
    return delegations.find_newest_delegation_with_number(db, address, int(number)) if number else None


def why_sender_may_not_read(
    db: Connection,
    delegation: Delegation,
    message: InboundMessage,
    terms: DecisionTerms,
    refusals: Refusals | None = None,
) -> str:
    """Return why the sender of a message may not read what a delegation has done; empty if they may. A command that
    does something else with it has its own `refusals`."""
    refusals = refusals or READING_REFUSALS
    channel, sender = message.address.channel, message.sender.id
    is_own = is_same_person(db, channel, delegation.turn.person, sender, terms)
    if not (is_own or is_owner(db, channel, sender, terms)):
        return refusals.of_stranger()
    return "" if delegation.is_begun_by_chat_agent else refusals.of_other_group()


def format_delegation_log(db: Connection, delegation: Delegation, terms: DecisionTerms) -> str:
    turn = delegation.turn
    role, cost = role_display_name(turn.role), format_micro_dollars(turn.spent.cost)
    time, state = phrases.format_duration(turn.seconds_taken(terms.now)), phrases.describe_state(delegation.state)
    if turn.reason:
        head = people.LOG_HEAD_WITH_REASON(
            number=turn.number, role=role, state=state, reason=turn.reason, time=time, cost=cost
        )
    else:
        head = people.LOG_HEAD(number=turn.number, role=role, state=state, time=time, cost=cost)
    task = load_task_of_delegation(db, delegation)
    # What an asked group's agent reads and calls is behind that group's walls.
    calls = [] if turn.is_hop else transcript.list_calls_of_turn(db, turn.id)
    report: str = people.LOG_NO_REPORT() if turn.ended_at else people.LOG_NO_REPORT_YET()
    if turn.ended_at and turn.report:
        report = people.LOG_REPORT(report=cut_with_count(turn.report, MAX_REPORT_CHARACTERS))
    told = people.LOG_TASK(task=cut_with_count(task, MAX_TASK_CHARACTERS))
    return "\n".join([head, told, *step_lines(calls), report])


def load_task_of_delegation(db: Connection, delegation: Delegation) -> str:
    """Return what a delegation was told to do: by a call, or by the message that opened a direct turn. Return only its
    first words if the rest was deleted."""
    turn = delegation.turn
    if turn.is_direct:
        task = "".join(message.text for message in inbox.list_messages_of_turn(db, turn.id)[:1])
    else:
        task = str(transcript.load_call_arguments(db, turn.opening_call_id).get("task") or "")
    return task or delegation.task_excerpt


def step_lines(calls: Sequence[Call]) -> list[str]:
    """Return one line for each call. Of many, the first and the last are shown, with the number of the others."""
    lines = list(map(step_line, calls))
    if len(lines) <= MAX_STEPS:
        return lines
    half = MAX_STEPS // 2
    return [*lines[:half], people.LOG_STEPS_LEFT_OUT(len(lines) - 2 * half), *lines[-half:]]


def step_line(call: Call) -> str:
    activity = describe_call(call)
    return people.LOG_STEP_FAILED(activity=activity) if call.is_error else people.LOG_STEP(activity=activity)


def describe_call(call: Call) -> str:
    if call.name == POST_UPDATE_TOOL_NAME:
        return people.LOG_UPDATE(text=phrases.first_words(str(call.arguments.get("text")), MAX_WORDS_CHARACTERS))
    if call.name == phrases.TOOL_WITHOUT_ACTIVITY:
        return people.LOG_QUESTION(text=phrases.first_words(str(call.arguments.get("question")), MAX_WORDS_CHARACTERS))
    return phrases.describe_activity([(call.name, call.arguments)])


def cut_with_count(text: str, most: int) -> str:
    """Return the text; of a longer text its beginning, and how many characters are missing."""
    return text if len(text) <= most else people.LOG_CUT(len(text) - most, text=text[:most].rstrip())
