"""`retinue roles`: who the bot can be here, from where, and what is off and why."""

from pathlib import Path
from typing import Any

import pytest

from bot.cli import roles
from bot.cli import texts as cli_texts
from bot.config import load
from bot.config.roles import SHIPPED_ROLES_FOLDER, read_shipped_role_files, texts
from bot.config.web_tools import reason_for_no_web
from bot.core.sandbox import sandbox_fault
from bot.core.texts import operators
from tests.support.shell import Shell

TOO_DEEP = "delegate: the setting swarm.max_depth is 1, so no further delegation is possible"
QA = "---\nname: QA\ndescription: Tests\n  things.\ntools: [read_file, delegate]\nmodel: claude-x\n---\nYou."
NO_SHELL = f"shell: {operators.SHELL_IS_OFF}"
NO_SHELL_HERE = f"shell: {sandbox_fault()}" if sandbox_fault() else ""
FAMILY = "cancel_delegation, delegate, forward_report, get_delegation, list_delegations, steer_delegation"


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    (tmp_path / "roles").mkdir()
    return Shell(tmp_path)


def listed(shell: Shell, /, **settings: Any) -> dict[str, list[str]]:
    """What is said of each role, line by line; and the last line under ""."""
    path = shell.config(**settings)
    *blocks, last = "\n".join(roles.format_role_list(load(path, variables={}))).split("\n\n")
    said = {block.partition("\n")[0]: [line.strip() for line in block.splitlines()[1:]] for block in blocks}
    return {**said, "": [last]}


def off(lines: list[str]) -> list[str]:
    return [line.removeprefix("off:").strip() for line in lines if line.startswith("off:")]


@pytest.mark.fast
async def test_it_lists_every_role_the_lead_first_and_makes_nothing(shell: Shell) -> None:
    shell.config()
    said = await shell.retinue("roles")
    assert (said.status, said.err) == (0, "")
    names = [line for line in said.out.splitlines() if line and not line.startswith(" ")]
    assert names[:-1] == ["lead", "analyst", "coder", "reader", "researcher", "summarizer", "writer"]
    assert not (shell.folder / "workspace").exists()
    assert not shell.data.exists()


@pytest.mark.parametrize(("width", "columns"), [(80, {}), (50, {"COLUMNS": "50"})])
async def test_its_lists_are_wrapped_at_the_width_of_the_terminal(
    shell: Shell, width: int, columns: dict[str, str]
) -> None:
    shell.config()
    shell.settings.update(columns)
    said = (await shell.retinue("roles")).out
    first, *others = said[said.index("  tools:  ") : said.index("  from:")].splitlines()
    assert width - 20 < len(first) <= width
    assert all(line.startswith(" " * 10) and len(line) <= width for line in others)


async def test_a_wrong_role_is_one_line_and_exit_status_two(shell: Shell) -> None:
    shell.config(swarm={"roles": {"QA": {"description": "Tests."}}})
    said = await shell.retinue("roles")
    assert (said.status, said.out, len(said.err.splitlines())) == (2, "", 1)
    assert texts.NO_PRESET_PROMPT(where="swarm.roles.QA") in said.err


async def test_a_terminal_does_not_obey_what_a_role_holds(shell: Shell) -> None:
    shell.config(swarm={"roles": {"QA": {"system_prompt": "You.", "description": "\x1b[2Jgone"}}})
    said = await shell.retinue("roles")
    assert "\\x1b[2Jgone" in said.out


def test_the_source_of_a_role_is_told(shell: Shell) -> None:
    (shell.folder / "roles" / "mine.md").write_text("---\nname: Writer\n---\nYou.")
    (shell.folder / "roles" / "qa.md").write_text(QA)
    presets = {"analyst": {"model": "claude-y"}, "Poet": {"system_prompt": "You."}, "writer": {"tools": ["glob"]}}
    said = listed(shell, swarm={"roles": presets})
    coder, analyst = (cli_texts.ROLE_SHIPPED(path=SHIPPED_ROLES_FOLDER / name) for name in ("coder.md", "analyst.md"))
    mine = cli_texts.ROLE_REPLACING_SHIPPED(path=shell.folder / "roles" / "mine.md")
    for name, source in {
        "coder": coder,
        "analyst": cli_texts.ROLE_IN_CONFIG_OVER(role="analyst", source=analyst),
        "Poet": cli_texts.ROLE_IN_CONFIG(role="Poet"),
        "QA": cli_texts.ROLE_OWN(path=shell.folder / "roles" / "qa.md"),
        "writer": cli_texts.ROLE_IN_CONFIG_OVER(role="writer", source=mine),
    }.items():
        assert f"from:   {source}" in said[name]


def test_a_role_is_listed_as_it_is_played(shell: Shell) -> None:
    (shell.folder / "roles" / "qa.md").write_text(QA)
    said = listed(shell, swarm={"max_depth": 2, "max_tokens": 1_234, "roles": {"QA": {"delegates_to": ["coder"]}}})
    assert said["QA"][:5] == [
        "Tests things.",
        "model:  claude-x, effort medium",
        "limits: 20 steps, 1,234 tokens, 1,200 s",
        "tools:  delegate, message, read_file",
        "asks:   coder",
    ]
    assert off(said["QA"]) == []


