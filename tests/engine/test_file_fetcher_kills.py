"""Kills at each step of a file's way in: nothing is lost, and nothing is doubled. (A store that dies stands for a kill;
what a kill leaves on the disk is put there.)"""

import asyncio
import hashlib
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from bot.core.errors import FetchError
from bot.core.incoming_files import make_file_id
from bot.core.limits import Timings
from bot.core.messages import OutboundKind
from bot.store import Store
from bot.tools.inbox_folder import draft_name
from tests.support.bench import Bench
from tests.support.engine_options import engine_options
from tests.support.sample_media import png
from tests.support.sent_files import sends, shown_files
from tests.support.stores import Died, dying
from tests.support.troubles import has_row

COMMITS = range(1, 7)  # taken in, a failed try, the file's end with the turn, reply, sending, sent


def options_of(tmp_path: Path) -> dict[str, Any]:
    quick = Timings(file_retry_seconds=0.01)
    return {**engine_options(writable_workspace=tmp_path / "workspace"), "timings": quick}


async def is_over(bench: Bench) -> None:
    await has_row(bench, "SELECT 1 FROM outbox WHERE kind = 'reply' AND state IN ('sent', 'unknown')")


@pytest.mark.parametrize("is_written", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("at", COMMITS)
async def test_a_death_at_a_commit_loses_and_doubles_nothing(
    bench: Bench, tmp_path: Path, at: int, is_written: bool
) -> None:
    options = options_of(tmp_path)
    bench.model.says("lead", *["a cat"] * 3)
    cat = sends(bench, "cat.png", [FetchError("busy", seconds=0.001), png()])
    with suppress(BaseExceptionGroup, Died):
        async with bench.run(store=dying(at, is_written=is_written), **options):
            bench.chat.hears("look", files=[cat], id="m1")
            await is_over(bench)
    bench.chat.incoming = asyncio.Queue()  # what was on its way is lost with the process
    async with bench.run(**options):
        bench.chat.hears("look", files=[cat], id="m1")  # its platform does not know whether it has arrived
        await bench.chat.is_taken_in()
        await is_over(bench)
    assert bench.select("message, state", "incoming_files") == [("m1", "kept")]
    assert bench.select("state", "inbox") == [("done",)]
    assert bench.count("turns") == bench.count("outbox", "kind = 'reply'") == 1
    assert all(len(shown_files(request)) == 1 for request in bench.model.seen)
    [kept] = (tmp_path / "workspace" / "inbox").iterdir()
    assert kept.read_bytes() == png()
    assert not list((bench.data / "incoming").iterdir())


def spooled(bench: Bench) -> Path:
    """Return where the first file of the message m1 lies on its way in."""
    return bench.data / "incoming" / hashlib.sha256(make_file_id("m1", 0).encode()).hexdigest()[:32]


async def leave_unfetched(bench: Bench, options: dict[str, Any]) -> Path:
    """Let a message wait for its file in a bot that has ended. Return where the file lies on its way in."""
    async with bench.run(**options):
        bench.chat.hears("look", files=[sends(bench, "cat.png", FetchError("busy", seconds=600))], id="m1")
        await bench.chat.is_taken_in()
        await has_row(bench, "SELECT 1 FROM incoming_files WHERE failures > 0")
    async with Store.open(bench.data / "bot.db") as store:
        await store.write(lambda db: db.execute("UPDATE incoming_files SET retry_at = NULL").rowcount)
    path = spooled(bench)
    path.parent.mkdir(exist_ok=True)
    return path


async def test_a_part_of_a_file_is_fetched_again_from_its_beginning(bench: Bench, tmp_path: Path) -> None:
    options = options_of(tmp_path)
    path = await leave_unfetched(bench, options)
    path.with_name(f"{path.name}.part").write_bytes(b"half a c")
    (path.parent / "of-no-message").write_bytes(b"old")
    bench.chat.files["cat.png"] = [png()]
    bench.model.says("lead", "a cat")
    async with bench.run(**options):
        assert await bench.chat.said(OutboundKind.REPLY) == "a cat"
    [kept] = (tmp_path / "workspace" / "inbox").iterdir()
    assert kept.read_bytes() == png()
    assert not list(path.parent.iterdir())


async def test_a_file_that_was_fetched_before_the_kill_is_not_fetched_again(bench: Bench, tmp_path: Path) -> None:
    options = options_of(tmp_path)
    path = await leave_unfetched(bench, options)
    path.write_bytes(png())
    bench.chat.files["cat.png"] = [FetchError("the file is gone")]
    bench.model.says("lead", "a cat")
    async with bench.run(**options):
        assert await bench.chat.said(OutboundKind.REPLY) == "a cat"


async def test_a_file_that_lies_in_the_inbox_already_is_replaced(bench: Bench, tmp_path: Path) -> None:
    options = options_of(tmp_path)
    await leave_unfetched(bench, options)
    name = f"cat-{hashlib.sha256(make_file_id('m1', 0).encode()).hexdigest()[:8]}.png"
    (tmp_path / "workspace" / "inbox").mkdir(parents=True)
    (tmp_path / "workspace" / "inbox" / name).write_bytes(png())
    (tmp_path / "workspace" / "inbox" / draft_name(f"inbox/{name}")).write_bytes(b"half a c")
    bench.chat.files["cat.png"] = [png()]
    bench.model.says("lead", "a cat")
    async with bench.run(**options):
        assert await bench.chat.said(OutboundKind.REPLY) == "a cat"
    assert [each.name for each in (tmp_path / "workspace" / "inbox").iterdir()] == [name]
