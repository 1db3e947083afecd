"""Words to a role: by its number (`/tell`), or in reply to what it has said."""

from dataclasses import replace

from bot.core import phrases
from bot.core.limits import DecisionTerms
from bot.core.messages import InboundKind, InboundMessage, Quote, Reaction, role_display_name
from bot.core.texts import model, people
from bot.core.turn import Turn
from bot.engine.delegation_log import find_delegation_with_number
from bot.journal import direct_turns, steering
from bot.journal.bus import post_notice
from bot.journal.openings import RoleResolver, find_group_at_address
from bot.store import inbox, turns
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
    if not can_take_words(db, message, turn, terms, resolver):
        return people.ROLE_IS_DONE(role=role_display_name(turn.role), number=turn.number)
    quote = Quote(author=model.TASK_OF_DELEGATION(delegation=turn.id), text=delegation.task_excerpt)
    words = replace(message, kind=InboundKind.TEXT, text=text, quotes=(quote,))
    inbox.rewrite_command_as_text(db, words)
    give_words(db, words, turn, terms, resolver)
    return ""


def can_take_words(
    db: Connection, message: InboundMessage, turn: Turn, terms: DecisionTerms, resolver: RoleResolver
) -> bool:
    """Return True if a delegation is at work, or can work again on a message. If the chat now belongs to another group,
    it cannot: what is written there is for another agent."""
    groups = resolver.last_loaded_groups()
    if find_group_at_address(db, message.address, groups) != turn.parent_group:
        return False
    if at_work := steering.find_delegation_at_work(db, turn):
        return steering.is_at_work(at_work.turn) and steering.may_direct(message, at_work, terms)
    return direct_turns.may_open_direct_turn(db, message, terms)


def give_words(
    db: Connection, message: InboundMessage, turn: Turn, terms: DecisionTerms, resolver: RoleResolver
) -> None:
    """Hand a message to a delegation that can take it, and show the writer what becomes of it."""
    if at_work := steering.find_delegation_at_work(db, turn):
        inbox.assign_message_to_turn(db, message.id, at_work.turn.id)
        key, reaction, said = "told", Reaction.READS_NEXT, phrases.delegation_reads_next_text(at_work.turn)
    else:
        opened = direct_turns.open_direct_turn(db, turn, message, terms, resolver)
        key, reaction, said = "taken_up", Reaction.TAKES_UP, phrases.delegation_takes_up_text(opened)
    post_notice(db, f"{message.id}:{key}", message.address, said, terms.now, reply_to=message.id, reaction=reaction)


def take_up_unread_words(db: Connection, resolver: RoleResolver, terms: DecisionTerms) -> None:
    """Let the delegations that ended before they read what people wrote to them work again on that. If one cannot, its
    messages wait for a turn."""
    for message, id in inbox.list_messages_of_ended_turns(db):
        turn = turns.get_turn(db, id)
        if can_take_words(db, message, turn, terms, resolver):
            give_words(db, message, turn, terms, resolver)
        else:
            return_unread_words(db, turn)


def return_all_unread_words(db: Connection) -> None:
    """Let all messages that ended delegations have not read wait for a turn."""
    for _, id in inbox.list_messages_of_ended_turns(db):
        return_unread_words(db, turns.get_turn(db, id))


def return_unread_words(db: Connection, turn: Turn) -> None:
    inbox.return_messages_of_turn(db, turn.id, turn.address)
    turns.wake_open_root_turn(db, turn.address)
