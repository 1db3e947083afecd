"""The couriers' side of the outbox, as rows: what sets out next in a lane, and what became of it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.core.channel import MessagePart
from bot.core.messages import Address, OutboundId, OutboundMessage, PlatformId
from bot.store.connection import Connection
from bot.store.outbox import read_outbound_message

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


@dataclass(frozen=True, slots=True, kw_only=True)
class NextMessage:
    """The message that sets out next from some addresses."""

    number: int  # of its row
    channel: str
    is_cosmetic: bool
    not_before: datetime | None
    delivery: Delivery


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingMessage:
    """The next message of its kind that waits at an address: the oldest, or the cosmetic one that may be first."""

    address: Address
    seq: int
    is_cosmetic: bool
    not_before: datetime | None


def load_delivery_state(db: Connection, channel: str) -> tuple[list[WaitingMessage], dict[str, datetime]]:
    """Return what a channel has to show, by address and kind, and until when the platform wants nothing, by lane."""
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


def mark_sending(db: Connection, message: NextMessage, since: datetime) -> None:
    """Mark a message as on its way. If the process dies now, it is unknown whether it has arrived."""
    db.execute(
        "UPDATE outbox SET state = 'sending', sending_since = ? WHERE seq = ?", (since.isoformat(), message.number)
    )


def platform_ids_at(db: Connection, address: Address) -> frozenset[PlatformId]:
    """Return what is known to be shown at an address, of the newest messages there."""
    rows = db.fetch_rows(
        "SELECT platform_ids FROM outbox WHERE address = ? ORDER BY seq DESC LIMIT ?", str(address), NEWEST_AT_ADDRESS
    )
    return frozenset(PlatformId(id) for row in rows for id in json.loads(row["platform_ids"]))


def next_message_to_send(db: Connection, among: Sequence[Address]) -> NextMessage | None:
    """Return the message that sets out next from these addresses: the most urgent, or what its own turn has said
    before that. A cosmetic message goes if nothing else waits."""
    where = f"address IN (SELECT value FROM json_each(?)) AND {WAITS_SQL}"
    named = json.dumps([str(address) for address in among])
    # `NOT is_cosmetic` would find no index, and read all that was ever said there.
    urgent = f"SELECT address, tree FROM outbox WHERE {where} AND is_cosmetic = 0 ORDER BY urgency, seq LIMIT 1"
    row = db.fetch_row(
        f"SELECT * FROM outbox WHERE (address, tree) = ({urgent}) AND {WAITS_SQL} AND is_cosmetic = 0"
        " ORDER BY seq LIMIT 1",
        named,
    ) or db.fetch_row(
        f"SELECT * FROM outbox WHERE {where} AND is_cosmetic = 1 ORDER BY ifnull(not_before, ''), seq LIMIT 1", named
    )
    if row is None:
        return None
    delivery = Delivery(
        message=read_outbound_message(row),
        shown=row["shown"],
        platform_ids=tuple(map(PlatformId, json.loads(row["platform_ids"]))),
        unknown_since=parse_optional_time(row["sending_since"]) if row["state"] == "unknown" else None,
        said_at=datetime.fromisoformat(row["said_at"]),
        tries=row["tries"],
    )
    return NextMessage(
        number=row["seq"],
        channel=row["channel"],
        is_cosmetic=bool(row["is_cosmetic"]),
        not_before=parse_optional_time(row["not_before"]),
        delivery=delivery,
    )


def lane_held_until(db: Connection, channel: str, lane: str, now: datetime) -> datetime | None:
    """Return until when a platform wants nothing in this lane; None if it may have what there is."""
    row = db.fetch_row("SELECT not_before FROM lanes WHERE channel = ? AND lane = ?", channel, lane)
    until = parse_optional_time(row["not_before"]) if row else None
    return until if until and until > now else None


def hold_lane(db: Connection, channel: str, lane: str, until: datetime) -> None:
    db.execute(
        "INSERT INTO lanes (channel, lane, not_before) VALUES (?, ?, ?)"
        " ON CONFLICT DO UPDATE SET not_before = max(not_before, excluded.not_before)",
        (channel, lane, until.isoformat()),
    )


def mark_all_shown(
    db: Connection, message: OutboundMessage, kept: int, now: datetime, not_before: datetime | None
) -> None:
    """Note that all of a message is shown, in its first `kept` parts. If it was revised meanwhile, it waits again. An
    edit waits until `not_before`."""
    db.execute(
        "UPDATE outbox SET state = CASE WHEN revision = ? THEN 'sent' ELSE 'queued' END, tries = 0, sent_at = ?,"
        " not_before = ?, sending_since = NULL,"
        " platform_ids = (SELECT json_group_array(value) FROM json_each(platform_ids) WHERE key < ?) WHERE key = ?",
        (message.revision, now.isoformat(), not_before and not_before.isoformat(), kept, message.id),
    )


def mark_failure_told(db: Connection, notice: OutboundId) -> None:
    """Note that people know of the failed message that a notice is about, if it is about one."""
    db.execute("UPDATE outbox SET is_told = 1 WHERE key = (SELECT about FROM outbox WHERE key = ?)", (notice,))


def mark_deleted(db: Connection, id: OutboundId) -> None:
    """Note that nothing of a withdrawn message is shown any more."""
    db.execute("UPDATE outbox SET state = 'sent', platform_ids = '[]' WHERE key = ? AND text = ''", (id,))


def mark_part_shown(db: Connection, part: MessagePart, platform_id: PlatformId, now: datetime) -> None:
    """Note that a part is shown. If the text was revised meanwhile, the new text is shown next."""
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
    """Note that the platform took nothing this time: the message waits again. If it was unknown before, and is not yet
    known to be shown, it still is."""
    db.execute(
        "UPDATE outbox SET state = CASE WHEN ? AND (shown = ? OR sending_since < said_at) THEN 'unknown'"
        " ELSE 'queued' END, tries = ?,"
        " not_before = ? WHERE key = ?",
        (
            *(sent.unknown_since is not None, sent.shown, tries),
            *(not_before and not_before.isoformat(), sent.message.id),
        ),
    )


def mark_unknown_again(db: Connection, id: OutboundId, tries: int, not_before: datetime) -> None:
    """Note that nobody heard whether a message has arrived. It is tried again at `not_before`."""
    db.execute(
        "UPDATE outbox SET state = 'unknown', tries = ?, not_before = ? WHERE key = ?",
        (tries, not_before.isoformat(), id),
    )


def drop_message(db: Connection, id: OutboundId) -> None:
    """Forget a message that is not worth another try. Nobody is told of it."""
    db.execute("UPDATE outbox SET state = 'failed', is_told = 1, text = '' WHERE key = ?", (id,))


def drop_unseen_drafts(db: Connection) -> None:
    """Forget the drafts that were on their way and have no part that is known to be shown."""
    db.execute(
        "UPDATE outbox SET state = 'failed', is_told = 1, text = '' WHERE state = 'sending' AND kind = 'draft'"
        " AND platform_ids = '[]'"
    )


def mark_all_unknown(db: Connection) -> None:
    """Mark the messages that were on their way at a start as unknown: they may have arrived."""
    db.execute("UPDATE outbox SET state = 'unknown' WHERE state = 'sending'")


def mark_failed(db: Connection, id: OutboundId, reason: str) -> None:
    """Note that a message will not be shown. Of a cosmetic one nobody has to be told."""
    db.execute("UPDATE outbox SET state = 'failed', reason = ?, is_told = is_cosmetic WHERE key = ?", (reason, id))


def is_draft(db: Connection, id: OutboundId) -> bool:
    return db.fetch_row("SELECT 1 FROM outbox WHERE key = ? AND kind = 'draft'", id) is not None


def first_failed_message(db: Connection, key: str) -> str:
    """Return the key of the first message in a chain of failure reports: its failure is still to be reported."""
    row = db.fetch_row("SELECT about FROM outbox WHERE key = ?", key)
    return first_failed_message(db, row["about"]) if row and row["about"] else key
