"""Which results of calls show the links in them to the bot: not those that may hold links of the model's own making."""

from bot.core.turn import CallId, SessionId
from bot.store.connection import Connection


def add_shown_links(db: Connection) -> None:
    """Add to a call whether its result shows the links in it."""
    db.execute("ALTER TABLE calls ADD COLUMN shows_links INTEGER NOT NULL DEFAULT 1")


def mark_call_as_showing_no_link(db: Connection, call: CallId) -> None:
    db.execute("UPDATE calls SET shows_links = 0 WHERE id = ?", (call,))


def list_tool_uses_showing_no_link(db: Connection, session: SessionId) -> set[str]:
    """Return the ids of the tool uses of a conversation whose results show no link."""
    of_session = "turn IN (SELECT id FROM turns WHERE session = ?)"
    rows = db.fetch_rows(f"SELECT tool_use_id FROM calls WHERE NOT shows_links AND {of_session}", session)
    return {str(row["tool_use_id"]) for row in rows}
