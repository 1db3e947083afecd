"""Drafts as rows: each turn that writes has one message, which is edited until its text is final."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from bot.core.messages import Address, OutboundId, PlatformId
from bot.core.turn import RequestId, TurnId
from bot.store.connection import Connection, outbox_topic
from bot.store.row_mapping import dataclass_from_row


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftRow:
    """The message that shows what a turn is writing."""

    id: OutboundId
    seq: int = 0
    state: str = "sent"
    platform_ids: tuple[PlatformId, ...] = ()  # of the parts that are shown or being edited
    is_over: bool = False  # show no more of it: its reply is written, or its message was lost

    @property
    def shown_platform_ids(self) -> tuple[PlatformId, ...]:
        """Return the platform's ids of the shown parts; none while the draft is being sent."""
        return self.platform_ids if self.state == "sent" else ()


def find_current_draft(db: Connection, turn: TurnId) -> DraftRow | None:
    """Return the draft of what a turn is writing now; None if no message was opened for it."""
    row = fetch_newest_draft_row(db, turn, "text != ''")
    return dataclass_from_row(DraftRow, row, id=OutboundId(row["key"]), is_over=False) if row else None


def find_draft_of_request(db: Connection, turn: TurnId, request: RequestId) -> DraftRow | None:
    """Return the message of a turn's draft, in any state. If there is none, return None while the request is open, and
    a row that is over afterwards."""
    is_open = is_request_open(db, turn, request)
    row = fetch_newest_draft_row(db, turn, "(text != '' OR state = 'failed')")
    if row is None:
        return None if is_open else DraftRow(id=OutboundId(""), is_over=True)
    return dataclass_from_row(DraftRow, row, id=OutboundId(row["key"]), is_over=not is_open or row["state"] == "failed")


def fetch_newest_draft_row(db: Connection, turn: TurnId, which: str) -> sqlite3.Row | None:
    return db.fetch_row(f"SELECT * FROM outbox WHERE turn = ? AND kind = 'draft' AND {which} ORDER BY seq DESC", turn)


def newest_outbox_number_at_address(db: Connection, address: Address) -> int:
    return db.fetch_number("SELECT max(seq) FROM outbox WHERE address = ?", address)


def hand_over_draft_parts(db: Connection, draft: DraftRow, message: OutboundId) -> None:
    """Give the draft's shown parts to another message, which will edit them. End the draft."""
    sql = "UPDATE outbox SET platform_ids = ?, revision = revision + 1 WHERE key = ?"
    db.execute(sql, (draft.platform_ids, message))
    db.update("outbox", {"text": "", "state": "sent", "platform_ids": []}, seq=draft.seq)


def end_draft(db: Connection, draft: DraftRow) -> None:
    """End a draft by emptying its text: a draft without a text belongs to no turn. Its shown parts stay."""
    db.update("outbox", {"text": "", "state": "sent"}, seq=draft.seq)


def is_request_open(db: Connection, turn: TurnId, request: RequestId) -> bool:
    """Return True if the model writes this reply of this turn. Once a turn is deleted, another turn's request may have
    its request's number."""
    return db.has_rows("SELECT 1 FROM requests WHERE id = ? AND turn = ? AND state = 'open'", request, turn)


def list_drafts_to_withdraw_at_start(db: Connection) -> list[OutboundId]:
    """Return the drafts whose turns write them again after a start, so not those of stopping turns."""
    stopping = "SELECT id FROM turns WHERE state = 'stopping'"
    rows = db.fetch_rows(f"SELECT key FROM outbox WHERE kind = 'draft' AND text != '' AND turn NOT IN ({stopping})")
    return [OutboundId(row["key"]) for row in rows]


def add_draft_part(db: Connection, id: OutboundId, part: PlatformId) -> None:
    """Note that a draft is shown with one more part. If the draft has ended meanwhile, the part is deleted too."""
    db.execute("UPDATE outbox SET platform_ids = json_insert(platform_ids, '$[#]', ?) WHERE key = ?", (part, id))
    ended = db.fetch_row(
        "UPDATE outbox SET state = 'queued' WHERE key = ? AND text = '' RETURNING address, channel", id
    )
    if ended:
        db.add_wake_up(outbox_topic(ended["channel"]), ended["address"])


def keep_first_platform_ids(db: Connection, id: OutboundId, count: int) -> None:
    """Note that only the first parts of a message are still shown."""
    first = "SELECT json_group_array(value) FROM json_each(platform_ids) WHERE key < ?"
    db.execute(f"UPDATE outbox SET platform_ids = ({first}) WHERE key = ?", (count, id))
