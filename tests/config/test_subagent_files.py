"""Role files that were written for others load and work as they stand: twenty of Claude Code's usual kinds in
tests/config/subagents, the profile of a design document, and the presets of two."""

import json
import logging
import shutil
from pathlib import Path
from typing import Any

import pytest

from bot.assembly import load_roles_with_warnings, make_workspace_and_web_tools
from bot.cli import texts as cli_texts
from bot.config import Config, load
from bot.config.roles import EXISTING_TOOLS, describe_ignored_parts, load_roles, texts
from bot.core.messages import OutboundKind
from bot.core.role import LEAD_ROLE_NAME, Role
from bot.core.texts import operators
from bot.ops.checks import texts as check_texts
from tests.support.bench import Bench
from tests.support.design_documents import PRESETS, PROFILE
from tests.support.doctor_visit import lines
from tests.support.engine_options import DELEGATION_LIMITS
from tests.support.fakes import own_text, reply, uses
from tests.support.shell import Shell

SUBAGENTS = Path(__file__).parent / "subagents"


def keys(names: str) -> str:
    return texts.IGNORED_KEYS(names=names)


def tools(names: str) -> str:
    return texts.IGNORED_TOOLS(names=names)


DENIED = frozenset({"write_file", "edit_file", "shell"})
TOOLS: dict[str, frozenset[str] | None] = {
    "code-reviewer": frozenset({"read_file", "grep", "glob", "shell"}),
    "debugger": frozenset({"read_file", "edit_file", "shell", "grep", "glob"}),
    "data-scientist": frozenset({"shell", "read_file", "write_file"}),
    "test-runner": None,
    "security-auditor": frozenset(
        {"read_file", "grep", "glob", "web_fetch", "mcp__github__search_code", "mcp__semgrep__scan"}
    ),
    "docs-writer": frozenset({"read_file", "write_file", "edit_file", "list_dir"}),
    "frontend-developer": frozenset(
        {"read_file", "write_file", "edit_file", "shell", "glob", "grep", "list_dir", "web_fetch"}
        | {"NotebookRead", "NotebookEdit", "TodoWrite"}
    ),
    "researcher": frozenset({"web_search", "web_fetch", "read_file", "grep"}),
    "planner": EXISTING_TOOLS - DENIED,
    "coordinator": frozenset({"delegate", "read_file", "shell"}),
    "careful-shell": frozenset({"shell", "read_file"}),
    "api-designer": frozenset({"read_file", "write_file", "grep"}),
    "db-reader": frozenset({"Bash(psql:*)", "Bash(sqlite3 -readonly:*)", "read_file"}),
    "browser-tester": None,
    "refactorer": frozenset({"read_file", "edit_file", "glob", "grep"}),
    "translator": None,
    "release-notes": frozenset({"read_file", "grep"}),
    "log-analyst": frozenset({"read_file", "grep", "glob"}),
    "devops-engineer": frozenset(
        {"read_file", "write_file", "edit_file", "shell", "docker", "kubernetes", "terraform"}
    ),
    "tutor": frozenset({"read_file", "glob"}),
}
IGNORED = {  # what of each is ignored
    "code-reviewer": keys("color"),
    "security-auditor": f"{keys('color')}; {tools('mcp__github__search_code, mcp__semgrep__scan')}",
    "frontend-developer": f"{keys('color')}; {tools('NotebookRead, NotebookEdit, TodoWrite')}",
    "planner": keys("permissionMode"),
    "coordinator": texts.IGNORED_ROLES(names="general-purpose"),
    "careful-shell": keys("hooks"),
    "api-designer": keys("skills"),
    "db-reader": tools("Bash(psql:*), Bash(sqlite3 -readonly:*)"),
    "browser-tester": keys("background, mcpServers"),
    "refactorer": keys("isolation, memory"),
    "log-analyst": keys("color"),
    "devops-engineer": f"{keys('category, tags, version')}; {tools('docker, kubernetes, terraform')}",
    "tutor": keys("initialPrompt"),
}
PLAN = {
    "enabled": True,
    "roles": {"researcher": {"system_prompt": "You are a researcher.", "tools": ["web_search", "web_fetch"]}},
}


def config(folder: Path, **settings: Any) -> Config:
    return Config.model_validate({"swarm": {"roles_dir": folder}, **settings})


def roles(folder: Path, **settings: Any) -> dict[str, Role]:
    return {str(name): role for name, role in load_roles(config(folder, **settings), "config.json").items()}


# The twenty


def test_there_are_twenty_and_each_has_its_tools_by_their_names_here() -> None:
    found = roles(SUBAGENTS)
    assert len(TOOLS) == len(list(SUBAGENTS.glob("*.md"))) == 20
    assert {name: found[name].tools for name in TOOLS} == TOOLS


def test_keys_beside_their_tools_arrive() -> None:
    found = roles(SUBAGENTS)
    assert found["code-reviewer"].description.endswith(
        "<commentary>New code is there, so: review it.</commentary>\\n</example>"
    )
    assert found["security-auditor"].description == "Looks for weaknesses: injection, missing checks, secrets in code."
    assert found["release-notes"].description.startswith("Writes release notes from a list of changes.\n\nWhen to use:")
    assert found["tutor"].prompt.endswith("explain the next thing and no more.")
    assert (found["planner"].limits.iterations, found["tutor"].limits.iterations) == (12, 30)
    assert found["planner"].limits.tokens == 250_000
    assert found["coordinator"].delegates_to == frozenset({"debugger", "test-runner"})
    assert found["refactorer"].effort == "high"
    models = {name: found[name].model for name in TOOLS if found[name].model}
    assert models == {
        "code-reviewer": "claude-sonnet-5-5",  # the lead's: inherited
        "data-scientist": "claude-sonnet-5-5",
        "security-auditor": "claude-opus-5-5",
        "docs-writer": "claude-haiku-5-5",
        "frontend-developer": "claude-sonnet-5-5",
        "coordinator": "claude-opus-5-5",
        "release-notes": "claude-haiku-5-5",
        "tutor": "claude-haiku-4-5-20251001",
    }


