"""The documentation, held to the code."""

import re
import sqlite3
import textwrap
from collections.abc import Iterator
from contextlib import closing
from dataclasses import fields
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from bot.cli.commands import COMMANDS
from bot.cli.roles import format_role_list, load_delegation_rules, wrap_list_line
from bot.config import load
from bot.config.roles import EXISTING_TOOLS, claude_code_files, read_shipped_role_files
from bot.config.roles.file import RoleKeys
from bot.config.settings import Config, list_setting_keys
from bot.core.acts import Effect
from bot.core.settings import ShellSettings
from bot.ops.health import BotHealth, BudgetStatus, ChannelStatus, ScheduleStatus
from bot.store.chat_reader import RowHighWaterMarks
from bot.store.connection import Connection
from bot.store.schema import migrate
from bot.tools.shell import shell_tools
from bot.tools.web import WEB_TOOL_NAMES as WEB
from tests.support.skill_folder import SkillFolder

REPOSITORY = Path(__file__).parents[2]
SECTIONS = {"model", "swarm", "limits", "files", "metrics", "voice", "network", "group_chats"}
SECTIONS |= {"channels", "channels.telegram", "channels.discord"}
SECTIONS |= {"schedules", "shell", "web", "approvals", "web_page"}
NAMED = re.compile(r"(?:([\w/]*test_\w+)(?:: |, )| )\*([^*|]+)\*")  # a file of tests, where another than before; a name
PUBLIC = [*REPOSITORY.glob("*.md"), *(REPOSITORY / "docs").rglob("*.md")]


def test_every_setting_has_its_row_and_every_row_its_setting() -> None:
    text = (REPOSITORY / "docs" / "configuration.md").read_text()
    rows = re.findall(r"^\| `([^`]+)` \| \S", text, re.MULTILINE)
    assert len(rows) == len(set(rows))
    assert set(rows) == set(list_setting_keys()) - SECTIONS


def test_the_row_of_a_number_says_between_what_it_may_be() -> None:
    text = (REPOSITORY / "docs" / "configuration.md").read_text()
    [end] = re.findall(r"^A number may be at most ([\d,]+) where its row names no other end\.$", text, re.MULTILINE)
    told = {}
    for key, row in re.findall(r"^\| `([^`]+)` \|(.*)$", text, re.MULTILINE):
        if least := re.search(r" ([≥>]) (\d+)\b", row):
            most = re.search(r" ≤ ([\d,]+)", row)
            told[key] = (least[1], int(least[2]), int((most[1] if most else end).replace(",", "")))
    schema = Config.model_json_schema()
    assert told == dict(bounds(schema, schema["$defs"]))


def bounds(schema: dict[str, Any], parts: dict[str, Any], key: str = "") -> Iterator[tuple[str, tuple[str, int, int]]]:
    """Each number among the settings, with its least and its most, as their JSON Schema has them."""
    for choice in [schema, *schema.get("anyOf", [])]:
        if "minimum" in choice:
            yield key, ("≥", choice["minimum"], choice["maximum"])
        elif "exclusiveMinimum" in choice:
            yield key, (">", choice["exclusiveMinimum"], choice["maximum"])
        elif "$ref" in choice:
            yield from bounds(parts[choice["$ref"].rpartition("/")[2]], parts, key)
    below = {**schema.get("properties", {}), "NAME": schema.get("additionalProperties")}
    for name, part in ((name, part) for name, part in below.items() if part):
        yield from bounds(part, parts, f"{key}.{name}".removeprefix("."))


@pytest.mark.parametrize(
    ("page", "names"),
    [("tools", EXISTING_TOOLS), ("roles", {file.name for file in read_shipped_role_files().values()})],
)
def test_every_tool_and_every_role_has_its_heading(page: str, names: set[str]) -> None:
    text = (REPOSITORY / "docs" / f"{page}.md").read_text()
    assert names <= set(re.findall(r"^### (\w+)$", text, re.MULTILINE))


def test_the_row_of_a_tool_names_what_it_declares(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"send_to_other_chats": true}')
    SkillFolder(tmp_path / "skills").skill()
    [shell] = shell_tools(ShellSettings(), [])(tmp_path)
    tools = load_delegation_rules(load(tmp_path / "config.json", variables={})).tools | {shell.name: shell}
    text = (REPOSITORY / "docs" / "tools.md").read_text()
    rows = dict(re.findall(r"^\| `(\w+)` \| (.+? \| .+? \| .+?) \|", text, re.MULTILINE))
    assert rows.keys() == tools.keys() == EXISTING_TOOLS
    for name, tool in tools.items():
        kind = "of the server" if name in WEB else tool.kind
        effects = ", ".join(each for each in Effect if each in tool.effects) or "none"
        critical = ", ".join(f"`{each}`" for each in sorted(tool.critical_arguments)) or "none"
        assert rows[name] == f"{kind} | {effects} | {critical}", name


