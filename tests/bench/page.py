"""The first page of a list and of a search, on the page and by the API: among 10,000 conversations, and among few."""

import asyncio
import tempfile
import time
from functools import partial
from pathlib import Path
from statistics import median

import httpx

from tests.bench.table import Row, ms
from tests.support.bench import Bench
from tests.support.large_database import USUAL, fill
from tests.web_page.api.api_bench import TOKENS, add_api
from tests.web_page.conftest import Visitor, serve_page

FEW, MANY = 100, 10_000  # conversations
TEXTS = 8  # that were said in each, and entries of its transcript
TIMES = 30  # that each address is asked
MOST_TIMES_AS_LONG = 5.0
HEADERS = {"authorization": f"Bearer {TOKENS['tool']}"}
ADDRESSES = {
    "the list on the page": "/",
    "a search on the page": f"/?words={USUAL[-1]}",
    "the list by the API": "/v1/sessions",
    "a search by the API": f"/v1/sessions?query={USUAL[-1]}",
}


async def rows(many: int = MANY) -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder))
        bench.model.says("lead", "hello")
        async with bench.run():
            bench.chat.hears("hello")
            await bench.chat.said()
        add = partial(fill, bench.data / "bot.db", "fake", entries=TEXTS, memories=0, texts=TEXTS)
        async with serve_page(bench, partial(add_api, bench)) as visitor:
            await asyncio.to_thread(add, range(FEW))
            few = await measure(visitor)
            await asyncio.to_thread(add, range(FEW, many))
            found = await measure(visitor)
    return [
        Row(
            what=f"{name}, its first page, over HTTP among {many:,} conversations",
            ours=ms(found[name]),
            other=f"{ms(few[name])} among {FEW}",
            value=found[name] / few[name],
            most=MOST_TIMES_AS_LONG,
            aim=f"≤ {MOST_TIMES_AS_LONG:.0f}",
        )
        for name in ADDRESSES
    ]


async def measure(visitor: Visitor) -> dict[str, float]:
    """Return the seconds until each address has answered with a full page: the median."""
    return {name: median([await ask(visitor, address) for _ in range(TIMES)]) for name, address in ADDRESSES.items()}


async def ask(visitor: Visitor, address: str) -> float:
    began = time.perf_counter()
    answer: httpx.Response = await visitor.get(address, **HEADERS)
    taken = time.perf_counter() - began
    assert answer.text.count("chat%20") >= 30, answer.text
    return taken
