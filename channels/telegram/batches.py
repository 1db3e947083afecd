"""Collect updates that belong together.

Telegram's clients send some things as several messages that people mean as one: albums, forwards, long pastes.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from bot.core.messages import Event, InboundMessage
from channels.telegram.timing import Timing
from channels.telegram.update_reader import TelegramReader

CUT_PASTE_LENGTH = 4000  # characters: clients cut a paste at 4,096, or at the last space before


@dataclass
class UpdateBatch:
    """The updates of one poll, and those that came before any of them was confirmed. Each is here once."""

    reader: TelegramReader
    updates: dict[object, Any] = field(default_factory=dict)  # by update id, or by its repr if it has no id
    events: dict[object, Event | None] = field(default_factory=dict)
    published: set[object] = field(default_factory=set)

    def add_new(self, updates: Sequence[Any]) -> bool:
        """Add the updates that are new and read them. Return True if there were any."""
        new: dict[object, Any] = {}
        for update in updates:
            id = update.get("update_id") if isinstance(update, dict) else None
            name = id if isinstance(id, int) else repr(update)
            if name not in self.updates:
                new[name] = update
        self.updates |= new
        now = datetime.now(UTC)
        self.events |= {name: self.reader.read(update, now) for name, update in new.items()}
        return bool(new)

    def chats_to_wait_for(self, timing: Timing) -> dict[str, float]:
        """Return the chats whose last message may go on in another one, with the seconds to wait for that."""
        waits: dict[str, float] = {}
        for name, event in self.events.items():
            if isinstance(event, InboundMessage):
                waits[event.address.chat] = seconds_to_wait_after(self.updates[name].get("message"), timing)
        return {chat: seconds for chat, seconds in waits.items() if seconds}

    def take_ready_events(self, but: Collection[str] = ()) -> list[Event]:
        """Return the events not published yet, except messages of the chats in `but`. Mark them as published."""
        found = []
        for name, event in self.events.items():
            is_held = isinstance(event, InboundMessage) and event.address.chat in but
            if event and not is_held and name not in self.published:
                found.append(event)
                self.published.add(name)
        return found


def seconds_to_wait_after(message: Any, timing: Timing) -> float:
    if not isinstance(message, dict):  # it was an edit or a tap
        return 0.0
    if len(message.get("text") or "") >= CUT_PASTE_LENGTH:
        return timing.paste_follows
    return timing.parts_follow if message.get("media_group_id") or message.get("forward_origin") else 0.0
