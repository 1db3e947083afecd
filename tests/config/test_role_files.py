"""Roles: what a file may hold, which source wins, and what is said where something is wrong."""

import errno
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bot.assembly import make_workspace_and_web_tools
from bot.cli.roles import load_delegation_rules
from bot.config import Config, load
from bot.config import texts as config_texts
from bot.config.roles import EXISTING_TOOLS, load_roles, read_role_files, read_shipped_role_files, texts
from bot.core import prompt_guidance
from bot.core.errors import ConfigError
from bot.core.limits import DecisionTerms
from bot.core.messages import RoleName
from bot.core.role import LEAD_ROLE_NAME, Role
from bot.core.settings import Settings, ShellSettings
from bot.core.skill import Skill
from bot.core.sources import NO_SOURCES, Source, private_sources
from bot.core.texts import setting_values
from bot.delegation.rules import DelegationRules
from bot.delegation.tools import delegation_tools
from bot.tools.conversations import conversation_tools
from bot.tools.memory import memory_tools
from bot.tools.outgoing_folder import OutgoingFolder
from bot.tools.schedules import ScheduleTools
from bot.tools.send_file import send_file_tool
from bot.tools.send_message import send_message_tools
from bot.tools.shell import shell_tools
from bot.tools.skills import skill_tools
from tests.support.fakes import own_text

PNG = b"\x89PNG\r\n\x1a\n"
WRITER = """---
name: writer
description: Writes texts.
tools: [read_file, write_file]
model: claude-x
effort: high
limits:
  iterations: 7
  seconds: "90"
delegates_to:
  - Researcher
---

You are a writer.
"""

HEADINGS = ["# How you work", "# Your report"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "roles").mkdir()
    return tmp_path / "roles"


def config(folder: Path, **swarm: Any) -> Config:
    return Config.model_validate({"swarm": {"roles_dir": folder, **swarm}})


def roles(folder: Path, **swarm: Any) -> dict[str, Role]:
    return {str(name): role for name, role in load_roles(config(folder, **swarm), "config.json").items()}


def wrong(folder: Path, text: str | bytes, **swarm: Any) -> str:
    (folder / "x.md").write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ConfigError) as error:
        roles(folder, **swarm)
    assert str(error.value).startswith(str(folder / "x.md"))
    return str(error.value).removeprefix(str(folder / "x.md"))


# What is shipped


def test_without_anything_of_the_operators_the_shipped_roles_are_there(tmp_path: Path) -> None:
    shipped = roles(tmp_path / "nowhere")
    assert shipped.keys() == {"lead", "researcher", "reader", "coder", "analyst", "summarizer", "writer"}
    assert all(role.prompt and role.description for role in shipped.values())
    assert shipped["lead"].tools is None
    for name in shipped.keys() - {"lead"}:
        assert shipped[name].limits.tokens == 250_000
        assert (shipped[name].tools or frozenset()) <= EXISTING_TOOLS
    writing = {name for name, role in shipped.items() if role.tools and role.tools & {"write_file", "edit_file"}}
    assert writing == {"coder", "analyst", "writer"}
    assert {name for name, role in shipped.items() if role.picture.startswith(PNG)} == shipped.keys() - {"lead"}


