"""What Telegram's clients send as several messages and people mean as one: albums, forwards, long pastes."""

from collections.abc import Iterable
from typing import Any

from channels.telegram.timing import Timing

LONG = 4000  # characters: clients cut what is pasted at 4,096, or at the last space before


def still_coming(updates: Iterable[Any], timing: Timing) -> dict[str, float]:
    """The chats whose last message may go on in another one, and the seconds to wait for that."""
    last: dict[str, Any] = {}
    for update in updates:
        message = update.get("message") if isinstance(update, dict) else None
        chat = message.get("chat") if isinstance(message, dict) else None
        if isinstance(chat, dict):
            last[str(chat.get("id"))] = message
    waits = {chat: seconds_after(message, timing) for chat, message in last.items()}
    return {chat: seconds for chat, seconds in waits.items() if seconds}


def seconds_after(message: dict[str, Any], timing: Timing) -> float:
    text = message.get("text")
    if isinstance(text, str) and len(text) >= LONG:
        return timing.paste_follows
    return timing.parts_follow if message.get("media_group_id") or message.get("forward_origin") else 0.0
