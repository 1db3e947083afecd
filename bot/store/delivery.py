"""The couriers' side of the outbox: what sets out next in a lane, and what became of it."""

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from bot.core.channel import MessagePart
from bot.core.messages import Address, OutboundId, OutboundKind, OutboundMessage, PlatformId
from bot.store.connection import Connection
from bot.store.outbox import read_outbound_message, say_message, withdraw_message

NEWEST_AT_ADDRESS = 200  # messages at an address: more are not in doubt at one time
WAITS_SQL = "state IN ('queued', 'unknown')"
URGENCY_FACTOR = 10**15  # more than any number of a row


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """A message on its way: which parts are shown already, and which are in doubt."""

    message: OutboundMessage
    shown: int  # how many parts are known to be there in this revision
    platform_ids: tuple[PlatformId, ...]  # of what is there, in any revision
    unknown_since: datetime | None  # when a part was sent that may or may not have arrived
    said_at: datetime
    tries: int

    @property
    def is_all_in_doubt(self) -> bool:
        """Return True if every part that is not known to be shown is in doubt.

        This is so after a restore: it records a time of sending that is before `said_at`.
        """
        return self.unknown_since is not None and self.unknown_since < self.said_at


class RemainingWork(StrEnum):
    """What is left to carry in a lane."""

    NOTHING = "nothing"
    NOW = "now"
    LATER = "later"


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingMessage:
    """The next message of its kind that waits at an address: the oldest, or the cosmetic one that may be first."""

    address: Address
    seq: int
    is_cosmetic: bool
    not_before: datetime | None


def load_delivery_state(db: Connection, channel: str) -> tuple[list[WaitingMessage], dict[str, datetime]]:
    """What a channel has to show, by address and kind; and until when the platform wants nothing, by lane."""
    # In SQLite the other columns are of the row that has the minimum.
    what = f"FROM outbox WHERE channel = ? AND {WAITS_SQL} AND"
    most_urgent = f"SELECT address, tree, min(urgency * {URGENCY_FACTOR} + seq) {what} is_cosmetic = 0 GROUP BY address"
    rows = db.fetch_rows(
        f"SELECT address, 0 AS is_cosmetic, min(seq) AS seq, not_before {what} is_cosmetic = 0"
        f" AND (address, tree) IN (SELECT address, tree FROM ({most_urgent})) GROUP BY address UNION ALL"
        f" SELECT address, 1, seq, min(ifnull(not_before, '')) AS not_before {what} is_cosmetic = 1 GROUP BY address",
        *(channel, channel, channel),
    )
    waiting = [
        WaitingMessage(
            address=Address.parse(row["address"]),
            seq=row["seq"],
            is_cosmetic=bool(row["is_cosmetic"]),
            not_before=parse_optional_time(row["not_before"]),
        )
        for row in rows
    ]
    held = db.fetch_rows("SELECT lane, not_before FROM lanes WHERE channel = ?", channel)
    return waiting, {row["lane"]: datetime.fromisoformat(row["not_before"]) for row in held}