def test_ignored_keys_are_told_once_for_each_file() -> None:
    lines = {texts.IGNORED(path=SUBAGENTS / f"{name}.md", parts=parts) for name, parts in IGNORED.items()}
    assert {*describe_ignored_parts(config(SUBAGENTS))} == lines
    assert len(describe_ignored_parts(config(SUBAGENTS))) == len(IGNORED)


def test_at_the_start_that_is_one_warning_for_each_file(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "config.json").write_text(config(SUBAGENTS).model_dump_json(include={"swarm": {"roles_dir"}}))
    with caplog.at_level(logging.WARNING):
        load_roles_with_warnings(load(tmp_path / "config.json", variables={}))
    assert len(caplog.records) == len(IGNORED)
    assert len({record.message.partition(": ")[0] for record in caplog.records}) == len(IGNORED)


@pytest.mark.parametrize("name", TOOLS)
async def test_each_works_when_it_is_asked(bench: Bench, tmp_path: Path, name: str) -> None:
    bench.roles = dict(load_roles(config(SUBAGENTS), "config.json"))
    bench.roles[LEAD_ROLE_NAME] = Role(name=LEAD_ROLE_NAME, prompt="lead", limits=DELEGATION_LIMITS)
    (tmp_path / "desk").mkdir()
    (tmp_path / "desk" / "a.md").write_text("a word")
    mine = own_text(bench.roles[next(key for key in bench.roles if key == name)].prompt).splitlines()[0]
    bench.model.says("lead", reply(uses("delegate", role=name.upper(), task="do it")), "it is done")
    bench.model.says(mine, reply(uses("read_file", path="a.md")), "my report")
    async with bench.run(tools=make_workspace_and_web_tools(tmp_path / "desk")):
        bench.chat.hears("go")
        assert await bench.chat.said(OutboundKind.REPLY) == "it is done"
    assert bench.model.heard(mine) == ["a word"]
    assert bench.model.heard("lead") == ["my report"]
    shown = {tool["name"] for tool in bench.model.asked(mine)[0].prefix.tools}
    assert {"read_file", "message"} <= shown <= (TOOLS[name] or EXISTING_TOOLS) | {"message"}


async def test_doctor_and_roles_name_ignored_and_switched_off_parts(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    shutil.copytree(SUBAGENTS, tmp_path / "roles")
    shell.config(model={"base_url": "http://127.0.0.1:9", "lead": "claude-sonnet-5-5"})
    said = await shell.retinue("doctor")
    told = [line for line in lines(said, "warning") if line.endswith(f" → {check_texts.LEAVE_OR_TAKE_OUT}")]
    assert len(told) == len(IGNORED)
    assert told[0].startswith(f"roles: {tmp_path}/roles/")
    [names] = [line for line in lines(said, "ok") if line.startswith("roles: ")]
    assert check_texts.ROLE_WITHOUT(role="data-scientist", tools="shell") in names.split("; ")
    listed = (await shell.retinue("roles")).out
    assert "  ignored: color\n" in listed
    assert f"mcp__github__search_code, mcp__semgrep__scan: {cli_texts.NO_SUCH_TOOL}" in " ".join(listed.split())
    assert f"shell: {operators.SHELL_IS_OFF}" in " ".join(listed.split())


# The design documents


def test_the_presets_of_the_first_design_load_as_they_stand(tmp_path: Path) -> None:
    found = {str(name): role for name, role in load_roles(Config.model_validate({"swarm": PRESETS}), "x").items()}
    researcher, writer = found["researcher"], found["writer"]
    assert own_text(researcher.prompt) == "You are a research specialist. Be thorough and cite sources."
    assert researcher.tools == frozenset({"web_search", "web_fetch", "memory_search", "memory_get"})
    assert own_text(writer.prompt) == "You are a technical writer. Be clear and concise."
    assert writer.tools == frozenset({"read_file", "write_file", "edit_file", "memory_search"})


def test_the_example_of_a_config_shows_those_presets() -> None:
    example = json.loads((Path(__file__).parents[2] / "config.json.example").read_text())
    assert example["swarm"]["roles"] == PRESETS["roles"]


def test_the_presets_of_the_second_design_load_as_they_stand() -> None:
    for swarm in (PLAN, {"enabled": True, "max_depth": 1, "max_concurrent": 3, "roles": {}}):
        found = load_roles(Config.model_validate({"swarm": swarm}), "x")
        assert {"lead", "researcher"} <= set(found)


def test_the_profile_of_the_fifth_design_loads_as_it_stands(tmp_path: Path) -> None:
    (tmp_path / "researcher.md").write_text(PROFILE)
    found = roles(tmp_path)["researcher"]
    looks_up = {"memory_get", "memory_search", "read_file", "glob", "grep", "web_search", "web_fetch"}
    assert found.tools == frozenset({*looks_up, "memory_save"})
    assert (found.limits.tokens, found.description) == (50_000, "Information gathering and analysis specialist")
    assert own_text(found.prompt).startswith("# Researcher Agent\n\nYou are a focused research specialist.")
    assert describe_ignored_parts(config(tmp_path)) == []
