"""What the owner does from the page, over the control socket of a bot that runs: write, stop, steer and answer."""

import asyncio
import os
import re
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from bot.app import Desks
from bot.core.access import Access
from bot.core.messages import Address, OutboundKind, PersonId
from bot.core.page_words import PageAct, PageWords
from bot.core.rights import EVERY_RIGHT
from bot.core.texts import page as refusals
from bot.core.texts import people, people_help
from bot.ops.control.page_words import PAGE_REQUEST, make_page_answerer
from bot.ops.control.server import Answerer, ControlServer
from bot.ops.control.unix_socket import ask_running_bot
from bot.web_page import texts
from tests.support.backup_bot import apart
from tests.support.bench import ACCESS, Bench
from tests.support.fakes import Pause, delegates, reply, uses
from tests.support.patience import PATIENCE
from tests.support.troubles import wait_for_row
from tests.web_page.conftest import VERSION, Visitor, serve_page

pytestmark = pytest.mark.usefixtures("bench")
FIELD = re.compile(r'<form[^>]* action="([^"]+)">\s*<input type="hidden" name="form" value="([^"]+)">')


async def serve_control(bench: Bench, desks: Desks, wrap: Any = lambda answer: answer) -> None:
    answer: Answerer = wrap(make_page_answerer(desks.page, VERSION))
    await ControlServer(bench.data, {PAGE_REQUEST: answer}).run()


@asynccontextmanager
async def running(bench: Bench, **options: Any) -> AsyncIterator[Visitor]:
    """Run the bot, and yield a visitor of its page."""
    async with bench.run(serve_control_socket=lambda desks: serve_control(bench, desks), **options):
        async with serve_page(bench) as visitor:
            yield visitor


async def find_conversation(visitor: Visitor, chat: str = "room") -> str:
    """Return the address of the newest conversation of a chat."""
    found = re.search(rf'href="(/conversations/fake%3A{chat}[^"]+)"', await visitor.text("/"))
    assert found
    return found[1]


async def send(visitor: Visitor, page: str, ending: str, **fields: str) -> int:
    """Send the first form of a page whose address ends so, and return the status of the answer."""
    forms = dict(FIELD.findall(await visitor.text(page)))
    [action] = [action for action in forms if action.endswith(ending)][:1]
    return (await visitor.post(action, form=forms[action], **fields)).status_code


def hears_owner(bench: Bench, text: str, **fields: Any) -> None:
    bench.chat.hears(text, by="Owner", **fields)


async def test_words_are_a_message_of_the_owner_that_the_chat_sees(bench: Bench) -> None:
    bench.model.says("lead", "hello", "at ten")
    async with running(bench) as visitor:
        hears_owner(bench, "hi", group_chat="room")
        assert await bench.chat.said() == "hello"
        page = await find_conversation(visitor)
        assert await send(visitor, page, "/words", words="when do we meet?\r\nand where?") == 303
        assert texts.TAKEN() in await visitor.text(f"{page}?taken=yes")
        assert await bench.chat.said() == people_help.WRITTEN_IN_PAGE(person="Owner", text="when do we meet?\nand where?")
        assert await bench.chat.said() == "at ten"
    assert bench.model.heard("lead")[-1].endswith("when do we meet?\nand where?")
