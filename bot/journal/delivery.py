"""The transactions of a delivery: which message is sent next, what becomes of it, and who is told of a failure."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from enum import StrEnum

from bot.core.call_progress import NO_PROGRESS, ProgressByTurn
from bot.core.limits import DecisionTerms
from bot.core.messages import Address, OutboundKind, OutboundMessage
from bot.journal import boards
from bot.journal.bus import post, withdraw
from bot.store import delivery as rows
from bot.store.connection import Connection
from bot.store.delivery import Delivery, NextMessage


class NextMessageDue(StrEnum):
    NOTHING = "nothing"
    NOW = "now"
    LATER = "later"


def begin_next_delivery(
    db: Connection,
    lane: str,
    among: Sequence[Address],
    terms: DecisionTerms,
    *,
    with_cosmetic: bool = True,
    progress: ProgressByTurn = NO_PROGRESS,
) -> Delivery | None:
    """Mark the next message of a lane as being sent, and return it; None if no message may be sent now. A board says
    what running calls have reported, too: their `progress`."""
    found = rows.find_next_message_to_send(db, among)
    if found is None or (found.is_cosmetic and not with_cosmetic) or not is_message_due(db, found, lane, terms.now):
        return None
    rows.mark_message_sending(db, found, since=found.delivery.unknown_since or terms.now)
    message = found.delivery.message
    if message.kind is not OutboundKind.BOARD:
        return found.delivery
    if found.delivery.unknown_since or found.delivery.shown:  # the same words and nonce again; a new revision follows
        return replace(found.delivery, message=replace(message, revision=found.delivery.text_revision))
    written = boards.write_board_to_send(db, message, terms, progress)
    if found.delivery.platform_ids and is_same_board(
        message, written
    ):  # platforms allow few edits, and refuse this one
        rows.mark_message_shown_as_it_is(db, written.id)
        return None
    return replace(found.delivery, message=written)


def is_same_board(one: OutboundMessage, other: OutboundMessage) -> bool:
    """Return True if two boards look the same, with their buttons."""
    return one.text == other.text and [line.is_open for line in one.board] == [line.is_open for line in other.board]


def find_when_next_message_is_due(db: Connection, lane: str, among: Sequence[Address], now: datetime) -> NextMessageDue:
    found = rows.find_next_message_to_send(db, among) if rows.has_waiting_messages(db, among) else None
    if found is None:
        return NextMessageDue.NOTHING
    return NextMessageDue.NOW if is_message_due(db, found, lane, now) else NextMessageDue.LATER


def is_urgent_message_due(db: Connection, lane: str, among: Sequence[Address], now: datetime) -> bool:
    """Return True if a message that is not cosmetic may be sent now."""
    found = rows.find_next_message_to_send(db, among) if rows.has_waiting_messages(db, among) else None
    return found is not None and not found.is_cosmetic and is_message_due(db, found, lane, now)


def is_message_due(db: Connection, message: NextMessage, lane: str, now: datetime) -> bool:
    if message.not_before and message.not_before > now:
        return False
    return rows.lane_held_until(db, message.channel, lane, now) is None


def finish_delivery(db: Connection, message: OutboundMessage, kept: int, now: datetime, *, pause: float) -> None:
    """Note that a message is shown completely, in its first `kept` parts, and withdraw what it replaces. If the message
    is revised, now or later, the edit waits at least `pause` seconds."""
    until = now + timedelta(seconds=pause) if pause else None
    rows.mark_message_shown_or_requeue(db, message, kept, now, not_before=until)
    if message.replaces:
        withdraw(db, message.replaces)
    if message.kind is OutboundKind.NOTICE:
        rows.mark_reported_failure_told(db, message.id)


def requeue_and_hold_lane(db: Connection, sent: Delivery, channel: str, lane: str, until: datetime) -> None:
    """Hold a whole lane until `until`: the platform asks for it and has accepted nothing. This counts as no try."""
    rows.requeue_unaccepted_message(db, sent, sent.tries)
    rows.hold_lane_until(db, channel, lane, until)


def note_unknown_outcome(db: Connection, sent: Delivery, tries: int, not_before: datetime) -> None:
    """Note that it is unknown whether a message arrived. Drop a draft without shown parts: nobody searches for it."""
    if sent.message.kind is OutboundKind.DRAFT and not sent.platform_ids:
        rows.discard_message_untold(db, sent.message.id)
    else:
        rows.mark_message_outcome_unknown(db, sent.message.id, tries, not_before)


def give_up_message(
    db: Connection, message: OutboundMessage, reason: str, tell: OutboundMessage | None, now: datetime
) -> None:
    """Give up a message, and report this with the message `tell`, if there is one. If the failed message was to replace
    a draft, the draft is withdrawn anyway. If it was to replace an update, the update stays."""
    rows.mark_message_failed(db, message.id, reason)
    if message.replaces and rows.is_draft_message(db, message.replaces):
        withdraw(db, message.replaces)
    if tell and not message.is_cosmetic:
        post(db, tell, now, about=rows.find_originally_failed_message_key(db, message.id))
