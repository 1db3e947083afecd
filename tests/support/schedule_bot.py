"""A bot with schedules on a clock that a test sets. Between two runs of it any time may pass."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

from bot.core.role import LEAD_ROLE_NAME
from tests.support.bench import Bench
from tests.support.engine_options import engine_options
from tests.support.fakes import reply, role, uses
from tests.support.patience import PATIENCE

NOTHING: Mapping[str, Any] = {}
FIRST_DAY = datetime(2026, 12, 1, 7, 0, tzinfo=UTC)  # Tuesday, 8:00 in Berlin


class ScheduleBot:
    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.now = FIRST_DAY
        bench.roles[LEAD_ROLE_NAME] = role("lead", delegates_to=None)  # without a list it has all tools

    @asynccontextmanager
    async def run(
        self, after: timedelta = timedelta(), assembly: Mapping[str, Any] = NOTHING, **settings: Any
    ) -> AsyncIterator[None]:
        self.now += after
        async with self.bench.run(now=lambda: self.now, **engine_options(**settings), **assembly):
            yield

    async def until(self, is_so: Callable[[], object]) -> None:
        async with asyncio.timeout(PATIENCE):
            while not is_so():  # noqa: ASYNC110 -- the rows tell it
                await asyncio.sleep(0.005)

    def runs_that_ended(self) -> int:
        return self.bench.count("turns", "schedule != 0 AND state = 'ended'")

    async def calls(
        self, *names_and_arguments: tuple[str, dict[str, Any]], by: str = "Ann", **fields: Any
    ) -> list[str]:
        """Let the model make these calls in one reply. Return their results."""
        calls = [uses(name, **arguments) for name, arguments in names_and_arguments]
        self.bench.model.says("lead", reply(*calls), "done")
        self.bench.chat.hears("go on", by=by, sent_at=self.now, **fields)
        assert await self.bench.chat.said() == "done"
        return self.bench.model.heard("lead")

    async def hears(self, text: str, by: str = "Ann", **fields: Any) -> str:
        """Return the answer to a command."""
        self.bench.chat.hears(text, by=by, sent_at=self.now, **fields)
        return await self.bench.chat.said()

    def outcomes(self) -> list[tuple[str, int, str]]:
        """Return when schedules were due, how many times were left out, and what came of it."""
        return self.bench.select("due_at, missed_count, outcome", "occurrences", order="due_at")
