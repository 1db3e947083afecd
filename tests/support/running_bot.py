"""A bot at work in a test, and the commands of its operator run beside it, over the same data folder."""

from pathlib import Path

import pytest

from tests.support.bench import Bench
from tests.support.shell import Shell


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    (tmp_path / "data").mkdir()
    return Bench(tmp_path / "data")


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    shell = Shell(tmp_path)
    shell.config()
    return shell
