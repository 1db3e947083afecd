"""Take the pictures of docs/web-page.md, of the page over a bot with three roles at work: python -m tests.browser."""

import asyncio
import io
import sys
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from PIL import Image, ImageDraw

from bot.core.messages import Address, PersonId
from bot.core.role import LEAD_ROLE_NAME
from tests.browser import needs
from tests.browser.conftest import ARGUMENTS, DESK, PHONE, Tabs
from tests.browser.test_page import conversation_path
from tests.support.bench import ACCESS, ROLES, Bench
from tests.support.engine_options import engine_options
from tests.support.fakes import Pause, reply, role, uses
from tests.support.sent_files import sends
from tests.web_page.conftest import serve_page

if TYPE_CHECKING:
    from playwright.async_api import Page

FOLDER = Path(__file__).parents[2] / "docs" / "pictures"
PLACE = Address(channel="telegram", chat="1234567")
COLOURS = 48  # of a picture: so it stays small
TASKS = {
    "researcher": "Which houses have room for 14 people in the second week of May?",
    "analyst": "What do trains cost 14 people, and what three cars?",
    "writer": "Draft the invitation. Leave place and time open.",
}
UPDATES = {
    "researcher": "The mill is free; the castle is not.",
    "analyst": "The train is cheaper.",
    "writer": "A first draft is there.",
}
REPORT = "Of three houses one has room, the mill: from the 11th to the 15th of May."


def draw_house() -> bytes:
    """Return a photo, as far as these pictures need one."""
    image = Image.new("RGB", (320, 180), "#9cc4e4")
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 120, 320, 180), fill="#7fa650")
    draw.rectangle((120, 70, 200, 140), fill="#c9a27a")
    draw.polygon(((110, 72), (160, 30), (210, 72)), fill="#8c4a3a")
    draw.rectangle((150, 105, 170, 140), fill="#5b3a29")
    for end in ((205, 20), (285, 100), (285, 20), (205, 100)):
        draw.line((245, 60, *end), fill="#5b3a29", width=5)
    draw.rectangle((240, 60, 250, 140), fill="#5b3a29")
    file = io.BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


async def save(page: "Page", name: str) -> None:
    picture = Image.open(io.BytesIO(await page.screenshot()))
    few = picture.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    few.save(FOLDER / f"{name}.png", optimize=True)


async def take_pictures(folder: Path, tabs: Tabs) -> None:
    bench = Bench(folder)
    bench.chat.name = PLACE.channel
    bench.roles = {**ROLES, LEAD_ROLE_NAME: role("lead", "delegate", delegates_to=None)}
    pauses = {name: Pause(REPORT) for name in TASKS}
    bench.model.says("lead", reply(*(uses("delegate", role=name, task=task) for name, task in TASKS.items())))
    for name, update in UPDATES.items():
        bench.model.says(name, reply(uses("message", text=update)), pauses[name])
    desk = bench.data / "workspace"
    options = engine_options(workspace=desk, writable_workspace=desk)
    access = {PLACE.channel: replace(ACCESS["fake"], owner_id=PersonId("Ann"))}
    async with bench.run(access=access, **options), serve_page(bench, access=access) as visitor:
        photo = sends(bench, "the mill.png", draw_house())
        bench.chat.hears("Plan our days away in May.", address=PLACE, files=[photo])
        await asyncio.gather(*(pause.reached.wait() for pause in pauses.values()))
        page = await tabs.log_in(visitor, conversation_path(bench), viewport={**DESK, "width": 1100, "height": 960})
        block = page.locator("#delegations details").first
        await block.locator("summary").click()
        pauses["researcher"].go_on.set()
        await block.get_by_text(REPORT).wait_for()
        await page.locator("#delegations details:not([open]) summary").first.click()
        await save(page, "web-page")
        await block.locator("a.load").click()
        await block.locator(".transcript").wait_for()
        await page.emulate_media(color_scheme="dark")
        await save(page, "web-page-dark")
        await page.set_viewport_size(PHONE)
        await page.locator("#delegations").scroll_into_view_if_needed()
        await save(page, "web-page-phone")
        bench.crashes()


async def main() -> None:
    if lacking := needs.lacking():
        sys.exit(f"no browser here: {lacking}")
    async with AsyncExitStack() as stack:
        playwright = await stack.enter_async_context(needs.import_playwright().async_playwright())
        browser = await playwright.chromium.launch(executable_path=needs.find_browser(), args=ARGUMENTS)
        stack.push_async_callback(browser.close)
        with TemporaryDirectory() as folder:
            await take_pictures(Path(folder), Tabs(browser, stack))


if __name__ == "__main__":
    asyncio.run(main())
