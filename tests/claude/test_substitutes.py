"""What the model declines another may answer: asked for where it is paid for, counted at its price, sent back right."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from bot.core import prices
from bot.core.content_blocks import content_text
from bot.core.limits import LimitKind
from bot.core.messages import OutboundKind
from bot.core.model import RequestMeter
from bot.core.phrases import refusal_text_for_person
from bot.core.prices import Micros, SubstituteUsage, Usage, cost_of_usage, make_substitute_usage, total_usage_from_json
from bot.core.role import LEAD_ROLE_NAME
from bot.core.settings import ModelSettings
from bot.core.turn import PaidModelRequest, RequestId, SessionId
from bot.journal import payments
from bot.models.claude.substitutes import (
    FALLBACKS_CHOSEN_BY_SERVER,
    SUBSTITUTES_BETA_HEADER,
    drop_declined_thinking_and_calls,
    without_handovers,
)
from bot.store.sessions import Chapter
from bot.tools.web import web_tools
from tests.stand_ins.bodies import HI, assistant, call, text
from tests.stand_ins.claude import ClaudeStandIn, HandOver, Hold, Search, Thinking, ToolUse, reply
from tests.support.bench import Bench
from tests.support.claude_bot import PROMPTED, Talk
from tests.support.engine_options import engine_options, limits_with

LEAD, OTHER = ModelSettings().lead, "claude-opus-4-8"
LOOKS = ToolUse("read", {"path": "a"})
SEAM = {"type": "fallback", "from": {"model": LEAD}, "to": {"model": OTHER}, "trigger": {"type": "refusal"}}
THOUGHT = {"type": "thinking", "thinking": "", "signature": "x"}
WITH_BETA = {"anthropic-beta": SUBSTITUTES_BETA_HEADER}


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncIterator[Talk]:
    async with ClaudeStandIn() as server:
        yield Talk(Bench(tmp_path), server)


async def test_another_model_answers_a_declined_request(talk: Talk) -> None:
    talk.server.script.say(reply(HandOver(), Thinking(), "Paris."), "and on", "and so on")
    async with talk.run():
        assert [await talk.ask(each) for each in ("hello", "and?", "and then?")] == ["Paris.", "and on", "and so on"]
    first, second, _ = talk.server.requests
    assert first.body["fallbacks"] == FALLBACKS_CHOSEN_BY_SERVER
    assert SUBSTITUTES_BETA_HEADER in first.asked.betas
    assert [block["type"] for block in second.asked.said[1]["content"]] == ["fallback", "thinking", "text"]
    assert talk.spent() >= talk.billed()
    talk.server.verify()


async def test_a_text_is_gone_on_with_where_the_first_model_broke_off(talk: Talk) -> None:
    talk.server.script.say(reply(Thinking(), "The capital of Fra", HandOver(), Thinking(), "nce is Paris."), "and on")
    async with talk.run():
        assert await talk.ask("hello") == "The capital of France is Paris."
        assert await talk.ask("and?") == "and on"
    kept = talk.server.requests[1].asked.said[1]["content"]
    assert [block["type"] for block in kept] == ["text", "fallback", "thinking", "text"]
    assert talk.spent() == talk.billed()
    talk.server.verify()


async def test_calls_and_notes_of_the_model_that_declined_are_gone(talk: Talk) -> None:
    note = "First I change it. Then I look. Then I tell you."
    talk.server.script.say(reply(note, ToolUse("change", {"to": "that"}), HandOver(), "I look.", LOOKS), "done")
    async with talk.run():
        talk.bench.chat.hears("go")
        assert await talk.bench.chat.said(OutboundKind.UPDATE) == "I look."
        assert await talk.bench.chat.said(OutboundKind.REPLY) == "done"
    assert talk.bench.changed == []
    kept = talk.server.requests[1].asked.said[1]["content"]
    assert [block["type"] for block in kept] == ["fallback", "text", "tool_use"]
    assert talk.spent() == talk.billed()
    talk.server.verify()


async def test_each_attempt_is_counted_at_its_own_price(talk: Talk) -> None:
    talk.server.script.say(reply("The capital ", HandOver(), "is Paris."))
    async with talk.run():
        await talk.ask("hello")
    [request] = talk.server.requests
    assert request.others.keys() == {OTHER}
    assert request.billed.prompt > 0
    assert talk.spent() == talk.billed() > cost_of_usage(LEAD, Usage(input=request.billed.prompt))
    [(usage,)] = talk.bench.rows("SELECT usage FROM requests")
    whole = total_usage_from_json(usage)
    assert whole.prompt_tokens == request.billed.prompt + request.others[OTHER].prompt
    assert whole.output == request.billed.output + request.others[OTHER].output
    assert whole.requests == 1


async def test_a_reply_by_a_model_that_was_not_even_asked_is_counted_as_its(talk: Talk) -> None:
    talk.server.script.say(reply(HandOver(is_sticky=True), "Paris."), "and on")
    async with talk.run():
        assert await talk.ask("hello") == "Paris."
        assert talk.spent() == talk.billed()
        assert await talk.ask("and?") == "and on"
    assert talk.server.requests[0].others.keys() == {OTHER}
    talk.server.verify()


async def test_a_request_declined_by_all_models_is_a_refusal(talk: Talk) -> None:
    last = reply(
        "Half ", HandOver(), "of it", stop_reason="refusal", stop_details={"type": "refusal", "category": "bio"}
    )
    talk.server.script.say(last, "and on")
    async with talk.run():
        assert refusal_text_for_person("bio") in await talk.ask("hello")
        assert await talk.ask("and?") == "and on"
    assert "fallback" not in str(talk.server.requests[1].asked.messages)
    assert talk.spent() == talk.billed()


async def test_a_handover_without_a_word_after_it_is_no_answer(talk: Talk) -> None:
    talk.server.script.say(reply(HandOver()), "Paris.", "and on")
    async with talk.run():
        assert await talk.ask("hello") == "Paris."
        assert await talk.ask("and?") == "and on"
    talk.server.verify()


async def test_no_unaffordable_substitute_is_asked_for(talk: Talk) -> None:
    talk.server.script.say(reply(HandOver(), "Paris."))
    less = engine_options(turn=limits_with(cost=Micros(200_000)))  # enough for one attempt
    async with talk.run(**less):
        assert refusal_text_for_person("cyber") in await talk.ask("hello")
    [request] = talk.server.requests
    assert "fallbacks" not in request.body
    assert request.body["max_tokens"] == 16_000  # the attempt itself has all its room
    talk.server.verify()


@pytest.mark.parametrize("model", ["claude-haiku-5-5", "claude-sonnet-5", "claude-opus-4-8"])
async def test_models_without_substitutes_are_asked_for_none(talk: Talk, model: str) -> None:
    async with talk.run(**engine_options(model__lead=model)):
        await talk.ask("hello")
    assert "fallbacks" not in talk.server.requests[0].body
    talk.server.verify()


async def test_another_server_is_asked_for_no_substitutes(talk: Talk) -> None:
    async with talk.run(is_anthropic=False):
        await talk.ask("hello")
    assert "fallbacks" not in talk.server.requests[0].body
    assert SUBSTITUTES_BETA_HEADER not in talk.server.requests[0].asked.betas


async def test_another_model_is_stopped_when_it_has_used_up_what_was_reserved(talk: Talk) -> None:
    slow = Hold(asyncio.Event())
    talk.server.script.say(reply("Half ", HandOver(category="bio"), "of it", slow, "and more"), "and on")
    async with talk.run(**engine_options(model__max_output_tokens=1_100)):  # worth two seconds of the other's
        assert refusal_text_for_person("bio") in await talk.ask("hello")
        assert await talk.ask("and?") == "and on"
    [(reserved, cost)] = talk.bench.rows("SELECT reserved, cost FROM requests WHERE id = 1")
    assert talk.server.requests[0].hung_up
    assert reserved * 0.5 < cost <= reserved * 1.05
    assert "fallback" not in str(talk.server.requests[1].asked.messages)


async def test_both_attempts_are_reserved(talk: Talk) -> None:
    talk.server.script.say(reply("The capital ", HandOver(), "is Paris."))
    async with talk.run():
        await talk.ask("hello")
    [(reserved,)] = talk.bench.rows("SELECT reserved FROM requests")
    [request] = talk.server.requests
    first = prices.PRICING_BY_MODEL[LEAD].card.worst_case_cost(request.billed.prompt, 16_000)
    second = prices.PRICING_BY_MODEL[OTHER].card.worst_case_cost(request.billed.prompt, 0)
    assert reserved == pytest.approx(first + second, rel=0.1)  # the prompt's length is an estimate
    assert reserved >= talk.spent()


async def test_an_unexpectedly_dear_substitute_is_counted_and_not_asked_again(talk: Talk) -> None:
    talk.server.script.say(reply(HandOver(to="claude-fable-5-1"), "Paris."), "and on")
    async with talk.run():
        assert await talk.ask("hello") == "Paris."
        assert await talk.ask("and?") == "and on"
    assert "fallbacks" not in talk.server.requests[1].body
    assert "fallback" not in str(talk.server.requests[1].asked.messages)


async def test_a_request_cut_off_after_a_handover_is_charged_for_both_attempts() -> None:
    meter = RequestMeter(estimated_prompt_tokens=900, sent_at_loop_seconds=0, usage_at_start=Usage(input=1_000))
    before = meter.estimate_usage_so_far(1.0, 16_000)
    meter.record_handover_to_substitute(OTHER, 1.0, 16_000)
    reading = meter.estimate_usage_so_far(2.0, 16_000)
    assert isinstance(reading, SubstituteUsage)
    again = Usage(cache_write_1h=before.prompt_tokens + before.output, output=201)  # it reads what was written too
    assert cost_of_usage(LEAD, reading) == cost_of_usage(LEAD, before) + cost_of_usage(OTHER, again)
    assert reading.tokens_without_cache_reads == before.tokens_without_cache_reads + again.tokens_without_cache_reads


def test_a_second_attempt_is_offered_where_the_reservation_pays_for_it() -> None:
    chapter = Chapter(
        session=SessionId("s"),
        number=1,
        prefix="",
        model=LEAD,
        seq=1,
        last_role="user",
        tokens=10_000,
        cached=0,
        day="",
        is_closing=False,
        refusals=0,
        unaccepted=0,
    )

    def is_paid(reserved: int, model: str = LEAD, limit: LimitKind | None = None) -> bool:
        worth = Micros(reserved)
        request = PaidModelRequest(
            id=RequestId(1), max_tokens=1_000, attempt=1, model=model, limit=limit, reserved=worth
        )
        return payments.is_substitute_paid_for(request, chapter)

    enough = prices.PRICING_BY_MODEL[LEAD].card.worst_case_cost(10_000, 1_000) + prices.PRICING_BY_MODEL[
        OTHER
    ].card.worst_case_cost(10_000, 0)
    assert is_paid(enough)
    assert not is_paid(enough - 1)
    assert not is_paid(enough, model="claude-opus-5")
    assert not is_paid(enough, limit=LimitKind.SECONDS)


def test_the_money_of_a_chain_is_that_of_each_model() -> None:
    one, two, three = Usage(input=1_000_000), Usage(output=1_000_000), Usage(cache_read=1_000_000)
    chain = make_substitute_usage("claude-opus-4-6", three, make_substitute_usage(OTHER, two, one))
    assert cost_of_usage(LEAD, chain) == cost_of_usage(LEAD, one) + cost_of_usage(OTHER, two) + cost_of_usage(
        "claude-opus-4-6", three
    )
    assert chain.tokens_without_cache_reads == 2_000_000


def test_before_the_last_handover_only_texts_and_answered_uses_are_kept() -> None:
    use = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}}
    found = {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []}
    before = [THOUGHT, text("a"), use, found, {**use, "id": "s2"}, call("c1")]
    assert drop_declined_thinking_and_calls([*before, SEAM, THOUGHT, text("b"), call("c2")]) == [
        *(text("a"), use, found, SEAM, THOUGHT, text("b"), call("c2"))
    ]
    assert drop_declined_thinking_and_calls([THOUGHT, SEAM]) == []
    assert without_handovers([HI | {"content": [text("a")]}, assistant(text("a"), SEAM)])[1] == assistant(text("a"))


def test_a_text_that_another_model_goes_on_with_is_one_text() -> None:
    assert content_text([text("a"), SEAM, THOUGHT, text("b"), text("c")]) == "ab\nc"
    assert content_text([text("a"), call("c"), SEAM, text("b")]) == "a\nb"
    assert content_text([SEAM, text("b")]) == "b"
    assert content_text([text("a"), SEAM, SEAM, text("b")]) == "ab"


async def test_a_role_whose_tokens_would_not_do_for_both_asks_for_no_other_model(talk: Talk) -> None:
    async with talk.run(**engine_options(turn=limits_with(tokens=90_000))):
        await talk.ask("hello")
    async with talk.run(**engine_options(turn=limits_with(tokens=40_000))):
        await talk.ask("hello")
    assert ["fallbacks" in each.body for each in talk.server.requests] == [True, False]


async def test_searches_before_a_handover_come_back_with_it(talk: Talk) -> None:
    lead = replace(PROMPTED[LEAD_ROLE_NAME], tools=frozenset(PROMPTED[LEAD_ROLE_NAME].tools or ()) | {"web_search"})
    talk.roles = {**PROMPTED, LEAD_ROLE_NAME: lead}
    talk.server.script.say(reply(Search("x"), "It is said ", HandOver(), "to be Paris."), "and on")
    async with talk.run(tools=[*talk.bench.tools(), *web_tools()]):
        assert await talk.ask("hello") == "It is said to be Paris."
        assert await talk.ask("and?") == "and on"
    kept = talk.server.requests[1].asked.said[1]["content"]
    assert [block["type"] for block in kept][:3] == ["server_tool_use", "web_search_tool_result", "text"]
    talk.server.verify()


async def test_a_note_of_the_model_that_declined_is_not_said_by_a_stop(talk: Talk) -> None:
    note = "First I change it. Then I look. Then I tell you."
    hold = asyncio.Event()
    talk.server.script.say(reply(note, ToolUse("change", {"to": "that"}), HandOver(), Hold(hold), "I look."))
    async with talk.run():
        talk.bench.chat.hears("go")
        await asyncio.sleep(1.5)
        talk.bench.chat.hears("/stop")
        await talk.bench.chat.said(OutboundKind.REPLY)
        hold.set()
    said = talk.bench.rows("SELECT text FROM outbox WHERE kind = 'update'")
    assert note not in [text for (text,) in said]
