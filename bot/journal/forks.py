"""Forks: a turn is tried again in a conversation of the owner's own, with other words or another model.

The new conversation begins with what the model had read before that turn. From there on it is like any other: the
message is the owner's, and opens a turn with the owner's rights, today's role and today's tools. It counts as one that
has read an earlier conversation, so all that it does to the world needs the owner's word, now.
"""

from collections.abc import Collection
from dataclasses import replace
from typing import NamedTuple

from bot.core.content_blocks import THINKING_BLOCK_TYPES, Block, text_block
from bot.core.errors import ForkRefused
from bot.core.forks import ForkOrder
from bot.core.limits import DecisionTerms
from bot.core.messages import (
    NO_GROUP,
    Address,
    InboundMessage,
    InboundOrigin,
    MessageId,
    Quote,
    Sender,
    role_display_name,
)
from bot.core.prompt_prefix import PromptPrefix
from bot.core.sources import Source
from bot.core.texts import forks as texts
from bot.core.texts import model
from bot.core.turn import SessionId, Turn, TurnId, TurnOutcome, TurnState
from bot.journal import admission, openings
from bot.journal.openings import RoleResolver
from bot.store import forks as rows
from bot.store import inbox, known_values, sessions, transcript, turns
from bot.store.connection import Connection
from bot.store.known_values import ValueKind
from bot.store.sessions import ModelChoice

MESSAGE_ID_PREFIX = "fork:"
MAX_WORDS_CHARACTERS = 100_000
THREAD_PREFIX, THREAD_KEY_LENGTH = "fork-", 12
SOURCES_OF_FORK = frozenset({str(Source.CONVERSATIONS), str(Source.PRIVATE_CONVERSATIONS)})


class OwnPlace(NamedTuple):
    """Where the owner tries things: a chat that nobody else reads, and who they are there."""

    chat: Address
    owner: Sender


class Fork(NamedTuple):
    session: SessionId
    turn: TurnId  # that tries again


def begin_fork(db: Connection, order: ForkOrder, place: OwnPlace, resolver: RoleResolver, terms: DecisionTerms) -> Fork:
    """Begin a conversation that tries a turn again. Return the same one if the order has come before. Raise ForkRefused
    if it cannot begin."""
    address = replace(place.chat, thread=f"{THREAD_PREFIX}{order.key[:THREAD_KEY_LENGTH]}")
    id = MessageId(f"{MESSAGE_ID_PREFIX}{order.key}")
    if number := inbox.inbox_number_of_message(db, id):
        return fork_of_message(address, number)
    turn = require_turn_of_lead(db, order.turn)
    choice = require_model(order.model, terms)
    message = message_of_fork(db, order, turn, id, address, place.owner, terms)
    history = rows.load_entries_before_turn(db, turn)
    inbox.add_placeholder_inbox_row(db, f"{id}:before", str(address), terms.now)
    former = TurnId(f"t{inbox.inbox_number_of_message(db, MessageId(f'{id}:before'))}")
    inbox.add_inbound_message(db, message, terms.now)
    number = inbox.inbox_number_of_message(db, id)
    session = sessions.add_session(db, address, NO_GROUP, number, choice, terms.now)
    rows.note_fork(db, session, of=turn.session)
    sessions.add_session_sources(db, session, sessions.load_session_sources(db, turn.session) | SOURCES_OF_FORK)
    sites = known_values.load_known_values(db, [turn.session])[ValueKind.SITE]
    known_values.add_known_values(db, session, ValueKind.SITE, [("", each) for read in sites.values() for each in read])
    if history:
        prefix = prefix_of_lead(db, address, place.owner, choice, resolver, terms)
        copy_history(db, history, prefix, ended_turn(turn, former, session, address), terms)
    openings.open_root_turns(db, resolver, terms, [str(address)])
    return fork_of_message(address, number)


def fork_of_message(address: Address, number: int) -> Fork:
    return Fork(SessionId(f"{address}#{number}"), TurnId(f"t{number}"))


def require_turn_of_lead(db: Connection, id: TurnId) -> Turn:
    try:
        turn = turns.get_turn(db, id)
    except LookupError:
        raise ForkRefused(texts.NO_SUCH_TURN(turn=id[:80])) from None
    if not turn.is_root:
        raise ForkRefused(texts.ONLY_LEAD(turn=id, role=role_display_name(turn.role)))
    if turn.group:
        raise ForkRefused(texts.OF_GROUP(turn=id, group=turn.group))
    return turn


