"""Words to a role: by its number (`/tell`), which also answers what it asks, or in reply to what it has said."""

from dataclasses import replace

from bot.core import phrases
from bot.core.limits import DecisionTerms
from bot.core.messages import InboundKind, InboundMessage, Quote, Reaction, match_option, role_display_name
from bot.core.texts import model, people
from bot.core.turn import Turn
from bot.engine.delegation_log import find_delegation_with_number
from bot.journal import direct_turns, questions, steering
from bot.journal.bus import post_notice
from bot.journal.openings import RoleResolver
from bot.store import inbox, turns
from bot.store.connection import Connection
from bot.store.questions import Question, list_open_questions


def tell_command_reply(db: Connection, message: InboundMessage, terms: DecisionTerms, resolver: RoleResolver) -> str:
    """Hand what follows the number to that delegation, and return what stands in the way; an empty text if nothing
    does. The words answer what it asks the sender. If it asks nothing and ends before it reads them, they go to the
    lead; so its task comes along as a quote."""
    number, text = ([*message.text.split(maxsplit=2), "", ""])[1:3]
    delegation, refusal = find_delegation_with_number(db, message, number, terms)
    if delegation is None or not text.strip():
        return refusal or people.TELL_USAGE
    turn = delegation.turn
    if question := find_question_answered_by_words(db, message, turn, text):
        choice = match_option(question.options, text) or text.strip()
        questions.answer_question(db, question, choice, phrases.option_chosen_text(choice, message.sender.name))
        show_that_role_reads_next(db, message, turns.get_turn(db, question.turn), terms)
        return ""
    if not steering.may_direct(message, delegation, terms):
        return people.LOG_OF_ANOTHER_GROUP
    if not can_take_words(db, message, turn, terms, resolver):
        return people.ROLE_IS_DONE(role=role_display_name(turn.role), number=turn.number)
    quote = Quote(author=model.TASK_OF_DELEGATION(delegation=turn.id), text=delegation.task_excerpt)
    words = replace(message, kind=InboundKind.TEXT, text=text, quotes=(quote,))
    inbox.rewrite_command_as_text(db, words)
    give_words(db, words, turn, terms, resolver)
    return ""


def find_question_answered_by_words(db: Connection, message: InboundMessage, turn: Turn, text: str) -> Question | None:
    """Return the oldest open question of a delegation to the sender of these words; None if there is none. Whether
    roles that cost much may start is answered only by an option."""
    at_work = steering.find_delegation_at_work(db, turn)
    asked = list_open_questions(db, Question, turn=at_work.turn.id, person=message.sender.id) if at_work else []
    found = [each for each in asked if not each.held_calls or match_option(each.options, text)]
    return found[0] if found else None


def can_take_words(
    db: Connection, message: InboundMessage, turn: Turn, terms: DecisionTerms, resolver: RoleResolver
) -> bool:
    """Return True if a delegation is at work, or can work again on a message."""
    if at_work := steering.find_delegation_at_work(db, turn):
        return steering.is_at_work(at_work.turn) and steering.may_direct(message, at_work, terms)
    return direct_turns.may_open_direct_turn(db, turn, message, terms, resolver)


def give_words(
    db: Connection, message: InboundMessage, turn: Turn, terms: DecisionTerms, resolver: RoleResolver
) -> None:
    """Hand a message to a delegation that can take it, and show the writer what becomes of it."""
    if at_work := steering.find_delegation_at_work(db, turn):
        inbox.assign_message_to_turn(db, message.id, at_work.turn.id)
        show_that_role_reads_next(db, message, at_work.turn, terms)
    else:
        opened = direct_turns.open_direct_turn(db, turn, message, terms, resolver)
        show_reaction(db, message, Reaction.TAKES_UP, phrases.delegation_takes_up_text(opened), terms)


def show_that_role_reads_next(db: Connection, message: InboundMessage, turn: Turn, terms: DecisionTerms) -> None:
    show_reaction(db, message, Reaction.READS_NEXT, phrases.delegation_reads_next_text(turn), terms)


def show_reaction(db: Connection, message: InboundMessage, reaction: Reaction, said: str, terms: DecisionTerms) -> None:
    post_notice(db, f"{message.id}:told", message.address, said, terms.now, reply_to=message.id, reaction=reaction)
