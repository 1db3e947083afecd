"""What others call their keys, tools and models, by the table of docs/add-a-role.md."""

from pathlib import Path
from typing import Any

import pytest

from bot.cli.roles import load_delegation_rules
from bot.config import load
from bot.config import texts as config_texts
from bot.config.roles import texts
from bot.core.errors import ConfigError
from bot.core.role import Role
from bot.core.texts import setting_values
from tests.config.test_subagent_files import roles


def of(folder: Path, front: str, **settings: Any) -> Role:
    """The role of one file."""
    folder.mkdir(exist_ok=True)
    (folder / "x.md").write_text(f"---\n{front}\n---\nYou.")
    return roles(folder, **settings)["x"]


@pytest.mark.parametrize(
    ("front", "tools"),
    [
        ("tools: read, WRITE, multiedit", {"read_file", "write_file", "edit_file"}),
        ("tools: read_file, glob", {"read_file", "glob"}),
        ("tools: Task, Agent", {"delegate"}),
        ("tools: Memory_Load", {"memory_get", "memory_search"}),
        ("tools: document_query, Read", {"read_file", "glob", "grep"}),
        ("tools: document_query(a), Read", {"document_query(a)", "read_file"}),
        ("tools: Read, Grep, LS\ndisallowedTools: document_query", {"list_dir"}),
        ("allowedTools: [Read]", {"read_file"}),
        ("tools: mcp__a__b", {"mcp__a__b"}),  # for nothing: were the list empty, it would be for everything
        ("tools: Read, Write\ndisallowedTools: Write, Bash(rm:*)", {"read_file"}),
        ("tools: Read,, Bash(echo (a, b)), ", {"read_file", "Bash(echo (a, b))"}),
        ("tools: ", None),
    ],
)
def test_tools_have_the_names_of_here(tmp_path: Path, front: str, tools: set[str] | None) -> None:
    assert of(tmp_path, front).tools == tools


def test_a_list_of_unknown_tools_allows_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "roles"
    of(folder, "tools: NotebookEdit")
    path = tmp_path / "config.json"
    path.write_text("{}")
    rules = load_delegation_rules(load(path, variables={}))
    assert rules.child_tool_names(rules.roles_by_name["x"], frozenset(rules.tools), 1) == {"message"}


@pytest.mark.parametrize(
    ("model", "settings", "id"),
    [
        ("sonnet", {}, "claude-sonnet-5-5"),
        ("sonnet", {"lead": "claude-sonnet-4-6"}, "claude-sonnet-4-6"),
        ("haiku", {"roles": "claude-haiku-4-5"}, "claude-haiku-4-5"),
        ("opus", {}, "claude-opus-5-5"),
        ("inherit", {"lead": "claude-fable-5"}, "claude-fable-5"),
        ("opus", {"base_url": "http://127.0.0.1:1", "lead": "local", "roles": "local"}, ""),
        ("claude-x", {}, "claude-x"),
    ],
)
def test_a_model_alias_is_the_operators_model_of_that_family_or_the_newest(
    tmp_path: Path, model: str, settings: dict[str, str], id: str
) -> None:
    assert of(tmp_path, f"model: {model}", model=settings).model == id


@pytest.mark.parametrize(
    ("front", "said"),
    [
        ("tools: '*'", texts.EVERY_TOOL(key="tools")),
        ("tools: Read\nallowedTools: Grep", texts.TWO_KEYS_FOR_ONE(key="tools", other="allowedTools")),
        ("maxTurns: 3\nlimits: {iterations: 4}", texts.TWO_KEYS_FOR_ONE(key="maxTurns", other="limits.iterations")),
        ("maxTokenBudget: lots", config_texts.WRONG_VALUE(key="maxTokenBudget", problem=setting_values.MUST_BE_WHOLE)),
        ("maxTurns: 0", "maxTurns must be greater than or equal to 1"),
        ("tools: Read\ndisallowedTools: Read", texts.NO_TOOL_LEFT),
        ("tools: readfile", texts.NO_SUCH_TOOL(where="", role="x", tool="readfile", nearest="read_file")),
        ("colour: red", texts.UNKNOWN_KEY(key="colour", nearest="picture")),
        ("toolz: [read_file]\nmodel: haiku", texts.UNKNOWN_KEY(key="toolz", nearest="tools")),
        ("tools: [glob, grep]\ndelegate_to: []", texts.UNKNOWN_KEY(key="delegate_to", nearest="delegates_to")),
        ("color: red\nTools: Read", texts.UNKNOWN_KEY(key="Tools", nearest="tools")),
        ("color: red\ntool: Read", texts.UNKNOWN_KEY(key="tool", nearest="tools")),
        ("color: red\nallowed-tools: Read", texts.UNKNOWN_KEY(key="allowed-tools", nearest="allowedTools")),
        ("color: red\ndisallowed_tools: Bash",
         texts.UNKNOWN_KEY(key="disallowed_tools", nearest="disallowedTools")),
        ("tools: Read\ndelegates-to: [writer]", texts.UNKNOWN_KEY(key="delegates-to", nearest="delegates_to")),
        ("tools: Read\nmax_turns: 3", texts.UNKNOWN_KEY(key="max_turns", nearest="maxTurns")),
        ('tools: "Read, Agent(a, b, Write"',
         texts.BRACKETS_NOT_CLOSED(key="tools", tool="Agent(a, b, Write")),
        ("tools: ['Agent(a', 'b)']", texts.BRACKETS_NOT_CLOSED(key="tools", tool="Agent(a")),
        ("tools: Read), Write", texts.BRACKETS_NOT_CLOSED(key="tools", tool="Read), Write")),
    ],
)  # fmt: skip
def test_a_meaningless_value_is_refused(tmp_path: Path, front: str, said: str) -> None:
    with pytest.raises(ConfigError) as error:
        of(tmp_path, front)
    assert str(error.value) == f"{tmp_path / 'x.md'}: {said}"


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("description: Use it: often", "Use it: often"),
        ("description: It's: 'so' \"so\"", "It's: 'so' \"so\""),
        ("description: ends with:", "ends with:"),
        ("description: a: b # c", "a: b # c"),
        ("description: plain # a remark", "plain"),
    ],
)
def test_a_text_of_one_line_needs_no_quotes_for_its_colons(tmp_path: Path, line: str, text: str) -> None:
    assert of(tmp_path, line).description == text


LONG = 'description: Use it for texts. Examples:\\n\n<example>\nContext: a letter\nuser: "It\'s long"\n</example>\n'


@pytest.mark.parametrize(("after", "tools"), [("tools: Read", {"read_file"}), ("color: red", None)])
def test_a_description_with_examples_goes_on_over_lines(tmp_path: Path, after: str, tools: set[str] | None) -> None:
    role = of(tmp_path, LONG + after)
    assert role.description.endswith("""<example> Context: a letter user: "It's long" </example>""")
    assert role.tools == tools


def test_a_description_hides_no_misspelt_key(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="toolz"):
        of(tmp_path, f"{LONG}toolz: Read")


def test_keys_about_the_file_itself_are_ignored(tmp_path: Path) -> None:
    role = of(tmp_path, "version: 1.0.0\nauthor: Ann\ntags: [a, b]\nexpertise_level: expert\ntools: read_file")
    assert role.tools == frozenset({"read_file"})
