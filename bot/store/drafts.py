"""The drafts: one message for each turn that is writing, which is edited until what it has become is said."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass, replace
from datetime import datetime

from bot.core.messages import Address, OutboundId, OutboundKind, OutboundMessage, PlatformId
from bot.core.turn import RequestId, TurnId
from bot.store import outbox
from bot.store.connection import Connection, outbox_topic


def say_over_draft(db: Connection, message: OutboundMessage, turn: TurnId, now: datetime) -> None:
    """Say what a draft of this turn has led to, in the draft's own message if nothing has been said there since: an
    update makes no sound anyway. Else it is a new message, and the draft is deleted once that is shown."""
    draft = draft_row_of(db, turn)
    newest = db.fetch_number("SELECT max(seq) FROM outbox WHERE address = ?", str(message.address)) if draft else 0
    if draft is None or draft["state"] != "sent" or draft["platform_ids"] == "[]" or newest != draft["seq"]:
        outbox.say_message(db, replace(message, replaces=OutboundId(draft["key"])) if draft else message, now)
        return
    outbox.say_message(db, message, now)
    db.execute(
        "UPDATE outbox SET platform_ids = ?, revision = revision + 1 WHERE key = ?",
        (draft["platform_ids"], message.id),
    )
    end_draft(db, draft)
    db.execute("UPDATE outbox SET platform_ids = '[]' WHERE seq = ?", (draft["seq"],))


def say_after_draft(
    db: Connection,
    message: OutboundMessage,
    turn: TurnId,
    now: datetime,
    urgency: outbox.Urgency = outbox.Urgency.ANSWER,
) -> None:
    """Say what ends a turn: always a new message, since an edit makes no sound. The draft before it is deleted once
    the reply is shown, so that there is never nothing to read."""
    draft = draft_row_of(db, turn)
    if draft and message.replaces:
        outbox.withdraw_message(db, OutboundId(draft["key"]))
    elif draft:
        message = replace(message, replaces=OutboundId(draft["key"]))
    outbox.say_message(db, message, now, urgency=urgency)


def draft_row_of(db: Connection, turn: TurnId) -> sqlite3.Row | None:
    """The row of what a turn is writing now, if a message was opened for that."""
    return db.fetch_row("SELECT * FROM outbox WHERE turn = ? AND kind = 'draft' AND text != '' ORDER BY seq DESC", turn)


def withdraw_draft(db: Connection, turn: TurnId) -> None:
    """Take away what is seen of a reply that has come to nothing to be said."""
    if draft := draft_row_of(db, turn):
        outbox.withdraw_message(db, OutboundId(draft["key"]))


def leave_draft_standing(db: Connection, turn: TurnId) -> bool:
    """Let a turn's draft stand as it is in the chat, for good: nobody knows any more what it says. False if none was
    seen."""
    draft = draft_row_of(db, turn)
    if draft is None or draft["platform_ids"] == "[]":
        return False
    end_draft(db, draft)
    return True


def end_draft(db: Connection, draft: sqlite3.Row) -> None:
    """It is written no more: a draft without a text is no draft of any turn."""
    db.execute("UPDATE outbox SET text = '', state = 'sent' WHERE seq = ?", (draft["seq"],))


def open_draft(db: Connection, turn: TurnId, request: RequestId, address: Address, text: str, now: datetime) -> None:
    """Open a message for a turn's draft, while the model still writes that reply."""
    if db.fetch_row("SELECT 1 FROM requests WHERE id = ? AND state = 'open'", request):
        id = OutboundId(f"{turn}:draft:{now.timestamp():.3f}")
        message = OutboundMessage(id=id, address=address, kind=OutboundKind.DRAFT, text=text, is_quiet=True)
        outbox.say_message(db, message, now, turn=turn)


def withdraw_all_drafts(db: Connection) -> None:
    """Withdraw all drafts after a start: their turns write them again. Keep those of turns that are to end."""
    for draft in db.fetch_rows(
        "SELECT key FROM outbox WHERE kind = 'draft' AND text != ''"
        " AND turn NOT IN (SELECT id FROM turns WHERE state = 'stopping')"
    ):
        outbox.withdraw_message(db, OutboundId(draft["key"]))


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftRow:
    """The message that shows what a turn is writing."""

    id: OutboundId
    is_over: bool  # nothing of it is to be shown any more: that reply is written, or its message was lost
    parts: tuple[PlatformId, ...]  # what is there of it; nothing while it is on its way


def load_draft_row(db: Connection, turn: TurnId, request: RequestId) -> DraftRow | None:
    """Return the message for a turn's draft, in any state; None if none was opened for this step."""
    is_open = db.fetch_row("SELECT 1 FROM requests WHERE id = ? AND state = 'open'", request)
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
    """A draft has grown by a part, which is there now. Where the draft has ended meanwhile, that goes as well."""
    db.execute("UPDATE outbox SET platform_ids = json_insert(platform_ids, '$[#]', ?) WHERE key = ?", (part, id))
    withdrawn = db.execute("UPDATE outbox SET state = 'queued' WHERE key = ? AND text = ''", (id,))
    if withdrawn.rowcount:
        row = db.fetch_row("SELECT channel FROM outbox WHERE key = ?", id)
        db.wake(outbox_topic(row["channel"]))  # type: ignore[index]  # it was there a line before


def keep_first_parts(db: Connection, id: OutboundId, count: int) -> None:
    """Only the first parts of a message are there any more."""
    db.execute(
        "UPDATE outbox SET platform_ids = (SELECT json_group_array(value) FROM json_each(platform_ids) WHERE key < ?)"
        " WHERE key = ?",
        (count, id),
    )