def test_no_shipped_role_but_the_lead_reads_the_web_and_private_things(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    tools = load_delegation_rules(load(tmp_path / "config.json", variables={})).tools
    reads = {
        name: NO_SOURCES.union(*(tools[each].result_sources for each in (role.tools or tools.keys()) & tools.keys()))
        for name, role in roles(tmp_path / "nowhere").items()
    }
    reads_web = {name for name, sources in reads.items() if Source.WEB in sources}
    reads_private = {name for name, sources in reads.items() if private_sources(sources)}
    assert reads_web == {"lead", "researcher"}
    assert reads_web & reads_private == {"lead"}
    assert "reader" in reads_private


@pytest.mark.parametrize(
    "file", [file for file in read_shipped_role_files().values() if file.name != LEAD_ROLE_NAME], ids=lambda f: f.name
)
def test_a_shipped_role_says_its_work_and_report_and_no_common_rules(file: Any) -> None:
    prompt = file.keys.system_prompt
    assert [line for line in prompt.splitlines() if line.startswith("#")] == HEADINGS
    common = [*prompt_guidance.DELEGATED_TASK_GUIDANCE.splitlines(), *prompt_guidance.UPDATES_GUIDANCE.splitlines()]
    assert not {line for line in prompt.splitlines() if line and not line.startswith("#")} & {*common}


@pytest.mark.parametrize(("updates", "is_told"), [(5, True), (0, False)])
def test_every_role_prompt_begins_with_common_rules_and_posting_if_allowed(
    folder: Path, updates: int, is_told: bool
) -> None:
    (folder / "plain.md").write_text("---\ndescription: Plain\n---\nYou are plain.")
    found = roles(folder, max_updates=updates, roles={"preset": {"system_prompt": "You are set."}})
    assert own_text(found["preset"].prompt) == "You are set."
    for name in found.keys() - {"lead"}:
        assert found[name].prompt.startswith(prompt_guidance.DELEGATED_TASK_GUIDANCE)
        assert (prompt_guidance.UPDATES_GUIDANCE in found[name].prompt) == is_told
    assert found["lead"].prompt.startswith(prompt_guidance.CHAT_GUIDANCE)
    assert prompt_guidance.UPDATES_GUIDANCE not in found["lead"].prompt
    assert all(prompt_guidance.UNTRUSTED_MATERIAL_GUIDANCE in role.prompt for role in found.values())


@pytest.mark.parametrize("file", read_shipped_role_files().values(), ids=lambda file: file.name)
def test_a_shipped_role_is_short_and_the_same_for_everybody(file: Any) -> None:
    prompt = file.keys.system_prompt
    assert len(prompt.splitlines()) <= 60
    assert "{" not in prompt


def test_the_names_of_all_tools_are_known_to_roles(tmp_path: Path) -> None:
    rules = DelegationRules({}, Settings())
    terms = DecisionTerms(settings=Settings(send_to_other_chats=True), now=datetime(2026, 1, 1, tzinfo=UTC))
    of_the_app = [
        *delegation_tools(rules, lambda: terms),
        *memory_tools(lambda: terms),
        *conversation_tools(lambda: terms),
        *ScheduleTools(lambda: terms).tools(),
        send_file_tool(tmp_path, OutgoingFolder(tmp_path / "outgoing")),
        *send_message_tools(lambda: terms),
    ]
    skill = Skill(name="a", description="b", body="c", folder=tmp_path)
    of_the_workspace = make_workspace_and_web_tools(tmp_path, shell=shell_tools(ShellSettings(), []))
    tools = [*of_the_app, *of_the_workspace, *skill_tools([skill])]
    assert {tool.name for tool in tools} == EXISTING_TOOLS


# What a file says


def test_every_key_of_a_file_arrives(folder: Path) -> None:
    (folder / "w.md").write_text(WRITER.replace("---", "---\npicture: W.png", 1))
    (folder / "W.png").write_bytes(PNG)
    writer = roles(folder, max_tokens=1_234)["writer"]
    assert (own_text(writer.prompt), writer.description) == ("You are a writer.", "Writes texts.")
    assert (writer.model, writer.effort) == ("claude-x", "high")
    assert writer.tools == frozenset({"read_file", "write_file"})
    assert writer.picture == PNG
    assert writer.delegates_to == frozenset({RoleName("researcher")})
    assert (writer.limits.iterations, writer.limits.seconds, writer.limits.tokens) == (7, 90, 1_234)


def test_keys_missing_from_a_file_have_their_defaults(folder: Path) -> None:
    (folder / "plain.md").write_text("\ufeff---\r\ndescription: Plain\r\ntools: []\r\n---\r\nYou.\r\n---\r\nAre.\r\n")
    plain = roles(folder, max_iterations=3, timeout_seconds=4)["plain"]
    assert own_text(plain.prompt) == "You.\n---\nAre."
    assert (plain.tools, plain.delegates_to, plain.model, plain.effort) == (None, None, "", "")
    assert (plain.limits.iterations, plain.limits.seconds) == (3, 4)


def test_yaml_is_read_as_text_and_nothing_more(folder: Path) -> None:
    (folder / "no.md").write_text("---\nname: no\ndescription: 012\nmodel: 2026-01-01\n---\nYou.")
    no = roles(folder)["no"]
    assert (no.description, no.model) == ("012", "2026-01-01")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", f": {texts.NO_FRONT_MATTER}"),
        ("You are a writer.", f": {texts.NO_FRONT_MATTER}"),
        ("---\nname: x\nYou are.", f": {texts.FRONT_MATTER_OPEN}"),
        ("---\nname: x\n---\n \n", texts.NO_PROMPT(path="")),
        ("---\n- x\n---\nYou.", f":2: {texts.NO_KEYS}"),
        ("---\nname: x\ntool: [a]\n---\nYou.", ": " + texts.UNKNOWN_KEY(key="tool", nearest="tools")),
        ("---\nlimits: {token: 1}\n---\nYou.", ": " + texts.UNKNOWN_KEY(key="limits.token", nearest="limits.tokens")),
        ("---\nlimits: {tokens: many}\n---\nYou.",
         ": " + config_texts.WRONG_VALUE(key="limits.tokens", problem=setting_values.MUST_BE_WHOLE)),
        ("---\nlimits: {tokens: 0}\n---\nYou.", ": limits.tokens must be greater than or equal to 1"),
        ("---\ntools: {read_file: 1}\n---\nYou.", ": " + texts.NOT_TOOLS(key="tools")),
        ("---\neffort: huge\n---\nYou.", ": effort must be 'low', 'medium', 'high', 'xhigh' or 'max'"),
        ("---\nname: a]b\n---\nYou.", texts.NAME_NOT_VALID(path="")),
        ("---\nname: ../../etc\n---\nYou.", texts.NAME_NOT_VALID(path="")),
        ("---\nname: x\nname: y\n---\nYou.", ":3: " + texts.KEY_TWICE(key="name")),
        ("---\nname: &a x\n---\nYou.", f":2: {texts.NO_ANCHORS}"),
        ("---\nname: x\nmodel: *a\n---\nYou.", f":3: {texts.NO_ANCHORS}"),
        ("---\nname: !!python/object:os.system x\n---\nYou.", f":2: {texts.NO_TAGS}"),
        ("---\nname: x\nlimits:\n  tokens: a: b\n---\nYou.",
         ":4: " + texts.NOT_YAML_FOR_WANT_OF_QUOTES(problem="mapping values are not allowed here")),
        ("---\na: " + "[" * 30_000 + "\n---\nYou.", f":2: {texts.TOO_DEEP}"),
        ("---\n? [a]\n: b\n---\nYou.", f":2: {texts.KEY_NOT_A_WORD}"),
        ("---\n<<: {name: x}\n---\nYou.", ": " + texts.UNKNOWN_KEY(key="<<", nearest="delegates_to")),
        ("---\nname: \x01\n---\nYou.", f": {texts.FORBIDDEN_CHARACTER}"),
        (b"---\nname: x\n---\n\xff", texts.FILE_NOT_UTF8(path="")),
        ("---\nname: x\n---\n" + "x" * 70_000, texts.FILE_TOO_LARGE(path="", kib=64)),
        ("---\ntools: [read_fil]\n---\nYou.",
         texts.NO_SUCH_TOOL(where=": ", role="x", tool="read_fil", nearest="read_file")),
        ("---\ndelegates_to: [anallyst]\n---\nYou.",
         texts.NO_SUCH_DELEGATE(where=": ", role="x", other="anallyst", nearest="analyst")),
        ("---\ndelegates_to: [lead]\n---\nYou.",
         texts.NO_SUCH_DELEGATE(where=": ", role="x", other="lead", nearest="reader")),
        ("---\nname: lead\nlimits: {tokens: 5}\n---\nYou.", texts.LIMITS_OF_LEAD(where=": ")),
    ],
)  # fmt: skip
def test_a_wrong_file_is_named_with_its_remedy(folder: Path, text: str | bytes, said: str) -> None:
    assert wrong(folder, text) == said


