"""Load, in short: nothing lost, doubled or out of order, and no limit of a platform passed. (Whole: tests/load.)"""

from pathlib import Path

import pytest

from tests.load import at_work
from tests.load.crowds import CROWDS
from tests.rig.__main__ import main as torture

PATIENCE = 60.0  # seconds, for a busy machine
pytestmark = pytest.mark.timeout(2 * PATIENCE)


@pytest.mark.fast(cases=1)
@pytest.mark.parametrize("platform", CROWDS)
async def test_many_people_at_once_are_each_answered_in_order(platform: str, tmp_path: Path) -> None:
    async with CROWDS[platform]() as crowd:
        async with at_work(crowd, tmp_path) as load:
            await load.flows(chats=40, per_second=20, seconds=2)
            await load.is_answered(PATIENCE)
        assert load.faults() == []


@pytest.mark.parametrize("platform", CROWDS)
async def test_messages_that_waited_before_the_start_are_answered_in_order(platform: str, tmp_path: Path) -> None:
    async with CROWDS[platform]() as crowd:
        async with at_work(crowd, tmp_path) as before:
            for chat in range(20):
                before.says(chat)
            await before.is_answered(PATIENCE)
        for number in range(100):
            before.says(number % 20)
        async with at_work(crowd, tmp_path) as load:
            load.said, load.at = before.said, before.at
            await load.is_answered(PATIENCE)
        assert load.faults() == []


@pytest.mark.parametrize("platform", CROWDS)
async def test_one_who_floods_is_answered_too_and_passes_no_limit(platform: str, tmp_path: Path) -> None:
    async with CROWDS[platform]() as crowd:
        async with at_work(crowd, tmp_path) as load:
            await load.flows(chats=20, per_second=10, seconds=1, flood=8)
            await load.is_answered(PATIENCE)
        assert load.faults() == []


def test_the_battery_knows_load_and_says_where_there_is_any() -> None:
    with pytest.raises(SystemExit, match="no load on 'matrix'; there is on telegram, discord"):
        torture("load", "matrix")
