"""The documentation, held to the code."""

import re
from pathlib import Path

import pytest

from bot.config.settings import keys
from bot.rolefiles import TOOLS, shipped_roles
from bot.rolefiles.file import Front

REPOSITORY = Path(__file__).parent.parent
SECTIONS = {"model", "swarm", "limits", "channels", "channels.telegram", "channels.discord"}
PUBLIC = [*REPOSITORY.glob("*.md"), *(REPOSITORY / "docs").rglob("*.md")]


def test_every_setting_has_its_row_and_every_row_its_setting() -> None:
    text = (REPOSITORY / "docs" / "configuration.md").read_text()
    rows = re.findall(r"^\| `([^`]+)` \| \S", text, re.MULTILINE)
    assert len(rows) == len(set(rows))
    assert set(rows) == set(keys()) - SECTIONS


@pytest.mark.parametrize(
    ("page", "names"), [("tools", TOOLS), ("roles", {file.name for file in shipped_roles().values()})]
)
def test_every_tool_and_every_role_has_its_heading(page: str, names: set[str]) -> None:
    text = (REPOSITORY / "docs" / f"{page}.md").read_text()
    assert names <= set(re.findall(r"^### (\w+)$", text, re.MULTILINE))


def test_every_key_of_a_role_file_has_its_row() -> None:
    text = (REPOSITORY / "docs" / "roles.md").read_text()
    assert re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE) == list(Front.model_fields)


@pytest.mark.parametrize("path", PUBLIC, ids=lambda path: path.name)
def test_what_a_page_links_to_is_there(path: Path) -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", path.read_text())
    assert all((path.parent / link).exists() for link in links)
