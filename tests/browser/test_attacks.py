"""A web site that somebody opens in the browser in which they are logged in to the page (as in CVE-2026-25253).

Each attack fails on the page, and succeeds on a double of it that protects nothing: so it would be noticed.
"""

import asyncio
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode, urlsplit

import pytest
import pytest_asyncio
from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bot.web_page import texts
from bot.web_page.application import Page, cookie_name
from tests.browser.attacker import ATTACKS, FORM, FRAME, WAYS_OUT, WEB_SOCKET, Attacker, attacker
from tests.browser.conftest import EVIL, REBOUND, REBOUND_ADDRESS, Tabs
from tests.browser.test_page import conversation_path
from tests.web_page.conftest import Visitor, serve_page

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext
    from playwright.async_api import Page as Tab

pytestmark = pytest.mark.asyncio(loop_scope="session")

SECRET = "plan our offsite"
# A fault of another program let a parameter say where its page connects, with the token of who was logged in.
PARAMETERS = ("gatewayUrl", "gateway", "url", "ws", "host", "server", "api", "events", "next", "redirect", "return_to")


class AllowEverybody:
    """Middleware that lets every site read every answer, as careless programs of this machine do."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        origin = dict(scope.get("headers", ())).get(b"origin", b"*").decode()

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers |= {"Access-Control-Allow-Origin": origin, "Access-Control-Allow-Credentials": "true"}
            await send(message)

        await self.app(scope, receive, send_with_headers)


class UnprotectedPage(Page):
    """The page without its protection."""

    def middleware(self) -> list[Middleware]:
        return [Middleware(AllowEverybody)]


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def unprotected(shown: Visitor) -> AsyncIterator[Visitor]:
    """Serve the same rows without any protection."""
    async with serve_page(shown.bench, page_class=UnprotectedPage) as visitor:
        yield visitor


class Victim:
    """Somebody who is logged in to a page and opens the attacker's site beside it."""

    def __init__(self, context: "BrowserContext", page: Visitor, token: str, by: Attacker) -> None:
        self.context = context
        self.page = page
        self.token = token
        self.by = by

    async def visit(self, site: str) -> "Tab":
        """Open an address, and return the tab. What fails there is not ours."""
        tab = await self.context.new_page()
        await tab.goto(site)
        return tab

    async def let(self, tab: "Tab", attack: str) -> str:
        [(file,)] = self.page.bench.rows("SELECT id FROM incoming_files WHERE name = 'mill.png'")
        known = [self.page.origin, conversation_path(self.page.bench), f"/files/received?{urlencode({'key': file})}"]
        return str(await tab.evaluate(f"([origin, path, picture]) => {attack}", known))


async def victim_of(tabs: Tabs, page: Visitor, by: Attacker, **cookie: Any) -> Victim:
    context, token = await tabs.person(), page.new_token()
    kept = {
        "name": cookie_name(page.origin),
        "value": token,
        "url": page.origin,
        "httpOnly": True,
        "sameSite": "Strict",
    }
    await context.add_cookies([{**kept, **cookie}])
    return Victim(context, page, token, by)


@pytest_asyncio.fixture(loop_scope="session")
async def victim(tabs: Tabs, shown: Visitor) -> AsyncIterator[Victim]:
    async with attacker(urlsplit(shown.origin).port or 0, REBOUND_ADDRESS) as by:
        yield await victim_of(tabs, shown, by)


@pytest_asyncio.fixture(loop_scope="session")
async def open_victim(tabs: Tabs, unprotected: Visitor) -> AsyncIterator[Victim]:
    """Yield somebody who is logged in to the double, with a cookie that protects nothing."""
    async with attacker(urlsplit(unprotected.origin).port or 0, REBOUND_ADDRESS) as by:
        yield await victim_of(tabs, unprotected, by, httpOnly=False, sameSite="Lax")


async def let_all(victim: Victim, host: str) -> dict[str, str]:
    """Let a site try everything at once. Return what has got something."""
    tab = await victim.visit(f"http://{host}:{victim.by.port}")
    got = await asyncio.gather(*(victim.let(tab, attack) for attack in ATTACKS.values()))
    return {name: found for name, found in zip(ATTACKS, got, strict=True) if found}


@pytest.mark.parametrize("host", [EVIL, "127.0.0.1"])
async def test_another_site_reads_and_loads_nothing(victim: Victim, host: str) -> None:
    assert await let_all(victim, host) == {}


