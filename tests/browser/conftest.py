"""One real browser for all tests here, a bot whose rows it shows, and pages in which nothing may go wrong unseen."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
import pytest_asyncio

from bot.core.messages import OutboundKind
from bot.core.role import LEAD_ROLE_NAME
from bot.web_page.application import cookie_name
from tests.browser import needs
from tests.browser.hostile import HOSTILE
from tests.support.bench import ROLES, Bench
from tests.support.engine_options import engine_options
from tests.support.fakes import delegates, reply, role, uses
from tests.support.sample_media import png
from tests.support.sent_files import sends
from tests.web_page.conftest import Visitor, serve_page

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, Page

EVIL, REBOUND = "evil.example", "rebound.example"
REBOUND_ADDRESS = "127.0.0.3"  # first of an attacker, then of the page
ARGUMENTS = (
    "--no-sandbox",  # the tests may run as root, and it loads only what they serve
    f"--host-resolver-rules=MAP {EVIL} 127.0.0.1, MAP {REBOUND} {REBOUND_ADDRESS}, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)
VIOLATION = "Content Security Policy"
PHONE, DESK = {"width": 390, "height": 844}, {"width": 1280, "height": 900}
PICTURE, VOICE = png(8, 8), b"OggS" + bytes(100)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator["Browser"]:
    """Skip, with the reason, where no browser can be driven."""
    if lacking := needs.lacking():
        pytest.skip(f"no browser here: {lacking}")
    async with needs.import_playwright().async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=needs.find_browser(), args=ARGUMENTS)
        yield browser
        await browser.close()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def shown(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Visitor]:
    """Serve the page over the rows of a bot that has worked with three roles, on hostile words, a picture and a voice
    note. Yield the visitor who can make logins."""
    bench = Bench(tmp_path_factory.mktemp("shown"))
    desk = bench.data / "workspace"
    desk.mkdir()
    (desk / "chart.png").write_bytes(png(6, 6))
    bench.roles = {**ROLES, LEAD_ROLE_NAME: role("lead", "delegate", "send_file", delegates_to=None)}
    bench.model.says("lead", delegates("researcher", "analyst", "writer"), reply(uses("send_file", path="chart.png")))
    bench.model.says("lead", f"all in all: {HOSTILE}")
    bench.model.says("analyst", reply(uses("message", text="many words " * 500)))  # more than its block shows at once
    for name in ("researcher", "analyst", "writer"):
        bench.model.says(name, f"{name} found: {HOSTILE}")
    async with bench.run(**engine_options(workspace=desk, writable_workspace=desk)):
        files = [sends(bench, "mill.png", PICTURE), sends(bench, "note.ogg", VOICE)]
        bench.chat.hears(f"plan our offsite {HOSTILE}", files=files)
        await bench.chat.said(OutboundKind.REPLY)
    async with serve_page(bench) as visitor:
        yield visitor


@dataclass
class Tabs:
    """Browsers of people, each with cookies of its own, and what went wrong in them."""

    browser: "Browser"
    stack: AsyncExitStack
    problems: list[str] = field(default_factory=list)

    async def person(self, **options: Any) -> "BrowserContext":
        context = await self.browser.new_context(**{"viewport": DESK, **options})
        self.stack.push_async_callback(context.close)
        return context

    async def open(self, context: "BrowserContext", address: str) -> "Page":
        page = await context.new_page()
        page.on("console", lambda said: self.note(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: self.note(str(error)))
        page.on("dialog", lambda dialog: self.note(f"a dialog: {dialog.message}"))
        await page.goto(address)
        return page

    async def log_in(self, visitor: Visitor, path: str = "/", **options: Any) -> "Page":
        """Return a page of somebody who is logged in."""
        context = await self.person(**options)
        await add_login(context, visitor)
        return await self.open(context, visitor.origin + path)

    def note(self, problem: str) -> None:
        self.problems.append(problem)


async def add_login(context: "BrowserContext", visitor: Visitor) -> None:
    """Log a browser in as the button does, with the same cookie."""
    cookie = {"name": cookie_name(visitor.origin), "value": visitor.new_token(), "url": visitor.origin}
    await context.add_cookies([{**cookie, "httpOnly": True, "sameSite": "Strict"}])


@pytest_asyncio.fixture(loop_scope="session")
async def tabs(browser: "Browser") -> AsyncIterator[Tabs]:
    """Yield browsers, in which no script may fail, no dialog open, and nothing break the content security policy."""
    async with AsyncExitStack() as stack:
        tabs = Tabs(browser, stack)
        yield tabs
        assert tabs.problems == []
