"""The drafts, as rows: one message for each turn that is writing, which is edited until its text is said."""

from __future__ import annotations

import json
from dataclasses import dataclass

from bot.core.messages import Address, OutboundId, PlatformId
from bot.core.turn import RequestId, TurnId
from bot.store.connection import Connection, outbox_topic


@dataclass(frozen=True, slots=True, kw_only=True)
class CurrentDraft:
    """The message of what a turn is writing now."""

    id: OutboundId
    number: int  # of its row in the outbox
    has_parts: bool  # some of it is shown, or its message is being edited
    is_sent: bool


def find_current_draft(db: Connection, turn: TurnId) -> CurrentDraft | None:
    """Return the draft of what a turn is writing now, if a message was opened for that."""
    row = db.fetch_row("SELECT * FROM outbox WHERE turn = ? AND kind = 'draft' AND text != '' ORDER BY seq DESC", turn)
    if row is None:
        return None
    return CurrentDraft(
        id=OutboundId(row["key"]),
        number=row["seq"],
        has_parts=row["platform_ids"] != "[]",
        is_sent=row["state"] == "sent",
    )


def newest_message_at(db: Connection, address: Address) -> int:
    """Return the number of the newest row in the outbox for an address."""
    return db.fetch_number("SELECT max(seq) FROM outbox WHERE address = ?", str(address))


def hand_over_parts(db: Connection, draft: CurrentDraft, message: OutboundId) -> None:
    """Give the draft's shown parts to another message, which will edit them. End the draft."""
    db.execute(
        "UPDATE outbox SET platform_ids = (SELECT platform_ids FROM outbox WHERE seq = ?), revision = revision + 1"
        " WHERE key = ?",
        (draft.number, message),
    )
    end_draft(db, draft)
    db.execute("UPDATE outbox SET platform_ids = '[]' WHERE seq = ?", (draft.number,))


def end_draft(db: Connection, draft: CurrentDraft) -> None:
    """End a draft: one without a text is no draft of any turn. What is shown of it stays."""
    db.execute("UPDATE outbox SET text = '', state = 'sent' WHERE seq = ?", (draft.number,))


def is_request_open(db: Connection, request: RequestId) -> bool:
    return db.fetch_row("SELECT 1 FROM requests WHERE id = ? AND state = 'open'", request) is not None


def list_drafts_to_withdraw(db: Connection) -> list[OutboundId]:
    """Return the drafts of turns that will write them again after a start; not those of turns that are to end."""
    rows = db.fetch_rows(
        "SELECT key FROM outbox WHERE kind = 'draft' AND text != ''"
        " AND turn NOT IN (SELECT id FROM turns WHERE state = 'stopping')"
    )
    return [OutboundId(row["key"]) for row in rows]


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftRow:
    """The message that shows what a turn is writing."""

    id: OutboundId
    is_over: bool  # nothing of it is to be shown any more: that reply is written, or its message was lost
    parts: tuple[PlatformId, ...]  # what is there of it; nothing while it is on its way


def load_draft_row(db: Connection, turn: TurnId, request: RequestId) -> DraftRow | None:
    """Return the message for a turn's draft, in any state; None if none was opened for this step."""
    is_open = is_request_open(db, request)
    row = db.fetch_row(
        "SELECT * FROM outbox WHERE turn = ? AND kind = 'draft' AND (text != '' OR state = 'failed') ORDER BY seq DESC",
        turn,
    )
    if row is None:
        return None if is_open else DraftRow(id=OutboundId(""), is_over=True, parts=())
    parts = tuple(map(PlatformId, json.loads(row["platform_ids"]))) if row["state"] == "sent" else ()
    is_over = not is_open or row["state"] == "failed"
    return DraftRow(id=OutboundId(row["key"]), is_over=is_over, parts=parts)


def add_draft_part(db: Connection, id: OutboundId, part: PlatformId) -> None:
    """Note that a draft is shown with one more part. If the draft has ended meanwhile, the part is deleted too."""
    db.execute("UPDATE outbox SET platform_ids = json_insert(platform_ids, '$[#]', ?) WHERE key = ?", (part, id))
    withdrawn = db.execute("UPDATE outbox SET state = 'queued' WHERE key = ? AND text = ''", (id,))
    if withdrawn.rowcount:
        row = db.fetch_row("SELECT channel FROM outbox WHERE key = ?", id)
        db.wake(outbox_topic(row["channel"]))  # type: ignore[index]  # it was there a line before


def keep_first_parts(db: Connection, id: OutboundId, count: int) -> None:
    """Note that only the first parts of a message are still shown."""
    db.execute(
        "UPDATE outbox SET platform_ids = (SELECT json_group_array(value) FROM json_each(platform_ids) WHERE key < ?)"
        " WHERE key = ?",
        (count, id),
    )
