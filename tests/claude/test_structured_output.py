"""Reports and calls that the server holds to their schema, where it can."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from bot.core.content_blocks import text_block
from bot.core.messages import Address, RoleName
from bot.core.model import ModelRequest, TranscriptEntry
from bot.core.prompt_prefix import PromptPrefix
from bot.models.claude.enforceable_schema import MAX_OPTIONAL_FIELDS, MAX_UNION_SCHEMAS, make_enforceable_schema
from bot.models.claude.request_body import build_request_body
from bot.models.claude.traits import ModelTraits, reduce_traits_for_other_server, traits_from_table
from bot.tools import Tool
from bot.tools.web import web_tools
from tests.stand_ins.claude import ToolUse, reply
from tests.support.claude_bot import PROMPTED, Talk, talk

__all__ = ["talk"]

TEXT, WHOLE = {"type": "string"}, {"type": "integer"}
FORM = {"type": "object", "required": ["price"], "properties": {"price": {**WHOLE, "minimum": 1}}}
CLOSED = {"type": "object", "required": ["price"], "properties": {"price": WHOLE}, "additionalProperties": False}
RESEARCHER = RoleName("researcher")


def fields(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def closed(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": [], "additionalProperties": False}


@pytest.mark.parametrize(
    ("form", "grammar"),
    [
        (FORM, CLOSED),
        (fields(a=fields(b={**TEXT, "maxLength": 9, "description": "short"})),
         closed(a=closed(b={**TEXT, "description": "short"}))),
        (fields(a={"type": "array", "items": fields(b=TEXT), "minItems": 2}),
         closed(a={"type": "array", "items": closed(b=TEXT)})),
        (fields(a={"anyOf": [TEXT, {"type": "null"}]}, b={"enum": ["x", 1]}),
         closed(a={"anyOf": [TEXT, {"type": "null"}]}, b={"enum": ["x", 1]})),
        ({**fields(a=TEXT), "additionalProperties": False}, closed(a=TEXT)),
    ],
)  # fmt: skip
def test_a_schema_is_closed_and_loses_its_measures_and_nothing_else(form: object, grammar: object) -> None:
    assert make_enforceable_schema(json.dumps(form)) == grammar


@pytest.mark.parametrize(
    "form",
    [
        {"type": "object"},
        fields(),
        {**fields(a=TEXT), "additionalProperties": True},
        {**fields(a=TEXT), "additionalProperties": TEXT},
        {**fields(a=TEXT), "required": ["b"]},
        {**fields(a=TEXT), "patternProperties": {"x": TEXT}},
        fields(a={"type": ["string", "null"]}),
        fields(a={"$ref": "#"}),
        fields(a={"type": "array"}),
        fields(a={}),
        fields(a=True),
        fields(a={"enum": [["x"]]}),
        fields(a={"type": "string", "items": TEXT}),
        {"type": "array", "items": TEXT},
        TEXT,
        fields(**{f"f{number}": TEXT for number in range(MAX_OPTIONAL_FIELDS + 1)}),
        fields(**{f"f{number}": {"anyOf": [TEXT, WHOLE]} for number in range(MAX_UNION_SCHEMAS + 1)}),
    ],
)
def test_an_unenforceable_schema_is_not_sent(form: object) -> None:
    assert make_enforceable_schema(json.dumps(form)) is None


async def delegated(talk: Talk, form: object, report: str, also: Sequence[Tool] = ()) -> list[dict[str, Any]]:
    """What the researcher's requests say of their output, where the lead asks for that form."""
    look = {"role": "researcher", "task": "look", "output_format": json.dumps(form)}
    talk.server.script.say(reply(ToolUse("delegate", look)), "done", system="the lead")
    talk.server.script.say(report, system="the researcher")
    async with talk.run(tools=[*talk.bench.tools(), *also]):
        assert await talk.ask("go") == "done"
    talk.server.verify()
    return [each.asked.output_config for each in talk.server.requests if "the researcher" in each.asked.system]


async def test_a_report_is_held_to_its_form_by_the_server(talk: Talk) -> None:
    told = await delegated(talk, FORM, '{"price": 5}')
    assert told == [{"format": {"type": "json_schema", "schema": CLOSED}}]
    [lead, *_] = talk.server.requests
    assert "format" not in lead.asked.output_config


@pytest.mark.parametrize("form", [{"type": "object"}, {**FORM, "minProperties": 1}])
async def test_an_unsupported_schema_is_told_in_words_and_checked_here(talk: Talk, form: Any) -> None:
    assert await delegated(talk, form, '{"price": 5}') == [{}]


async def test_a_role_with_the_web_is_not_held_to_a_form_since_pages_are_cited(talk: Talk) -> None:
    names = frozenset({"read", "web_search"})
    talk.roles = {**PROMPTED, RESEARCHER: replace(PROMPTED[RESEARCHER], tools=names)}
    lead = RoleName("lead")
    talk.roles[lead] = replace(PROMPTED[lead], tools=frozenset({*(PROMPTED[lead].tools or ()), *names, "delegate"}))
    assert await delegated(talk, FORM, '{"price": 5}', web_tools()) == [{}]


async def test_the_arguments_of_delegate_are_held_to_their_schema(talk: Talk) -> None:
    async with talk.run():
        await talk.ask("hi")
    [request] = talk.server.requests
    assert [tool["name"] for tool in request.asked.tools if tool.get("strict")] == ["delegate"]
    talk.server.verify()


@pytest.mark.parametrize(
    "traits", [traits_from_table("llama"), reduce_traits_for_other_server(traits_from_table("claude-haiku-5-5"))]
)
def test_a_server_that_cannot_hold_to_a_schema_is_sent_none(traits: ModelTraits) -> None:
    shown = {"name": "delegate", "description": "", "input_schema": closed(), "strict": True}
    request = ModelRequest(
        chapter_name="c",
        address=Address(channel="fake", chat="room"),
        prefix=PromptPrefix(model="llama", effort="medium", system="You help.", tools=(shown,)),
        transcript=[TranscriptEntry(role="user", content=[text_block("Ann: hi")])],
        may_call_tools=True,
        max_tokens=9,
        form=json.dumps(FORM),
    )
    body = build_request_body(request, "somebody", traits)
    assert body["tools"] == [{key: shown[key] for key in shown if key != "strict"}]
    assert "output_config" not in body
