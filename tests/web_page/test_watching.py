"""Pages that are open: what many of them cost, and when they end."""

import asyncio
import json
import logging
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, closing
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote

import pytest

from bot.core.messages import OutboundKind
from bot.store.connection import Connection
from bot.web_page.change_watch import POLL_SECONDS, ChangeWatch, Version
from bot.web_page.row_reader import RowReader
from tests.support.bench import Bench
from tests.support.fakes import delegates
from tests.support.patience import PATIENCE
from tests.web_page.conftest import Visitor, serve_page

R = TypeVar("R")
PAGES = 10


class CountingWatch(ChangeWatch):
    looks = 0

    def read_version(self) -> Version:
        self.looks += 1
        return super().read_version()


class CountingRows(RowReader):
    """The rows, with a count of what was asked of them."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.watch = self.counting_watch = CountingWatch(path)
        self.readings = self.statements = 0

    def read_now(self, work: Callable[[Connection], R], missing: R) -> R:
        self.readings += 1

        def count(statement: str) -> None:
            self.statements += 1

        def work_counted(db: Connection) -> R:
            db.set_trace_callback(count)
            return work(db)

        return super().read_now(work_counted, missing)


@pytest.fixture
async def rows(bench: Bench) -> CountingRows:
    """The rows of a bot in which two roles have worked for Ann."""
    bench.model.says("lead", delegates("researcher", "analyst"), "all done")
    bench.model.says("researcher", "found the mill")
    bench.model.says("analyst", "the train is cheaper")
    async with bench.run():
        bench.chat.hears("plan")
        await bench.chat.said(OutboundKind.REPLY)
    return CountingRows(bench.data / "bot.db")


@pytest.fixture
async def visitor(bench: Bench, rows: CountingRows) -> AsyncIterator[Visitor]:
    async with serve_page(bench, rows) as visitor:
        yield visitor


def change_report(bench: Bench, report: str) -> None:
    with closing(sqlite3.connect(bench.data / "bot.db")) as db, db:
        assert db.execute("UPDATE turns SET report = ? WHERE role = 'analyst'", (report,)).rowcount == 1


async def next_part(lines: AsyncIterator[str], words: str) -> None:
    """Wait until a stream tells a part with these words."""
    async for line in lines:
        if line.startswith("data: ") and words in json.loads(line.removeprefix("data: "))["html"]:
            return
    raise AssertionError("the stream has ended")


async def watch(stack: AsyncExitStack, visitor: Visitor, bench: Bench) -> AsyncIterator[str]:
    """Open a conversation's stream, and return its lines."""
    [(id,)] = bench.rows("SELECT id FROM sessions WHERE parent IS NULL")
    stream = await stack.enter_async_context(visitor.client.stream("GET", f"/conversations/{quote(id)}/events"))
    assert stream.status_code == 200
    return stream.aiter_lines()


async def test_ten_pages_read_a_change_once_and_nothing_while_none_comes(
    bench: Bench, rows: CountingRows, visitor: Visitor
) -> None:
    async with asyncio.timeout(PATIENCE), AsyncExitStack() as stack:
        streams = [await watch(stack, visitor, bench) for _ in range(PAGES)]
        await asyncio.sleep(POLL_SECONDS)
        before, looks = rows.readings, rows.counting_watch.looks
        await asyncio.sleep(4 * POLL_SECONDS)
        assert rows.readings == before
        assert rows.counting_watch.looks - looks <= 10  # twice in each POLL_SECONDS, for all of them together
        rows.statements = 0
        change_report(bench, "the bus is cheapest")
        await asyncio.gather(*(next_part(stream, "the bus is cheapest") for stream in streams))
        assert rows.readings == before + 1
        assert rows.statements <= 20  # 10 for this conversation


async def test_a_page_ends_when_everybody_is_logged_out(bench: Bench, visitor: Visitor) -> None:
    async with asyncio.timeout(PATIENCE), AsyncExitStack() as stack:
        stream = await watch(stack, visitor, bench)
        await next_part(stream, "cheaper")
        visitor.logins.log_everybody_out()
        change_report(bench, "nobody is to see this")
        with pytest.raises(AssertionError, match="has ended"):
            await next_part(stream, "nobody is to see this")


async def test_a_page_goes_on_with_the_rows_of_a_restored_backup(bench: Bench, visitor: Visitor) -> None:
    async with asyncio.timeout(PATIENCE), AsyncExitStack() as stack:
        stream = await watch(stack, visitor, bench)
        await next_part(stream, "cheaper")
        path, copy = bench.data / "bot.db", bench.data / "copy.db"
        with closing(sqlite3.connect(path)) as db, closing(sqlite3.connect(copy)) as restored:
            db.backup(restored)
        for beside in bench.data.glob("bot.db-*"):
            beside.unlink()
        copy.replace(path)
        change_report(bench, "from the backup")
        await next_part(stream, "from the backup")


async def test_the_page_ends_at_once_although_somebody_watches(
    bench: Bench, rows: CountingRows, caplog: pytest.LogCaptureFixture
) -> None:
    async with asyncio.timeout(PATIENCE), AsyncExitStack() as stack, serve_page(bench, rows) as visitor:
        stream = await watch(stack, visitor, bench)
        await next_part(stream, "cheaper")
    assert [each.getMessage() for each in caplog.records if each.levelno >= logging.WARNING] == []
