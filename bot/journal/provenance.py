"""Where the words come from that a conversation holds: noted in the transaction that brings them in."""

from bot.sources import Source, Sources, of_strangers
from bot.store import memories, sessions, turns
from bot.store.connection import Connection
from bot.turn import Turn, TurnId


def note(db: Connection, turn: Turn, sources: Sources) -> None:
    if Source.MEMORIES in sources and not memories.unconfirmed(db, memories.scope_of(turn)):
        sources = sources - {Source.MEMORIES}
    sessions.note_sources(db, turn.session, sources)


def hand_down(db: Connection, parent: Turn, child: Turn) -> None:
    """A brief is made of what its writer has read."""
    sessions.note_sources(db, child.session, sessions.sources(db, parent.session))


def hand_up(db: Connection, child: Turn, parent: TurnId) -> None:
    """A report is made of what its writer has read."""
    sessions.note_sources(db, turns.get(db, parent).session, sessions.sources(db, child.session))


def strangers(db: Connection, turn: Turn) -> list[str]:
    """Whose words the turn's conversation holds besides its person's own, as people read it."""
    return of_strangers(sessions.sources(db, turn.session), turn.person)
