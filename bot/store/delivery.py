"""The outbox as the couriers use it: which message is sent next in a lane, and what became of it."""

import json
import sqlite3
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.core.channel import MessagePart
from bot.core.messages import Address, OutboundId, OutboundMessage, PlatformId
from bot.store.connection import Connection
from bot.store.outbox import outbound_message_from_row
from bot.store.row_mapping import dataclass_from_row

MAX_MESSAGES_SEARCHED_FOR_IDS = 200  # messages at an address: no more than these are in doubt at one time
IS_WAITING_SQL = "state IN ('queued', 'unknown')"
# The `seq` of one message that waits at `given.address`: the most urgent one, the oldest one of the same root turn,
# which is sent next, and the cosmetic one that is sent if nothing else waits. Each takes a step or two in an index.
# With `NOT is_cosmetic` SQLite would use no index, and read every message ever posted there.
MOST_URGENT_AT_ADDRESS_SQL = (
    f"SELECT seq FROM outbox WHERE address = named.address AND {IS_WAITING_SQL} AND is_cosmetic = 0"
    " ORDER BY urgency, seq LIMIT 1"
)
NEXT_AT_ADDRESS_SQL = (
    f"SELECT seq FROM outbox WHERE address = given.address AND {IS_WAITING_SQL} AND is_cosmetic = 0 AND tree ="
    f" (SELECT tree FROM outbox WHERE address = given.address AND {IS_WAITING_SQL} AND is_cosmetic = 0"
    " ORDER BY urgency, seq LIMIT 1) ORDER BY seq LIMIT 1"
)
NEXT_COSMETIC_AT_ADDRESS_SQL = (
    f"SELECT seq FROM outbox WHERE address = given.address AND {IS_WAITING_SQL} AND is_cosmetic = 1"
    " ORDER BY ifnull(not_before, ''), seq LIMIT 1"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """A message on its way: which parts are shown already, and which are in doubt."""

    message: OutboundMessage
    shown: int  # how many parts are known to be shown in this revision
    text_revision: int  # of a board: the revision that its text was written for
    platform_ids: tuple[PlatformId, ...]  # of the parts that are shown, in any revision
    unknown_since: datetime | None  # when the part was sent that may or may not have arrived
    said_at: datetime
    tries: int

    @property
    def has_all_unshown_parts_in_doubt(self) -> bool:
        """Return True if every part that is not known to be shown is in doubt. This is so after a restore, which sets
        the time of sending before `said_at`."""
        return self.unknown_since is not None and self.unknown_since < self.said_at


@dataclass(frozen=True, slots=True, kw_only=True)
class NextMessage:
    """The message that is sent next to some addresses."""

    seq: int
    channel: str
    is_cosmetic: bool
    not_before: datetime | None
    delivery: Delivery


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingMessage:
    """The next message of its kind, cosmetic or not, that waits at an address."""

    address: Address
    seq: int
    is_cosmetic: bool
    not_before: datetime | None


def list_addresses_with_waiting_messages(db: Connection, channel: str) -> list[Address]:
    """Return a channel's addresses where messages wait. It takes one step in the index for each address."""
    next_one = f"SELECT min(address) FROM outbox WHERE channel = ?1 AND {IS_WAITING_SQL}"
    rows = db.fetch_rows(
        f"WITH RECURSIVE found(address) AS (SELECT ({next_one}) UNION ALL"
        f" SELECT ({next_one} AND address > found.address) FROM found WHERE found.address IS NOT NULL)"
        " SELECT address FROM found WHERE address IS NOT NULL",
        channel,
    )
    return [Address.parse(row["address"]) for row in rows]


def load_waiting_messages_and_lane_holds(
    db: Connection, channel: str, addresses: Collection[Address], lanes: Collection[str]
) -> tuple[list[WaitingMessage], dict[str, datetime]]:
    """Return the next messages at these addresses, at each of them up to one cosmetic and one that is not; and until
    when each of these lanes waits, if it was held."""
    next_ones = (
        f"SELECT ({NEXT_AT_ADDRESS_SQL}) FROM given UNION ALL SELECT ({NEXT_COSMETIC_AT_ADDRESS_SQL}) FROM given"
    )
    rows = db.fetch_rows(
        "WITH given(address) AS (SELECT value FROM json_each(?))"
        f" SELECT address, seq, is_cosmetic, not_before FROM outbox WHERE seq IN ({next_ones})",
        [str(address) for address in addresses],
    )
    where = "channel = ? AND lane IN (SELECT value FROM json_each(?))"
    held = db.fetch_rows(f"SELECT lane, not_before FROM lanes WHERE {where}", channel, list(lanes))
    waiting = [dataclass_from_row(WaitingMessage, row) for row in rows]
    return waiting, {row["lane"]: datetime.fromisoformat(row["not_before"]) for row in held}


def has_waiting_messages(db: Connection, among: Sequence[Address]) -> bool:
    """Return True if a message waits at one of these addresses, now or for later."""
    where = f"address IN (SELECT value FROM json_each(?)) AND {IS_WAITING_SQL}"
    return db.has_rows(f"SELECT 1 FROM outbox WHERE {where} LIMIT 1", [str(address) for address in among])


def find_delivery(db: Connection, id: OutboundId) -> Delivery | None:
    row = db.fetch_row("SELECT * FROM outbox WHERE key = ?", id)
    return delivery_from_row(row) if row else None


def mark_message_sending(db: Connection, message: NextMessage, since: datetime) -> None:
    """Mark a message as on its way. If the process dies now, it is unknown whether it has arrived."""
    db.update("outbox", {"state": "sending", "sending_since": since}, seq=message.seq)


def platform_ids_shown_at_address(db: Connection, address: Address) -> frozenset[PlatformId]:
    """Return the platform's ids of what is known to be shown at an address, for its newest messages."""
    sql = f"SELECT platform_ids FROM outbox WHERE address = ? ORDER BY seq DESC LIMIT {MAX_MESSAGES_SEARCHED_FOR_IDS}"
    return frozenset(PlatformId(id) for row in db.fetch_rows(sql, address) for id in json.loads(row["platform_ids"]))


def find_next_message_to_send(db: Connection, among: Sequence[Address]) -> NextMessage | None:
    """Return the message that is sent next to these addresses: the oldest one from the root turn that has the most
    urgent one. A cosmetic message is sent if nothing else waits."""
    named = [str(address) for address in among]
    row = db.fetch_row(
        "WITH named(address) AS (SELECT value FROM json_each(?)), given(address) AS"
        f" (SELECT address FROM outbox WHERE seq IN (SELECT ({MOST_URGENT_AT_ADDRESS_SQL}) FROM named)"
        " ORDER BY urgency, seq LIMIT 1)"
        f" SELECT * FROM outbox WHERE seq = (SELECT ({NEXT_AT_ADDRESS_SQL}) FROM given)",
        named,
    ) or db.fetch_row(
        "WITH given(address) AS (SELECT value FROM json_each(?))"
        f" SELECT * FROM outbox WHERE seq IN (SELECT ({NEXT_COSMETIC_AT_ADDRESS_SQL}) FROM given)"
        " ORDER BY ifnull(not_before, ''), seq LIMIT 1",
        named,
    )
    return dataclass_from_row(NextMessage, row, delivery=delivery_from_row(row)) if row else None


def lane_held_until(db: Connection, channel: str, lane: str, now: datetime) -> datetime | None:
    """Return until when the platform accepts nothing in this lane; None if it accepts messages now."""
    row = db.fetch_row("SELECT not_before FROM lanes WHERE channel = ? AND lane = ?", channel, lane)
    until = datetime.fromisoformat(row["not_before"]) if row else None
    return until if until and until > now else None


def hold_lane_until(db: Connection, channel: str, lane: str, until: datetime) -> None:
    db.execute(
        "INSERT INTO lanes (channel, lane, not_before) VALUES (?, ?, ?)"
        " ON CONFLICT DO UPDATE SET not_before = max(not_before, excluded.not_before)",
        (channel, lane, until),
    )


def mark_message_shown_or_requeue(
    db: Connection, message: OutboundMessage, kept: int, now: datetime, not_before: datetime | None
) -> None:
    """Note that a message is shown completely, and keep its first `kept` parts. If it was revised meanwhile, it waits
    again. An edit waits until `not_before`."""
    db.execute(
        "UPDATE outbox SET state = CASE WHEN revision = ? THEN 'sent' ELSE 'queued' END, tries = 0, sent_at = ?,"
        " not_before = ?, sending_since = NULL,"
        " platform_ids = (SELECT json_group_array(value) FROM json_each(platform_ids) WHERE key < ?) WHERE key = ?",
        (message.revision, now, not_before, kept, message.id),
    )


def mark_message_shown_as_it_is(db: Connection, id: OutboundId) -> None:
    """Note that what is shown of a message says what it should say."""
    shown = "json_array_length(platform_ids)"
    db.execute(f"UPDATE outbox SET state = 'sent', shown = {shown}, sending_since = NULL WHERE key = ?", (id,))


def mark_reported_failure_told(db: Connection, notice: OutboundId) -> None:
    """Note that people know of the failed message that a notice reports, if it reports one."""
    db.execute("UPDATE outbox SET is_told = 1 WHERE key = (SELECT about FROM outbox WHERE key = ?)", (notice,))


def mark_withdrawn_message_deleted(db: Connection, id: OutboundId) -> None:
    """Note that nothing of a withdrawn message is shown any more."""
    db.execute("UPDATE outbox SET state = 'sent', platform_ids = '[]' WHERE key = ? AND text = ''", (id,))


def mark_part_shown(db: Connection, part: MessagePart, platform_id: PlatformId, now: datetime) -> None:
    """Note that a part is shown. If the text was revised meanwhile, the new text is shown next."""
    db.execute(
        "UPDATE outbox SET platform_ids = CASE WHEN json_array_length(platform_ids) > ?1"
        " THEN json_set(platform_ids, '$[' || ?1 || ']', ?2) ELSE json_insert(platform_ids, '$[#]', ?2) END,"
        " shown = CASE WHEN revision = ?3 THEN shown + 1 ELSE 0 END,"
        " sending_since = CASE WHEN sending_since < said_at THEN sending_since ELSE ?4 END WHERE key = ?5",
        (part.number, platform_id, part.message.revision, now, part.message.id),
    )


def requeue_unaccepted_message(db: Connection, sent: Delivery, tries: int, not_before: datetime | None = None) -> None:
    """Note that the platform accepted nothing this time, so the message waits again. If its outcome was unknown before,
    and no part is known to be shown since, it stays unknown."""
    db.execute(
        "UPDATE outbox SET state = CASE WHEN ? AND (shown = ? OR sending_since < said_at) THEN 'unknown'"
        " ELSE 'queued' END, tries = ?, not_before = ? WHERE key = ?",
        (sent.unknown_since is not None, sent.shown, tries, not_before, sent.message.id),
    )


def mark_message_outcome_unknown(db: Connection, id: OutboundId, tries: int, not_before: datetime) -> None:
    """Note that it is unknown whether a message has arrived. It is tried again at `not_before`."""
    db.update("outbox", {"state": "unknown", "tries": tries, "not_before": not_before}, key=id)


def discard_message_untold(db: Connection, id: OutboundId) -> None:
    """Forget a message that is not worth another try. Nobody is told of it."""
    db.update("outbox", {"state": "failed", "is_told": True, "text": ""}, key=id)


def mark_message_failed(db: Connection, id: OutboundId, reason: str) -> None:
    """Note that a message will not be shown. Nobody has to be told if it is cosmetic."""
    db.execute("UPDATE outbox SET state = 'failed', reason = ?, is_told = is_cosmetic WHERE key = ?", (reason, id))


def mark_sending_messages_unknown(db: Connection) -> None:
    """At a start, mark the messages that were being sent as unknown, since they may have arrived. Forget the drafts
    among them that have no shown part."""
    lost = "state = 'sending' AND kind = 'draft' AND platform_ids = '[]'"
    db.execute(f"UPDATE outbox SET state = 'failed', is_told = 1, text = '' WHERE {lost}")
    db.execute("UPDATE outbox SET state = 'unknown' WHERE state = 'sending'")


def is_draft_message(db: Connection, id: OutboundId) -> bool:
    return db.has_rows("SELECT 1 FROM outbox WHERE key = ? AND kind = 'draft'", id)


def find_originally_failed_message_key(db: Connection, key: str) -> str:
    """Return the key of the first message in a chain of failure reports. Its failure is the one to report."""
    row = db.fetch_row("SELECT about FROM outbox WHERE key = ?", key)
    return find_originally_failed_message_key(db, row["about"]) if row and row["about"] else key


def delivery_from_row(row: sqlite3.Row) -> Delivery:
    since = row["sending_since"] if row["state"] == "unknown" else None
    unknown_since = datetime.fromisoformat(since) if since else None
    return dataclass_from_row(Delivery, row, message=outbound_message_from_row(row), unknown_since=unknown_since)
