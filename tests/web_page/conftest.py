"""A page over the rows of a bot in the same test, served on a loopback socket."""

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC
from functools import partial

import httpx
import pytest
import uvicorn

from bot.core.findings import CheckFinding, ok_finding, wrong_finding
from bot.ops.control.forks import ask_for_fork
from bot.web_page.application import COOKIE_NAME, Page, PageFacts
from bot.web_page.logins import Logins
from bot.web_page.overview import NamedThing
from bot.web_page.row_reader import RowReader
from tests.support.bench import Bench

VERSION = "1"
WRONG = wrong_finding("the disk is nearly full", "make room")


def find_problems() -> Iterator[CheckFinding]:
    yield ok_finding("the config")
    yield WRONG


@dataclass
class Visitor:
    """A browser that is logged in, but for what a test changes."""

    client: httpx.AsyncClient
    origin: str
    logins: Logins

    async def get(self, path: str, **headers: str) -> httpx.Response:
        return await self.client.get(path, headers=headers)

    async def text(self, path: str) -> str:
        answer = await self.get(path)
        assert answer.status_code == 200, answer.text
        return answer.text

    async def post(self, path: str, **fields: str) -> httpx.Response:
        return await self.client.post(path, data=fields, headers={"origin": self.origin})

    def forget_login(self) -> None:
        self.client.cookies.clear()


@asynccontextmanager
async def serve_page(bench: Bench) -> AsyncIterator[Visitor]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        origin = f"http://127.0.0.1:{listening.getsockname()[1]}"
        facts = PageFacts(
            origins=(origin,),
            languages=("english",),
            time_zone=UTC,
            list_findings=find_problems,
            list_roles=lambda: [NamedThing(name="Researcher", description="Finds facts.")],
            list_groups=list,
            begin_fork=partial(ask_for_fork, bench.data, VERSION),
        )
        logins = Logins(bench.data)
        application = Page(RowReader(bench.data / "bot.db"), logins, facts).application()
        config = uvicorn.Config(application, log_config=None, lifespan="off", timeout_graceful_shutdown=1)
        server = uvicorn.Server(config)
        async with asyncio.TaskGroup() as owner, httpx.AsyncClient(base_url=origin) as client:
            serving = owner.create_task(server.serve([listening]), name="page")
            token = logins.redeem_code(logins.make_code())
            assert token
            client.cookies.set(COOKIE_NAME, token)
            try:
                yield Visitor(client=client, origin=origin, logins=logins)
            finally:
                server.should_exit = True
                await serving


@pytest.fixture
async def visitor(bench: Bench) -> AsyncIterator[Visitor]:
    """A visitor of a page whose bot has not run yet."""
    async with serve_page(bench) as visitor:
        yield visitor