def require_model(name: str, terms: DecisionTerms) -> ModelChoice:
    known = terms.resolved_settings.efforts_by_choosable_model
    if name and name not in known:
        raise ForkRefused(texts.NO_SUCH_MODEL(model=name[:80], models=", ".join(sorted(known))))
    return ModelChoice(model=name)


def message_of_fork(
    db: Connection, order: ForkOrder, turn: Turn, id: MessageId, at: Address, owner: Sender, terms: DecisionTerms
) -> InboundMessage:
    """Return the owner's message. Words of somebody else, of a report or of a schedule are quoted there: the owner has
    not asked for what they say. What the first message quoted, it quotes again."""
    written = inbox.list_messages_of_turn(db, turn.id)
    before = "\n".join(message.text for message in written if message.text)
    text = order.text.strip() or before
    quotes = [quote for message in written for quote in message.quotes]
    if not text and not quotes:
        raise ForkRefused(texts.NO_WORDS())
    if len(text) > MAX_WORDS_CHARACTERS:
        raise ForkRefused(texts.TOO_LONG(length=len(text), most=MAX_WORDS_CHARACTERS))
    is_changed = text.split() != before.split()  # a browser changes line breaks, and its form is trimmed
    is_own = is_changed or is_written_by_owner(db, turn, written, terms)
    if not is_own:
        quotes = [Quote(author=turn.asker, text=text, is_forwarded=True), *quotes]
    return InboundMessage(
        id=id, address=at, sender=owner, text=text if is_own else "", quotes=tuple(quotes), sent_at=terms.now
    )


def is_written_by_owner(db: Connection, turn: Turn, written: Collection[InboundMessage], terms: DecisionTerms) -> bool:
    """Return True if the owner has written all words of a turn's messages. The model has written reports and what a
    schedule is to do; others have chosen the names in mentions."""
    return admission.is_owner(db, turn.address.channel, turn.person, terms) and all(
        message.sender.origin is InboundOrigin.PERSON and message.written is None for message in written
    )


def prefix_of_lead(
    db: Connection, at: Address, owner: Sender, choice: ModelChoice, resolver: RoleResolver, terms: DecisionTerms
) -> PromptPrefix:
    """Return the prefix with which the turn will be opened, so that it goes on in the copied chapter."""
    rights = admission.rights_of_sender(db, at, owner, None, terms)
    resolved = resolver.resolve_agent_or_lead(NO_GROUP, resolver.last_loaded_groups(), rights, at)
    assert resolved, "there is always a lead"
    return resolved.prefix.with_model_and_effort(choice.model, choice.effort)


def ended_turn(turn: Turn, id: TurnId, session: SessionId, address: Address) -> Turn:
    """Return the turn that has what was copied: what the new turn writes is its own alone."""
    return Turn(
        id=id,
        root=id,
        session=session,
        address=address,
        person=turn.person,
        asker=turn.asker,
        role=turn.role,
        tools=frozenset(),
        limits=turn.limits,
        depth=0,
        background=False,
        state=TurnState.RUNNING,
    )


def copy_history(
    db: Connection, history: rows.History, prefix: PromptPrefix, former: Turn, terms: DecisionTerms
) -> None:
    """Begin the conversation with these entries, as those of a turn that has ended."""
    turns.add_turn(db, former, model.FORKED, terms.now)
    turns.mark_turn_ended(db, former, TurnOutcome.COMPLETED, "", "", terms.now)
    sessions.open_next_chapter(db, former.session, prefix)
    for role, content in history.entries:
        kept = content if history.prefix_hash == prefix.hash else without_thinking(content)
        transcript.append_entry(db, former, role, kept)
    sessions.update_current_chapter(db, former.session, day=history.day, **history.media_counts)


def without_thinking(content: list[Block]) -> list[Block]:
    """Return the content without signed thinking: with another prefix or model its signature does not fit."""
    kept = [block for block in content if block["type"] not in THINKING_BLOCK_TYPES]
    return kept or [text_block(model.NO_WORDS)]
