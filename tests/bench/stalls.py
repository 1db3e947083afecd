"""How long everything else stands still while a long text is made ready for a platform."""

import asyncio
import gc
import time
from collections.abc import Callable, Sequence
from functools import partial

from bot.messages import Address, OutboundId, OutboundKind, OutboundMessage
from tests.bench.table import Row, ms

MOST = 0.050  # seconds
BEAT = 0.001
TEXTS = {  # as a model may be told to write; the first two took 8 and 19 s once
    "48 KB of backslashes": "\\" * 48_000,
    "80 KB of headings": "# a\n" * 20_000,
    "48 KB of emphasis": "a*" * 24_000,
    "48 KB of HTML": "<b>x</b>" * 6_000,
    "48 KB of code and links": "`a` http://a.b/*c* " * 2_500,
    "48 KB of prose": "Some **bold** words, and `code`, in a line.\n\n" * 1_100,
}


async def rows() -> list[Row]:
    found = []
    for name, parts in renderers().items():
        busy = await longest_stall(count)
        worst, what = 0.0, ""
        for text, content in TEXTS.items():
            stall = await longest_stall(partial(parts, said(content)))
            worst, what = max((worst, what), (stall, text))
        found.append(
            Row(
                what=f"longest stall while a text is rendered for {name}",
                ours=f"{ms(worst)} ({what})",
                other=f"{ms(busy)} while a thread counts",
                value=worst / MOST,
                most=1.0,
                aim=f"≤ {ms(MOST)}",
                is_ratio=False,
            )
        )
    return found


def renderers() -> dict[str, Callable[[OutboundMessage], Sequence[object]]]:
    from channels.discord.rendering import texts  # here: who measures something else must not pay for it
    from channels.telegram.rendering import rendered

    return {"Telegram": rendered, "Discord": texts}


def count() -> None:
    """What Python does with two threads that both have work, and how busy the machine is."""
    until = time.perf_counter() + 1.0
    while time.perf_counter() < until:
        pass


def said(text: str) -> OutboundMessage:
    here = Address(channel="telegram", chat="1")
    return OutboundMessage(id=OutboundId("t1"), address=here, kind=OutboundKind.REPLY, text=text)


async def longest_stall(work: Callable[[], object]) -> float:
    """The longest time between two beats of the loop, less the beat itself, while the work is done in a thread."""
    gc.collect()
    longest, last = 0.0, time.perf_counter()
    async with asyncio.TaskGroup() as tasks:
        working = tasks.create_task(asyncio.to_thread(work))
        while not working.done():
            await asyncio.sleep(BEAT)
            now = time.perf_counter()
            longest, last = max(longest, now - last - BEAT), now
    return longest
