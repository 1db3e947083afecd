"""A bot whose lead and writer can send files of a workspace."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest

from bot.core.role import LEAD_ROLE_NAME
from bot.tools.files import FILE_TOOL_NAMES
from tests.support.bench import Bench
from tests.support.engine_options import engine_options
from tests.support.fakes import role

RunSender = Callable[..., AbstractAsyncContextManager[Any]]


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    folder = tmp_path / "desk"
    folder.mkdir()
    (folder / "report.txt").write_text("All is well.")
    (folder / "figures.csv").write_text("a,b\n1,2\n")
    return folder


@pytest.fixture
def run(bench: Bench, desk: Path) -> RunSender:
    """Return a function that runs the bot with that workspace."""
    bench.roles[LEAD_ROLE_NAME] = role("lead", "delegate", "send_file", *FILE_TOOL_NAMES, delegates_to=None)
    bench.roles["writer"] = role("writer", "send_file", "message")

    def run_bench(**options: Any) -> AbstractAsyncContextManager[Any]:
        of_assembly = {name: options.pop(name) for name in ("access",) if name in options}
        return bench.run(**engine_options(workspace=desk, **options), **of_assembly)

    return run_bench
