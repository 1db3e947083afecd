"""Questions of the harness's own to which no turn waits: they change something when they are tapped, and else stay."""

import json
import sqlite3
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from bot.core.messages import (
    Address,
    InboundKind,
    InboundMessage,
    OutboundId,
    OutboundKind,
    OutboundMessage,
    QuestionId,
)
from bot.store import inbox, outbox
from bot.store.connection import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class Button:
    id: QuestionId
    address: Address
    options: tuple[str, ...]
    about: dict[str, Any]  # what it is to change
    is_open: bool

    def match_option(self, text: str) -> str:
        """Return the option that was tapped or written; empty if the text is not an option."""
        text = text.strip()
        if text.isdecimal() and 0 < int(text) <= len(self.options):
            return self.options[int(text) - 1]
        return next((each for each in self.options if each.casefold() == text.casefold()), "")


def ask_with_buttons(
    db: Connection,
    message: OutboundMessage,
    about: dict[str, Any],
    now: datetime,
) -> None:
    """Say a question with its options; `about` comes back with the answer."""
    db.insert(
        "questions",
        id=message.id,
        kind="button",
        address=str(message.address),
        person="",
        text=message.text,
        options=json.dumps(message.options),
        arguments=json.dumps(about),
        deadline=now.isoformat(),  # of no meaning: it waits for ever
        after=inbox.newest_message_number(db),
    )
    assert message.kind is OutboundKind.QUESTION
    outbox.say_message(db, message, now)


def find_answered_button(db: Connection, message: InboundMessage) -> Button | None:
    """Return the question that a message answers, by a tap or by a reply to it."""
    if message.kind is InboundKind.ANSWER:
        return first_button(db, "id = ? AND address = ?", message.question, str(message.address))
    if not message.reply_to:
        return None
    shown = "id IN (SELECT outbox.key FROM outbox, json_each(platform_ids) WHERE outbox.address = ? AND value = ?)"
    return first_button(db, shown, str(message.address), message.reply_to)


def list_open_buttons(db: Connection, address: Address) -> list[Button]:
    rows = db.fetch_rows(
        "SELECT * FROM questions WHERE kind = 'button' AND state = 'open' AND address = ?", str(address)
    )
    return [read_button(row) for row in rows]


def close_button(db: Connection, button: Button, answer: str) -> None:
    db.execute("UPDATE questions SET state = 'answered', answer = ? WHERE id = ?", (answer, button.id))
    outbox.remove_buttons(db, OutboundId(button.id))


def first_button(db: Connection, where: str, *values: object) -> Button | None:
    row = db.fetch_row(f"SELECT * FROM questions WHERE kind = 'button' AND {where}", *values)
    return read_button(row) if row else None


def read_button(row: sqlite3.Row) -> Button:
    return Button(
        id=QuestionId(row["id"]),
        address=Address.parse(row["address"]),
        options=tuple(json.loads(row["options"])),
        about=json.loads(row["arguments"]),
        is_open=row["state"] == "open",
    )
