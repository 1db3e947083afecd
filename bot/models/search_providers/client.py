"""Asks a service that searches the web, and says in words why it does not answer."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

import aiohttp

from bot.core.domains import ANY_DOMAIN, DomainRules
from bot.core.errors import SearchFailed
from bot.core.invisible_characters import strip_invisible
from bot.core.network import DEFAULT_NETWORK_ACCESS, NetworkAccess
from bot.core.search_provider import MAX_HITS, SearchHit
from bot.models.search_providers import texts
from bot.models.search_providers.services import Failure, SearchRequest, Service

SEARCH_SECONDS = 20.0
CONNECT_SECONDS = 10.0
TRIES = 3  # if searches come too fast: some plans take one a second
RETRY_SECONDS = 1.1
MAX_ANSWER_BYTES = 2 * 2**20
MAX_SAID_CHARACTERS = 300
MAX_TITLE_CHARACTERS, MAX_EXCERPT_CHARACTERS, MAX_ADDRESS_CHARACTERS = 200, 600, 2_000


class SearchClient:
    def __init__(
        self,
        service: Service,
        base_url: str = "",
        api_key: str = "",
        *,
        domains: DomainRules = ANY_DOMAIN,
        network: NetworkAccess = DEFAULT_NETWORK_ACCESS,
        seconds: float = SEARCH_SECONDS,
        retry_seconds: float = RETRY_SECONDS,
    ) -> None:
        self.service = service
        self.base_url = (base_url or service.base_url).rstrip("/")
        self.api_key = api_key
        self.domains = domains
        self.network = network
        self.seconds = seconds
        self.retry_seconds = retry_seconds

    @property
    def title(self) -> str:
        return self.service.title

    async def search(self, query: str) -> list[SearchHit]:
        """Return the pages that were found, best first, at most MAX_HITS. Raise SearchFailed."""
        if not self.base_url:
            raise self.not_set_up(texts.ADDRESS_MISSING(service=self.title))
        if self.service.needs_key and not self.api_key:
            raise self.not_set_up(texts.KEY_MISSING(service=self.title))
        request = self.service.make_request(query, self.api_key, self.domains)
        for tries_left in reversed(range(TRIES)):
            try:
                answer = await self.ask(request)
                break
            except SearchFailed as failed:
                if not tries_left or failed.seconds is None:
                    raise
                await asyncio.sleep(failed.seconds)
        try:
            found = [hit for each in self.service.read_hits(answer) if (hit := self.clean(each))]
        except (KeyError, TypeError, AttributeError):
            raise self.not_set_up(texts.STRANGE_ANSWER(service=self.title)) from None
        return found[:MAX_HITS]

    async def ask(self, request: SearchRequest) -> Any:
        """Return the answer's JSON. Raise SearchFailed."""
        try:
            async with (
                aiohttp.ClientSession(
                    connector=aiohttp.TCPConnector(ssl=self.network.ssl_context()),
                    cookie_jar=aiohttp.DummyCookieJar(),
                    timeout=aiohttp.ClientTimeout(total=self.seconds, sock_connect=CONNECT_SECONDS),
                    headers=request.headers,
                    trust_env=False,
                ) as session,
                session.request(
                    "GET" if request.body is None else "POST",
                    self.base_url + request.path,
                    params=request.params,
                    json=request.body,
                    proxy=self.network.proxy,
                    allow_redirects=False,
                ) as response,
            ):
                body = bytearray()
                async for piece in response.content.iter_chunked(2**16):
                    body += piece
                    if len(body) > MAX_ANSWER_BYTES:
                        raise self.not_set_up(texts.STRANGE_ANSWER(service=self.title))
        except TimeoutError:
            said = texts.TOO_SLOW(service=self.title, seconds=self.seconds)
            fault = texts.TOO_SLOW_FAULT(service=self.title, seconds=self.seconds)
            raise SearchFailed(said, fault=fault) from None
        except (aiohttp.ClientError, OSError, ValueError):  # their words may hold the address of a proxy
            raise self.out_of_reach(texts.UNREACHABLE(service=self.title)) from None
        answer = None
        with suppress(ValueError, RecursionError):
            answer = json.loads(body)
        if response.status != 200:
            raise self.failure(response.status, answer)
        if not isinstance(answer, dict):
            raise self.not_set_up(texts.STRANGE_ANSWER(service=self.title))
        return answer

    def failure(self, status: int, answer: Any) -> SearchFailed:
        """Return what an answer with this status means."""
        if 300 <= status < 400:
            return self.not_set_up(texts.ELSEWHERE(service=self.title, status=status))
        if status == 404:
            return self.not_set_up(texts.NOT_FOUND(service=self.title))
        said = self.without_key(find_error_message(answer))
        if status >= 500 or status == 408:
            return self.out_of_reach(texts.FAILING(service=self.title, status=status, said=said))
        match self.service.find_failure(status, answer):
            case Failure.KEY_REFUSED:
                return self.not_set_up(texts.KEY_REFUSED(service=self.title, status=status))
            case Failure.NO_JSON:
                return self.not_set_up(texts.NO_JSON(service=self.title))
            case Failure.QUOTA:
                fault = texts.QUOTA_FAULT(service=self.title, status=status, said=said)
                return SearchFailed(texts.QUOTA_USED_UP(service=self.title), fault=fault)
            case Failure.BUSY:
                fault = texts.BUSY_FAULT(service=self.title, said=said)
                return SearchFailed(texts.BUSY(service=self.title), fault=fault, seconds=self.retry_seconds)
        fault = texts.REFUSED(service=self.title, status=status, said=said)
        return SearchFailed(texts.NOT_ACCEPTED(service=self.title, said=said), fault=fault)

    def without_key(self, said: str) -> str:
        """Return what a service says without the key, which it may repeat."""
        return said.replace(self.api_key, texts.THE_KEY) if self.api_key else said

    def not_set_up(self, fault: str) -> SearchFailed:
        return SearchFailed(texts.NOT_SET_UP(service=self.title), fault=fault)

    def out_of_reach(self, fault: str) -> SearchFailed:
        return SearchFailed(texts.OUT_OF_REACH(service=self.title), fault=fault)

    def clean(self, hit: SearchHit) -> SearchHit | None:
        """Return a page that was found, each part on one line and of bounded length; None if it may not be read."""
        address = str(hit.address).strip()
        try:
            parts = urlsplit(address)
            host = parts.hostname or ""
        except ValueError:
            return None
        is_strange = not address.isprintable() or " " in address or len(address) > MAX_ADDRESS_CHARACTERS
        if parts.scheme not in ("http", "https") or not host or is_strange or not self.domains.allows(host):
            return None
        return SearchHit(
            title=shorten(hit.title, MAX_TITLE_CHARACTERS) or host,
            address=address,
            excerpt=shorten(hit.excerpt, MAX_EXCERPT_CHARACTERS),
            date=read_date(str(hit.date)),
        )


def shorten(text: object, most: int) -> str:
    line = strip_invisible(" ".join(str(text).split()))
    return line if len(line) <= most else f"{line[:most].rstrip()}…"


def read_date(text: str) -> str:
    """Return a date as 2026-11-28, however the service writes it; empty if it cannot be read."""
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        with suppress(ValueError, TypeError):
            return read(text.strip()).date().isoformat()
    return ""


def find_error_message(answer: Any) -> str:
    """Return what a service says is wrong, on one line."""
    found = answer.get("error", answer.get("detail")) if isinstance(answer, dict) else None
    while isinstance(found, dict):
        found = next((found[name] for name in ("detail", "message", "error") if name in found), None)
    return shorten(found, MAX_SAID_CHARACTERS) if found else texts.NOTHING_SAID
