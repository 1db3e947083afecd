"""How long everything else stands still: while a long text is made ready for a platform, while it is written, and in a
turn of a long conversation.

A loop that has nothing to do counts how late it wakes. The same loop at rest, in the same run, is what the machine does
by itself, and is taken off. Of several rounds the best counts: what the bot itself holds up is late in each of them.
"""

import asyncio
import gc
import importlib
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence

from bot.core.content_blocks import text_block
from bot.core.messages import Address, OutboundId, OutboundKind, OutboundMessage
from bot.core.model import Model, ModelReply, ModelRequest, ShowTextCallback, StopReason
from bot.core.prices import Usage
from tests.bench.responder import responder
from tests.bench.rig import running
from tests.bench.table import Row, ms

MOST = 0.050  # seconds
BEAT = 0.001
ROUNDS = 3
REST = 0.5  # seconds
PIECES = 300  # of a reply that is written
LONG, MESSAGES = 39_000, 20  # characters of a message, and how many of them there are before the turn
TEXTS = {  # as a model may be told to write; several of them took seconds once, and some hours
    "48 KB of backslashes": "\\" * 48_000,
    "80 KB of headings": "# a\n" * 20_000,
    "48 KB of emphasis": "a*" * 24_000,
    "48 KB of HTML": "<b>x</b>" * 6_000,
    "48 KB of code and links": "`a` http://a.b/*c* " * 2_500,
    "48 KB of prose": "Some **bold** words, and `code`, in a line.\n\n" * 1_100,
    "48 KB of opening brackets": "[" * 48_000,
    "48 KB of labels": "[a]: " * 9_600,
    "48 KB in the words of a link": f"[{'a.' * 24_000}](http://x.org/)",
    "48 KB of dollars": "$" * 48_000,
    "48 KB of list": "- a\n" * 12_000,
    "48 KB of table": "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 4_800,
    "48 KB of quotes in a spoiler": "||a" + "\n> " * 16_000 + "a||",
    "a list 200 deep": "".join("  " * depth + "- a\n" for depth in range(200)),
}
Work = Callable[[], Awaitable[object]]


async def rows() -> list[Row]:
    for name in ("anthropic", "channels.telegram.rendering", "channels.discord.rendering"):
        importlib.import_module(name)
    gc.freeze()  # as the command does
    return await measured(TEXTS, ROUNDS, MESSAGES)


async def measured(texts: Mapping[str, str], rounds: int, messages: int) -> list[Row]:
    found = []
    for name, parts in renderers().items():
        stalls = {text: await stall(in_a_thread(parts, content), rounds) for text, content in texts.items()}
        found.append(await row(f"while a text is rendered for {name}", stalls, rounds))
    return [*found, await written(texts, rounds), await answered(messages, rounds)]


async def row(what: str, stalls: dict[str, float], rounds: int) -> Row:
    at_rest = await stall(lambda: asyncio.sleep(REST), rounds)
    counting = await stall(lambda: asyncio.to_thread(count), rounds)
    worst = max(stalls, key=lambda text: stalls[text])
    over = max(0.0, stalls[worst] - at_rest)
    return Row(
        what=f"longest stall {what}",
        ours=f"{ms(over)} more than at rest ({worst})",
        other=f"{ms(at_rest)} at rest; {ms(counting)} while a thread counts",
        value=over / MOST,
        most=1.0,
        aim=f"≤ {ms(MOST)} more",
        is_ratio=False,
    )


def renderers() -> dict[str, Callable[[OutboundMessage], Sequence[object]]]:
    from channels.discord.rendering import (  # here: who measures something else must not pay for it
        pack_into_message_texts,
        render_message_texts,
    )
    from channels.telegram.rendering import render_message_parts

    def on_telegram(message: OutboundMessage) -> Sequence[object]:
        render_message_parts.cache_clear()
        return render_message_parts(message)

    def on_discord(message: OutboundMessage) -> Sequence[object]:
        pack_into_message_texts.cache_clear()
        return render_message_texts(message)

    return {"Telegram": on_telegram, "Discord": on_discord}


def in_a_thread(parts: Callable[[OutboundMessage], object], text: str) -> Work:
    """As the courier and the drafts have it rendered; what is said has lost its false labels before."""
    here = Address(channel="telegram", chat="1")
    message = OutboundMessage(id=OutboundId("t1"), address=here, kind=OutboundKind.REPLY, text=text)
    return lambda: asyncio.to_thread(parts, message)


class Writer(Model):
    """A model that writes its next text piece by piece, as fast as it is listened to."""

    text = ""

    async def reply(self, request: ModelRequest, show: ShowTextCallback) -> ModelReply:
        request.meter.sent_at_loop_seconds = time.perf_counter()
        for piece in range(PIECES):
            show(self.text[: len(self.text) * (piece + 1) // PIECES])
            await asyncio.sleep(0)
        return ModelReply(
            content=[text_block(self.text)], usage=Usage(input=1_000, output=10), stop_reason=StopReason.END
        )


async def written(texts: Mapping[str, str], rounds: int) -> Row:
    model = Writer()
    stalls = {}
    async with running("http://127.0.0.1:9", model=model) as bot:
        for name, text in texts.items():
            model.text = text
            stalls[name] = await stall(lambda name=name: bot.ask("write", chat=name), rounds)  # type: ignore[misc]
        return await row("while a reply is written and said", stalls, rounds)


async def answered(messages: int, rounds: int) -> Row:
    async with responder() as url, running(url) as bot:
        for _ in range(messages):
            await bot.ask("word " * (LONG // 5))
        size = f"a conversation of {messages * LONG // 1000} KB"
        return await row("in a turn", {size: await stall(lambda: bot.ask("and now?"), rounds)}, rounds)


def count() -> None:
    """What Python does with two threads that both have work, and how busy the machine is."""
    until = time.perf_counter() + REST
    while time.perf_counter() < until:
        pass


async def stall(work: Work, rounds: int) -> float:
    return min([await longest_stall(work) for _ in range(rounds)])


async def longest_stall(work: Work) -> float:
    """The longest time between two beats of the loop, less the beat itself, while the work is done."""
    gc.collect()
    longest, last = 0.0, time.perf_counter()
    async with asyncio.TaskGroup() as tasks:
        working = tasks.create_task(awaited(work))
        while not working.done():
            await asyncio.sleep(BEAT)
            now = time.perf_counter()
            longest, last = max(longest, now - last - BEAT), now
    return longest


async def awaited(work: Work) -> None:
    await work()
