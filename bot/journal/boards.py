"""Boards: how the delegations of a root turn are doing, as one cosmetic message that is revised."""

from datetime import datetime

from bot.core import phrases
from bot.core.messages import BoardLine, OutboundId, OutboundKind, OutboundMessage
from bot.core.turn import Turn, TurnId
from bot.journal.bus import post
from bot.store import delegations, outbox
from bot.store.connection import Connection
from bot.store.delegations import Delegation


def post_or_revise_board(db: Connection, turn: Turn, now: datetime) -> None:
    """Post or revise the board of a root turn. A root in the background has no board."""
    if not is_background_root(turn.root):
        board = build_board_message(db, turn)
        if not outbox.revise_message(db, board):  # revised first: it is posted once, and revised many times
            post(db, board, now)


def send_last_board_revision(db: Connection, turn: Turn) -> None:
    """Close the board of an ended root turn: send its last revision now, or nothing if it was never sent."""
    outbox.release_last_revision_or_drop_message(db, board_id(turn))


def build_board_message(db: Connection, turn: Turn) -> OutboundMessage:
    lines = [board_line_of_delegation(each) for each in delegations.list_delegations_of_root(db, turn.root)]
    return OutboundMessage(
        id=board_id(turn),
        address=turn.address,
        kind=OutboundKind.BOARD,
        text=phrases.board_text(lines),
        board=tuple(lines),
        is_quiet=True,
    )


def board_id(turn: Turn) -> OutboundId:
    return OutboundId(f"{turn.root}:board")


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
