"""docs/add-a-tool.md, done as it says."""

import inspect
import re
import textwrap
from pathlib import Path
from typing import Annotated, Any, Literal, Optional

import pytest

from bot.core.errors import ToolError
from bot.core.turn import CallKind
from bot.tools import MAX_RESULT_CHARACTERS, Tool, ToolContext, texts, tool
from bot.tools.files import FileTools
from tests.support.file_workspace import Desk, wrong_kind

PAGE = (Path(__file__).parents[2] / "docs" / "add-a-tool.md").read_text()
CONTEXT: Any = None
PATH = "a text file in the workspace"  # as the page describes it


def test_the_tool_that_it_shows_is_the_one_that_is_there() -> None:
    assert textwrap.indent(textwrap.dedent(inspect.getsource(FileTools.list_dir)), "    ") in PAGE


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """With the tools of the page's own module."""
    _, module = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    (tmp_path / "counting.py").write_text(module)
    names: dict[str, Any] = {"__name__": "counting"}
    exec(compile(module, "counting.py", "exec"), names)
    root = tmp_path / "desk"
    root.mkdir()
    (root / "a.md").write_text("one two\nthree")
    tools: list[Tool] = names["counting_tools"](root)
    assert {each.name for each in tools} == names["NAMES"]
    return Desk(root, {each.name: each for each in tools})


async def test_its_module_is_a_tool(desk: Desk) -> None:
    assert desk.tools["count"].schema_for_model == {
        "name": "count",
        "description": "Count the words or lines of a text file in the workspace.",
        "input_schema": {
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": PATH},
                "what": {"type": "string", "enum": ["lines", "words"], "description": "what to count"},
            },
            "required": ["path"],
            "additionalProperties": False,
        },
    }
    assert [await desk.does("count", path="a.md"), await desk.does("count", path="a.md", what="lines")] == [
        "3 words",
        "2 lines",
    ]


TAKEN = {"tool": "count", "arguments": "path, what"}


def not_a_choice(argument: str, choices: str, description: str) -> str:
    return texts.ARGUMENT_NOT_A_CHOICE(argument=argument, choices=choices, description=description)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"path": "A.md"}, texts.NO_SUCH_PATH_BUT(path="A.md", nearest="a.md")),
        ({"path": "../x"}, texts.PATH_ERRORS["EXDEV"](path="../x")),
        ({"path": "a.md", "what": "signs"}, not_a_choice("what", "'lines', 'words'", "what to count")),
        ({"path": ["a.md"]}, wrong_kind("path", "string", PATH)),
        ({}, texts.MISSING_ARGUMENT(argument="path", description=PATH, **TAKEN)),
        ({"path": "a.md", "wath": "lines"}, texts.UNKNOWN_ARGUMENT_BUT(argument="wath", nearest="what", **TAKEN)),
    ],
)
async def test_a_wrong_argument_is_told_with_the_valid_values(desk: Desk, arguments: dict[str, Any], said: str) -> None:
    assert await desk.fails("count", **arguments) == said


# What a parameter may be


@tool(kind=CallKind.READ, effects=())
def everything(
    context: ToolContext,
    names: Annotated[list[str], "which"],
    share: Annotated[float, "how much"] = 0.5,
    order: Annotated[Literal["up", "down"] | None, "which way"] = None,
    most: Annotated[Optional[int], "how many"] = None,  # noqa: UP045 -- both ways of writing it
) -> str:
    """Take all there is."""
    return f"{names} {share} {order} {most}"


async def test_each_type_is_shown_and_checked() -> None:
    properties = everything.input_schema["properties"]
    assert properties["names"] == {"type": "array", "items": {"type": "string"}, "description": "which"}
    assert properties["share"] == {"type": "number", "description": "how much"}
    assert properties["order"] == {"type": "string", "enum": ["up", "down"], "description": "which way"}
    assert properties["most"] == {"type": "integer", "description": "how many"}
    given = {"names": ["a", "b"], "share": 1, "order": "down", "most": None}
    assert await everything.run(CONTEXT, given) == "['a', 'b'] 1 down None"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"names": "a"}, wrong_kind("names", "array", "which")),
        ({"names": ["a", 1]}, wrong_kind("names", "array", "which")),
        ({"names": [], "share": True}, wrong_kind("share", "number", "how much")),
        ({"names": [], "order": "sideways"}, not_a_choice("order", "'up', 'down'", "which way")),
        ({"names": [], "most": 1.5}, wrong_kind("most", "integer", "how many")),
    ],
)
async def test_an_unfitting_argument_never_arrives(arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(ToolError) as error:
        await everything.run(CONTEXT, arguments)
    assert str(error.value) == said


def test_a_type_that_no_schema_is_made_of_is_a_mistake_of_ours() -> None:
    with pytest.raises(AssertionError, match=r"odd: what is of a type that no tool takes: .*dict"):

        @tool(kind=CallKind.READ, effects=())
        def odd(context: ToolContext, what: Annotated[dict[str, str], "anything"]) -> str:
            """Odd."""
            return ""


async def test_a_result_that_would_fill_the_window_is_cut_and_says_so() -> None:
    @tool(kind=CallKind.READ, effects=())
    def flood(context: ToolContext, length: Annotated[int, "how long"]) -> str:
        """Flood."""
        return "x" * length

    assert await flood.run(CONTEXT, {"length": MAX_RESULT_CHARACTERS}) == "x" * MAX_RESULT_CHARACTERS
    result = str(await flood.run(CONTEXT, {"length": 2 * MAX_RESULT_CHARACTERS}))
    assert result.endswith(f"x\n{texts.RESULT_CUT(characters=60_000)}")
