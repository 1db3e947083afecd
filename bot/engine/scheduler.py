"""The scheduler: it waits until a schedule is due, checks its condition, and lets the journal do what is due.

The rows say when each schedule is due next. So a start, a clock that jumps and a change of a schedule are all the same:
look at the rows, do what is due, and wait for the next time.
"""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime

from bot.core.limits import GetCurrentTerms
from bot.core.texts import logs
from bot.engine.schedule_conditions import ConditionChecker
from bot.journal import schedule_runs
from bot.journal import schedules as journal
from bot.journal.bus import Bus
from bot.journal.schedule_runs import DueTime
from bot.store import Store, schedules
from bot.store.connection import SCHEDULES_CHANGED_TOPIC
from bot.store.schedules import Schedule

log = logging.getLogger(__name__)

LONGEST_TIMER_SECONDS = 60.0  # between two looks at the clock, which may be set forward meanwhile
MAX_SCHEDULES_AT_ONCE = 100
MAX_CHECKS_AT_ONCE = 8

OnScheduleTime = Callable[
    [str, bool, int], None
]  # takes the outcome, whether it was late, and how many times were missed


def count_no_time(outcome: str, is_late: bool, missed_count: int) -> None:
    """Count nothing: no metrics are served."""


class Scheduler:
    def __init__(
        self,
        store: Store,
        bus: Bus,
        terms: GetCurrentTerms,
        conditions: ConditionChecker,
        on_time: OnScheduleTime = count_no_time,
    ) -> None:
        self.store = store
        self.bus = bus
        self.terms = terms
        self.conditions = conditions
        self.on_time = on_time
        self.in_check: set[int] = set()  # the schedules whose conditions are being checked
        self.slots = asyncio.Semaphore(MAX_CHECKS_AT_ONCE)

    async def run(self) -> None:
        """Do what is due, until cancelled. Without schedules this waits and reads nothing."""
        if numbers := await self.store.read(journal.list_schedules_off_their_clock, self.terms()):
            await self.store.write(journal.follow_clock, numbers, self.terms())
        with self.bus.subscribe(SCHEDULES_CHANGED_TOPIC) as changed:
            async with asyncio.TaskGroup() as checks:
                while True:
                    changed.take_names_and_clear()
                    is_more_due, next_at = await self.run_due_schedules(checks)
                    while not is_more_due and not changed.is_set() and (next_at is None or self.terms().now < next_at):
                        with suppress(TimeoutError):
                            async with asyncio.timeout(self.seconds_until(next_at)):
                                await changed.wait()

    async def run_due_schedules(self, checks: asyncio.TaskGroup) -> tuple[bool, datetime | None]:
        """Do what is due now. Return whether anything was, and when something else will be."""
        excluded = frozenset(self.in_check)
        due, next_at = await self.store.read(
            schedules.load_due_schedules, self.terms().now, excluded, MAX_SCHEDULES_AT_ONCE
        )
        for schedule in due:
            await self.fire_or_check(schedule, checks)
        return bool(due), next_at

    def seconds_until(self, next_at: datetime | None) -> float | None:
        if next_at is None:
            return None
        return min(LONGEST_TIMER_SECONDS, max(0.0, (next_at - self.terms().now).total_seconds()))

    async def fire_or_check(self, schedule: Schedule, checks: asyncio.TaskGroup) -> None:
        """Do what a schedule is for. If it has a condition, begin to check that: a slow page holds up no reminder."""
        try:
            due = schedule_runs.compute_due_time(schedule, self.terms())
        except Exception:  # a rule that cannot be worked out any more must not hold up the others
            log.exception(logs.SCHEDULE_FAILED, schedule.number)
            await self.store.write(schedule_runs.pause_schedule_after_bug, schedule.number, self.terms())
            return
        if schedule.condition is None or schedule.postponed_due_at:  # then it did hold
            self.count(due, await self.store.write(schedule_runs.fire_schedule, due, None, self.terms()))
            return
        self.in_check.add(schedule.number)
        checks.create_task(self.check_and_fire(due), name=f"condition of schedule {schedule.number}")

    async def check_and_fire(self, due: DueTime) -> None:
        try:
            async with self.slots:
                checked = await self.conditions.check(due.schedule)
            what_to_do = schedule_runs.note_condition_that_does_not_hold
            if checked.holds:
                what_to_do = schedule_runs.fire_schedule
            self.count(due, await self.store.write(what_to_do, due, checked, self.terms()))
        finally:
            self.in_check.discard(due.schedule.number)
            self.bus.wake_subscriber(SCHEDULES_CHANGED_TOPIC)

    def count(self, due: DueTime, outcome: str) -> None:
        if outcome:
            self.on_time(outcome, schedule_runs.is_late(due, self.terms().now), due.missed)
