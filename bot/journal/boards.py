"""Boards: how the delegations of a request are doing, as one cosmetic message that is revised.

What a board says is written when it is sent. So a burst of changes costs one revision, however many roles there are.
"""

from collections.abc import Sequence
from dataclasses import replace

from bot.core import phrases
from bot.core.call_progress import NO_PROGRESS, ProgressByTurn, activity_with_progress
from bot.core.exits import current_exit_rules
from bot.core.languages import speaking
from bot.core.limits import DecisionTerms
from bot.core.messages import BoardLine, MessageId, OutboundId, OutboundKind, OutboundMessage
from bot.core.prices import Micros
from bot.core.turn import Turn, TurnId, delegation_of_report
from bot.journal.bus import post, revise_board
from bot.journal.languages import language_of_turn
from bot.store import delegations, outbox, transcript, turns
from bot.store.connection import Connection
from bot.store.delegations import Delegation

BOARD_ID_SUFFIX = ":board"


def post_or_revise_board(db: Connection, turn: Turn, terms: DecisionTerms) -> None:
    """Post the board of a root turn, or have it sent again. It is written when it is sent. What a call has
    begun in the background has no board, nor has a run of a schedule, which may have nothing to tell."""
    needs_none = is_begun_in_background(turn.root) or revise_board_if_posted(db, turn)
    if not needs_none and not is_of_scheduled_run(db, turn):
        board = OutboundMessage(
            id=board_id(turn.root), address=turn.address, kind=OutboundKind.BOARD, text="", is_quiet=True
        )
        post(db, with_current_lines(db, board, terms), terms.now)


def is_of_scheduled_run(db: Connection, turn: Turn) -> bool:
    return bool(turns.get_turn(db, turn.root).schedule)


def revise_board_if_posted(db: Connection, turn: Turn) -> bool:
    """Have the board of a root turn sent again. Return False if it has none."""
    return outbox.begin_new_revision(db, board_id(turn.root))


def close_boards_if_over(db: Connection, turn: Turn, answered: Sequence[MessageId]) -> None:
    """Close the board of an ended root turn, and those of the requests whose reports it has answered, if nothing of
    them is open any more."""
    reporting = [turns.get_turn(db, id) for message in answered if (id := delegation_of_report(message))]
    for root in dict.fromkeys([turn.root, *(each.root for each in reporting)]):
        outbox.send_last_revision_of_board_or_drop_it(db, board_id(root), root)


def write_board_to_send(
    db: Connection, board: OutboundMessage, terms: DecisionTerms, progress: ProgressByTurn
) -> OutboundMessage:
    """Write down what a board says now, and return it. `progress` is what running calls have reported."""
    return revise_board(db, with_current_lines(db, board, terms, progress))


def with_current_lines(
    db: Connection, board: OutboundMessage, terms: DecisionTerms, progress: ProgressByTurn = NO_PROGRESS
) -> OutboundMessage:
    """Return a board with what it says now, in the language of its request."""
    root = turns.get_turn(db, root_of_board(board.id))
    with speaking(language_of_turn(root, terms)):
        return with_lines_of_root(db, board, root, terms, progress)


def with_lines_of_root(
    db: Connection, board: OutboundMessage, root: Turn, terms: DecisionTerms, progress: ProgressByTurn
) -> OutboundMessage:
    lines = board_lines_of_root(db, root.id, progress)
    if outbox.is_request_over(db, root.id):
        text = phrases.closed_board_text(lines, cost=root.spent.cost)
    else:
        zone = terms.resolved_settings.operator_time_zone
        estimate = estimate_remaining_cost(db, lines)
        expected = None if estimate is None else root.spent.cost + estimate
        text = phrases.board_text(lines, zone, cost=root.spent.cost, expected=expected, cap=root.limits.cost)
    return replace(board, text=text, board=tuple(lines))


def board_lines_of_root(db: Connection, root: TurnId, progress: ProgressByTurn = NO_PROGRESS) -> list[BoardLine]:
    """Return a line for each delegation below a root turn, with what it does now."""
    found = delegations.list_delegations_of_root(db, root)
    calls = transcript.list_open_calls_below_root(db, root)
    lines = []
    for each in found:
        is_shown = each.is_begun_by_chat_agent and not each.turn.is_hop  # what groups do is behind their walls
        own = [(call.name, call.arguments) for call in calls.get(each.turn.id, ())] if is_shown else []
        activity = phrases.first_words(phrases.describe_activity(own), phrases.MAX_BOARD_TASK_CHARACTERS)
        activity = activity_with_progress(activity, progress.get(each.turn.id), current_exit_rules())
        lines.append(replace(board_line_of_delegation(each), activity=activity))
    return lines


def estimate_remaining_cost(db: Connection, lines: Sequence[BoardLine]) -> Micros | None:
    """Return what the delegations at work are still expected to cost, by what their roles have usually cost before;
    None if none is at work, or if one of the roles has never completed anything."""
    at_work = [line for line in lines if line.is_open and line.depth == 1]  # the cost of one includes all below it
    usual = {role: delegations.median_cost_of_role(db, role) for role in {line.role for line in at_work}}
    if not at_work or None in usual.values():
        return None
    return Micros(sum(max(0, (usual[line.role] or 0) - line.cost) for line in at_work))


def board_id(root: TurnId) -> OutboundId:
    return OutboundId(root + BOARD_ID_SUFFIX)


def root_of_board(id: str) -> TurnId:
    return TurnId(id.removesuffix(BOARD_ID_SUFFIX))


def is_begun_in_background(root: TurnId) -> bool:
    """Return True if a call has begun a root turn in the background. The person does not wait for it, as they do for
    the lead and for a direct turn."""
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
