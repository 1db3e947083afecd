"""Words to a role: by its number (`/tell`), which also answers what it asks, or in reply to what it has said."""

from dataclasses import replace

from bot.core import phrases
from bot.core.limits import DecisionTerms
from bot.core.messages import InboundKind, InboundMessage, Quote, Reaction, match_option, role_display_name
from bot.core.texts import model, people
from bot.core.turn import Turn, TurnId, TurnState
from bot.core.yes_words import says_yes
from bot.engine.delegation_log import Refusals, find_delegation_by_number, find_delegation_with_number
from bot.journal import direct_turns, questions, steering
from bot.journal.bus import post_notice
from bot.journal.openings import RoleResolver, find_group_at_address
from bot.store import inbox, turns
from bot.store.connection import Connection
from bot.store.delegations import Delegation
from bot.store.questions import Question, list_open_questions

TELL_COMMAND = "/tell"
REFUSALS = Refusals(people.TELL_FOR_ANOTHER, people.TELL_OF_ANOTHER_GROUP)


def tell_command_reply(db: Connection, message: InboundMessage, terms: DecisionTerms, resolver: RoleResolver) -> str:
    """Hand what follows the number to that delegation, and return what stands in the way; an empty text if nothing
    does. The words answer what it asks the sender. If it asks nothing and cannot read them any more, they may go to
    the lead; so its task comes along as a quote."""
    number, text = ([*message.text.split(maxsplit=2), "", ""])[1:3]
    delegation, refusal = find_delegation_with_number(db, message, number, terms, REFUSALS)
    if delegation is None or not text.strip():
        return refusal or people.TELL_USAGE()
    turn, role = delegation.turn, role_display_name(delegation.turn.role)
    words = as_words_for_role(message, text)
    if question := find_question_answered_by_words(db, message, turn, text):
        answer = answer_in_words(question, text)
        questions.answer_question(db, question, answer, words, terms)
        show_that_role_reads_next(db, message, turns.get_turn(db, question.turn), terms)
        return ""
    if not steering.may_direct(db, message, delegation, terms):
        return people.TELL_TO_ANOTHER_GROUP(group=role, number=turn.number)
    if not can_take_words(db, message, turn, terms, resolver):
        at_its_end = steering.find_open_delegation(db, turn)
        if at_its_end is not None and at_its_end.turn.state is TurnState.STOPPING:
            return people.ROLE_IS_STOPPING(role=role, number=turn.number)
        return people.ROLE_IS_DONE(role=role, number=turn.number)
    words = replace(words, quotes=(quote_of_task(delegation),))
    inbox.rewrite_command_as_text(db, words)
    give_words(db, words, turn, terms, resolver)
    return ""


def as_words_for_role(message: InboundMessage, text: str) -> InboundMessage:
    """Return a `/tell` as the words that it hands to a role. `text` is what follows the number."""
    written = None if message.written is None else "".join(message.written.split(maxsplit=2)[2:])
    return replace(message, kind=InboundKind.TEXT, text=text, written=written)


def find_question_answered_by_words(db: Connection, message: InboundMessage, turn: Turn, text: str) -> Question | None:
    """Return the oldest open question of a delegation that these words answer, if it was put to their sender; None if
    there is none."""
    at_work = steering.find_open_delegation(db, turn)
    asked = list_open_questions(db, Question, turn=at_work.turn.id, person=message.sender.id) if at_work else []
    return next((each for each in asked if answer_in_words(each, text)), None)


def answer_in_words(question: Question, text: str) -> str:
    """Return the answer that a text is to a question: the option that it names, or else its words. Whether roles that
    cost much may start is answered only by an option, by a yes or no, or by the terminal if nobody is there; of other
    words return an empty text."""
    choice = match_option(question.options, text)
    if choice or not question.held_calls or text == model.NOBODY_ANSWERS:
        return choice or text.strip()
    agrees = says_yes(text)
    return "" if agrees is None else question.options[0 if agrees else -1]


def split_words_from_tell(text: str) -> tuple[str, str]:
    """Return what comes before the words that a `/tell` hands to a role, and the words; no words for other commands."""
    parts = text.split(maxsplit=2)
    if parts[0].split("@")[0].casefold() != TELL_COMMAND or len(parts) < 3:
        return text, ""
    return text.removesuffix(parts[2]), parts[2]


