"""The regular chores: the bot notices that its file is gone."""

import asyncio
import os
import re
from pathlib import Path
from typing import Any

import pytest

from bot.core.errors import StoreDamaged
from tests.support.bench import Bench
from tests.support.patience import PATIENCE
from tests.support.troubles import goes_round


async def chores_are_done(bench: Bench) -> None:
    """Wait until all chores have been done once: each time they begin, the lock is touched."""
    lock, touched = bench.data / "lock", set[int]()
    async with asyncio.timeout(PATIENCE):
        while len(touched) < 3:  # it was also touched when the bot was started
            touched.add(lock.stat().st_mtime_ns)
            await asyncio.sleep(0.02)


@pytest.mark.parametrize("harm", [Path.unlink, lambda path: os.truncate(path, 0)])
async def test_a_file_that_vanishes_while_the_bot_runs_ends_it_with_a_clear_word(bench: Bench, harm: Any) -> None:
    async def has_found_out() -> None:
        async with bench.run():
            await goes_round(bench)
            await chores_are_done(bench)  # among them: the log is written into the file, which would mend it
            harm(bench.data / "bot.db")
            await asyncio.wait([bench.bot])

    with pytest.raises(ExceptionGroup) as caught:  # the bench's own
        await has_found_out()
    # A file that was cut to nothing may be read before the chores look at it: then it is no database.
    assert caught.group_contains(StoreDamaged, match=re.escape(str(bench.data / "bot.db")))
