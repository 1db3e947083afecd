"""The scheduler on a clock that a test sets, with real rows: years pass in seconds.

The bot may be away for any time, may die between the commit of an occurrence and whatever follows, and its clock may be
set. A scheduler that begins again has nothing but the rows.
"""

import asyncio
import random
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from bot.core.access import Access
from bot.core.group import no_groups
from bot.core.guarded_fetch import GuardedFetcher
from bot.core.limits import DecisionTerms
from bot.core.messages import Address, InboundEvent, PersonId
from bot.core.prices import Micros
from bot.core.rights import EVERY_RIGHT
from bot.core.settings import Settings
from bot.engine.schedule_conditions import ConditionChecker
from bot.engine.scheduler import Scheduler
from bot.journal.bus import Bus
from bot.schedules.rules import ScheduleRule, next_occurrence, occurrences_until
from bot.store import Store, schedules
from bot.store.connection import Connection
from bot.store.schedules import Schedule
from bot.tools import Tool

ZONES = ("Europe/Berlin", "Australia/Lord_Howe", "America/New_York")
REPEATS = (
    "FREQ=DAILY;BYHOUR=2;BYMINUTE=30",
    "FREQ=WEEKLY;BYDAY=SU,MO;BYHOUR=1,2,3;BYMINUTE=15",
    "FREQ=MONTHLY;BYDAY=-1SU;BYHOUR=2;BYMINUTE=0",
)
MANY = 10**9
ROOM = Address(channel="fake", chat="room")
ACCESS = {"fake": Access(owner_id=PersonId("Ann"), others_rights=EVERY_RIGHT)}


async def take_in_nothing(batch: Sequence[InboundEvent]) -> None:
    """Do nothing: nobody writes."""


class ScheduledYears:
    """A scheduler on the rows in a file. `now` is its clock."""

    def __init__(self, folder: Path, now: datetime, fetcher: GuardedFetcher | None = None) -> None:
        self.path = folder / "bot.db"
        self.now = now
        self.settings = Settings(workspace=folder)
        self.fetcher = fetcher or GuardedFetcher()
        self.tools: list[Tool] = []

    def terms(self) -> DecisionTerms:
        return DecisionTerms(settings=self.settings, now=self.now, access_by_channel=ACCESS)

    @asynccontextmanager
    async def open(self, kind: type[Store] = Store) -> AsyncIterator[None]:
        async with kind.open(self.path) as self.store:
            conditions = ConditionChecker(self.store.read, self.terms, self.tools, no_groups, self.fetcher)
            self.scheduler = Scheduler(self.store, Bus(self.store, take_in_nothing), self.terms, conditions)
            yield

    async def look(self) -> datetime | None:
        """Do what is due now, and what becomes due by that. Return when the next time is."""
        is_more_due = True
        while is_more_due:
            async with asyncio.TaskGroup() as checks:
                is_more_due, next_at = await self.scheduler.run_due_schedules(checks)
        return next_at

    async def add(self, rule: ScheduleRule, zone: str, **columns: Any) -> int:
        schedule = Schedule(
            key=f"{zone} {rule.repeat} {columns}",
            address=ROOM,
            group_chat=None,
            person=PersonId("Ann"),
            name="Ann",
            zone=zone,
            rule=rule,
            is_reminder=True,
            text="tea",
            is_silent=False,
            run_micros=Micros(1),
            day_micros=Micros(1),
            next_at=next_occurrence(rule, ZoneInfo(zone), self.now),
            made_at=self.now,
            changed_at=self.now,
        )
        return await self.store.write(schedules.add_schedule, replace(schedule, **columns))


def count_posted(db: Connection, keys: Sequence[str]) -> int:
    return db.fetch_number("SELECT count(*) FROM outbox WHERE key IN (SELECT value FROM json_each(?))", list(keys))


async def live_through(folder: Path, begin: datetime, end: datetime, rng: random.Random) -> list[str]:
    """Let reminders in three zones come from `begin` to `end`, with a bot that is often away and whose clock is set.
    Return what is wrong: a time that neither came once nor was told."""
    years = ScheduledYears(folder, begin)
    async with years.open():
        added = [
            (await years.add(ScheduleRule(start=datetime(begin.year, 1, 1), repeat=repeat), zone), repeat, zone)
            for zone in ZONES
            for repeat in REPEATS
        ]
    next_at: datetime | None = begin
    furthest = begin
    while next_at and next_at < end:
        async with years.open():  # each time it has only the rows
            for _ in range(rng.randrange(1, 400)):
                if next_at is None or next_at >= end:
                    break
                years.now = max(next_at, years.now)
                next_at = await years.look()
                furthest = max(furthest, years.now)
        years.now += rng.choice([timedelta(), timedelta(hours=5), timedelta(days=3), -timedelta(hours=29)])
        async with years.open():
            next_at = await years.look()
            furthest = max(furthest, years.now)
    async with years.open():
        found = []
        for number, repeat, zone in added:
            rows = await years.store.read(schedules.list_occurrences, number)
            rule = ScheduleRule(start=datetime(begin.year, 1, 1), repeat=repeat)
            named, last = occurrences_until(rule, ZoneInfo(zone), begin, furthest, MANY)
            came = sum(1 + missed_count for _, missed_count, _ in rows)
            if came != named or (rows and rows[-1][0] != last):
                found.append(f"{zone} {repeat}: {came} came or were told, {named} were due")
            keys = [str(schedules.schedule_message_id(number, due_at)) for due_at, _, _ in rows]
            shown = await years.store.read(count_posted, keys)
            if shown != len(rows):
                found.append(f"{zone} {repeat}: {len(rows)} times came, {shown} reminders were posted")
    return found


def first_of_year(year: int) -> datetime:
    return datetime(year, 1, 1, tzinfo=UTC)
