"""Requests to Discord, each with a deadline. Their failures are translated into the bot's delivery errors."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import aiohttp
import discord
from discord.http import Route

from bot.core.errors import ChatClosed, DeliveryDelayed, DeliveryError, NotDelivered
from channels.discord import operator_texts
from channels.discord.gateway import TOKEN_FAULT, DiscordClient, DiscordHealth
from channels.discord.ids import MALFORMED_DATA_ERRORS
from channels.formatting import redact_quotations
from channels.pacing import CallPacing

DEFAULT_RETRY_SECONDS = 60.0  # if a proxy before Discord answers 429 without a time
# The library sends a request again by itself after these statuses, and after 429.
STATUSES_REPEATED_BY_LIBRARY = (500, 502, 504, 524)
MAX_WAIT_IN_ONE_ATTEMPT_SECONDS = 2.0  # for a rate limit; a longer one is an error at once

MISSING_PERMISSIONS_CODE = 50013
CLOSED_CHAT_REASONS = {  # by Discord's error code: what is wrong, and how to fix it
    10003: operator_texts.CHANNEL_GONE,
    10004: operator_texts.NOT_IN_SERVER,
    50001: operator_texts.MAY_NOT_SEE,
    50007: operator_texts.NO_PRIVATE_MESSAGES,
    MISSING_PERMISSIONS_CODE: operator_texts.MAY_NOT_SEND,
    50278: operator_texts.NO_COMMON_SERVER,
    160005: operator_texts.THREAD_LOCKED,
}
REQUEST_ERRORS = (OSError, aiohttp.ClientError, discord.DiscordException)
CLOSED_SESSION_ERRORS = (RuntimeError, AssertionError)  # the connection has ended, and its session, during the request
MESSAGES_PATH = "/channels/{channel_id}/messages"
ALL_CALLS_SCOPE_NAME = "bot"  # the scope of all the bot's calls
UNKNOWN_MESSAGE_CODE = 10008
TOO_LARGE_CODE = 40005
ARCHIVED_THREAD_CODE = 50083  # nothing in such a thread can change until somebody writes there; the bot may write too
BAD_INTERACTION_TOKEN_CODE = 50027  # this error is about an interaction's token, not the bot's
INVALID_FIELD_PATTERN = re.compile(r"^In ([\w.]+):", re.MULTILINE)
MAX_ERROR_TEXT_LENGTH = 300
SUPPRESS_EMBEDS_FLAG, SILENT_FLAG = 1 << 2, 1 << 12  # of a message
MESSAGES_PER_PAGE = 100  # messages, the most that Discord sends at once


class DiscordRefusal(DeliveryError):
    """Discord refused a request as wrong. `code` is Discord's error code, `invalid_fields` are the wrong parts."""

    def __init__(self, code: int, words: str, fields: frozenset[str] = frozenset()) -> None:
        super().__init__(operator_texts.REFUSED(words=words or code))
        self.code = code
        self.invalid_fields = fields


class ClosedByDiscord(ChatClosed):
    """Discord accepts nothing there. `code` is Discord's error code."""

    def __init__(self, code: int, why: str) -> None:
        super().__init__(why)
        self.code = code


class ServerFault(ConnectionError):
    """Discord, or a proxy before it, answered with a fault of its own. The request may have had its effect."""


