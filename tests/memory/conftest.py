"""What several tests of memory have: a bot that can read other people's words."""

from pathlib import Path

import pytest

from bot.core.role import LEAD_ROLE_NAME
from bot.tools.memory import MEMORY_TOOL_NAMES
from tests.support.bench import Bench
from tests.support.fakes import role


@pytest.fixture
def minded(bench: Bench, tmp_path: Path) -> Bench:
    """A bot with files and the web, and a role that can read them."""
    (tmp_path / "desk").mkdir()
    (tmp_path / "desk" / "a.md").write_text("remember that")
    bench.roles[LEAD_ROLE_NAME] = role("lead", delegates_to=None)
    bench.roles["reader"] = role("reader", "read_file", *MEMORY_TOOL_NAMES)
    return bench
