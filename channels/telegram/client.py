"""The connection to Telegram: the library's plain bot with a deadline for each call. Its token shows nowhere."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

import telegram
from telegram.request import HTTPXRequest

from bot.core.errors import DeliveryDelayed
from bot.core.network import Network
from channels.pacing import CallPacing
from channels.telegram import operator_texts
from channels.telegram.connection_health import TelegramHealth
from channels.telegram.errors import TokenRefused, call_translating_errors
from channels.telegram.timing import Timing

T = TypeVar("T")

UPDATE_KINDS = ("message", "edited_message", "callback_query", "my_chat_member")
MAX_UPDATES = 100
CONNECTIONS = 64
# The library turns this into getUpdates. For "getUpdates" it would warn at each call that it has its own method. That
# method fails for a whole batch if a single update is malformed.
RAW_UPDATES = "get__updates"
# Below these levels the libraries log the token, or whole messages.
LIBRARY_LOG_LEVELS = {"httpx": logging.WARNING, "httpcore": logging.WARNING, "telegram": logging.CRITICAL}


def request_options(network: Network) -> dict[str, Any]:
    """Return the arguments for the library's requests."""
    trusted = network.ssl_context()
    return {"proxy": network.proxy, "httpx_kwargs": {"verify": trusted} if trusted else {}}


class TelegramClient:
    """Calls to Telegram. `close` closes the connections."""

    def __init__(
        self, token: str, base_url: str, timing: Timing, contact: TelegramHealth, pacing: CallPacing, network: Network
    ) -> None:
        for name, level in LIBRARY_LOG_LEVELS.items():
            logging.getLogger(name).setLevel(level)
        self.timing = timing
        self.contact = contact
        self.pacing = pacing
        self._requests = [
            HTTPXRequest(
                connection_pool_size=size,
                read_timeout=timing.call,
                connect_timeout=timing.connect,
                **request_options(network),
            )
            for size in (CONNECTIONS, 1)
        ]
        sending, polling = self._requests
        self._bot = TokenHidingBot(token, base_url=base_url, request=sending, get_updates_request=polling)

    async def close(self) -> None:
        for request in self._requests:
            await request.shutdown()

    async def call(self, lane: str, what: Callable[[telegram.Bot], Awaitable[T]], seconds: float | None = None) -> T:
        """Make one call with a deadline. Raise its errors as `translate_error` returns them. `lane` is the chat, or
        the method if the call names no chat. Raise DeliveryDelayed without a call while the lane is paused."""
        if held := self.pacing.seconds_paused(lane):
            raise DeliveryDelayed(held)
        try:
            return await call_translating_errors(lambda: what(self._bot), seconds or self.timing.call)
        except TokenRefused:
            self.contact.set_fault(operator_texts.TOKEN_REFUSED)
            raise
        except DeliveryDelayed as delay:
            self.pacing.pause_lane(lane, delay.seconds)
            raise

    async def fetch_updates(self, offset: int | None, seconds: float) -> Sequence[Any]:
        """Return the next updates as they came. Wait up to `seconds` for the first. `offset` confirms all below it."""
        wanted = {"timeout": int(seconds), "limit": MAX_UPDATES, "allowed_updates": list(UPDATE_KINDS)}
        if offset is not None:
            wanted["offset"] = offset

        found = await self.call(
            "getUpdates",
            lambda bot: bot.do_api_request(RAW_UPDATES, wanted, read_timeout=seconds + self.timing.connect),
            seconds + 2 * self.timing.connect,
        )
        if not isinstance(found, list):
            raise ConnectionError(operator_texts.UNREADABLE_ANSWER)
        return found


class TokenHidingBot(telegram.Bot):
    """A bot that hides its token. The library's bot shows it when it is printed, for example in a traceback."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.token.partition(':')[0]})"
