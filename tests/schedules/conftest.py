"""A bot whose clock the tests set."""

import pytest

from tests.support.bench import Bench
from tests.support.schedule_bot import ScheduleBot


@pytest.fixture
def bot(bench: Bench) -> ScheduleBot:
    return ScheduleBot(bench)