def test_the_list_of_roles_shows_the_lead_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    roster = format_role_list(load(tmp_path / "config.json", variables={}))
    lead = [wrap_list_line(line, 80) for line in islice(roster, 5)]
    assert textwrap.indent("\n".join(lead), "    ") in (REPOSITORY / "docs" / "operating.md").read_text()


def test_every_command_has_its_heading() -> None:
    text = (REPOSITORY / "docs" / "operating.md").read_text()
    assert set(re.findall(r"^## retinue ([\w-]+)$", text, re.MULTILINE)) == set(COMMANDS)


def test_every_key_of_the_health_report_has_its_row() -> None:
    text = (REPOSITORY / "docs" / "operating.md").read_text()
    named = {key for row in re.findall(r"^\| (`.+?) \|", text, re.MULTILINE) for key in re.findall(r"`(\w+)`", row)}
    assert named == {
        field.name
        for each in (BotHealth, ChannelStatus, BudgetStatus, ScheduleStatus, RowHighWaterMarks)
        for field in fields(each)
    }


def test_every_key_of_a_role_file_has_its_row() -> None:
    text = (REPOSITORY / "docs" / "add-a-role.md").read_text()
    assert re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE) == list(RoleKeys.model_fields)


def test_every_tool_and_key_of_others_that_is_translated_has_its_row() -> None:
    text = (REPOSITORY / "docs" / "add-a-role.md").read_text()
    rows = dict(re.findall(r"^\| ([^`|]+) \| (.+) \|$", text, re.MULTILINE))
    named = {name.casefold(): row for there, row in rows.items() for name in re.findall(r"\w+", there)}
    assert all(
        f"`{each}`" in named[theirs] for theirs, ours in claude_code_files.TOOL_TRANSLATIONS.items() for each in ours
    )
    assert all(
        f"`limits.{ours}`" in named[theirs.casefold()]
        for theirs, ours in claude_code_files.LIMITS_BY_FOREIGN_KEY.items()
    )
    assert named.keys() >= {*claude_code_files.MODEL_FAMILY_ALIASES, claude_code_files.INHERIT_MODEL_ALIAS}


def test_every_table_has_its_row_and_every_row_its_table() -> None:
    text = (REPOSITORY / "docs" / "state.md").read_text()
    with closing(sqlite3.connect(":memory:", isolation_level=None, factory=Connection)) as db:
        migrate(db)
        made = db.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").fetchall()
    ours = [
        name for (name,) in made if not name.startswith(("memory_words_", "said_words_"))
    ]  # which FTS5 keeps for itself
    assert sorted(re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)) == sorted(ours)


@pytest.mark.parametrize("path", PUBLIC, ids=lambda path: path.name)
def test_every_link_of_a_page_has_its_target(path: Path) -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", path.read_text())
    assert all((path.parent / link).exists() for link in links)


@pytest.mark.parametrize("path", PUBLIC, ids=lambda path: path.name)
def test_what_a_page_indents_as_code_is_code(path: Path) -> None:
    text = path.read_text()
    paragraphs = [token.map for token in MarkdownIt().enable("table").parse(text) if token.type == "paragraph_open"]
    lines = [line for first, end in filter(None, paragraphs) for line in text.splitlines()[first:end]]
    assert not [line for line in lines if line.startswith("    ")], "below a list item it needs more spaces"


def test_every_module_that_a_page_of_the_design_names_is_there() -> None:
    here = [
        f"/{path.relative_to(REPOSITORY)}" for top in ("bot", "channels") for path in (REPOSITORY / top).rglob("*.py")
    ]
    for page in ("architecture.md", "state.md", "reliability.md", "claude.md", "add-a-tool.md", "add-a-channel.md"):
        text = (REPOSITORY / "docs" / page).read_text()
        for name in re.findall(r"`((?!tests/|scripts/)[\w/]+\.py)`", text):
            assert any(path.endswith(f"/{name}") for path in here), (page, name)


def test_every_transaction_that_the_page_of_the_state_names_is_there() -> None:
    text = (REPOSITORY / "docs" / "state.md").read_text()
    named = re.findall(r"`(steps|endings)\.(\w+)`", text)
    assert len(named) > 5
    for module, name in named:
        assert f"def {name}(" in (REPOSITORY / "bot" / "journal" / f"{module}.py").read_text(), name


def test_every_test_that_the_page_of_groups_names_is_there() -> None:
    """By words that its name holds."""
    table = (REPOSITORY / "docs" / "groups.md").read_text().partition("| there | here | shown by |")[2]
    named = [(row, file, words) for row in table.splitlines()[2:] for file, words in named_in(row)]
    assert len(named) >= 20
    for row, file, words in named:
        text = (REPOSITORY / "tests" / f"{file}.py").read_text()
        assert re.search(rf"def test_\w*{words.replace(' ', '_')}\w*\(", text), row


def named_in(row: str) -> Iterator[tuple[str, str]]:
    """Files of tests, and words of the names in them."""
    file = ""
    for found in NAMED.finditer(row.rpartition(" | ")[2]):
        file = found[1] or file
        yield file, found[2]
