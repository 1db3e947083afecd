"""The lock on the data folder: one process at a time, and nobody else reads there."""

import os
import re

import pytest

from bot.core.errors import ConfigError
from bot.core.texts import operators, people
from tests.engine.test_process import start
from tests.support.bench import Bench
from tests.support.troubles import goes_round


async def test_a_second_process_on_the_same_folder_is_told_which_one_holds_it(bench: Bench) -> None:
    async with bench.run():
        await goes_round(bench)
        in_use = re.escape(operators.FOLDER_IN_USE(folder=bench.data, process=os.getpid()))
        with pytest.raises(ConfigError, match=f"^{in_use}$"):
            await start(bench)
        bench.chat.hears("/start")  # the first goes on
        assert (await bench.chat.said()).startswith(people.GREETING())


async def test_a_crash_leaves_the_folder_free(bench: Bench) -> None:
    async with bench.run():
        await goes_round(bench)
        bench.crashes()
    async with bench.run():
        await goes_round(bench)


async def test_the_data_folder_is_readable_by_its_owner_alone(bench: Bench) -> None:
    bench.data = bench.data / "new" / "data"
    async with bench.run():
        await goes_round(bench)
    assert [folder.stat().st_mode & 0o777 for folder in (bench.data, bench.data.parent)] == [0o700, 0o700]
    assert (bench.data / "bot.db").stat().st_mode & 0o777 == 0o600
