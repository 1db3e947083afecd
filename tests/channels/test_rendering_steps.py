"""A text that is twice as long takes about twice the steps to render: steps are counted, not timed."""

import sys
import threading
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

import pytest

from bot.core.access import Access
from bot.core.messages import Address, OutboundId, OutboundKind, OutboundMessage
from bot.engine.delivery import SHORT_TEXT_CHARACTERS
from channels.discord.rendering import pack_into_message_texts, render_message_texts
from channels.telegram.rendering import render_message_parts
from tests.support.bench import Bench
from tests.support.named_chat import Named
from tests.support.telegram_bot import QUICK

LENGTH = 8_000  # more than a part of either platform
MOST = 2.4  # times the steps for twice the text: twice, and some room
TEXTS: dict[str, str] = {
    "backslashes": "\\",
    "headings": "# a\n",
    "underlined headings": "a\n=\n",
    "emphasis": "a*",
    "bold": "**a** ",
    "spoilers": "||a|| ",
    "code": "`a ",
    "links": "[a](http://x.org/a) ",
    "bare links": "`a` http://a.b/*c* ",
    "quotes": "> a\n",
    "lists": "- a\n",
    "rows of a table": "| a | b |\n|-|-|\n",
    "html": "<b>x</b>",
    "fences": "```\na\n```\n",
    "formulas": "$$x_1$$ ",
    "one word": "a",
    "invisible": "\u200b\u202e",
    "families": "👨‍👩‍👧‍👦",
}


def parts_on_telegram(message: OutboundMessage) -> Sequence[object]:
    render_message_parts.cache_clear()
    return render_message_parts(message)


def parts_on_discord(message: OutboundMessage) -> Sequence[object]:
    pack_into_message_texts.cache_clear()
    return render_message_texts(message)


def said(text: str) -> OutboundMessage:
    here = Address(channel="telegram", chat="1")
    return OutboundMessage(id=OutboundId("t1"), address=here, kind=OutboundKind.REPLY, text=text)


def steps(function: Callable[[OutboundMessage], object], message: OutboundMessage) -> int:
    """Lines of our own that are run, and calls of any Python code."""
    count = 0

    def line(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal count
        count += 1
        return line

    def call(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal count
        count += 1
        return line if "/channels/" in frame.f_code.co_filename else None

    before = sys.gettrace()
    sys.settrace(call)
    try:
        function(message)
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("platform", [parts_on_telegram, parts_on_discord])
@pytest.mark.parametrize("name", TEXTS)
def test_twice_the_text_takes_twice_the_steps(name: str, platform: Callable[[OutboundMessage], object]) -> None:
    once = TEXTS[name] * (LENGTH // len(TEXTS[name]))
    platform(said("warm up"))
    assert steps(platform, said(once * 2)) <= MOST * steps(platform, said(once)) + 1_000


@pytest.mark.parametrize("platform", [parts_on_telegram, parts_on_discord])
def test_emphasis_within_emphasis_takes_no_more(platform: Callable[[OutboundMessage], Sequence[object]]) -> None:
    def nested(depth: int) -> OutboundMessage:
        return said("*a " * depth + "a* " * depth)

    assert steps(platform, nested(3_000)) <= MOST * steps(platform, nested(1_500)) + 1_000
    assert len(platform(nested(3_000))) <= 12, "not a part for each"


async def test_a_message_is_rendered_in_a_thread(bench: Bench) -> None:
    """While one is, everything else goes on."""
    chat = Slow("telegram")
    bench.chat = chat
    bench.model.says("lead", "a" * (SHORT_TEXT_CHARACTERS + 1), "a short one")
    async with bench.run(**QUICK, access={"telegram": Access(is_public=True)}):
        chat.hears("go")
        await chat.said()
        assert chat.rendered_in
        assert threading.get_ident() not in chat.rendered_in
        chat.hears("go on")
        await chat.said()
    assert threading.get_ident() in chat.rendered_in, "a trip to a thread would take longer than the short text does"


class Slow(Named):
    """A chat that tells in which threads it was asked for the parts of a message."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.rendered_in: set[int] = set()

    def split_into_parts(self, message: OutboundMessage) -> list[str]:
        self.rendered_in.add(threading.get_ident())
        return super().split_into_parts(message)
