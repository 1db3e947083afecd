"""Load, in short: nothing lost, doubled or out of order, and no limit of a platform passed. (Whole: tests/load.)"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.load import Crowd, Load, answering
from tests.load.crowds import telegram_crowd

PATIENCE = 60.0  # seconds, for a busy machine
pytestmark = pytest.mark.timeout(2 * PATIENCE)


@asynccontextmanager
async def at_work(crowd: Crowd, data: Path) -> AsyncIterator[Load]:
    load, until = Load(crowd), asyncio.Event()
    async with asyncio.TaskGroup() as owner:
        owner.create_task(answering(load, data, until))
        yield load
        until.set()


async def test_many_people_at_once_are_each_answered_in_order(tmp_path: Path) -> None:
    async with telegram_crowd() as crowd:
        async with at_work(crowd, tmp_path) as load:
            await load.flows(chats=40, per_second=20, seconds=3)
            await load.is_answered(PATIENCE)
        assert load.faults() == []


async def test_what_waited_before_the_start_is_answered_in_order(tmp_path: Path) -> None:
    async with telegram_crowd() as crowd:
        before = Load(crowd)
        for number in range(300):
            before.says(1 + number % 40)
        async with at_work(crowd, tmp_path) as load:
            load.said, load.at = before.said, before.at
            await load.is_answered(PATIENCE)
        assert load.faults() == []


async def test_one_who_floods_is_answered_too_and_passes_no_limit(tmp_path: Path) -> None:
    async with telegram_crowd() as crowd:
        async with at_work(crowd, tmp_path) as load:
            await load.flows(chats=20, per_second=10, seconds=2, flood=10)
            await load.is_answered(PATIENCE)
        assert load.faults() == []