def refused(folder: Path) -> str:
    with pytest.raises(ConfigError) as error:
        read_role_files(folder)
    return str(error.value)


def test_an_unreadable_file_is_named_and_delays_nothing(folder: Path, tmp_path: Path) -> None:
    os.mkfifo(folder / "pipe.md")
    assert refused(folder) == texts.NO_FILE(path=folder / "pipe.md")
    (folder / "pipe.md").unlink()
    (folder / "gone.md").symlink_to("nowhere")
    assert refused(folder) == texts.FILE_NOT_READABLE(path=folder / "gone.md", reason=os.strerror(errno.ENOENT))
    (tmp_path / "file").touch()
    reason = os.strerror(errno.ENOTDIR)
    assert refused(tmp_path / "file") == texts.ROLES_FOLDER_NOT_READABLE(path=tmp_path / "file", reason=reason)


def test_other_files_in_the_folder_are_left_alone(folder: Path) -> None:
    for name in (".hidden.md", "notes.txt", "writer.md~"):
        (folder / name).write_text("no role")
    assert read_role_files(folder) == {}


def test_two_files_whose_roles_differ_only_in_case_are_refused(folder: Path) -> None:
    (folder / "a.md").write_text("---\nname: QA\n---\nYou.")
    (folder / "b.md").write_text("---\nname: qa\n---\nYou.")
    assert refused(folder) == texts.NAME_TWICE(path=folder / "b.md", other="a.md")


