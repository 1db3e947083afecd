"""A bot that runs in a test, and operators' commands beside it on the same data folder."""

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
