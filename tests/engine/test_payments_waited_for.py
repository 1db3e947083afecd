"""Waiting for money: where only open requests of others stand in the way, a turn waits until one has settled."""

import asyncio
from collections.abc import Callable
from typing import Any, ClassVar

from bot.core.prices import Micros, Usage
from bot.core.texts import people
from bot.engine.dispatcher import load_open_turns_and_free_addresses
from bot.engine.transcript_cache import TranscriptCache
from bot.store import Store
from bot.store.connection import Connection
from tests.support.bench import UNSHARED, Bench
from tests.support.engine_options import engine_options
from tests.support.fakes import Pause, delegates, reply
from tests.support.stores import Commits, Gate


class Slow(Store):
    """A store that the turn t2 is slow to reach once the first request has settled."""

    t2_tries_again: ClassVar[asyncio.Event]
    t3_has_tried: ClassVar[asyncio.Event]

    async def write(self, work: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        if is_step(work) and args[0] == "t2" and await self.read(has_settled):
            self.t2_tries_again.set()
            await asyncio.Event().wait()
        written = await super().write(work, *args, **kwargs)
        if is_step(work) and args[0] == "t3":
            self.t3_has_tried.set()
        return written


def is_step(work: Callable[..., Any]) -> bool:
    return getattr(work, "__func__", None) is TranscriptCache.do_work_and_load_standing_and_entries


def has_settled(db: Connection) -> bool:
    return db.fetch_row("SELECT 1 FROM requests WHERE state = 'settled'") is not None


async def test_a_turn_that_waits_for_money_holds_no_slot(bench: Bench) -> None:
    commits, pauses = Commits(), [Pause("found") for _ in range(3)]
    first = reply(*delegates(*["researcher"] * 3).content, usage=Usage(output=1_540))
    bench.model.says("lead", first, "unreachable")
    bench.model.says("researcher", *pauses)

    def how_many_wait() -> int:
        return int(bench.rows("SELECT count(*) FROM turns WHERE waits_for != ''")[0][0])

    async with bench.run(**engine_options(chat_day=Micros(20_000), swarm__max_concurrent=2), store=commits.store()):
        bench.chat.hears("go")
        for left, pause in zip((2, 1, 0), pauses, strict=True):
            await pause.reached.wait()
            # There are two places: where two wait beside the one at work, the second has given its own to the third.
            await commits.until(lambda left=left: how_many_wait() == left)  # type: ignore[misc]  # mypy reads no default
            pause.go_on.set()
        await bench.chat.said()
    assert bench.select("status", "turns", "depth = 1") == [("completed",)] * 3


async def test_a_turn_whose_money_came_before_its_run_does_not_wait_for_ever(bench: Bench) -> None:
    gate = Gate(load_open_turns_and_free_addresses)
    pause = Pause("first")
    bench.model.says("lead", pause, "second")
    async with bench.run(**engine_options(day=Micros(60_000), **UNSHARED), store=gate.store()):
        bench.chat.hears("go", chat="one")
        await pause.reached.wait()
        gate.close()  # the dispatcher looks at no row
        bench.chat.hears("go", chat="two")
        await bench.chat.is_taken_in()
        pause.go_on.set()
        assert await bench.chat.said() == "first"  # what the second has waited for is there
        gate.open()
        assert await bench.chat.said() == "second"


async def test_a_turn_that_waits_for_money_can_be_stopped(bench: Bench) -> None:
    pause = Pause("first")
    bench.model.says("lead", pause)
    async with bench.run(**engine_options(day=Micros(60_000), **UNSHARED)):
        bench.chat.hears("go", chat="one")
        await pause.reached.wait()
        bench.chat.hears("go", chat="two")
        await bench.chat.is_taken_in()
        bench.chat.hears("/stop", chat="two")
        assert await bench.chat.said() == people.STOPPED(messages="“go”")
        pause.go_on.set()
        assert await bench.chat.said() == "first"


async def test_a_turn_that_waits_for_money_goes_on_after_a_restart(bench: Bench) -> None:
    pause = Pause()
    bench.model.says("lead", pause, "one of them", "the other")
    settings = engine_options(day=Micros(90_000), **UNSHARED)
    async with bench.run(**settings):
        bench.chat.hears("go", chat="one")
        await pause.reached.wait()
        bench.chat.hears("go", chat="two")
        await bench.chat.is_taken_in()
        assert bench.count("turns", "waits_for != ''") == 1
    async with bench.run(**settings):
        assert {await bench.chat.said() for _ in range(2)} == {"one of them", "the other"}
    assert bench.rows("SELECT reserved FROM spending") == [(0,)] * 4


async def test_a_turn_behind_one_stopped_as_money_comes_is_not_forgotten(bench: Bench) -> None:
    pause = Pause("first")
    bench.model.says("lead", pause, "third")
    Slow.t2_tries_again, Slow.t3_has_tried = asyncio.Event(), asyncio.Event()
    async with bench.run(**engine_options(day=Micros(60_000), **UNSHARED), store=Slow):
        bench.chat.hears("go", chat="one")
        await pause.reached.wait()
        for chat in ("two", "three"):
            bench.chat.hears("go", chat=chat)
            await bench.chat.is_taken_in()
        await Slow.t3_has_tried.wait()
        pause.go_on.set()
        assert await bench.chat.said() == "first"
        await Slow.t2_tries_again.wait()  # it alone was woken, being the older one
        bench.chat.hears("/stop", chat="two")
        assert {await bench.chat.said() for _ in range(2)} == {people.STOPPED(messages="“go”"), "third"}
