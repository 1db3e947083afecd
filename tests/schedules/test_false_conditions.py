"""Conditions that do not hold cost no request to the model, however often they are checked."""

from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from bot.core.guarded_fetch import FetchPolicy, GuardedFetcher
from bot.core.guarded_fetch.addresses import parse_networks
from bot.core.turn import CallKind
from bot.schedules.rules import ScheduleRule
from bot.store import memories
from tests.schedules.scheduled_years import ScheduledYears, first_of_year
from tests.stand_ins.pages import Pages, answer
from tests.support.bench import tool

EVERY_SECOND_DAY = ScheduleRule(start=datetime(2026, 1, 1, 8), repeat="FREQ=DAILY;INTERVAL=2")
KINDS = ("window", "file_there", "file_changed", "page_changed", "memory_changed", "tool_changed")
SCHEDULES, CHECKS = 100, 15  # in thirty days


class Watched:
    """What conditions look at, of each kind."""

    def __init__(self, folder: Path, pages: Pages) -> None:
        policy = FetchPolicy(allowed_networks=parse_networks(["127.0.0.1/32"]), ports=frozenset({pages.port}))
        self.folder = folder
        self.pages = pages
        self.years = ScheduledYears(folder, first_of_year(2026), GuardedFetcher(policy=policy))
        self.told = "nothing"
        self.looks = 0
        self.years.tools = [tool("look", CallKind.READ, frozenset(), self.look)]
        pages.answers["/"] = answer(b"one")
        (folder / "plans.md").write_text("tea")

    async def look(self, context: object, arguments: dict[str, Any]) -> str:
        self.looks += 1
        return self.told

    def condition(self, kind: str) -> dict[str, Any]:
        what = {
            "window": "22:00-06:00",
            "file_there": "missing.md",
            "file_changed": "plans.md",
            "page_changed": f"http://127.0.0.1:{self.pages.port}/",
            "memory_changed": "tea",
            "tool_changed": "look",
        }
        return {"kind": kind, "what": what[kind]}

    async def change_all(self) -> None:
        """Let each condition hold that can."""
        self.pages.answers["/"], self.told = answer(b"two"), "something"
        for name in ("plans.md", "missing.md"):
            (self.folder / name).write_text("jam")
        await self.years.store.write(memories.add_memory_of_operator, "tea is out", self.years.now)

    async def live_for(self, span: timedelta) -> int:
        """Do what is due for that long. Return at how many times something was."""
        times, until = 0, self.years.now + span
        next_at = await self.years.look()
        while next_at and next_at < until:
            self.years.now = next_at
            next_at = await self.years.look()
            times += 1
        self.years.now = until
        return times

    async def count(self, rows: str) -> int:
        return await self.years.store.read(lambda db: db.fetch_number(f"SELECT count(*) FROM {rows}"))


@pytest.fixture
async def watched(tmp_path: Path) -> AsyncIterator[Watched]:
    async with Pages().open() as pages:
        watched = Watched(tmp_path, pages)
        async with watched.years.open():
            for number in range(SCHEDULES):
                condition, text = watched.condition(KINDS[number % len(KINDS)]), f"look {number}"
                await watched.years.add(
                    EVERY_SECOND_DAY, "UTC", is_reminder=False, condition=condition, text=text, day_micros=10**6
                )
            yield watched


async def test_thirty_days_of_false_conditions_ask_the_model_nothing(watched: Watched) -> None:
    assert await watched.live_for(timedelta(days=30)) == CHECKS
    assert await watched.count("schedules WHERE last_at LIKE '2026-01-29%'") == SCHEDULES
    assert (len(watched.pages.asked), watched.looks) == (CHECKS, CHECKS * (SCHEDULES // len(KINDS)))
    assert [await watched.count(rows) for rows in ("inbox", "requests", "occurrences")] == [0, 0, 0]


async def test_each_kind_of_condition_begins_a_run_once_it_holds(watched: Watched) -> None:
    await watched.live_for(timedelta(days=2))
    await watched.change_all()
    await watched.live_for(timedelta(days=2))
    began = (
        "schedules JOIN occurrences ON number = schedule WHERE outcome = 'run' AND json_extract(condition, '$.kind')"
    )
    found = {kind: await watched.count(f"{began} = '{kind}'") for kind in KINDS}
    assert found == {
        "window": 0,
        **dict.fromkeys(("file_there", "file_changed", "page_changed"), 17),
        **dict.fromkeys(("memory_changed", "tool_changed"), 16),
    }
    assert await watched.count("inbox") == sum(found.values())
