"""Where a group lives, as an operator writes it: telegram:-1001234, with a thread telegram:-1001234:7."""

import re
from collections.abc import Mapping

from bot.config.groups import texts
from bot.core.messages import Address
from bot.core.platform import AddressForm
from channels.registry import platforms
from channels.terminal.talk import CHANNEL as TERMINAL

TERMINAL_FORM = AddressForm(
    chat_pattern="local", example=texts.TERMINAL_ADDRESS_EXAMPLE, has_threads=lambda chat: False
)
THREAD_ID = re.compile(r"[1-9]\d{0,19}")


def address_forms() -> Mapping[str, AddressForm]:
    """Return how an address is written, by channel."""
    return {**{name: platform.address for name, platform in platforms().items()}, TERMINAL: TERMINAL_FORM}


def parse_group_address(text: object) -> Address:
    """Return the address. Raise ValueError, which says how an address is written."""
    if isinstance(text, Address):
        return text
    if not isinstance(text, str):
        raise ValueError(texts.ADDRESS_NOT_TEXT)
    forms = address_forms()
    channel, *rest = text.strip().split(":")
    if channel not in forms:
        first = next(iter(forms.values()))
        raise ValueError(texts.NO_CHANNEL(channels=", ".join(forms), example=first.example))
    form = forms[channel]
    if len(rest) in (1, 2):
        found = Address.parse(text.strip())
        is_chat = re.fullmatch(form.chat_pattern, found.chat, re.ASCII)
        if is_chat and (found.thread is None or (form.has_threads(found.chat) and THREAD_ID.fullmatch(found.thread))):
            return found
    raise ValueError(texts.NO_CHAT(example=form.example))


def format_group_address(address: Address) -> str:
    return address.as_typed