@pytest.mark.parametrize(
    "settings", [{"web": False}, {"model": {"base_url": "http://127.0.0.1:1"}, "web": {"run_here": "never"}}]
)
def test_a_role_that_names_a_disabled_web_goes_without_it_and_says_why(shell: Shell, settings: dict[str, Any]) -> None:
    said = listed(shell, **settings)
    reason = reason_for_no_web(load(shell.folder / "config.json", variables={}).config)
    assert reason
    for name in ("lead", "researcher"):
        assert f"web_fetch, web_search: {reason}" in off(said[name])
    assert "web_search" not in str(off(said["coder"]))
    on = listed(shell)
    assert "web_search" in str([line for line in on["researcher"] if line.startswith("tools:")])


def test_a_role_with_an_unknown_model_is_without_the_web_and_says_why(shell: Shell) -> None:
    said = listed(shell, model={"roles": "qwen"})
    too_deep, webless = off(said["researcher"])
    assert (too_deep, webless.startswith("web_fetch, web_search: qwen ")) == (TOO_DEEP, True)
    assert "web_search" not in str([line for line in said["researcher"] if line.startswith("tools:")])
    assert (off(said["lead"]), off(said["coder"])) == ([], [NO_SHELL])


@pytest.mark.parametrize(
    ("swarm", "role", "said", "last"),
    [
        ({}, "QA", [TOO_DEEP], cli_texts.LEAD_MAY_MAKE_UP_ROLES),
        ({"enabled": False}, "lead", [f"{FAMILY}: the setting swarm.enabled is false"],
         cli_texts.LEAD_ASKS_NOBODY(reason=cli_texts.SWARM_IS_OFF)),
        ({"max_depth": 0}, "lead", [f"{FAMILY}: {cli_texts.TOO_DEEP(depth=0)}"],
         cli_texts.LEAD_ASKS_NOBODY(reason=cli_texts.TOO_DEEP(depth=0))),
        ({"max_updates": 0}, "coder", [f"message: {cli_texts.NO_UPDATES}", NO_SHELL], cli_texts.LEAD_MAY_MAKE_UP_ROLES),
        ({"allow_adhoc": False}, "coder", [NO_SHELL], cli_texts.LEAD_ASKS_ONLY_THESE),
        ({"roles": {"lead": {"tools": ["read_file", "delegate"]}}}, "summarizer",
         [f"glob, grep, list_dir: {cli_texts.LEAD_LACKS_IT}"], cli_texts.LEAD_MAY_MAKE_UP_ROLES),
        ({"roles": {"lead": {"tools": ["read_file", "message"]}}}, "lead",
         [f"message: {cli_texts.LEAD_SPEAKS_BY_TEXT}"], cli_texts.LEAD_HAS_NO_DELEGATE),
        ({"roles": {"lead": {"delegates_to": ["QA"]}}}, "coder",
         [NO_SHELL, cli_texts.LEAD_CANNOT_ASK],
         cli_texts.LEAD_ASKS_THOSE_NAMED),
    ],
)  # fmt: skip
def test_switched_off_tools_are_told_with_the_reason(
    shell: Shell, swarm: dict[str, Any], role: str, said: list[str], last: str
) -> None:
    (shell.folder / "roles" / "qa.md").write_text(QA)
    found = listed(shell, swarm=swarm)
    assert off(found[role]) == said
    assert found[""][0].startswith(last)


def test_the_shipped_roles_lack_only_delegation_at_the_greatest_depth(shell: Shell) -> None:
    said = listed(shell)
    found = {file.name: off(said[file.name]) for file in read_shipped_role_files().values()}
    lacking = {"analyst": [TOO_DEEP], "reader": [TOO_DEEP], "researcher": [TOO_DEEP], "coder": [NO_SHELL]}
    assert {name: lines for name, lines in found.items() if lines} == lacking
    said = listed(shell, swarm={"max_depth": 2}, shell={"enabled": True})
    still = [NO_SHELL_HERE] if NO_SHELL_HERE else []
    assert {name: lines for name in found if (lines := off(said[name]))} == ({"coder": still} if still else {})


@pytest.mark.skipif(bool(NO_SHELL_HERE), reason="no sandbox can start here")
def test_it_names_the_hosts_that_the_operator_allows_too(shell: Shell) -> None:
    for name, tools in (("builder", "[shell]"), ("reader", "[read_file]")):
        text = f"---\ndescription: x\ntools: {tools}\nhosts: [a.example, '*.b.example']\n---\nYou."
        (shell.folder / "roles" / f"{name}.md").write_text(text)
    said = listed(shell, shell={"enabled": True, "hosts": ["x.b.example", "c.example"]})
    assert [line for line in said["builder"] if line.startswith("hosts:")] == ["hosts:  x.b.example"]
    assert f"hosts:  {cli_texts.REACHES_NO_HOST}" in said["reader"]
