"""Boards: how the delegations of a root turn are doing, as one cosmetic message that is revised.

What a board says is written when it is sent. So a burst of changes costs one revision, however many roles there are.
"""

from dataclasses import replace
from datetime import datetime

from bot.core import phrases
from bot.core.messages import BoardLine, OutboundId, OutboundKind, OutboundMessage
from bot.core.turn import Turn, TurnId
from bot.journal.bus import post
from bot.store import delegations, outbox
from bot.store.connection import Connection
from bot.store.delegations import Delegation

BOARD_ID_SUFFIX = ":board"


def post_or_revise_board(db: Connection, turn: Turn, now: datetime) -> None:
    """Post the board of a root turn, or have it sent again. It is written when it is sent. A root turn in the
    background has no board."""
    if not is_background_root(turn.root) and not revise_board_if_posted(db, turn):
        board = OutboundMessage(
            id=board_id(turn), address=turn.address, kind=OutboundKind.BOARD, text="", is_quiet=True
        )
        post(db, with_current_lines(db, board), now)


def revise_board_if_posted(db: Connection, turn: Turn) -> bool:
    """Have the board of a root turn sent again. Return False if it has none."""
    return outbox.begin_new_revision(db, board_id(turn))


def send_last_board_revision(db: Connection, turn: Turn) -> None:
    """Close the board of an ended root turn: send its last revision now, or nothing if it was never sent."""
    outbox.release_last_revision_or_drop_message(db, board_id(turn))


def write_board_to_send(db: Connection, board: OutboundMessage) -> OutboundMessage:
    """Write down what a board says now, and return it."""
    written = with_current_lines(db, board)
    outbox.rewrite_board(db, written)
    return written


def with_current_lines(db: Connection, board: OutboundMessage) -> OutboundMessage:
    root = TurnId(board.id.removesuffix(BOARD_ID_SUFFIX))
    lines = [board_line_of_delegation(each) for each in delegations.list_delegations_of_root(db, root)]
    return replace(board, text=phrases.board_text(lines), board=tuple(lines))


def board_id(turn: Turn) -> OutboundId:
    return OutboundId(turn.root + BOARD_ID_SUFFIX)


def is_background_root(root: TurnId) -> bool:
    return "/" in root


def board_line_of_delegation(delegation: Delegation) -> BoardLine:
    """Return the line of a delegation. It has no task if an asked group began it: the asking chat may not read that."""
    turn = delegation.turn
    begun = turn.begun_at or turn.opened_at
    assert begun, "its row says when it was opened"
    return BoardLine(
        number=turn.number,
        role=turn.role,
        task=delegation.task_excerpt if delegation.is_begun_by_chat_agent else "",
        depth=turn.depth,
        state=delegation.state,
        since=begun,
        seconds=(turn.ended_at - begun).total_seconds() if turn.ended_at else None,
        cost=turn.spent.cost,
    )