def rewrite_edit_of_command(db: Connection, edit: InboundMessage) -> InboundMessage | None:
    """Return an edit as it counts for the message that is kept. If a `/tell` has become words, only the words in its
    edit count; return None if the edit names another role, or if the command was a `/retry`."""
    kept = inbox.find_kept_message(db, edit.id) if edit.kind is InboundKind.COMMAND else None
    is_rewritten = kept is not None and kept.kind is InboundKind.TEXT and is_quote_of_task(kept.quotes)
    if kept is None or not is_rewritten:
        return edit
    command, number, text = ([*edit.text.split(maxsplit=2), "", ""])[:3]
    delegation = find_delegation_by_number(db, edit.address, number)
    is_same = delegation is not None and kept.quotes == (quote_of_task(delegation),)
    is_tell = command.split("@")[0].casefold() == TELL_COMMAND
    return as_words_for_role(edit, text) if is_tell and is_same and text else None


def quote_of_task(delegation: Delegation) -> Quote:
    return Quote(author=model.TASK_OF_DELEGATION(delegation=delegation.turn.id), text=delegation.task_excerpt)


def is_quote_of_task(quotes: tuple[Quote, ...]) -> bool:
    return bool(quotes) and quotes[0].author.startswith(model.TASK_OF_DELEGATION(delegation="t"))


def can_take_words(
    db: Connection, message: InboundMessage, turn: Turn, terms: DecisionTerms, resolver: RoleResolver
) -> bool:
    """Return True if a delegation is at work, or can work again on a message. If the chat now belongs to another group,
    it cannot: what is written there is for another agent."""
    groups = resolver.last_loaded_groups()
    if find_group_at_address(db, message.address, groups) != turn.parent_group:
        return False
    if at_work := steering.find_open_delegation(db, turn):
        return steering.is_at_work(at_work.turn) and steering.may_direct(db, message, at_work, terms)
    return direct_turns.may_open_direct_turn(db, message, terms)


def give_words(
    db: Connection, message: InboundMessage, turn: Turn, terms: DecisionTerms, resolver: RoleResolver
) -> None:
    """Hand a message to a delegation that can take it, and show the writer what becomes of it."""
    if at_work := steering.find_open_delegation(db, turn):
        questions.withdraw_approvals_of_turn(db, at_work.turn.id, message)
        inbox.assign_message_to_turn(db, message.id, at_work.turn.id)
        show_that_role_reads_next(db, message, at_work.turn, terms)
    else:
        opened = direct_turns.open_direct_turn(db, turn, message, terms, resolver)
        reaction, said = Reaction.TAKES_UP, phrases.delegation_takes_up_text(opened)
        id = f"{message.id}:taken_up"
        post_notice(db, id, message.address, said, terms.now, reply_to=message.id, reaction=reaction)


def show_that_role_reads_next(db: Connection, message: InboundMessage, turn: Turn, terms: DecisionTerms) -> None:
    reaction, said = Reaction.READS_NEXT, phrases.delegation_reads_next_text(turn)
    post_notice(db, f"{message.id}:told", message.address, said, terms.now, reply_to=message.id, reaction=reaction)


def take_up_unread_words(db: Connection, resolver: RoleResolver, terms: DecisionTerms) -> None:
    """Let the delegations that ended before they read what people wrote to them work again on that. If one cannot, its
    messages wait for a turn."""
    left = dict[TurnId, Turn]()
    for message, id in inbox.list_messages_of_ended_turns(db):
        turn = turns.get_turn(db, id)
        if can_take_words(db, message, turn, terms, resolver):
            give_words(db, message, turn, terms, resolver)
        else:
            left[id] = turn
    for turn in left.values():
        return_words_to_chat(db, turn, terms)


def return_all_unread_words(db: Connection, terms: DecisionTerms) -> None:
    """Let all messages that ended delegations have not read wait for a turn."""
    for _, id in inbox.list_messages_of_ended_turns(db):
        return_words_to_chat(db, turns.get_turn(db, id), terms)


def return_words_to_chat(db: Connection, turn: Turn, terms: DecisionTerms) -> None:
    steering.return_unread_words(db, turn, terms.now)
    turns.wake_open_root_turn(db, turn.address)
