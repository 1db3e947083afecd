"""The harness's own questions, as rows. No turn waits for them: a tap changes something, and until then they stay."""

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from bot.core.messages import Address, OutboundMessage, PlatformId, QuestionId
from bot.store import inbox
from bot.store.connection import Connection
from bot.store.outbox import SHOWN_AS_SQL


@dataclass(frozen=True, slots=True, kw_only=True)
class Button:
    id: QuestionId
    address: Address
    options: tuple[str, ...]
    about: dict[str, Any]  # what it is to change
    is_open: bool


def add_button(db: Connection, message: OutboundMessage, about: dict[str, Any], now: datetime) -> None:
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


def find_button(db: Connection, id: QuestionId | None, address: Address) -> Button | None:
    """Return the button with this id, if it was shown at this address."""
    return next(iter(select_buttons(db, "id = ? AND address = ?", id, str(address))), None)


def find_button_shown_as(db: Connection, address: Address, message: PlatformId) -> Button | None:
    """Return the button that a message of the platform shows."""
    return next(iter(select_buttons(db, SHOWN_AS_SQL, str(address), message)), None)


def list_open_buttons(db: Connection, address: Address) -> list[Button]:
    return select_buttons(db, "state = 'open' AND address = ?", str(address))


def select_buttons(db: Connection, where: str, *values: object) -> list[Button]:
    rows = db.fetch_rows(f"SELECT * FROM questions WHERE kind = 'button' AND {where}", *values)
    return [
        Button(
            id=QuestionId(row["id"]),
            address=Address.parse(row["address"]),
            options=tuple(json.loads(row["options"])),
            about=json.loads(row["arguments"]),
            is_open=row["state"] == "open",
        )
        for row in rows
    ]
