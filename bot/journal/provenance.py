"""Where the words come from that a conversation holds: noted in the transaction that brings them in."""

from bot.core.sources import Source, Sources, sources_of_others
from bot.core.turn import Turn, TurnId
from bot.store import memories, sessions, turns
from bot.store.connection import Connection


def note_sources_read(db: Connection, turn: Turn, sources: Sources) -> None:
    if Source.MEMORIES in sources and not memories.list_unconfirmed(db, memories.memory_scope_of(turn)):
        sources = sources - {Source.MEMORIES}
    sessions.note_sources(db, turn.session, sources)


def pass_sources_down(db: Connection, parent: Turn, child: Turn) -> None:
    """A brief is made of what its writer has read."""
    sessions.note_sources(db, child.session, sessions.session_sources(db, parent.session))


def pass_sources_up(db: Connection, child: Turn, parent: TurnId) -> None:
    """A report is made of what its writer has read."""
    sessions.note_sources(db, turns.get_turn(db, parent).session, sessions.session_sources(db, child.session))


def list_stranger_sources(db: Connection, turn: Turn) -> list[str]:
    """Whose words the turn's conversation holds besides its person's own, as people read it."""
    return sources_of_others(sessions.session_sources(db, turn.session), turn.person)
