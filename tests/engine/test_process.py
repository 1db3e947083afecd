"""The process: what a clean stop cuts off, time away, a damaged file, a bad disk."""

import asyncio
import os
import re
import sqlite3
import time
from pathlib import Path
from typing import Any

import pytest

from bot import app
from bot.core.errors import ConfigError, StoreDamaged
from bot.core.messages import OutboundKind
from bot.core.texts import operators
from bot.store import Store, texts
from bot.store.connection import Connection
from tests.support.bench import ACCESS, Bench
from tests.support.engine_options import engine_options
from tests.support.fakes import Pause, delegates, reply, uses
from tests.support.patience import PATIENCE
from tests.support.troubles import Clock, SmallDisk, has_row

DAMAGED = r"bot\.db is damaged \(.*\): " + re.escape(texts.MEND_DAMAGE)
NOTICES = "SELECT key, text, is_quiet FROM outbox WHERE kind = 'notice'"
UNKNOWN = "SELECT 1 FROM outbox WHERE state = 'unknown'"
NOTICE, REPLY, QUESTION = OutboundKind.NOTICE, OutboundKind.REPLY, OutboundKind.QUESTION
PAGE = 4096


async def start(bench: Bench, **options: Any) -> None:
    """Run the bot until it ends by itself."""
    async with asyncio.timeout(PATIENCE):
        until = options.pop("until", None)
        made_of = {"model": bench.model, "roles": bench.roles, "channels": [bench.chat], "data": bench.data}
        await app.run_bot(app.Assembly(**{**made_of, "access": ACCESS, **options}), until)


async def test_a_file_that_is_no_database_stops_the_process_with_a_clear_word(bench: Bench) -> None:
    (bench.data / "bot.db").write_text("these are my notes, " * 1000)
    with pytest.raises(StoreDamaged, match=DAMAGED):
        await start(bench)


