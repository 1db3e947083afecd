"""A tool made of a function: what the model is shown of it, and what the function is given."""

import threading
from typing import Annotated, Any

import pytest

from bot.core.acts import Critical, Effect, Part
from bot.core.errors import ToolError
from bot.core.turn import CallKind
from bot.tools import ToolContext, texts, tool
from tests.support.file_workspace import wrong_kind

CONTEXT: Any = "a context"


@tool(
    kind=CallKind.CHANGE,
    effects={Effect.SENDS_OUT},
    critical_arguments={"name": Critical(Part.WHO), "times": Critical(Part.MUCH)},
    uncritical_arguments={"loud"},
    is_repeatable=True,
)
async def greet(
    context: ToolContext,
    name: Annotated[str, "whom"],
    times: Annotated[int, "how often"] = 1,
    loud: Annotated[bool, "whether to shout"] = False,
) -> str:
    """Greet somebody.
    Not for strangers."""
    return f"{context}: {name} {times} {loud}"


@tool(kind=CallKind.READ, effects=())
def where(context: ToolContext) -> str:
    """Say where it runs."""
    return threading.current_thread().name


def test_the_model_sees_the_functions_own_description() -> None:
    assert greet.schema_for_model == {
        "name": "greet",
        "description": "Greet somebody. Not for strangers.",
        "input_schema": {
            "type": "object",
            "properties": {
                "name": {"type": "string", "description": "whom"},
                "times": {"type": "integer", "description": "how often"},
                "loud": {"type": "boolean", "description": "whether to shout"},
            },
            "required": ["name"],
            "additionalProperties": False,
        },
    }
    assert (greet.kind, set(greet.effects), greet.is_repeatable) == (CallKind.CHANGE, {Effect.SENDS_OUT}, True)


async def test_the_function_is_given_what_the_model_gave() -> None:
    assert await greet.run(CONTEXT, {"name": "Ann", "loud": True}) == "a context: Ann 1 True"


async def test_a_plain_function_does_not_hold_up_the_others() -> None:
    assert await where.run(CONTEXT, {}) != threading.main_thread().name


TAKEN = {"tool": "greet", "arguments": "name, times, loud"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"name": None}, texts.MISSING_ARGUMENT(argument="name", description="whom", **TAKEN)),
        ({"name": "Ann", "loud": "yes"}, wrong_kind("loud", "boolean", "whether to shout")),
        ({"name": "Ann", "x" * 200: 1}, texts.UNKNOWN_ARGUMENT(argument="x" * 80, **TAKEN)),
    ],
)
async def test_a_wrong_argument_is_told_with_the_right_ones(arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(ToolError) as error:
        await greet.run(CONTEXT, arguments)
    assert str(error.value) == said
