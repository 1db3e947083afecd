"""The API beside the page, over the rows of a bot in the same test, and programs with tokens."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC
from functools import partial
from typing import Any
from urllib.parse import quote

import httpx
from starlette.types import ASGIApp

from bot.core.client_settings import ApiScope
from bot.core.secret_search import SecretIndex
from bot.ops.client_tokens import MAX_WRONG_TOKENS, ClientTokens
from bot.ops.control.delegations import RunningBot
from bot.web_page.api.application import Api, ApiClients, beside_page
from bot.web_page.api.delegating import Delegating
from bot.web_page.api.reading import Reading
from bot.web_page.row_reader import RowReader
from tests.support.bench import Bench
from tests.support.client_bench import VERSION
from tests.support.patience import PATIENCE
from tests.web_page.conftest import find_problems, serve_page

SECRET = "sk-ant-0123456789abcdefghij"
SCOPES = {
    "tool": frozenset({ApiScope.SESSIONS, ApiScope.USAGE, ApiScope.HEALTH}),
    "editor": frozenset({ApiScope.DELEGATE}),
    "script": frozenset({ApiScope.DELEGATE}),
    "nobody": frozenset[ApiScope](),
}
TOKENS = {name: f"{name}-" + name[0] * 40 for name in SCOPES}


def add_api(
    bench: Bench,
    page: ASGIApp,
    origin: str,
    scopes: Mapping[str, frozenset[ApiScope]] = SCOPES,
    most_wrong: int = MAX_WRONG_TOKENS,
    patience_seconds: float = PATIENCE,
) -> ASGIApp:
    """Return a page with an API for these clients. It takes so many wrong tokens a minute, and waits so long for a
    bot."""
    reading = Reading(
        rows=RowReader(bench.data / "bot.db"),
        languages=("english",),
        time_zone=UTC,
        version=VERSION,
        list_findings=find_problems,
        is_bot_running=lambda: False,
    )
    bot = RunningBot(bench.data, VERSION, patience_seconds)
    operations = [*reading.operations(), *Delegating(bot=bot, reading=reading).operations()]
    clients = ApiClients(tokens=ClientTokens(TOKENS, most_wrong), scopes=scopes)
    return beside_page(
        page, Api(operations, clients, SecretIndex({"model.api_key": [SECRET]}), VERSION, [origin]).application()
    )


@dataclass
class Program:
    """A program that asks the API with the token of a client."""

    http: httpx.AsyncClient
    origin: str
    page_cookies: httpx.Cookies

    async def ask(self, path: str, client: str = "tool", method: str = "GET", **options: Any) -> httpx.Response:
        headers = {"authorization": f"Bearer {TOKENS[client]}", **options.pop("headers", {})}
        return await self.http.request(method, f"/v1{path}", headers=headers, **options)

    async def get(self, path: str, client: str = "tool", **query: Any) -> Any:
        """Return what an address answers."""
        answer = await self.ask(path, client, params=query)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def status(self, path: str, client: str = "tool", **options: Any) -> int:
        """Return the status of an answer. Every refusal is a problem that says so itself."""
        answer = await self.ask(path, client, **options)
        if answer.status_code >= 400:
            assert answer.headers["content-type"] == "application/problem+json"
            assert answer.json()["status"] == answer.status_code
        return answer.status_code


def in_path(id: str) -> str:
    return quote(id, safe="")


@asynccontextmanager
async def serve_api(bench: Bench, **options: Any) -> AsyncIterator[Program]:
    async with (
        serve_page(bench, add_api=partial(add_api, bench, **options)) as visitor,
        httpx.AsyncClient(base_url=visitor.origin, timeout=PATIENCE) as http,
    ):
        yield Program(http=http, origin=visitor.origin, page_cookies=visitor.client.cookies)
