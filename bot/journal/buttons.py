"""Buttons: the harness's own questions, which change something when they are tapped or answered by a reply."""

from datetime import datetime
from typing import Any

from bot.core.messages import InboundKind, InboundMessage, OutboundId, OutboundMessage
from bot.journal.bus import post
from bot.journal.questions import remove_buttons
from bot.store import buttons as rows
from bot.store.buttons import Button
from bot.store.connection import Connection
from bot.store.questions import close_question


def ask_with_buttons(db: Connection, message: OutboundMessage, about: dict[str, Any], now: datetime) -> None:
    """Ask a question with options. `about` comes back with the answer."""
    rows.add_button(db, message, about, now)
    post(db, message, now)


def find_answered_button(db: Connection, message: InboundMessage) -> Button | None:
    """Return the question that a message answers, by a tap or by a reply to it."""
    if message.kind is InboundKind.ANSWER:
        return rows.find_button(db, message.question, message.address)
    return rows.find_button_shown_as(db, message.address, message.reply_to) if message.reply_to else None


def close_button(db: Connection, button: Button, answer: str) -> None:
    close_question(db, button.id, "answered", answer)
    remove_buttons(db, OutboundId(button.id))