def parse_optional_time(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def begin_next_delivery(
    db: Connection, lane: str, among: Sequence[Address], now: datetime, *, with_cosmetic: bool = True
) -> Delivery | None:
    """Mark the next message of a lane as on its way. If we die now, it is unknown whether it is there."""
    row = next_row_to_send(db, among)
    if row is None or (row["is_cosmetic"] and not with_cosmetic) or not is_message_due(db, row, lane, now):
        return None
    since = row["sending_since"] if row["state"] == "unknown" else None
    db.execute(
        "UPDATE outbox SET state = 'sending', sending_since = ifnull(?, ?) WHERE seq = ?",
        (since, now.isoformat(), row["seq"]),
    )
    return Delivery(
        message=read_outbound_message(row),
        shown=row["shown"],
        platform_ids=tuple(map(PlatformId, json.loads(row["platform_ids"]))),
        unknown_since=parse_optional_time(since),
        said_at=datetime.fromisoformat(row["said_at"]),
        tries=row["tries"],
    )


def platform_ids_at(db: Connection, address: Address) -> frozenset[PlatformId]:
    """What is known to be shown at an address, of the newest messages there."""
    rows = db.fetch_rows(
        "SELECT platform_ids FROM outbox WHERE address = ? ORDER BY seq DESC LIMIT ?", str(address), NEWEST_AT_ADDRESS
    )
    return frozenset(PlatformId(id) for row in rows for id in json.loads(row["platform_ids"]))


def remaining_work(db: Connection, lane: str, among: Sequence[Address], now: datetime) -> RemainingWork:
    """What is left to carry in a lane."""
    row = next_row_to_send(db, among)
    if row is None:
        return RemainingWork.NOTHING
    return RemainingWork.NOW if is_message_due(db, row, lane, now) else RemainingWork.LATER


def is_message_due(db: Connection, row: sqlite3.Row, lane: str, now: datetime) -> bool:
    at = parse_optional_time(row["not_before"])
    return not (at and at > now) and lane_held_until(db, row["channel"], lane, now) is None


def next_row_to_send(db: Connection, among: Sequence[Address]) -> sqlite3.Row | None:
    """The message that sets out next from these addresses: the most urgent, or what its own turn has said before that.
    What is cosmetic goes when nothing else waits, and costs that no place."""
    where = f"address IN (SELECT value FROM json_each(?)) AND {WAITS_SQL}"
    named = json.dumps([str(address) for address in among])
    # `NOT is_cosmetic` would find no index, and read all that was ever said there.
    urgent = f"SELECT address, tree FROM outbox WHERE {where} AND is_cosmetic = 0 ORDER BY urgency, seq LIMIT 1"
    row = db.fetch_row(
        f"SELECT * FROM outbox WHERE (address, tree) = ({urgent}) AND {WAITS_SQL} AND is_cosmetic = 0"
        " ORDER BY seq LIMIT 1",
        named,
    )
    if row:
        return row
    return db.fetch_row(
        f"SELECT * FROM outbox WHERE {where} AND is_cosmetic = 1 ORDER BY ifnull(not_before, ''), seq LIMIT 1", named
    )


def lane_held_until(db: Connection, channel: str, lane: str, now: datetime) -> datetime | None:
    """Until when a platform wants nothing in this lane; None if it may have what there is."""
    row = db.fetch_row("SELECT not_before FROM lanes WHERE channel = ? AND lane = ?", channel, lane)
    until = parse_optional_time(row["not_before"]) if row else None
    return until if until and until > now else None


def hold_lane(db: Connection, channel: str, lane: str, until: datetime) -> None:
    db.execute(
        "INSERT INTO lanes (channel, lane, not_before) VALUES (?, ?, ?)"
        " ON CONFLICT DO UPDATE SET not_before = max(not_before, excluded.not_before)",
        (channel, lane, until.isoformat()),
    )


def mark_all_shown(db: Connection, message: OutboundMessage, kept: int, now: datetime, *, rest: float) -> None:
    """All of a message is there, in its first `kept` parts. If it is revised, now or later, the edit waits for `rest`
    seconds at least."""
    not_before = (now + timedelta(seconds=rest)).isoformat() if rest else None
    db.execute(
        "UPDATE outbox SET state = CASE WHEN revision = ? THEN 'sent' ELSE 'queued' END, tries = 0, sent_at = ?,"
        " not_before = ?, sending_since = NULL,"
        " platform_ids = (SELECT json_group_array(value) FROM json_each(platform_ids) WHERE key < ?) WHERE key = ?",
        (message.revision, now.isoformat(), not_before, kept, message.id),
    )
    if message.replaces:
        withdraw_message(db, message.replaces)
    if message.kind is OutboundKind.NOTICE:
        db.execute("UPDATE outbox SET is_told = 1 WHERE key = (SELECT about FROM outbox WHERE key = ?)", (message.id,))


def mark_deleted(db: Connection, id: OutboundId) -> None:
    """Nothing of a message that was withdrawn is there any more."""
    db.execute("UPDATE outbox SET state = 'sent', platform_ids = '[]' WHERE key = ? AND text = ''", (id,))


def mark_part_shown(db: Connection, part: MessagePart, platform_id: PlatformId, now: datetime) -> None:
    """A part is there. Where the text was revised meanwhile, the new one is shown next."""
    db.execute(
        "UPDATE outbox SET platform_ids = CASE WHEN json_array_length(platform_ids) > ?"
        " THEN json_set(platform_ids, '$[' || ? || ']', ?) ELSE json_insert(platform_ids, '$[#]', ?) END,"
        " shown = CASE WHEN revision = ? THEN shown + 1 ELSE 0 END,"
        " sending_since = CASE WHEN sending_since < said_at THEN sending_since ELSE ? END WHERE key = ?",
        (
            *(part.number, part.number, platform_id, platform_id, part.message.revision),
            now.isoformat(),
            part.message.id,
        ),
    )


def mark_not_shown(db: Connection, sent: Delivery, tries: int, not_before: datetime | None = None) -> None:
    """The platform took nothing this time: the message waits again. If it was unknown before, and is not yet known to
    be shown, it still is."""
    db.execute(
        "UPDATE outbox SET state = CASE WHEN ? AND (shown = ? OR sending_since < said_at) THEN 'unknown'"
        " ELSE 'queued' END, tries = ?,"
        " not_before = ? WHERE key = ?",
        (
            *(sent.unknown_since is not None, sent.shown, tries),
            *(not_before and not_before.isoformat(), sent.message.id),
        ),
    )


def requeue_and_hold_lane(db: Connection, sent: Delivery, channel: str, lane: str, until: datetime) -> None:
    """The platform took nothing and asks to wait: the whole lane does. That is no try, and no repeat."""
    mark_not_shown(db, sent, sent.tries)
    hold_lane(db, channel, lane, until)


def mark_unknown_again(db: Connection, delivery: Delivery, tries: int, not_before: datetime) -> None:
    """Nobody heard whether this message has arrived. A draft is not worth the question: it is dropped."""
    if delivery.message.kind is OutboundKind.DRAFT and not delivery.platform_ids:
        db.execute("UPDATE outbox SET state = 'failed', is_told = 1, text = '' WHERE key = ?", (delivery.message.id,))
        return
    db.execute(
        "UPDATE outbox SET state = 'unknown', tries = ?, not_before = ? WHERE key = ?",
        (tries, not_before.isoformat(), delivery.message.id),
    )


def mark_all_unknown(db: Connection) -> None:
    """Mark the messages that were on their way at a start as unknown: they may have arrived."""
    db.execute(
        "UPDATE outbox SET state = 'failed', is_told = 1, text = '' WHERE state = 'sending' AND kind = 'draft'"
        " AND platform_ids = '[]'"
    )
    db.execute("UPDATE outbox SET state = 'unknown' WHERE state = 'sending'")


def mark_message_failed(
    db: Connection, message: OutboundMessage, reason: str, tell: OutboundMessage | None, now: datetime
) -> None:
    """Give up a message, and report this with the message `tell`, if there is one.

    If the failed message was to replace a draft, the draft is withdrawn anyway. An update stays.
    """
    db.execute(
        "UPDATE outbox SET state = 'failed', reason = ?, is_told = is_cosmetic WHERE key = ?", (reason, message.id)
    )
    if message.replaces and db.fetch_row("SELECT 1 FROM outbox WHERE key = ? AND kind = 'draft'", message.replaces):
        withdraw_message(db, message.replaces)
    if tell and not message.is_cosmetic:
        say_message(db, tell, now, about=first_failed_message(db, message.id))


def first_failed_message(db: Connection, key: str) -> str:
    """Return the key of the first message in a chain of failure reports: its failure is still to be reported."""
    row = db.fetch_row("SELECT about FROM outbox WHERE key = ?", key)
    return first_failed_message(db, row["about"]) if row and row["about"] else key
