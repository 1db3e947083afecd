"""Conditions are checked without the model, with the rights of the person who made the schedule."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest

from bot.core.guarded_fetch import FetchPolicy, GuardedFetcher
from bot.core.guarded_fetch.addresses import parse_networks
from bot.core.messages import OutboundKind
from bot.core.texts import model_schedules as texts
from bot.core.turn import CallKind
from bot.engine.schedule_conditions import is_within_window
from tests.stand_ins.pages import Pages, answer
from tests.support.bench import tool
from tests.support.schedule_bot import ScheduleBot

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
REPLY = OutboundKind.REPLY


@pytest.fixture
async def pages() -> AsyncIterator[Pages]:
    async with Pages().open() as pages:
        yield pages


def assembly(bot: ScheduleBot, pages: Pages | None = None) -> dict[str, Any]:
    """A bot that may fetch from this machine."""
    ports = frozenset({pages.port}) if pages else frozenset[int]()
    policy = FetchPolicy(allowed_networks=parse_networks(["127.0.0.1/32"]), ports=ports)
    return {"fetcher": GuardedFetcher(policy=policy), "tools": bot.bench.tools()}


async def make(bot: ScheduleBot, kind: str, what: str, with_: dict[str, Any], **more: str) -> None:
    schedule = {"task": "look", "repeat": "FREQ=HOURLY", "only_if": kind, "what": what, **more}
    async with bot.run(assembly=with_):
        await bot.calls(("schedule_create", schedule))
    assert bot.bench.count("schedules") == 1


async def checked(bot: ScheduleBot, with_: dict[str, Any], after: timedelta = HOUR) -> bool:
    """Let time pass, and return whether the condition has begun a run."""
    runs, last = bot.runs_that_ended(), bot.bench.select("last_at", "schedules")
    bot.bench.model.says("lead", "changed")
    async with bot.run(after=after, assembly=with_):
        await bot.until(lambda: bot.bench.select("last_at", "schedules") != last)
        await bot.until(lambda: not waiting(bot) and not bot.bench.count("turns", "state != 'ended'"))
    has_run = bot.runs_that_ended() > runs
    bot.bench.model.script["lead"].clear()
    return has_run


def waiting(bot: ScheduleBot) -> int:
    return bot.bench.count("inbox", "state = 'received'")


async def test_a_page_is_looked_at_and_only_a_change_begins_a_run(bot: ScheduleBot, pages: Pages) -> None:
    with_ = assembly(bot, pages)
    pages.answers["/"] = answer(b"one")
    await make(bot, "page_changed", f"http://127.0.0.1:{pages.port}/", with_)
    found = [await checked(bot, with_) for _ in range(2)]
    pages.answers["/"] = answer(b"two")
    found += [await checked(bot, with_) for _ in range(2)]
    pages.answers["/"] = answer(status="500 Broken")
    found += [await checked(bot, with_)]
    assert found == [False, False, True, False, False]
    assert len(pages.asked) == 5


async def test_several_schedules_fetch_a_page_once_in_fifteen_minutes(bot: ScheduleBot, pages: Pages) -> None:
    with_ = assembly(bot, pages)
    pages.answers["/"] = answer(b"one")
    page = {"only_if": "page_changed", "what": f"http://127.0.0.1:{pages.port}/"}
    async with bot.run(assembly=with_):
        await bot.calls(*[("schedule_create", {"task": "look", "repeat": "FREQ=HOURLY", **page})] * 3)
    async with bot.run(after=HOUR, assembly=with_):
        await bot.until(lambda: bot.bench.count("schedules", "checked_at IS NOT NULL") == 3)
    assert len(pages.asked) == 1


async def test_a_page_that_is_checked_often_is_fetched_each_fifteen_minutes(bot: ScheduleBot, pages: Pages) -> None:
    with_ = assembly(bot, pages)
    pages.answers["/"] = answer(b"one")
    page = {"only_if": "page_changed", "what": f"http://127.0.0.1:{pages.port}/"}
    async with bot.run(assembly=with_, schedules__shortest_minutes=10):
        await bot.calls(("schedule_create", {"task": "look", "repeat": "FREQ=MINUTELY;INTERVAL=10", **page}))
    for _ in range(6):  # with a restart before each check
        await checked(bot, with_, after=timedelta(minutes=10))
    assert len(pages.asked) == 3


async def test_times_that_were_left_out_are_told_also_after_a_check_in_vain(bot: ScheduleBot) -> None:
    said = ["nothing"]

    async def look(context: object, arguments: dict[str, Any]) -> str:
        return said[0]

    with_ = {"tools": [*bot.bench.tools(), tool("look", CallKind.READ, frozenset(), look)]}
    await make(bot, "tool_changed", "look", with_)
    assert not await checked(bot, with_)
    assert not await checked(bot, with_, after=3 * HOUR)  # two times were missed
    said[0] = "something"
    assert await checked(bot, with_)
    assert texts.WAS_LEFT_OUT(2) in bot.bench.model.heard("lead")[0]


async def test_a_private_page_is_never_asked(bot: ScheduleBot, pages: Pages) -> None:
    await make(bot, "page_changed", f"http://127.0.0.1:{pages.port}/", assembly(bot, pages))
    assert not await checked(bot, {"tools": bot.bench.tools()})  # it may not fetch from this machine
    assert pages.asked == []


async def test_a_new_memory_begins_a_run(bot: ScheduleBot) -> None:
    with_ = assembly(bot)
    await make(bot, "memory_changed", "tea", with_)
    assert not await checked(bot, with_)
    async with bot.run(assembly=with_):
        await bot.calls(("memory_save", {"text": "Ann likes tea"}), ("memory_save", {"text": "Ann likes jam"}))
    assert [await checked(bot, with_) for _ in range(2)] == [True, False]


async def test_a_reading_tool_with_another_result_begins_a_run(bot: ScheduleBot) -> None:
    said = ["nothing"]

    async def look(context: object, arguments: dict[str, Any]) -> str:
        assert arguments == {"for": "tea"}
        return said[0]

    with_ = {"tools": [*bot.bench.tools(), tool("look", CallKind.READ, frozenset(), look)]}
    await make(bot, "tool_changed", "look", with_, tool_arguments='{"for": "tea"}')
    found = [await checked(bot, with_)]
    said[0] = "something"
    assert [*found, await checked(bot, with_), await checked(bot, with_)] == [False, True, False]


@pytest.mark.parametrize(("hours", "begins"), [(1, True), (10, False)], ids=["within", "outside"])
async def test_a_span_of_the_day_is_one_on_the_clock_of_the_person(
    hours: int, *, begins: bool, bot: ScheduleBot
) -> None:
    async with bot.run():
        await bot.hears("/timezone Europe/Berlin")
    await make(bot, "window", "08:00-18:00", assembly(bot))
    assert await checked(bot, assembly(bot), after=timedelta(hours=hours)) is begins


def test_a_span_may_go_over_midnight() -> None:
    from datetime import datetime

    times = [datetime(2026, 1, 1, hour) for hour in (21, 22, 5, 6)]
    assert [is_within_window(time, "22:00-06:00") for time in times] == [False, True, True, False]


async def test_a_slow_page_holds_up_no_reminder(bot: ScheduleBot, pages: Pages) -> None:
    with_ = assembly(bot, pages)
    pages.answers["/"] = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n"
    pages.endless["/"], pages.pause_seconds = b".", 0.01
    await make(bot, "page_changed", f"http://127.0.0.1:{pages.port}/", with_)
    async with bot.run(after=timedelta(seconds=1), assembly=with_):
        await bot.calls(("remind_me", {"text": "tea", "when": "PT59M59S"}))
    async with bot.run(after=HOUR, assembly=with_):
        assert "tea" in await bot.bench.chat.said()
        await asyncio.sleep(0)
