"""The page in a browser: what it costs the bot that ten pages watch, and the page that there are many conversations."""

import asyncio
import json
import socket
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from urllib.parse import quote

import httpx

from bot.web_page.application import cookie_name
from bot.web_page.logins import Logins
from tests.bench.processes import child, line_of, told
from tests.bench.responder import responder
from tests.bench.rig import Bot, folder, running
from tests.bench.table import Row, ms
from tests.support.large_database import USUAL, fill

WATCHING = 10
BLOCKS, TURNS = 6, 20  # half of the blocks with pages that watch; of each, so many turns
CONVERSATIONS, FEW = 10_000, 100
TEXTS = 4  # that were said in each
ASKED = 20  # pages of each kind
MOST_TIMES = 1.1
MOST_TIMES_AS_LONG = 5.0
SECONDS = 30.0  # for a process to begin
COMMAND = "retinue web"
TOKEN = "bench-" + "b" * 40
FIRST_PAGES = {
    "the list": "/",
    "a search": f"/?words={USUAL[-1]}",
    "the list by the API": "/v1/sessions",
    "a search by the API": f"/v1/sessions?query={USUAL[-1]}",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedPage:
    """The page as the command serves it, and the cookie of somebody who is logged in."""

    port: int
    cookie: str

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def seconds_of(self, path: str) -> float:
        """Return how long a page takes, the median of several."""
        seconds = list[float]()
        headers = {"cookie": self.cookie, "authorization": f"Bearer {TOKEN}"}
        async with httpx.AsyncClient(base_url=self.origin, headers=headers, timeout=SECONDS) as client:
            for _ in range(ASKED):
                began = time.perf_counter()
                answer = await client.get(path)
                seconds.append(time.perf_counter() - began)
                assert "chat%2" in answer.text, "the page shows no conversation"
        return median(seconds)


@asynccontextmanager
async def served(data: Path) -> AsyncIterator[ServedPage]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    file = data / "page.json"
    model = {"api_key": "sk-ant-stand-in"}  # without one it would be the demo's data
    clients = {"bench": {"token": TOKEN, "scopes": ["sessions"]}}
    file.write_text(json.dumps({"data_dir": str(data), "web_page": {"port": port}, "model": model, "clients": clients}))
    file.chmod(0o600)
    async with child("bot", "web", "--config", str(file)) as process:
        await line_of(process, COMMAND, SECONDS)
        logins = Logins(data)
        name = cookie_name(f"http://127.0.0.1:{port}")
        yield ServedPage(port=port, cookie=f"{name}={logins.redeem_code(logins.make_code())}")


async def rows(blocks: int = BLOCKS, turns: int = TURNS, conversations: int = CONVERSATIONS) -> list[Row]:
    return [await while_pages_watch(blocks, turns), *(await among_many(conversations))]


async def while_pages_watch(blocks: int, turns: int) -> Row:
    """Let a chat go on while pages watch it, and while there is no page, in turn."""
    seconds: dict[bool, list[float]] = {True: [], False: []}
    with folder() as data:
        async with responder() as url, running(url, data=data) as bot:
            await seconds_of_turns(bot, turns)  # until everything is warm
            for number in range(blocks):
                is_watched = number % 4 in (1, 2)  # the conversation grows, for both alike
                if is_watched:
                    async with served(data) as page, watched(page):
                        seconds[True] += await seconds_of_turns(bot, turns)
                else:
                    seconds[False] += await seconds_of_turns(bot, turns)
    watched_seconds, alone = median(seconds[True]), median(seconds[False])
    return Row(
        what=f"time of a turn while {WATCHING} pages watch its conversation",
        ours=ms(watched_seconds),
        other=f"{ms(alone)} without the page",
        value=watched_seconds / alone,
        most=MOST_TIMES,
        aim=f"≤ {MOST_TIMES} times",
    )


async def seconds_of_turns(bot: Bot, turns: int) -> list[float]:
    seconds = list[float]()
    for _ in range(turns):
        began = time.perf_counter()
        await bot.ask("hello")
        seconds.append(time.perf_counter() - began)
        await asyncio.sleep(0.2)  # people do not write at once, and a page shows what came at most twice a second
    return seconds


@asynccontextmanager
async def watched(page: ServedPage) -> AsyncIterator[None]:
    """Let browsers watch the chat. Raise RuntimeError if one of them was shown nothing meanwhile."""
    path = f"/conversations/{quote('bench:room#1', safe='')}/events"
    words = ["--host", "127.0.0.1", "--port", str(page.port), "--path", path, "--cookie", page.cookie]
    async with child("tests.bench.watchers", *words, "--count", str(WATCHING)) as browsers:
        before = await line_of(browsers, "the browsers", SECONDS)
        yield
        shown = int(await told(browsers, "how many", "the browsers", SECONDS))
        if shown < 3:
            raise RuntimeError(f"after {before!r} a browser was shown {shown} parts")


async def among_many(conversations: int) -> list[Row]:
    """Ask for the first page of the list and of a search, among few conversations and among many."""
    with folder() as data:
        async with responder() as url, running(url, data=data) as bot:
            await bot.ask("hi")
        async with served(data) as page:
            await asyncio.to_thread(fill, data / "bot.db", "bench", range(FEW), entries=8, memories=0, texts=TEXTS)
            few = {what: await page.seconds_of(path) for what, path in FIRST_PAGES.items()}
            rest = range(FEW, conversations)
            await asyncio.to_thread(fill, data / "bot.db", "bench", rest, entries=8, memories=0, texts=TEXTS)
            many = {what: await page.seconds_of(path) for what, path in FIRST_PAGES.items()}
    return [
        Row(
            what=f"first page of {what} among {conversations:,} conversations, over HTTP",
            ours=ms(many[what]),
            other=f"{ms(few[what])} among {FEW}",
            value=many[what] / few[what],
            most=MOST_TIMES_AS_LONG,
            aim=f"≤ {MOST_TIMES_AS_LONG}",
        )
        for what in FIRST_PAGES
    ]
