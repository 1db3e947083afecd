"""Provenance: whose words a conversation holds. It is noted in the transaction that brings the words in."""

from bot.core.limits import DecisionTerms
from bot.core.sources import Source, Sources, describe_sources_besides_person
from bot.core.turn import SessionId, Turn
from bot.journal import memory_scopes
from bot.store import memories, sessions
from bot.store.connection import Connection


def add_turn_sources_to_session(db: Connection, turn: Turn, sources: Sources) -> None:
    sessions.add_session_sources(db, turn.session, sources)


def add_sources_of_reply(db: Connection, turn: Turn, sources: Sources, terms: DecisionTerms) -> None:
    """Note the sources of the calls in a reply. Memories count only if some that the turn may see are unconfirmed."""
    if Source.MEMORIES in sources:
        scopes = memory_scopes.list_scopes_of_turn(db, turn, terms)
        if not memories.list_unconfirmed_memories(db, scopes):
            sources = sources - {Source.MEMORIES}
    if Source.CONVERSATIONS in sources and not turn.group:  # what was said there had sources of its own
        earlier = sessions.load_sources_of_conversations(db, turn.address.whole_chat)
        sources = sources - {Source.CONVERSATIONS} | earlier
    add_turn_sources_to_session(db, turn, sources)


def copy_session_sources(db: Connection, writer: SessionId, reader: SessionId) -> None:
    """Note the writer's sources for the reader: a brief or a report is made of what its writer has read."""
    sessions.add_session_sources(db, reader, sessions.load_session_sources(db, writer))


def list_sources_of_others(db: Connection, turn: Turn) -> list[str]:
    """Return the sources in the turn's conversation, other than its own person, in words for people."""
    return describe_sources_besides_person(sessions.load_session_sources(db, turn.session), turn.person)
