"""A workspace with the search tools, with ripgrep and without it."""

import shutil
from pathlib import Path

import pytest

from bot.tools.line_matching import LineMatcher
from bot.tools.search_tools import search_tools
from tests.support.file_workspace import Desk

RIPGREP = shutil.which("rg")


@pytest.fixture(
    params=[pytest.param(RIPGREP, marks=pytest.mark.skipif(not RIPGREP, reason="no ripgrep here")), None],
    ids=["ripgrep", "python"],
)
def desk(request: pytest.FixtureRequest, tmp_path: Path) -> Desk:
    return at(tmp_path / "desk", LineMatcher(request.param))


def at(root: Path, matcher: LineMatcher, seconds: float = 10) -> Desk:
    root.mkdir(exist_ok=True)
    return Desk(root, {tool.name: tool for tool in search_tools(root, matcher=matcher, seconds=seconds)})


def write(root: Path, **files: str | bytes) -> None:
    """Write files. In a name, `__` is a slash, and `.md` is added."""
    for name, content in files.items():
        path = root / f"{name.replace('__', '/')}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
