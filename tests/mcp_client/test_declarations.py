"""What the operator declares about a server's tools; what is not declared counts as the worst."""

from typing import Any

import pytest
from pydantic import ValidationError

from bot.core.acts import ActKind, Critical, Effect, Part
from bot.core.errors import ToolError
from bot.core.mcp_settings import McpServerSettings, TrustedPart
from bot.core.mcp_tools import ListedTool
from bot.core.messages import GroupName
from bot.core.rights import Right
from bot.core.sources import Source
from bot.core.turn import CallKind
from bot.mcp_client import texts
from bot.mcp_client.declarations import declaration_faults, make_tool, make_waiting_tool
from bot.tools import Arguments, Tool, ToolContext
from tests.support.file_workspace import NO_CONTEXT

SCHEMA = {
    "type": "object",
    "properties": {"to": {"type": "string"}, "count": {"type": "integer"}, "loud": {"type": "boolean"}},
}


def listed(name: str = "send") -> ListedTool:
    return ListedTool(server="mail", name=name, description="Sends it.", input_schema=SCHEMA, hash="1")


async def run(context: ToolContext, arguments: Arguments) -> str:
    return "sent"


def server(**fields: Any) -> McpServerSettings:
    return McpServerSettings.model_validate({"command": "mail-server", **fields})


def made(declared: Any = None, **fields: Any) -> Tool:
    tools = {} if declared is None else {"send": declared}
    return make_tool(listed(), server(tools=tools, **fields), run)


def test_what_nobody_declares_is_the_worst() -> None:
    tool = made()
    assert tool.effects == {Effect.READS_PRIVATE, Effect.READS_UNTRUSTED, Effect.SENDS_OUT}
    assert tool.kind is CallKind.CHANGE
    assert {name for name in SCHEMA["properties"] if tool.is_critical(name)} == {"to", "count"}
    assert tool.needed_right is Right.SHELL
    assert tool.result_sources == {Source.SERVERS, Source.PRIVATE_THINGS}


def test_a_description_is_of_the_server_until_the_operator_declares_the_tool() -> None:
    assert made().description_source is Source.SERVERS
    assert made({}).description_source is None


def test_a_tool_that_only_reads_may_run_again() -> None:
    tool = made({"effects": ["reads untrusted"]})
    assert tool.kind is CallKind.READ
    assert tool.result_sources == {Source.SERVERS}
    assert made({"effects": []}).kind is CallKind.READ
    assert made({"effects": []}).result_sources == set()
    assert made({"effects": ["reads private", "makes new"]}).kind is CallKind.CHANGE


def test_arguments_are_as_declared() -> None:
    tool = made({"critical": {"loud": {"part": "value"}}, "uncritical": ["count"]})
    assert {name for name in SCHEMA["properties"] if tool.is_critical(name)} == {"to", "loud"}


async def test_the_gate_is_told_what_was_declared() -> None:
    said = {"part": "who", "type": "address", "shape": "[^@]+@[^@]+"}
    declared = {"effects": ["sends out"], "acts": ["send"], "things": ["mail"], "critical": {"to": said}}
    act = await made({**declared, "uncritical": ["count"]}).find_act_of_call(NO_CONTEXT, {"to": "a@b", "count": 2})
    assert act
    assert act.kinds == {ActKind.SEND}
    assert act.things == {"mail"}
    assert not act.is_query
    assert act.values == ((Critical(Part.WHO, "address", "[^@]+@[^@]+"), "a@b"),)
    assert act.free_text == "2"


async def test_the_gate_knows_nothing_of_what_was_not_declared() -> None:
    act = await made().find_act_of_call(NO_CONTEXT, {"to": "a@b", "loud": True})
    assert act
    assert (act.kinds, act.values) == (frozenset(), ((Critical(Part.VALUE), "a@b"),))
    assert await made({"effects": ["reads private"]}).find_act_of_call(NO_CONTEXT, {"to": "a@b"}) is None


async def test_an_argument_that_is_left_out_is_critical_unless_it_is_a_switch() -> None:
    declared = {"effects": ["sends out"], "acts": ["send"], "critical": {"to": {"part": "who"}}}
    act = await made(declared).find_act_of_call(NO_CONTEXT, {"to": "a@b", "count": 2, "loud": True, "new": "x"})
    assert act
    assert act.values == ((Critical(Part.WHO), "a@b"), (Critical(Part.VALUE), "2"), (Critical(Part.VALUE), "x"))
    assert act.free_text == "true"


