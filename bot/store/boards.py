"""Boards: how the delegations of a root turn are doing, as one cosmetic message that is revised."""

import sqlite3
from datetime import datetime

from bot.core import phrases
from bot.core.messages import BoardLine, OutboundId, OutboundKind, OutboundMessage, RoleName
from bot.core.turn import Turn, TurnId, TurnState
from bot.store import outbox
from bot.store.connection import Connection

BOARD_LINES_SQL = """SELECT turns.*, EXISTS (
    SELECT 1 FROM questions WHERE questions.root = turns.root AND questions.turn = turns.id
    AND questions.state = 'open') AS is_asking,
    parent_group = (SELECT iif(depth, parent_group, group_name) FROM turns AS top WHERE top.id = turns.root) AS is_ours
    FROM turns WHERE {} AND depth > 0 ORDER BY rowid"""


def revise_board(db: Connection, turn: Turn, now: datetime) -> None:
    """Say again how the delegations below a root turn are doing. A root in the background has no board."""
    if not is_background_root(turn.root):
        outbox.say_or_revise(db, build_board_message(db, turn), now)


def revise_shown_board(db: Connection, turn: Turn) -> None:
    """Revise the board of the root turn, if there is one."""
    outbox.revise_message(db, build_board_message(db, turn))


def close_board(db: Connection, turn: Turn) -> None:
    """Close the board of a root turn that has ended.

    The last revision does not wait for a pause. A board that nobody has seen yet is not shown any more.
    """
    db.execute(
        "UPDATE outbox SET not_before = NULL, state = iif(state = 'queued' AND platform_ids = '[]', 'sent', state)"
        " WHERE key = ?",
        (f"{turn.root}:board",),
    )


def build_board_message(db: Connection, turn: Turn) -> OutboundMessage:
    lines = load_board_lines(db, turn.root)
    return OutboundMessage(
        id=OutboundId(f"{turn.root}:board"),
        address=turn.address,
        kind=OutboundKind.BOARD,
        text=phrases.board_text(lines),
        board=tuple(lines),
        is_quiet=True,
    )


def is_background_root(root: TurnId) -> bool:
    return "/" in root


def load_board_lines(db: Connection, root: TurnId) -> list[BoardLine]:
    return [read_board_line(row) for row in db.fetch_rows(BOARD_LINES_SQL.format("root = ?"), root)]


def load_board_line(db: Connection, delegation: TurnId) -> BoardLine:
    return read_board_line(db.fetch_rows(BOARD_LINES_SQL.format("id = ?"), delegation)[0])


def read_board_line(row: sqlite3.Row) -> BoardLine:
    """What a group that was asked tells its own roles to do is not for the chat that asked."""
    begun = datetime.fromisoformat(row["begun_at"] or row["opened_at"])
    ended = row["ended_at"] and datetime.fromisoformat(row["ended_at"])
    return BoardLine(
        number=row["number"],
        role=RoleName(row["role"]),
        task=row["task"] if row["is_ours"] else "",
        depth=row["depth"],
        state=delegation_state(row),
        since=begun,
        seconds=(ended - begun).total_seconds() if ended else None,
        cost=row["cost"],
    )


def delegation_state(row: sqlite3.Row) -> str:
    if row["status"]:
        return str(row["status"])
    if row["is_asking"]:
        return "asking"
    is_waiting = row["state"] == TurnState.QUEUED or row["waits_for"]
    return "waiting" if is_waiting else "working"