# Who wins


def test_the_operators_file_takes_the_place_of_the_shipped_one(folder: Path) -> None:
    (folder / "mine.md").write_text("---\nname: Researcher\n---\nYou look things up.")
    found = roles(folder)
    assert "researcher" not in found
    assert (own_text(found["Researcher"].prompt), found["Researcher"].description) == ("You look things up.", "")
    assert found["Researcher"].tools is None


def test_a_preset_takes_what_it_leaves_out_from_the_file_of_its_name(folder: Path) -> None:
    (folder / "writer.md").write_text(WRITER)
    presets = {
        "Writer": {"description": "Ours.", "limits": {"iterations": 9}},
        "ANALYST": {"system_prompt": "Count.", "tools": [], "delegates_to": []},
    }
    found = roles(folder, roles=presets)
    writer, analyst = found["Writer"], found["ANALYST"]
    assert (own_text(writer.prompt), writer.description, writer.model) == ("You are a writer.", "Ours.", "claude-x")
    assert (writer.limits.iterations, writer.limits.seconds, writer.effort) == (9, 90, "high")
    assert (own_text(analyst.prompt), analyst.tools, analyst.delegates_to) == ("Count.", None, frozenset())
    assert analyst.description == read_shipped_role_files()["analyst"].keys.description
    assert found.keys().isdisjoint({"writer", "analyst"})


def test_the_lead_stays_the_lead_however_a_preset_writes_it(tmp_path: Path) -> None:
    lead = roles(tmp_path / "none", roles={"Lead": {"tools": ["read_file"]}})["lead"]
    assert (lead.name, lead.tools) == (LEAD_ROLE_NAME, frozenset({"read_file"}))
    assert own_text(lead.prompt) == read_shipped_role_files()["lead"].keys.system_prompt


@pytest.mark.parametrize(
    ("preset", "said"),
    [
        ({"QA": {"description": "Tests."}}, texts.NO_PRESET_PROMPT(where="config.json: swarm.roles.QA")),
        ({"Q/A": {"system_prompt": "Test."}}, texts.PRESET_NAME_NOT_VALID(where="config.json: swarm.roles.Q/A")),
        ({"QA": {"system_prompt": "Test.", "tools": ["list"]}},
         texts.NO_SUCH_TOOL(where="config.json: swarm.roles.QA.", role="QA", tool="list", nearest="list_dir")),
        ({"QA": {"system_prompt": "Test.", "delegates_to": ["analist"]}},
         texts.NO_SUCH_DELEGATE(where="config.json: swarm.roles.QA.", role="QA", other="analist", nearest="analyst")),
        ({"lead": {"limits": {"tokens": 5}}}, texts.LIMITS_OF_LEAD(where="config.json: swarm.roles.lead.")),
    ],
)  # fmt: skip
def test_a_wrong_preset_is_named_with_its_remedy(tmp_path: Path, preset: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError) as error:
        roles(tmp_path / "none", roles=preset)
    assert str(error.value) == said