@pytest.mark.parametrize("first_page", [0, 1, 4])
async def test_a_damaged_file_stops_the_process_with_a_clear_word(bench: Bench, first_page: int) -> None:
    bench.model.says("lead", "x" * 200_000)
    async with bench.run():
        bench.chat.hears("hello")
        await bench.chat.said()
    with (bench.data / "bot.db").open("r+b") as file:
        length = file.seek(0, os.SEEK_END) - file.seek(PAGE * first_page)
        file.write(b"garbage!" * (length // 8))
    with pytest.raises(StoreDamaged, match=DAMAGED):
        await start(bench)


async def test_damage_that_a_turn_comes_upon_ends_the_process_and_blames_no_turn(bench: Bench) -> None:
    class Unchecked(Store):
        async def check_integrity(self) -> None:
            """Never look, so that a turn is the first to find out."""

    pause = Pause()
    bench.model.says("lead", pause, "never said")
    async with bench.run():
        bench.chat.hears("hello")
        await pause.reached.wait()
    [(root,)] = bench.rows("SELECT rootpage FROM sqlite_schema WHERE name = 'entries'")
    with (bench.data / "bot.db").open("r+b") as file:
        os.pwrite(file.fileno(), b"\xff" * PAGE, PAGE * (root - 1))
    with pytest.raises(StoreDamaged, match=DAMAGED):
        await start(bench, store=Unchecked)
    assert bench.rows("SELECT state, status FROM turns") == [("queued", None)]


async def test_a_full_disk_is_waited_out_and_every_message_is_answered(bench: Bench) -> None:
    pause, long = Pause("x" * 100_000), "y" * 30_000
    bench.model.says("lead", pause, "to Bob")
    bench.chat.length = 200_000
    told: asyncio.Queue[str | None] = asyncio.Queue()
    async with bench.run(store=SmallDisk, on_disk_state_change=told.put_nowait):
        bench.chat.hears("hello")
        await pause.reached.wait()
        await SmallDisk.is_full()
        pause.go_on.set()
        bench.chat.hears(long, by="Bob")
        assert await told.get() == texts.DISK_IS_FULL
        assert bench.chat.sent.empty()
        assert bench.chat.incoming.qsize() == 0  # heard, and not acknowledged
        await SmallDisk.has_room()
        assert [await bench.chat.said(REPLY) for _ in range(2)] == ["x" * 100_000, "to Bob"]
        await bench.chat.is_taken_in()
    assert bench.model.heard("lead") == [f"Bob: {long}"]
    assert (await told.get(), told.empty()) == (None, True)


async def test_work_cut_off_by_a_clean_stop_goes_on_silently_at_the_next_start(bench: Bench) -> None:
    pause = Pause()
    bench.model.says("lead", delegates("researcher"), "there")
    bench.model.says("researcher", pause, "found")
    async with bench.run():
        bench.chat.hears("go")
        await pause.reached.wait()
    async with bench.run():
        assert await bench.chat.said() == "there"
        assert bench.rows(NOTICES) == []


@pytest.mark.parametrize(("minutes", "lines"), [(2, 1), (0.5, 0)])
async def test_after_a_long_wait_a_person_hears_once_that_work_goes_on(
    bench: Bench, minutes: float, lines: int
) -> None:
    pauses = [Pause(), Pause()]
    bench.model.says("lead", *pauses, "Hello Ann")
    async with bench.run():
        bench.chat.hears("hello")
        await pauses[0].reached.wait()
    for pause in (pauses[1], None):
        was_away(bench.data, minutes * 60)
        async with bench.run():
            if pause:
                await pause.reached.wait()
            else:
                assert await bench.chat.said(REPLY) == "Hello Ann"
    told = [(key, "“hello”" in text, is_quiet) for key, text, is_quiet in bench.rows(NOTICES)]
    assert told == [("t1:back", True, 1)] * lines


async def test_two_days_off_end_a_question_with_its_default(bench: Bench) -> None:
    clock = Clock()
    bench.model.says("lead", reply(uses("ask_person", question="which?", default="red")), "red, then")
    async with bench.run(now=clock):
        bench.chat.hears("go")
        await bench.chat.part(QUESTION)
    clock.passes(days=2)
    was_away(bench.data, 2 * 86_400)
    async with bench.run(now=clock):
        assert await bench.chat.said(REPLY) == "red, then"
    assert bench.model.heard("lead") == ["nobody answered in time: use the default: red"]


async def test_a_reply_made_before_two_days_off_is_delivered_after_them(bench: Bench) -> None:
    clock = Clock()
    bench.model.says("lead", "Hello Ann")
    bench.chat.faults += [OSError("no network")]
    async with bench.run(now=clock, **engine_options(delivery_retry_seconds=30)):
        bench.chat.hears("hello")
        await bench.chat.is_taken_in()
        await has_row(bench, UNKNOWN)
    clock.passes(days=2)
    async with bench.run(now=clock):
        assert await bench.chat.said() == "(possibly a repeat) Hello Ann"


def was_away(data: Path, seconds: float) -> None:
    """Nobody has held the folder's lock for so long."""
    os.utime(data / "lock", (time.time() - seconds, time.time() - seconds))


async def test_a_full_disk_keeps_nobody_from_leaving(bench: Bench) -> None:
    class Hasty(SmallDisk):
        close_timeout_seconds = 0.01

    pause = Pause("x" * 100_000)
    bench.model.says("lead", pause)
    async with bench.run(store=Hasty, **engine_options(flush_timeout_seconds=0.01)):
        bench.chat.hears("hello")
        await pause.reached.wait()
        await Hasty.is_full()
        pause.go_on.set()
        await Hasty.has_met_its_end()
    async with bench.run():  # as after a crash
        bench.model.says("lead", "here I am")
        assert "here I am" in await bench.chat.said(REPLY)


async def test_a_disk_that_never_takes_anything_lets_the_process_end(bench: Bench) -> None:
    class NoRoom(Store):
        disk_retry_seconds = close_timeout_seconds = 0.01

        @classmethod
        def commit(cls, db: Connection) -> None:
            error = sqlite3.OperationalError("database or disk is full")
            error.sqlite_errorcode = sqlite3.SQLITE_FULL
            raise error

    told: asyncio.Queue[str | None] = asyncio.Queue()
    async with bench.run(store=NoRoom, on_disk_state_change=told.put_nowait):
        assert await told.get() == texts.DISK_IS_FULL


@pytest.mark.parametrize("name", ["bot.db", "lock"])
async def test_a_folder_in_the_place_of_a_file_is_told_as_a_wrong_setting(bench: Bench, name: str) -> None:
    (path := bench.data / name).mkdir()
    with pytest.raises(ConfigError, match="^" + re.escape(operators.CANNOT_USE_DATA(path=path, reason=""))):
        await start(bench)
