"""Provenance: whose words a conversation holds. It is noted in the transaction that brings the words in."""

from bot.core.sources import Source, Sources, sources_of_others
from bot.core.turn import SessionId, Turn
from bot.store import memories, sessions
from bot.store.connection import Connection


def note_sources_read(db: Connection, turn: Turn, sources: Sources) -> None:
    if Source.MEMORIES in sources and not memories.list_unconfirmed(db, memories.memory_scope_of(turn)):
        sources = sources - {Source.MEMORIES}
    sessions.note_sources(db, turn.session, sources)


def pass_sources(db: Connection, writer: SessionId, reader: SessionId) -> None:
    """Note the writer's sources for the reader: a brief or a report is made of what its writer has read."""
    sessions.note_sources(db, reader, sessions.session_sources(db, writer))


def list_stranger_sources(db: Connection, turn: Turn) -> list[str]:
    """Return the sources in the turn's conversation, other than its own person, in words for people."""
    return sources_of_others(sessions.session_sources(db, turn.session), turn.person)