@dataclass
class DiscordApi:
    """Requests of one bot. `get_client` returns the client that is signed in, or None while there is none."""

    get_client: Callable[[], DiscordClient | None]
    connection_health: DiscordHealth
    pacing: CallPacing
    attempt_timeout_seconds: float
    files: Sequence[discord.File] = ()  # that each request uploads
    max_attempts: int = 3  # as much time as for this many; the library may use it for more of them

    def in_one_attempt(self, seconds: float | None = None) -> DiscordApi:
        """Return the same for requests that the library must not repeat by itself after a failure: it would do them
        twice, or they are not worth the time. Each has one attempt of `seconds`."""
        return replace(self, max_attempts=1, attempt_timeout_seconds=seconds or self.attempt_timeout_seconds)

    def with_files(self, files: Sequence[discord.File], seconds: float) -> DiscordApi:
        """Return the same for a request with these files. An attempt may take `seconds`."""
        return replace(self, files=files, attempt_timeout_seconds=seconds)

    async def request(self, method: str, path: str, *, body: Any = None, params: Any = None, **ids: str) -> Any:
        """Return Discord's answer. Raise like `Channel.send`, and DiscordRefusal if the request itself is wrong."""
        client = self.get_client()
        if client is None:
            raise NotDelivered(operator_texts.NOT_SIGNED_IN)
        seconds = self.attempt_timeout_seconds
        options: dict[str, Any] = {"timeout": aiohttp.ClientTimeout(total=seconds)}
        options |= {"raise_for_status": raise_before_library_repeats} if self.max_attempts == 1 else {}
        if self.files:
            options |= {"form": form_with_files(body, self.files), "files": self.files}
        elif body is not None:
            options |= {"json": body}
        options |= {} if params is None else {"params": params}
        try:
            async with asyncio.timeout(self.max_attempts * seconds):  # for all the library's attempts and waits
                answer = await client.http.request(Route(method, path, **ids), **options)
        except (*REQUEST_ERRORS, *MALFORMED_DATA_ERRORS, *CLOSED_SESSION_ERRORS) as error:
            raise self.record_and_translate_failure(error) from None  # the cause could hold a secret
        self.connection_health.clear_faults(TOKEN_FAULT)
        return answer

    async def fetch_page_after(self, channel: str, after: str) -> list[Any]:
        """Return up to MESSAGES_PER_PAGE messages with ids greater than `after`, oldest first. Raise like a request."""
        return await self.fetch_page(channel, {"after": after})

    async def fetch_newest_page(self, channel: str) -> list[Any]:
        """Return the newest messages, up to MESSAGES_PER_PAGE, oldest first. Raise like a request."""
        return await self.fetch_page(channel, {})

    async def fetch_page(self, channel: str, query: dict[str, str]) -> list[Any]:
        query = {**query, "limit": str(MESSAGES_PER_PAGE)}
        page = await self.request("GET", MESSAGES_PATH, params=query, channel_id=channel)
        if not isinstance(page, list):
            raise ConnectionError(operator_texts.NOT_DISCORD)
        return sorted(page, key=message_id_or_zero)  # Discord sends the newest first

    def record_and_translate_failure(self, error: Exception) -> Exception:
        """Return the bot's error for a failure. It says whether the request had no effect, may have had one, or must
        not be repeated."""
        match error:
            case ServerFault():
                return error
            case discord.RateLimited():
                return DeliveryDelayed(error.retry_after)
            case aiohttp.ClientConnectorError() | aiohttp.ConnectionTimeoutError():
                return NotDelivered(operator_texts.OUT_OF_REACH)
            case TimeoutError():
                return ConnectionError(operator_texts.NO_ANSWER_IN_TIME)
            case discord.HTTPException(status=429):
                seconds = seconds_to_wait(error.response.headers)
                self.pacing.pause_all_lanes(seconds)  # the library waits out a single channel's limit by itself
                return DeliveryDelayed(seconds)
            case discord.HTTPException() if error.status >= 500:
                return ConnectionError(operator_texts.ANSWERED_STATUS(status=error.status))
            case discord.HTTPException(status=401) if error.code != BAD_INTERACTION_TOKEN_CODE:
                self.connection_health.report_fault(TOKEN_FAULT, operator_texts.TOKEN_REFUSED)
                return NotDelivered(operator_texts.REFUSES_TOKEN)
            case discord.HTTPException() if error.code in CLOSED_CHAT_REASONS:
                return ClosedByDiscord(error.code, CLOSED_CHAT_REASONS[error.code])
            case discord.HTTPException(status=413):
                return DiscordRefusal(error.code or TOO_LARGE_CODE, redact_quotations(error.text))
            case discord.HTTPException() if not error.code:  # Discord itself always sends a code
                return NotDelivered(operator_texts.BETWEEN_ANSWERED_STATUS(status=error.status))
            case discord.HTTPException(status=403):
                return ClosedByDiscord(error.code, operator_texts.FORBIDDEN)
            case discord.HTTPException():
                words = redact_quotations(" ".join(error.text.split()))[:MAX_ERROR_TEXT_LENGTH]
                return DiscordRefusal(error.code, words, frozenset(INVALID_FIELD_PATTERN.findall(error.text)))
        return ConnectionError(operator_texts.CONNECTION_FAILED(cause=type(error).__name__))


def form_with_files(body: Any, files: Sequence[discord.File]) -> list[dict[str, Any]]:
    """Return the fields of a form with a JSON body and files, as the library takes them."""
    fields: list[dict[str, Any]] = [
        {"name": "payload_json", "value": json.dumps(body), "content_type": "application/json"}
    ]
    for number, file in enumerate(files):
        own = {"name": f"files[{number}]", "value": file.fp, "filename": file.filename}
        fields.append({**own, "content_type": "application/octet-stream"})
    return fields


async def raise_before_library_repeats(response: aiohttp.ClientResponse) -> None:
    """Raise ServerFault or RateLimited for an answer after which the library would send the request again. A proxy's
    429, and one that is about all the bot's calls, are left to the library."""
    if response.status in STATUSES_REPEATED_BY_LIBRARY:
        response.release()
        raise ServerFault(operator_texts.ANSWERED_STATUS(status=response.status))
    headers = response.headers
    if response.status == 429 and headers.get("Via") and not headers.get("X-RateLimit-Global"):
        seconds = seconds_to_wait(headers)
        if seconds > MAX_WAIT_IN_ONE_ATTEMPT_SECONDS:
            response.release()
            raise discord.RateLimited(seconds)


def seconds_to_wait(headers: Mapping[str, str]) -> float:
    try:
        return float(headers["Retry-After"])
    except (KeyError, ValueError):
        return DEFAULT_RETRY_SECONDS


def extract_answer_id(answer: Any, name: str = "id") -> str:
    """Return an id. Raise ConnectionError if the answer is not Discord's: the request may still have had its effect."""
    if isinstance(answer, dict) and isinstance(found := answer.get(name), str):
        return found
    raise ConnectionError(operator_texts.NOT_DISCORD)


def message_id_or_zero(item: object) -> int:
    """Return a message's id as a number, to sort a page. Return 0 for an item that is not a message."""
    id = item.get("id") if isinstance(item, dict) else None
    return int(id) if isinstance(id, str) and id.isdecimal() else 0