async def test_without_protection_another_site_reads_and_loads_everything(open_victim: Victim) -> None:
    got = await let_all(open_victim, "127.0.0.1")
    assert set(got) == set(ATTACKS)
    assert SECRET in got["a fetch"]
    assert SECRET in got["an event stream"]
    assert open_victim.token in got["a cookie"]


async def framed_words(victim: Victim) -> str:
    tab = await victim.visit(f"http://127.0.0.1:{victim.by.port}")
    await victim.let(tab, FRAME)
    return "".join([await frame.inner_text("body") for frame in tab.frames[1:]])


async def test_another_site_shows_the_page_in_no_frame(victim: Victim, open_victim: Victim) -> None:
    assert SECRET not in await framed_words(victim)
    assert SECRET in await framed_words(open_victim)


async def test_another_site_opens_no_web_socket(victim: Victim) -> None:
    tab = await victim.visit(f"http://127.0.0.1:{victim.by.port}")
    assert await victim.let(tab, WEB_SOCKET) == ""


@pytest.mark.parametrize("host", [EVIL, "127.0.0.1"])
async def test_a_form_of_another_site_does_nothing(victim: Victim, host: str) -> None:
    await victim.let(await victim.visit(f"http://{host}:{victim.by.port}"), FORM)
    assert victim.page.logins.is_logged_in(victim.token)


async def test_without_protection_a_form_of_another_site_does_what_it_wants(open_victim: Victim) -> None:
    await open_victim.let(await open_victim.visit(f"http://127.0.0.1:{open_victim.by.port}"), FORM)
    assert not open_victim.page.logins.is_logged_in(open_victim.token)


async def rebind(victim: Victim) -> str:
    """Let a name of the attacker point to their site and then to the page. Return what their script reads there."""
    port = urlsplit(victim.page.origin).port
    tab = await victim.visit(f"http://{REBOUND}:{port}/")
    assert await tab.title() == "kittens"
    victim.by.rebound.is_rebound = True
    return str(await tab.evaluate("fetch('/login').then(each => each.text())"))


async def test_a_name_that_comes_to_point_here_reads_nothing(victim: Victim, open_victim: Victim) -> None:
    assert await rebind(victim) == texts.FOREIGN_HOST()
    assert texts.LOGIN_HEADING() in await rebind(open_victim)


async def open_with_parameters(victim: Victim) -> None:
    """Follow a link of the attacker's, to a conversation and to the login, whose parameters name their site."""
    for scheme in ("http", "ws"):
        target = f"{scheme}://{EVIL}:{victim.by.port}"
        query = urlencode(dict.fromkeys(PARAMETERS, target))
        path = conversation_path(victim.page.bench)
        tab = await victim.visit(f"{victim.page.origin}{path}?{query}#{query}")
        await tab.get_by_text(SECRET).first.wait_for()
        await tab.goto(f"{victim.page.origin}/login?{query}")
        assert tab.url.startswith(victim.page.origin)


async def test_no_parameter_lets_the_page_connect_elsewhere(victim: Victim) -> None:
    await open_with_parameters(victim)
    assert victim.by.site.heads == []


async def try_ways_out(victim: Victim) -> int:
    """Let a script run on the page itself that sends what is there to the attacker's site. Return how often it did."""
    tab = await victim.visit(victim.page.origin + conversation_path(victim.page.bench))
    target = f"http://{EVIL}:{victim.by.port}"
    await asyncio.gather(*(tab.evaluate(f"target => {way}", target) for way in WAYS_OUT))
    return len(victim.by.site.heads)


async def test_even_a_script_on_the_page_reaches_nothing_elsewhere(victim: Victim, open_victim: Victim) -> None:
    assert await try_ways_out(victim) == 0
    assert await try_ways_out(open_victim) >= len(WAYS_OUT)


async def told_by_a_link(victim: Victim) -> str:
    """Follow a link from the page of the login, and return what the browser tells the site that it leads to."""
    code = victim.page.logins.make_code()
    tab = await victim.visit(f"{victim.page.origin}/login?code={code}")
    async with tab.expect_navigation():
        await tab.evaluate(f"location.href = 'http://{EVIL}:{victim.by.port}'")
    head = victim.by.site.heads[0]
    assert code not in head
    assert "retinue_login" not in head
    return head


async def test_a_link_tells_nobody_where_it_comes_from(victim: Victim, open_victim: Victim) -> None:
    assert "referer:" not in (await told_by_a_link(victim)).lower()
    assert "referer:" in (await told_by_a_link(open_victim)).lower()