async def test_a_switch_may_be_critical_with_what_people_say_for_it() -> None:
    loud = {"part": "value", "said_as": {"true": ["loudly"]}}
    declared = {"effects": ["sends out"], "acts": ["send"], "critical": {"loud": loud}}
    act = await made(declared).find_act_of_call(NO_CONTEXT, {"loud": True})
    assert act
    [(critical, value)] = act.values
    assert dict(critical.said_as)[value] == ("loudly",)


def test_a_trusted_part_is_a_type_or_says_whose_its_values_are() -> None:
    amounts = [{"type": "amount", "of": ["payer"]}, {"type": "amount", "own": {"payer": "me", "is_sent": True}}]
    parts = {"a.id": "id", "a.sum": amounts[0], "a.total": amounts, "a.name": ["name"]}
    declared = server(tools={"list": {"trusted_parts": parts}}).tools["list"].trusted_parts
    of_payer = TrustedPart(type="amount", of=("payer",))
    own = TrustedPart(type="amount", own={"payer": "me", "is_sent": True})
    assert declared == {
        "a.id": (TrustedPart(type="id"),),
        "a.sum": (of_payer,),
        "a.total": (of_payer, own),
        "a.name": (TrustedPart(type="name"),),
    }


async def test_a_tool_that_only_asks_is_a_query() -> None:
    declared = {"effects": ["sends out", "reads untrusted"], "is_query": True, "critical": {"to": {"part": "where"}}}
    act = await made(declared).find_act_of_call(NO_CONTEXT, {"to": "weather"})
    assert act
    assert act.is_query


@pytest.mark.parametrize(
    "wrong",
    [
        {"effects": ["sends"]},
        {"acts": ["sell"]},
        {"critical": {"to": {"part": "whom"}}},
        {"critical": {"to": {"part": "who", "shape": "("}}},
        {"critical": {"to": {"part": "who"}}, "uncritical": ["to"]},
        {"criticals": {}},
        {"trusted_parts": {"a": {"type": "id", "off": ["b"]}}},
        {"trusted_parts": {"a": {"of": ["b"]}}},
        {"trusted_parts": {"a": {"type": "id", "own": ["b"]}}},
        {"trusted_parts": {"a": ["id", 7]}},
    ],
)
def test_a_wrong_declaration_is_refused(wrong: Any) -> None:
    with pytest.raises(ValidationError):
        server(tools={"send": wrong})


def test_what_is_declared_and_does_not_exist_is_told() -> None:
    tools = {"send": {"critical": {"too": {"part": "who"}}, "uncritical": ["loud", "lowd"]}, "snd": {}}
    found = declaration_faults("mail", server(tools=tools), {"send": listed()})
    arguments = [texts.DECLARED_UNKNOWN_ARGUMENT(server="mail", tool="send", argument=name) for name in ("too", "lowd")]
    assert [*found] == [*arguments, texts.DECLARED_UNKNOWN_TOOL(server="mail", tool="snd")]


@pytest.mark.parametrize(
    ("fields", "role", "group", "may"),
    [
        ({}, "writer", "", True),
        ({"roles": ["Writer"]}, "writer", "", True),
        ({"roles": ["writer"]}, "lead", "", False),
        ({"groups": ["home"]}, "home", "home", True),
        ({"groups": ["home"]}, "lead", "", False),
        ({"groups": ["home"]}, "writer", None, True),
        ({"groups": ["home"], "roles": ["writer"]}, "home", "home", False),
    ],
)
def test_a_server_is_for_some_roles_and_groups(fields: Any, role: str, group: str | None, may: bool) -> None:
    assert made(**fields).may_be_offered(role, None if group is None else GroupName(group)) == may


async def test_a_tool_that_waits_for_the_owner_refuses_its_calls() -> None:
    tool = make_waiting_tool(listed(), server())
    assert tool.denial_reason
    assert tool.denial_reason(NO_CONTEXT) == texts.TOOL_WAITS_FOR_OWNER(tool="mail__send")
    with pytest.raises(ToolError, match="until the owner allows it"):
        await tool.run(NO_CONTEXT, {})
