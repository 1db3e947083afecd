"""Files that people sent, in a back-up: those that lie in the workspace are in it, and those that were still to be
fetched are fetched after the restore, or their sender is told."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from bot.core.errors import FetchError
from bot.core.limits import Timings
from bot.store import restored_database
from tests.support.backup_bot import brought_back, folder_of, rows, saved
from tests.support.bench import Bench
from tests.support.engine_options import engine_options
from tests.support.sent_files import sends
from tests.support.troubles import wait_for_row

LATER = FetchError("the platform is away", seconds=600)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return folder_of(tmp_path / "bot")


@pytest.fixture
def bench(place: Path) -> Bench:
    return Bench(place / "data")


@asynccontextmanager
async def running(bench: Bench, place: Path) -> AsyncIterator[None]:
    options: Any = {
        **engine_options(writable_workspace=place / "workspace"),
        "timings": Timings(file_retry_seconds=0.01),
    }
    async with bench.run(**options):
        yield


async def said_after_restore(bench: Bench) -> str:
    """Return what is said next, besides the notice of the restore: what is told of a file may come before it."""
    while (part := await bench.chat.part()).message.id.startswith(restored_database.RESTORE_NOTICE_ID_PREFIX):
        pass
    return part.text


async def back_up_with_a_waiting_file(bench: Bench, place: Path, target: Path) -> None:
    """Write a back-up in which a file has been tried in vain for an hour, and restore it."""
    async with running(bench, place):
        bench.chat.hears("read it", files=[sends(bench, "notes.txt", [LATER])])
        await bench.chat.is_taken_in()
        await wait_for_row(bench, "incoming_files", failures="1")
        bench.crashes()
    rows(place, "UPDATE incoming_files SET failing_since = ?", (datetime.now(UTC) - timedelta(hours=1)).isoformat())
    brought_back(place, saved(place, target))


async def test_a_file_that_waited_is_fetched_after_the_restore(bench: Bench, place: Path, tmp_path: Path) -> None:
    await back_up_with_a_waiting_file(bench, place, tmp_path / "it.tar.gz")
    bench.chat.files["notes.txt"] = [FetchError("not yet", seconds=0.01), b"buy milk"]
    bench.model.says("lead", "It says: buy milk.")
    async with running(bench, place):
        assert await said_after_restore(bench) == "It says: buy milk."
    assert "> buy milk" in bench.model.heard("lead")[0]
    assert bench.select("state", "incoming_files") == [("kept",)]


async def test_a_file_that_the_platform_has_no_more_is_told(bench: Bench, place: Path, tmp_path: Path) -> None:
    await back_up_with_a_waiting_file(bench, place, tmp_path / "it.tar.gz")
    bench.chat.files.clear()
    bench.model.says("lead", "I can't read it.")
    async with running(bench, place):
        assert await said_after_restore(bench) == "notes.txt: the file is gone"
        assert await said_after_restore(bench) == "I can't read it."


async def test_a_file_in_the_inbox_is_in_the_back_up(bench: Bench, place: Path, tmp_path: Path) -> None:
    bench.model.says("lead", "read")
    async with running(bench, place):
        bench.chat.hears("read it", files=[sends(bench, "notes.txt", b"buy milk")])
        assert await bench.chat.said() == "read"
        it = saved(place, tmp_path / "it.tar.gz")
    [(path,)] = bench.select("path", "incoming_files")
    (place / "workspace" / path).unlink()
    brought_back(place, it)
    assert (place / "workspace" / path).read_bytes() == b"buy milk"
