"""Where a group lives, as an operator writes it: telegram:-1001234, with a thread telegram:-1001234:7."""

import re

from bot.config.groups import texts
from bot.core.messages import Address

CHAT_FORMS = {  # what a chat is called on each channel
    "telegram": r"-?[1-9]\d{0,18}",
    "discord": r"@?[1-9]\d{0,19}",
    "terminal": "local",
}
THREAD_ID = re.compile(r"[1-9]\d{0,19}")


def parse_group_address(text: object) -> Address:
    """Return the address. Raise ValueError, which says how an address is written."""
    if isinstance(text, Address):
        return text
    if not isinstance(text, str):
        raise ValueError(texts.ADDRESS_NOT_TEXT)
    channel, *rest = text.strip().split(":")
    if channel not in CHAT_FORMS:
        raise ValueError(texts.NO_CHANNEL(channels=", ".join(CHAT_FORMS), example=texts.ADDRESS_EXAMPLES["telegram"]))
    if len(rest) in (1, 2):
        found = Address.parse(text.strip())
        if re.fullmatch(CHAT_FORMS[channel], found.chat, re.ASCII) and (
            found.thread is None or has_valid_thread(found)
        ):
            return found
    raise ValueError(texts.NO_CHAT(example=texts.ADDRESS_EXAMPLES[channel]))


def has_valid_thread(address: Address) -> bool:
    has_threads = address.channel != "terminal" and not address.chat.startswith("@")  # a private chat of Discord's
    return has_threads and bool(THREAD_ID.fullmatch(address.thread or ""))


def format_group_address(address: Address) -> str:
    return address.as_typed
