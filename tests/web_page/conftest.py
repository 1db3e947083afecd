"""A page over the rows of a bot in the same test, served on a loopback socket."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC
from functools import partial

import httpx
import pytest
from starlette.types import ASGIApp

from bot.core.access import Access
from bot.core.findings import CheckFinding, ok_finding, wrong_finding
from bot.core.limits import DecisionTerms
from bot.core.messages import OutboundKind
from bot.core.outgoing_files import OUTGOING_FOLDER_NAME
from bot.core.secret_search import SecretIndex
from bot.core.settings import Settings
from bot.ops.control.forks import ask_for_fork
from bot.ops.control.page_words import BotBesidePage
from bot.ops.listening import listen_at
from bot.store.folder_lock import utc_now
from bot.web_page.application import Page, PageFacts, cookie_name
from bot.web_page.kept_files import KeptFiles
from bot.web_page.logins import Logins
from bot.web_page.overview import NamedThing
from bot.web_page.row_reader import RowReader
from bot.web_page.server import PageServer
from tests.support.bench import ACCESS, Bench
from tests.support.fakes import delegates
from tests.support.patience import PATIENCE

VERSION = "1"
SECRET = "sk-of-the-settings-0123456789"
AddApi = Callable[[ASGIApp, str], ASGIApp]
WRONG = wrong_finding("the disk is nearly full", "make room")


async def talk(bench: Bench, answer: str) -> None:
    """Let the bot answer Ann, with two roles, and Bob."""
    bench.model.says("lead", delegates("researcher", "analyst"), answer, "hello, Bob")
    bench.model.says("researcher", "found the mill")
    bench.model.says("analyst", "the train is cheaper")
    async with bench.run():
        bench.chat.hears("plan our offsite")
        await bench.chat.said(OutboundKind.REPLY)
        bench.chat.hears("hello", by="Bob", chat="attic")
        await bench.chat.said(OutboundKind.REPLY)


def find_problems() -> Iterator[CheckFinding]:
    yield ok_finding("the config")
    yield WRONG


def page_alone(page: ASGIApp, origin: str) -> ASGIApp:
    return page


@dataclass
class Visitor:
    """A browser that is logged in, but for what a test changes."""

    bench: Bench
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

    def new_token(self) -> str:
        token = self.logins.redeem_code(self.logins.make_code())
        assert token
        return token

    def log_in(self) -> None:
        self.client.cookies.set(cookie_name(self.origin), self.new_token())

    def forget_login(self) -> None:
        self.client.cookies.clear()


@asynccontextmanager
async def serve_page(
    bench: Bench,
    rows: RowReader | None = None,
    page_class: type[Page] = Page,
    add_api: AddApi = page_alone,
    access: Mapping[str, Access] = ACCESS,
) -> AsyncIterator[Visitor]:
    """Serve a page, with an API if one is added to it and its address."""
    with listen_at("127.0.0.1", 0) as listening:
        origin = f"http://127.0.0.1:{listening.getsockname()[1]}"
        facts = PageFacts(
            origins=(origin,),
            secrets=SecretIndex({"model.api_key": [SECRET]}),
            languages=("english",),
            time_zone=UTC,
            kept_files=KeptFiles(bench.data / OUTGOING_FOLDER_NAME, lambda scope, address: bench.data / "workspace"),
            list_findings=find_problems,
            list_roles=lambda: [NamedThing(name="Researcher", description="Finds facts.")],
            list_groups=list,
            begin_fork=partial(ask_for_fork, bench.data, VERSION),
            terms=lambda: DecisionTerms(settings=Settings(), now=utc_now(), access_by_channel=access),
            take_words=BotBesidePage(bench.data, VERSION).take,
        )
        logins = Logins(bench.data)
        rows = rows or RowReader(bench.data / "bot.db")
        page = page_class(rows, logins, facts).application()
        server = PageServer(add_api(page, origin), rows.watch.end)
        async with asyncio.TaskGroup() as owner, httpx.AsyncClient(base_url=origin, timeout=PATIENCE) as client:
            serving = owner.create_task(server.serve([listening]), name="page")
            visitor = Visitor(bench=bench, client=client, origin=origin, logins=logins)
            visitor.log_in()
            try:
                yield visitor
            finally:
                server.should_exit = True
                await serving


@pytest.fixture
async def visitor(bench: Bench) -> AsyncIterator[Visitor]:
    """A visitor of a page whose bot has not run yet."""
    async with serve_page(bench) as visitor:
        yield visitor
