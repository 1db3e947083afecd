"""What tests of the search share: a bot whose lead may use every tool."""

import pytest

from bot.core.role import LEAD_ROLE_NAME
from tests.support.bench import Bench
from tests.support.fakes import role


@pytest.fixture
def bench(bench: Bench) -> Bench:
    bench.roles[LEAD_ROLE_NAME] = role("lead", delegates_to=None)
    return bench
