"""Another model in the place of one that does not answer: `model.fallback`."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.core.content_blocks import text_block
from bot.core.errors import ModelFailed
from bot.core.messages import OutboundKind
from bot.core.model import ModelReply, ModelRequest, ShowTextCallback
from bot.core.prices import PRICING_BY_MODEL, Usage
from bot.core.texts import people_models, reasons
from bot.models.claude import Claude
from bot.models.fallback import FallbackModelRouter, add_fallback_prefix, open_fallback_router
from tests.engine.test_outages import busy
from tests.stand_ins.claude import ClaudeStandIn, Fault, Thinking, ToolUse
from tests.stand_ins.claude import reply as scripted
from tests.support.bench import Bench
from tests.support.claude_bot import QUICK
from tests.support.delegation_calls import says
from tests.support.engine_options import DELEGATION_LIMITS, EngineOptions, engine_options
from tests.support.fakes import ScriptedModel, delegates, reply, uses

REPLY = OutboundKind.REPLY
OTHER = "claude-haiku-5-5"


def with_other(model: str = OTHER, **changes: Any) -> EngineOptions:
    """Another model answers soon."""
    return engine_options(fallback_model_name=add_fallback_prefix(model), fallback_delay_seconds=0.05, **changes)


WITH_OTHER = with_other()


async def test_after_some_patience_another_model_answers_the_rest_of_the_turn(tmp_path: Path) -> None:
    bench, own, other = Bench(tmp_path), ScriptedModel(), ScriptedModel()
    own.says("lead", busy(0.1), busy(0.1), "here again")
    other.says("lead", reply(uses("read")), "in its place")
    settings = with_other(model_retry_seconds=0)
    async with bench.run(model=FallbackModelRouter(own, other), **settings):
        assert await says(bench, "hello") == "in its place"
        assert await says(bench, "and now?") == "here again"
    assert [request.prefix.model for request in other.seen] == [OTHER, OTHER]
    assert bench.rows("SELECT model FROM requests ORDER BY id") == [
        ("claude-sonnet-5-5",),
        ("claude-sonnet-5-5",),
        (add_fallback_prefix(OTHER),),
        (add_fallback_prefix(OTHER),),
        ("claude-sonnet-5-5",),
    ]


async def test_another_models_requests_are_counted_at_its_own_price(tmp_path: Path) -> None:
    bench, own, other = Bench(tmp_path), ScriptedModel(), ScriptedModel()
    own.says("lead", failing_for_operator, "never")
    other.says("lead", "in its place")
    async with bench.run(model=FallbackModelRouter(own, other), **WITH_OTHER):
        await says(bench, "hello")
    [(cost,)] = bench.rows("SELECT cost FROM requests WHERE model LIKE 'fallback/%'")
    assert cost == PRICING_BY_MODEL[OTHER].card.cost_of(reply().usage)


async def failing_for_operator() -> ModelReply:
    raise ModelFailed(reasons.MODEL_AT_FAULT(), "the key is refused")


async def test_a_fault_that_needs_the_operator_moves_to_another_model_at_once(tmp_path: Path) -> None:
    bench, own, other = Bench(tmp_path), ScriptedModel(), ScriptedModel()
    own.says("lead", failing_for_operator)
    other.says("lead", "in its place", "again in its place")
    async with bench.run(model=FallbackModelRouter(own, other), **WITH_OTHER):
        assert await says(bench, "hello") == "in its place"
        assert await says(bench, "more") == "again in its place"  # nobody asks the other first: it was away just now
    assert [request.attempt for request in other.seen] == [1, 1]  # a model's attempts are counted from its first
    notices = bench.select("text, is_quiet", "outbox", "kind = 'notice' AND address LIKE '%room'")
    assert notices == [(people_models.OTHER_MODEL(), 1)]
    assert bench.select("fault", "channels", "name LIKE 'model %'") == [("the key is refused",)]


async def test_a_conversation_goes_to_another_server_and_back_thinking_and_all(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    async with ClaudeStandIn() as first, ClaudeStandIn() as second:
        for server in (first, second):
            server.script.rule(lambda asked: scripted(Thinking(), "answered" if asked.step else ToolUse("read")))
        own, other = (
            Claude(server.api_key, server.base_url, b"secret", is_anthropic=True, patience=QUICK)
            for server in (first, second)
        )
        settings = with_other("claude-sonnet-5-5", model_retry_seconds=0)
        async with open_fallback_router(own, other) as model, bench.run(model=model, **settings):
            for fault in (None, Fault.OVERLOADED, None):
                first.faults.always(fault)
                assert await says(bench, "look") == "answered"
    assert [status for (status,) in bench.select("status", "turns")] == ["completed"] * 3
    assert len([request for request in second.requests if request.billed.output]) == 2
    states = "SELECT DISTINCT turn FROM requests WHERE model LIKE 'fallback/%'"
    assert bench.rows(states) == [("t2",)]


async def test_a_role_keeps_its_token_limit_when_another_model_reads_everything(tmp_path: Path) -> None:
    bench, own, other = Bench(tmp_path), ScriptedModel(), ScriptedModel()
    own.says("lead", delegates("researcher"), "done")
    own.says("researcher", reply(uses("read"), usage=Usage(cache_write_5m=12_000, output=100)), failing_for_operator)
    other.says("researcher", *[reply(text_block("found"), usage=Usage(cache_write_5m=12_200, output=100))] * 2)
    other.says("lead", "done")
    limits = replace(DELEGATION_LIMITS, tokens=20_000)
    roles = {name: replace(role, limits=limits) for name, role in bench.roles.items()}
    bench.roles = roles
    settings = with_other("claude-haiku-4-5", swarm__max_tokens=20_000, swarm__max_tokens_cap=20_000)
    async with bench.run(model=FallbackModelRouter(own, other), **settings):
        await says(bench, "go")
    [(tokens, most)] = bench.rows("SELECT tokens, max_tokens FROM turns WHERE depth = 1")
    assert tokens <= most * 1.05, (tokens, most)


async def test_a_chat_is_told_once_though_two_models_are_away(tmp_path: Path) -> None:
    bench, own, other = Bench(tmp_path), ScriptedModel(), ScriptedModel()
    own.says("lead", failing_for_operator)
    own.says("researcher", failing_for_operator)
    other.says("lead", delegates("researcher"), "done")
    other.says("researcher", "found")
    async with bench.run(model=FallbackModelRouter(own, other), **WITH_OTHER):
        await says(bench, "go")
    told = bench.rows("SELECT text FROM outbox WHERE kind = 'notice' AND text = ?", people_models.OTHER_MODEL())
    assert len(told) == 1, told


async def test_a_chapters_vanished_model_moves_no_turn_from_the_present_model(tmp_path: Path) -> None:
    bench, other = Bench(tmp_path), ScriptedModel()
    bench.model.says("lead", "one")
    async with bench.run(**engine_options(model__lead="claude-opus-5")):
        await says(bench, "hello")

    class Own:
        async def reply(self, request: ModelRequest, show: ShowTextCallback) -> ModelReply:
            if request.prefix.model == "claude-opus-5":
                raise ModelFailed("excuse", "there is no model claude-opus-5")
            return reply(text_block("the usual model"))

    other.says("lead", "summary", "in its place")
    async with bench.run(model=FallbackModelRouter(Own(), other), **WITH_OTHER):
        answer = await says(bench, "and?")
    assert answer == "the usual model"


async def test_another_model_takes_over_though_the_server_names_a_long_wait(tmp_path: Path) -> None:
    bench, own, other = Bench(tmp_path), ScriptedModel(), ScriptedModel()
    own.says("lead", busy(600), busy(600))
    other.says("lead", "in its place")
    async with bench.run(model=FallbackModelRouter(own, other), **WITH_OTHER):
        bench.chat.hears("hello")
        try:
            async with asyncio.timeout(3):
                assert await bench.chat.said(REPLY) == "in its place"
        except TimeoutError:
            rows = bench.rows("SELECT rests_until, is_on_fallback FROM turns")
            bench.crashes()
            pytest.fail(f"it still rests: {rows}")


async def test_a_conversation_that_the_other_model_cannot_hold_waits_for_its_own(tmp_path: Path) -> None:
    bench, own, other = Bench(tmp_path), ScriptedModel(), ScriptedModel()
    own.says("lead", busy(0.1), busy(0.1), "here again")
    other.says("lead", "with 32,000 tokens for 60,000")
    settings = with_other("llama", model__context_tokens=32_000)
    async with bench.run(model=FallbackModelRouter(own, other), **settings):
        answer = await says(bench, "word " * 36_000)
    assert answer == "here again"


async def test_the_other_models_reply_that_breaks_off_is_made_again(tmp_path: Path) -> None:
    bench, own = Bench(tmp_path), ScriptedModel()
    own.says("lead", *[busy(0.02)] * 9)
    async with ClaudeStandIn() as server:
        server.script.rule(lambda asked: scripted("in its place"))
        server.faults.append(Fault.END_AFTER_DELTA)
        other = Claude(server.api_key, server.base_url, b"secret", is_anthropic=True, patience=QUICK)
        async with other, bench.run(model=FallbackModelRouter(own, other), **WITH_OTHER):
            assert await says(bench, "hello") == "in its place"
