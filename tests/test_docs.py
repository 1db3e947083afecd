"""The documentation, held to the code."""

import re
from pathlib import Path

import pytest

from bot.config.settings import keys

REPOSITORY = Path(__file__).parent.parent
SECTIONS = {"model", "swarm", "limits", "channels", "channels.telegram", "channels.discord"}
PUBLIC = [*REPOSITORY.glob("*.md"), *(REPOSITORY / "docs").rglob("*.md")]


def test_every_setting_has_its_row_and_every_row_its_setting() -> None:
    text = (REPOSITORY / "docs" / "configuration.md").read_text()
    rows = re.findall(r"^\| `([^`]+)` \| \S", text, re.MULTILINE)
    assert len(rows) == len(set(rows))
    assert set(rows) == set(keys()) - SECTIONS


@pytest.mark.parametrize("path", PUBLIC, ids=lambda path: path.name)
def test_what_a_page_links_to_is_there(path: Path) -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", path.read_text())
    assert all((path.parent / link).exists() for link in links)
