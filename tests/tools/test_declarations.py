"""What a tool declares: its effects, and which of its arguments are critical. Without that it is not made."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import pytest

from bot.cli.roles import load_delegation_rules
from bot.config import load
from bot.core.acts import CONSEQUENTIAL_EFFECTS, EFFECT_NAMES, Critical, Effect, Part
from bot.core.errors import ToolDeclarationError
from bot.core.sources import Source
from bot.core.texts import operators
from bot.core.turn import CallKind
from bot.tools import Tool, ToolContext, tool
from bot.tools.files import file_tools
from bot.tools.parameters import closed_object_schema, string_schema
from tests.support.file_workspace import NO_CONTEXT

MAIL = closed_object_schema({"to": string_schema("who"), "text": string_schema("what")})
PARTS = ", ".join(each.name for each in Part)
OTHERS = ", ".join(sorted(CONSEQUENTIAL_EFFECTS))


def mail(**declared: Any) -> Tool:
    declared = {"effects": frozenset({Effect.SENDS_OUT}), **declared}
    return Tool(name="mail", description="Mail it.", input_schema=MAIL, **{"kind": CallKind.ROW, **declared})


@pytest.mark.parametrize(
    ("declared", "said"),
    [
        ({"effects": None}, operators.TOOL_WITHOUT_EFFECTS(tool="mail", effects=EFFECT_NAMES)),
        ({"effects": frozenset({"sends"})}, operators.TOOL_WITHOUT_EFFECTS(tool="mail", effects=EFFECT_NAMES)),
        (
            {"effects": frozenset({Effect.READS_PRIVATE}), "kind": CallKind.CHANGE},
            operators.TOOL_CHANGES_WITHOUT_EFFECT(tool="mail", effects=OTHERS),
        ),
        ({}, operators.TOOL_ARGUMENTS_NOT_DECLARED(tool="mail", arguments="text, to", effects="sends out")),
        (
            {"critical_arguments": {"to": Critical(Part.WHO)}},
            operators.TOOL_ARGUMENTS_NOT_DECLARED(tool="mail", arguments="text", effects="sends out"),
        ),
        (
            {"critical_arguments": {"to": Critical(Part.WHO)}, "uncritical_arguments": frozenset({"to", "text"})},
            operators.TOOL_ARGUMENT_IS_BOTH(tool="mail", arguments="to"),
        ),
        *(
            ({"critical_arguments": wrong}, operators.TOOL_CRITICAL_WRONG(tool="mail", parts=PARTS))
            for wrong in ({"to"}, {"to": "who"}, {"to": Part.WHO})
        ),
        (
            {"kind": CallKind.READ, "effects": frozenset({Effect.SPENDS, Effect.SENDS_OUT})},
            operators.TOOL_READS_WITH_EFFECT(tool="mail", effects="spends"),
        ),
    ],
)
def test_a_tool_without_a_complete_declaration_is_not_made(declared: Mapping[str, Any], said: str) -> None:
    with pytest.raises(ToolDeclarationError) as error:
        mail(**declared)
    assert str(error.value) == said


@pytest.mark.parametrize("effect", sorted(CONSEQUENTIAL_EFFECTS))
def test_each_consequential_effect_asks_for_the_arguments(effect: Effect) -> None:
    with pytest.raises(ToolDeclarationError, match="text, to"):
        mail(effects=frozenset({effect}))


def test_a_tool_that_only_reads_need_not_declare_its_arguments() -> None:
    assert mail(effects=frozenset({Effect.READS_PRIVATE, Effect.READS_UNTRUSTED})).critical_arguments == {}


def test_a_function_without_effects_is_no_tool() -> None:
    with pytest.raises(ToolDeclarationError, match="the tool silent is not loaded: it does not declare its effects"):

        @tool(kind=CallKind.READ)
        def silent(context: ToolContext, text: Annotated[str, "what"]) -> str:
            """Say nothing."""
            return text


def test_a_complete_tool_stays_complete_when_it_is_changed() -> None:
    complete = mail(critical_arguments={"to": Critical(Part.WHO)}, uncritical_arguments=frozenset({"text"}))
    with pytest.raises(ToolDeclarationError, match="copy"):
        replace(complete, input_schema=closed_object_schema({"to": {}, "text": {}, "copy": {}}))


def test_an_argument_that_nobody_declared_counts_as_critical() -> None:
    complete = mail(critical_arguments={"to": Critical(Part.WHO)}, uncritical_arguments=frozenset({"text"}))
    assert [complete.is_critical(each) for each in ("to", "text", "copy")] == [True, False, True]


def test_what_a_tool_reads_has_sources_of_both_kinds(tmp_path: Path) -> None:
    sources = {each.name: each.result_sources for each in file_tools(tmp_path)}
    assert sources == {
        "read_file": {Source.FILES, Source.PRIVATE_FILES},
        "list_dir": {Source.FILES, Source.PRIVATE_FILES},
        "write_file": frozenset(),
        "edit_file": {Source.PRIVATE_FILES},
    }


async def test_a_call_of_write_file_makes_a_file_or_replaces_one(tmp_path: Path) -> None:
    (tmp_path / "old.md").write_text("old")
    write = next(each for each in file_tools(tmp_path) if each.name == "write_file")
    paths = ("old.md", "new.md", "a/new.md", "../x")
    found = {path: await write.effects_of_call(NO_CONTEXT, {"path": path}) for path in paths}
    assert found == {
        "old.md": {Effect.REPLACES},
        "new.md": {Effect.MAKES_NEW},
        "a/new.md": {Effect.MAKES_NEW},
        "../x": write.effects,
    }


@pytest.mark.parametrize(
    ("name", "arguments", "effects"),
    [
        ("delegate", {"role": "writer", "task": "x"}, {Effect.SPENDS}),
        ("delegate", {"group": "mail", "task": "x"}, {Effect.SPENDS, Effect.SENDS_OUT}),
        ("schedule_create", {"task": "x", "only_if": "file_there"}, {Effect.MAKES_NEW, Effect.SPENDS}),
        ("schedule_create", {"only_if": "page_changed"}, {Effect.MAKES_NEW, Effect.SPENDS, Effect.SENDS_OUT}),
        ("schedule_change", {"number": 1, "change": "pause"}, {Effect.REPLACES}),
        ("schedule_change", {"number": 1, "change": "delete"}, {Effect.DESTROYS}),
        ("memory_forget", {"id": 1}, {Effect.DESTROYS}),
    ],
)
async def test_the_arguments_of_a_call_tell_its_effects(
    tmp_path: Path, name: str, arguments: dict[str, Any], effects: set[Effect]
) -> None:
    (tmp_path / "config.json").write_text("{}")
    tools = load_delegation_rules(load(tmp_path / "config.json", variables={})).tools
    assert await tools[name].effects_of_call(NO_CONTEXT, arguments) == effects
