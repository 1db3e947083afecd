"""Where a group lives, as an operator writes it: telegram:-1001234, with a thread telegram:-1001234:7."""

import re

from bot.messages import Address

CHATS = {  # what a chat is called on each channel, and an example
    "telegram": (r"-?[1-9]\d{0,18}", "telegram:-1001234, or with a thread telegram:-1001234:7"),
    "discord": (r"@?[1-9]\d{0,19}", "discord:123, the id of a channel (discord:@123: of a person)"),
    "terminal": ("local", "terminal:local"),
}
THREAD = re.compile(r"[1-9]\d{0,19}")


def read_address(text: object) -> Address:
    """Raises ValueError, which says how one is written."""
    if isinstance(text, Address):
        return text
    if not isinstance(text, str):
        raise ValueError("must be text, as telegram:-1001234")
    channel, *rest = text.strip().split(":")
    if channel not in CHATS:
        raise ValueError(f"must begin with {', '.join(CHATS)}, as {CHATS['telegram'][1]}")
    pattern, example = CHATS[channel]
    if len(rest) in (1, 2):
        found = Address.parse(text.strip())
        if re.fullmatch(pattern, found.chat, re.ASCII) and (found.thread is None or is_thread(found)):
            return found
    raise ValueError(f"names no chat there; write it as {example}")


def is_thread(address: Address) -> bool:
    has_threads = address.channel != "terminal" and not address.chat.startswith("@")  # a private chat of Discord's
    return has_threads and bool(THREAD.fullmatch(address.thread or ""))


def written(address: Address) -> str:
    return address.by_hand
