"""How hard Claude works at a reply: lightly while no tools are in play, and the cache is read all the same."""

import json
from dataclasses import replace
from itertools import pairwise

import pytest

from bot.core.messages import Address
from bot.core.model import ModelRequest, TranscriptEntry
from bot.core.prompt_prefix import PromptPrefix
from bot.core.role import LEAD_ROLE_NAME
from bot.core.settings import Settings
from bot.delegation.rules import TOOLLESS_REPLY_EFFORT, build_resolved_role
from bot.models.claude.message_layout import USUAL_EFFORT_REPLIES_AFTER_CALL
from bot.models.claude.request_body import EFFORT_BETA_HEADER, build_request_body
from bot.models.claude.traits import traits_from_table
from tests.stand_ins.claude import Request, Thinking, ToolUse, reply
from tests.support.claude_bot import PROMPTED, Talk, talk
from tests.support.engine_options import TURN_LIMITS, change_settings

__all__ = ["talk"]

USUAL = Settings().model.effort
OLD = {"effort": "high", "model": "m", "system": "You help.", "tools": []}  # a body of before there was a light effort


def efforts(request: Request) -> list[str]:
    """Of each reply so far, and of the one that is asked for: as it was set last before it."""
    found, now = [], USUAL
    for message in request.asked.messages:
        now = message.get("output_config", {}).get("effort", now)
        found += [now] if message["role"] == "assistant" else []
    return [*found, now]


async def test_a_chat_gets_low_effort_until_tools_come_and_keeps_its_cache(talk: Talk) -> None:
    later = [f"reply {number}" for number in range(USUAL_EFFORT_REPLIES_AFTER_CALL + 2)]
    talk.server.script.say(reply(Thinking(), "hi"), reply(Thinking(), ToolUse("read", {"path": "a"})), *later)
    async with talk.run():
        for word in ("hello", "read a", *later[1:]):
            await talk.ask(word)
    light, usual = TOOLLESS_REPLY_EFFORT, USUAL
    assert efforts(talk.server.requests[-1]) == [light, light, *[usual] * USUAL_EFFORT_REPLIES_AFTER_CALL, light, light]
    assert {request.body["output_config"]["effort"] for request in talk.server.requests} == {usual}
    for before, after in pairwise(talk.server.requests):
        assert after.billed.read == before.billed.read + before.billed.write_1h
        assert efforts(after)[: len(efforts(before))] == efforts(before), "what was said stays said"
    talk.server.verify()


async def test_a_delegation_or_lead_with_its_own_effort_keeps_it_throughout(talk: Talk) -> None:
    talk.roles = {**PROMPTED, LEAD_ROLE_NAME: replace(PROMPTED[LEAD_ROLE_NAME], effort="high")}
    talk.server.script.say(reply(ToolUse("delegate", {"role": "analyst", "task": "look"})), "done", system="the lead")
    talk.server.script.say("found", system="the analyst")
    async with talk.run():
        assert await talk.ask("go") == "done"
    for request in talk.server.requests:
        assert EFFORT_BETA_HEADER not in request.asked.betas
        assert request.asked.said == request.asked.messages


@pytest.mark.parametrize("model", ["claude-sonnet-5", "claude-haiku-4-5", "llama"])
def test_a_model_without_such_entries_has_none(model: str) -> None:
    prefix = PromptPrefix(model=model, effort="medium", light_effort="low", system="You help.", tools=())
    request = ModelRequest(
        chapter_name="c",
        address=Address(channel="fake", chat="room"),
        prefix=prefix,
        transcript=[TranscriptEntry(role="user", content=[{"type": "text", "text": "Ann: hi"}])],
        may_call_tools=True,
        max_tokens=9,
    )
    body = build_request_body(request, "somebody", traits_from_table(model))
    assert [message["role"] for message in body["messages"]] == ["user"]
    assert EFFORT_BETA_HEADER not in str(body)


@pytest.mark.parametrize(
    ("own", "configured", "light"),
    [("", "medium", TOOLLESS_REPLY_EFFORT), ("", TOOLLESS_REPLY_EFFORT, ""), ("high", "medium", "")],
)
def test_only_who_answers_people_by_the_usual_effort_is_light(own: str, configured: str, light: str) -> None:
    lead, settings = (
        replace(PROMPTED[LEAD_ROLE_NAME], effort=own),
        change_settings(Settings(), model__effort=configured),
    )
    for answers_people in (True, False):
        prefix = build_resolved_role(lead, (), TURN_LIMITS, settings, answers_people=answers_people).prefix
        assert prefix.light_effort == (light if answers_people else "")
        assert PromptPrefix.from_json(prefix.canonical_json) == prefix


def test_an_older_chapters_prefix_is_read_unchanged() -> None:
    body = json.dumps(OLD, sort_keys=True)
    assert PromptPrefix.from_json(body).canonical_json == body
