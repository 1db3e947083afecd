"""The page in a real browser: what people see, reach and do there, and what words of others cannot do."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest
import pytest_asyncio

from bot.core.messages import OutboundKind
from bot.web_page import texts
from tests.browser import needs
from tests.browser.conftest import DESK, PHONE, Tabs
from tests.support.bench import Bench
from tests.support.fakes import Pause, delegates
from tests.web_page.conftest import Visitor, serve_page

if TYPE_CHECKING:
    from playwright.async_api import Locator, Page

pytestmark = pytest.mark.asyncio(loop_scope="session")

WCAG_AA = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
LOOKS = [("light", PHONE), ("dark", DESK)]
MORE_LOOKS = [("dark", PHONE), ("light", DESK)]  # of a conversation
MAX_TABS = 60


def conversation_path(bench: Bench) -> str:
    [(id,)] = bench.rows("SELECT id FROM sessions WHERE parent IS NULL")
    return f"/conversations/{quote(id, safe='')}"


def role_path(bench: Bench) -> str:
    [(id,)] = bench.rows("SELECT id FROM turns WHERE role = 'analyst'")
    return f"/turns/{id}"


@pytest.fixture(scope="session")
def paths(shown: Visitor) -> list[str]:
    """Every page, with its tables and blocks where it has any."""
    bench = shown.bench
    [(lead, request)] = bench.rows("SELECT turn, max(id) FROM requests WHERE turn NOT LIKE '%/%'")
    own = [conversation_path(bench), role_path(bench)]
    own += [f"/requests/{lead}", f"/requests/{request}", f"/effects/{lead}", f"/forks/{lead}"]
    return ["/", "/?words=offsite", *own, "/figures", "/state", "/nothing", "/login"]


async def find_faults(page: "Page") -> list[str]:
    """Return what axe finds against the rules of WCAG at level AA."""
    await page.evaluate(needs.AXE.read_text())
    run = f"axe.run({{runOnly: {json.dumps(WCAG_AA)}, resultTypes: ['violations']}})"
    found: dict[str, Any] = await page.evaluate(run)
    return [f"{each['id']}: {node['html']}" for each in found["violations"] for node in each["nodes"]]


async def unfold_all(page: "Page") -> None:
    await page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")


async def test_pages_keep_the_rules_of_wcag_and_fit_a_phone(tabs: Tabs, shown: Visitor, paths: list[str]) -> None:
    page = await tabs.log_in(shown)
    for path in paths:
        await page.goto(shown.origin + path)
        await unfold_all(page)
        for scheme, size in LOOKS + (MORE_LOOKS if "conversations" in path else []):
            await page.emulate_media(color_scheme=scheme)
            await page.set_viewport_size(size)
            assert await find_faults(page) == [], (path, scheme, size)
            assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (path, size)
    tabs.problems.remove("Failed to load resource: the server responded with a status of 404 (Not Found)")


async def test_the_search_for_faults_finds_one(tabs: Tabs, shown: Visitor) -> None:
    page = await tabs.log_in(shown)
    await page.evaluate("document.querySelector('label').remove()")
    await page.evaluate("document.querySelector('h1').style.color = 'color-mix(in srgb, canvas 80%, canvastext)'")
    assert {fault.partition(":")[0] for fault in await find_faults(page)} == {"label", "color-contrast"}


async def test_a_login_link_works_once_and_leaves_no_code_in_the_address(tabs: Tabs, shown: Visitor) -> None:
    link = f"{shown.origin}/login?code={shown.logins.make_code()}"
    first, second = [await tabs.open(await tabs.person(), link) for _ in range(2)]
    await first.keyboard.press("Tab")
    await first.get_by_role("button", name=texts.LOGIN_BUTTON()).press("Enter")
    await first.get_by_role("heading", name=texts.CONVERSATIONS()).wait_for()
    assert first.url == f"{shown.origin}/"
    assert await first.evaluate("document.cookie") == ""
    await second.get_by_role("button", name=texts.LOGIN_BUTTON()).press("Enter")
    await second.get_by_role("alert").get_by_text(texts.LOGIN_FAILED()).wait_for()
    await second.goto(shown.origin)
    assert second.url == f"{shown.origin}/login"
    tabs.problems.remove("Failed to load resource: the server responded with a status of 403 (Forbidden)")


@pytest_asyncio.fixture(loop_scope="session")
async def working(bench: Bench) -> AsyncIterator[tuple[Visitor, dict[str, Pause]]]:
    """Yield a page over a bot whose three roles are at work, and what lets each of them go on."""
    pauses = {name: Pause(f"{name}: the mill is free") for name in ("researcher", "analyst", "writer")}
    bench.model.says("lead", delegates(*pauses), "all done")
    for name, pause in pauses.items():
        bench.model.says(name, pause)
    async with bench.run(), serve_page(bench) as visitor:
        bench.chat.hears("plan our offsite")
        await asyncio.gather(*(pause.reached.wait() for pause in pauses.values()))
        yield visitor, pauses
        for pause in pauses.values():
            pause.go_on.set()
        await bench.chat.said(OutboundKind.REPLY)


async def test_a_live_conversation_shows_roles_at_work_and_what_they_report(
    working: tuple[Visitor, dict[str, Pause]], tabs: Tabs
) -> None:
    visitor, pauses = working
    page = await tabs.log_in(visitor)
    await page.add_init_script("addEventListener('DOMContentLoaded', () => { messages.isSamePart = true; })")
    await page.goto(visitor.origin + conversation_path(visitor.bench))
    await page.evaluate("window.isSamePage = true")
    blocks = page.locator("#delegations details")
    assert await blocks.count() == 3
    assert await page.locator("#delegations .running").count() == 3
    analyst = blocks.filter(has_text="analyst's part")
    await analyst.locator("summary").press("Enter")
    pauses["analyst"].go_on.set()
    await analyst.get_by_text("analyst: the mill is free").wait_for()
    assert await analyst.locator("summary").evaluate("each => document.activeElement === each")
    assert await page.locator("#delegations .running").count() == 2
    assert await page.evaluate("messages.isSamePart")  # nothing new was said
    pauses["researcher"].go_on.set()
    pauses["writer"].go_on.set()
    await page.locator("#messages").get_by_text("all done").wait_for()
    assert await page.evaluate("window.isSamePage")


async def test_a_part_that_says_nothing_new_stays_also_with_its_blocks_unfolded(tabs: Tabs, shown: Visitor) -> None:
    page = await tabs.log_in(shown, conversation_path(shown.bench))
    await unfold_all(page)
    await page.evaluate("delegations.isSamePart = true")
    await page.evaluate("fetch(location).then(it => it.text()).then(html => replacePart('delegations', html))")
    assert await page.evaluate("delegations.isSamePart")


async def test_a_block_unfolds_to_its_report_and_then_its_transcript(tabs: Tabs, shown: Visitor) -> None:
    page = await tabs.log_in(shown, conversation_path(shown.bench))
    block = page.locator("#delegations details").filter(has_text="analyst's part")
    report, transcript = block.get_by_text("analyst found:").first, block.locator(".transcript")
    assert not await report.is_visible()
    await block.locator("summary").press("Enter")
    assert await report.is_visible()
    assert await transcript.count() == 0
    await block.get_by_role("link", name=texts.SHOW_TRANSCRIPT()).press("Enter")
    await transcript.wait_for()
    assert "analyst's part" in await transcript.inner_text()
    assert page.url.endswith(conversation_path(shown.bench))


async def reach_by_tab(page: "Page") -> list[str]:
    """Move by Tab from the beginning of a page until it is left. Return what had the focus and did not show it."""
    hidden = list[str]()
    for _ in range(MAX_TABS):
        await page.keyboard.press("Tab")
        focused = await page.evaluate(
            """() => {
                const each = document.activeElement;
                if (each === document.body) return null;
                each.isReached = true; // no attribute, which would make its part another than the server's
                const isShown = getComputedStyle(each).outlineStyle !== 'none' && each.getBoundingClientRect().x >= 0;
                return [isShown, each.outerHTML];
            }"""
        )
        if focused is None:
            return hidden
        hidden += [] if focused[0] else [focused[1]]
    raise AssertionError(f"more than {MAX_TABS} things have the focus")


async def test_everything_is_reached_by_the_keyboard_and_shows_it(tabs: Tabs, shown: Visitor, paths: list[str]) -> None:
    page = await tabs.log_in(shown)
    everything = "a[href], button, input:not([type=hidden]), textarea, summary, audio, [tabindex]"
    left = "each => each.filter(one => !one.isReached).map(one => one.outerHTML)"
    for path in paths:
        if path in ("/nothing", "/login"):
            continue
        await page.goto(shown.origin + path)
        await unfold_all(page)
        assert await reach_by_tab(page) == [], path
        assert await page.locator(everything).evaluate_all(left) == [], path


async def test_the_first_link_skips_to_the_content(tabs: Tabs, shown: Visitor) -> None:
    page = await tabs.log_in(shown)
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    assert page.url.endswith("#content")
    await page.keyboard.press("Tab")
    assert await page.evaluate("document.activeElement.id") == "words"


async def test_without_scripts_all_can_be_read_and_searched(tabs: Tabs, shown: Visitor) -> None:
    page = await tabs.log_in(shown, java_script_enabled=False)
    await page.get_by_role("searchbox").fill("offsite")
    await page.get_by_role("searchbox").press("Enter")
    await page.get_by_role("link", name="plan our offsite").press("Enter")
    block = page.locator("#delegations details").filter(has_text="writer's part")
    await block.locator("summary").press("Enter")
    assert await block.get_by_text("writer found:").is_visible()
    await block.get_by_role("link", name=texts.SHOW_TRANSCRIPT()).press("Enter")
    await page.get_by_role("heading", name=texts.TRANSCRIPT(), exact=True).wait_for()
    assert "writer's part" in await page.locator(".transcript").inner_text()


async def elements_in(texts_shown: "Locator") -> int:
    return int(await texts_shown.evaluate_all("all => all.map(each => each.childElementCount).reduce((a, b) => a + b)"))


async def test_words_of_others_never_become_elements(tabs: Tabs, shown: Visitor, paths: list[str]) -> None:
    page = await tabs.log_in(shown)
    for path in (conversation_path(shown.bench), role_path(shown.bench)):
        await page.goto(shown.origin + path)
        assert await elements_in(page.locator(".said")) == 0
        assert "javascript:alert(3)" in await page.locator(".said").first.inner_text()
    for path in paths[:-2]:
        await page.goto(shown.origin + path)
        assert (
            await page.locator("main script, main iframe, main style, main svg[onload], [href^=javascript]").count()
            == 0
        )
        assert "1337" not in await page.content()


async def test_pictures_and_sounds_are_shown(tabs: Tabs, shown: Visitor) -> None:
    page = await tabs.log_in(shown, conversation_path(shown.bench))
    pictures = page.locator("img")
    await pictures.last.scroll_into_view_if_needed()
    assert await pictures.count() == 2
    await pictures.evaluate_all("all => Promise.all(all.map(each => each.decode()))")
    assert await pictures.evaluate_all("all => all.map(each => each.naturalWidth)") == [8, 6]
    assert await page.locator("audio").count() == 1
