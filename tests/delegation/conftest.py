"""Roles that work until a test lets them report."""

import pytest

from tests.support.bench import Bench
from tests.support.fakes import Pause


@pytest.fixture
def researcher(bench: Bench) -> Pause:
    pause = Pause("found")
    bench.model.says("researcher", pause)
    return pause


@pytest.fixture
def analyst(bench: Bench) -> Pause:
    pause = Pause("analysed")
    bench.model.says("analyst", pause)
    return pause
