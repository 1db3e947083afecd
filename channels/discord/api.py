"""Requests to Discord, each with a deadline, and what their failures mean for whoever must deliver."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from typing import Any

import aiohttp
import discord
from discord.http import Route

from bot.core.errors import ChatClosed, DeliveryDelayed, DeliveryError, NotDelivered
from channels.discord import operator_texts
from channels.discord.client import DiscordClient
from channels.discord.connection_health import TOKEN, DiscordHealth
from channels.discord.ids import MALFORMED_ERRORS
from channels.formatting import hide_quotes
from channels.pacing import CallPacing

DEFAULT_RETRY_SECONDS = 60.0  # where a refusal of what stands before Discord names no time

CLOSED_CHAT_REASONS = {  # by Discord's own number: what is wrong, and what would mend it
    10003: operator_texts.CHANNEL_GONE,
    10004: operator_texts.NOT_IN_SERVER,
    50001: operator_texts.MAY_NOT_SEE,
    50007: operator_texts.NO_PRIVATE_MESSAGES,
    50013: operator_texts.MAY_NOT_SEND,
    50278: operator_texts.NO_COMMON_SERVER,
    160005: operator_texts.THREAD_LOCKED,
}
REQUEST_ERRORS = (OSError, aiohttp.ClientError, discord.DiscordException)
BOT_SCOPE = "bot"  # what counts all that the bot does
UNKNOWN_MESSAGE = 10008
ARCHIVED = 50083  # a thread in which nothing can be changed until somebody writes there, which the bot may do too
BAD_INTERACTION_TOKEN = 50027  # of an interaction, not of the bot
FIELD = re.compile(r"^In ([\w.]+):", re.MULTILINE)
MAX_WORDS_LENGTH = 300


class Refusal(DeliveryError):
    """What Discord says to a request that is wrong; `code` is its own number, `fields` the parts that are at fault."""

    def __init__(self, code: int, words: str, fields: frozenset[str] = frozenset()) -> None:
        super().__init__(operator_texts.REFUSED(words=words or code))
        self.code = code
        self.fields = fields


class DiscordApi:
    """`client` gives the client that is signed in, or None while there is none."""

    def __init__(
        self, client: Callable[[], DiscordClient | None], condition: DiscordHealth, pacing: CallPacing, seconds: float
    ) -> None:
        self.client = client
        self.condition = condition
        self.pacing = pacing
        self.seconds = seconds  # for one attempt
        self.total_seconds = 3 * seconds  # for all that the library makes of a request, and its waits

    async def request(self, method: str, path: str, *, body: Any = None, params: Any = None, **ids: str) -> Any:
        """Discord's answer. Raises as `Channel.send` does; Refusal for what is wrong with the request itself."""
        client = self.client()
        if client is None:
            raise NotDelivered(operator_texts.NOT_SIGNED_IN)
        options: dict[str, Any] = {"timeout": aiohttp.ClientTimeout(total=self.seconds)}
        options |= {} if body is None else {"json": body}
        options |= {} if params is None else {"params": params}
        try:
            async with asyncio.timeout(self.total_seconds):
                answer = await client.http.request(Route(method, path, **ids), **options)
        except (*REQUEST_ERRORS, *MALFORMED_ERRORS, RuntimeError) as error:  # of whatever kind: may it be tried again?
            raise self.classify_failure(error) from None  # what it was made of could hold a secret
        self.condition.clear_faults(TOKEN)
        return answer

    def classify_failure(self, error: Exception) -> Exception:
        """What a failure means: nothing was taken, or nobody knows, or it is of no use to try again."""
        match error:
            case discord.RateLimited():
                return DeliveryDelayed(error.retry_after)
            case discord.HTTPException():
                return self.classify_http_error(error)
            case aiohttp.ClientConnectorError() | aiohttp.ConnectionTimeoutError():
                return NotDelivered(operator_texts.OUT_OF_REACH)
            case TimeoutError():
                return ConnectionError(operator_texts.NO_ANSWER_IN_TIME)
        return ConnectionError(operator_texts.CONNECTION_FAILED(cause=type(error).__name__))

    def classify_http_error(self, error: discord.HTTPException) -> Exception:
        if error.status == 429:
            seconds = retry_after_seconds(error)
            self.pacing.pause_all(seconds)  # what the library does not wait out is no matter of one channel
            return DeliveryDelayed(seconds)
        if error.status >= 500:
            return ConnectionError(operator_texts.ANSWERED_STATUS(status=error.status))
        if error.status == 401 and error.code != BAD_INTERACTION_TOKEN:
            self.condition.report_fault(TOKEN, operator_texts.TOKEN_REFUSED)
            return NotDelivered(operator_texts.REFUSES_TOKEN)
        if error.code in CLOSED_CHAT_REASONS:
            return ChatClosed(CLOSED_CHAT_REASONS[error.code])
        if not error.code:  # which Discord itself always gives
            return NotDelivered(operator_texts.BETWEEN_ANSWERED_STATUS(status=error.status))
        if error.status == 403:
            return ChatClosed(operator_texts.FORBIDDEN)
        return Refusal(
            error.code,
            hide_quotes(" ".join(error.text.split()))[:MAX_WORDS_LENGTH],
            frozenset(FIELD.findall(error.text)),
        )


def retry_after_seconds(error: discord.HTTPException) -> float:
    try:
        return float(error.response.headers["Retry-After"])
    except (KeyError, ValueError):
        return DEFAULT_RETRY_SECONDS


def require_id(answer: Any, name: str = "id") -> str:
    """An id in an answer. What is no answer of Discord's leaves open whether it did what it was asked."""
    if isinstance(answer, dict) and isinstance(found := answer.get(name), str):
        return found
    raise ConnectionError(operator_texts.NOT_DISCORD)
