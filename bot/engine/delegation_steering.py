"""`/tell`: words to a role at work, by its number."""

from dataclasses import replace

from bot.core import phrases
from bot.core.limits import DecisionTerms
from bot.core.messages import InboundKind, InboundMessage, Quote, Reaction, role_display_name
from bot.core.texts import model, people
from bot.core.turn import Turn
from bot.engine.delegation_log import find_delegation_with_number
from bot.journal import steering
from bot.journal.bus import post_notice
from bot.journal.openings import RoleResolver
from bot.store import inbox
from bot.store.connection import Connection


def tell_command_reply(db: Connection, message: InboundMessage, terms: DecisionTerms, resolver: RoleResolver) -> str:
    """Hand what follows the number to that delegation, and return what stands in the way; an empty text if nothing
    does. If the delegation ends before it reads the words, they go to the lead; so its task comes along as a quote."""
    number, text = ([*message.text.split(maxsplit=2), "", ""])[1:3]
    delegation, refusal = find_delegation_with_number(db, message, number, terms)
    if delegation is None or not text.strip():
        return refusal or people.TELL_USAGE
    turn = delegation.turn
    if not steering.may_direct(message, delegation, terms):
        return people.LOG_OF_ANOTHER_GROUP
    if not steering.is_at_work(turn):
        return people.ROLE_IS_DONE(role=role_display_name(turn.role), number=turn.number)
    quote = Quote(author=model.TASK_OF_DELEGATION(delegation=turn.id), text=delegation.task_excerpt)
    inbox.rewrite_command_as_text(db, replace(message, kind=InboundKind.TEXT, text=text, quotes=(quote,)))
    give_words_to_delegation(db, message, turn, terms)
    return ""


def give_words_to_delegation(db: Connection, message: InboundMessage, turn: Turn, terms: DecisionTerms) -> None:
    """Let a message wait for a delegation at work, and show its writer that it does."""
    inbox.assign_message_to_turn(db, message.id, turn.id)
    said = phrases.delegation_reads_next_text(turn)
    reaction = Reaction.READS_NEXT
    post_notice(db, f"{message.id}:told", message.address, said, terms.now, reply_to=message.id, reaction=reaction)
