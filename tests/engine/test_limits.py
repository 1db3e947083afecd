"""A turn or a role that reaches what it may use: asked once more, without tools, and answered in any case."""

import asyncio
from dataclasses import dataclass

import pytest

from bot.core.content_blocks import text_block
from bot.core.errors import RetryableModelFailure
from bot.core.limits import Limits
from bot.core.messages import OutboundKind
from bot.core.model import ModelReply
from bot.core.prices import Micros, Usage
from bot.core.texts import people, reasons
from tests.support.bench import WORKERS, Bench
from tests.support.engine_options import engine_options, limits_with
from tests.support.fakes import Step, delegates, failing, never, reply, role, uses

REPLY, UPDATE = OutboundKind.REPLY, OutboundKind.UPDATE

RESEARCHER = WORKERS[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reached:
    """A limit, and what one step must use to reach it."""

    lead: Limits
    role: Limits
    usage: Usage
    reason: str


REACHED = {
    "iterations": Reached(
        lead=limits_with(iterations=1),
        role=limits_with(iterations=1),
        usage=Usage(output=10),
        reason=reasons.STEPS_USED(1),
    ),
    "tokens": Reached(
        lead=limits_with(tokens=30_000),
        role=limits_with(tokens=30_000),
        usage=Usage(cache_write_1h=28_500, output=100),
        reason=reasons.TOKENS_USED(tokens=30_000),
    ),
    "dollars": Reached(
        lead=limits_with(cost=Micros(150_000)),
        role=limits_with(cost=Micros(7_800)),
        usage=Usage(output=9_000),
        reason=reasons.TURN_BUDGET_USED(),
    ),
}
limits = pytest.mark.parametrize("reached", REACHED.values(), ids=REACHED)


def report(bench: Bench) -> str:
    """What the lead heard of its delegation, with the line of facts."""
    return str(bench.model.asked("lead")[-1].transcript[-1].content[0]["content"])


def status(bench: Bench, role: str = "lead") -> list[tuple[str, str]]:
    return bench.rows("SELECT status, reason FROM turns WHERE role = ?", role)


@limits
async def test_a_turn_at_a_limit_answers_with_one_last_request_without_tools(bench: Bench, reached: Reached) -> None:
    bench.model.says("lead", reply(text_block("hm"), uses("read"), usage=reached.usage), "as far as I got")
    async with bench.run(**engine_options(turn=reached.lead)):
        bench.chat.hears("dig")
        assert await bench.chat.said() == "as far as I got"
    assert [request.may_call_tools for request in bench.model.seen] == [True, False]
    assert bench.model.heard("lead")[0] == "read"  # the calls of a reply already paid for are run
    assert status(bench) == [("budget", reached.reason)]


@limits
async def test_a_role_at_a_limit_reports_what_it_has_and_why_it_is_not_all(bench: Bench, reached: Reached) -> None:
    bench.roles[RESEARCHER] = role("researcher", "read", limits=reached.role)
    bench.model.says("lead", delegates("researcher"), "thanks")
    bench.model.says("researcher", reply(uses("read"), usage=reached.usage), "half of it")
    async with bench.run():
        bench.chat.hears("go")
        assert await bench.chat.said() == "thanks"
    facts, said = report(bench).split("\n")
    assert facts.startswith(f"delegation t1/2/0 · budget ({reached.reason}) · 0 s · ")
    assert said == "[Researcher]: half of it"
    assert "is_error" not in bench.model.asked("lead")[-1].transcript[-1].content[0]
    assert [request.may_call_tools for request in bench.model.asked("researcher")] == [True, False]
    assert status(bench, "researcher") == [("budget", reached.reason)]


@limits
@pytest.mark.parametrize("last", [failing, never], ids=["fails", "never answers"])
async def test_if_the_last_words_fail_the_harness_answers_with_the_reason(
    bench: Bench, reached: Reached, last: Step
) -> None:
    bench.model.says("lead", reply(text_block("a first trace"), uses("read"), usage=reached.usage), last)
    async with bench.run(**engine_options(turn=reached.lead, last_words_timeout_seconds=0.05)):
        bench.chat.hears("dig")
        assert await bench.chat.said(UPDATE) == "a first trace"
        assert await bench.chat.said(REPLY) == people.LEFT(reason=reached.reason, messages="“dig”")
    assert status(bench) == [("budget", reached.reason)]


@pytest.mark.parametrize("last", [failing, never], ids=["fails", "never answers"])
@pytest.mark.parametrize("said", ["a first trace", ""])
async def test_if_a_roles_last_words_fail_its_parent_hears_the_earlier_ones(
    bench: Bench, last: Step, said: str
) -> None:
    bench.roles[RESEARCHER] = role("researcher", "read", limits=limits_with(iterations=1))
    first = [text_block(said)] if said else []
    bench.model.says("lead", delegates("researcher"), "thanks")
    bench.model.says("researcher", reply(*first, uses("read")), last)
    async with bench.run(**engine_options(last_words_timeout_seconds=0.05)):
        bench.chat.hears("go")
        assert await bench.chat.said() == "thanks"
    facts, *rest = report(bench).split("\n")
    assert facts.startswith(f"delegation t1/2/0 · budget ({reasons.STEPS_USED(1)}) · ")
    assert rest == [f"[Researcher]: {said or '(no output)'}"]


async def test_the_time_for_the_last_words_is_the_same_at_every_attempt(bench: Bench) -> None:
    async def busy() -> ModelReply:
        await asyncio.sleep(0)
        raise RetryableModelFailure("overloaded", seconds=0.02)

    bench.model.says("lead", reply(uses("read")), *[busy] * 20)
    async with bench.run(**engine_options(turn=limits_with(iterations=1), last_words_timeout_seconds=0.05)):
        bench.chat.hears("dig")
        assert await bench.chat.said() == people.LEFT(reason=reasons.STEPS_USED(1), messages="“dig”")


async def test_a_role_that_completes_reports_one_exact_line_of_facts(bench: Bench) -> None:
    bench.model.says("lead", delegates("researcher"), "thanks")
    bench.model.says("researcher", reply(text_block("all of it"), usage=Usage(input=12_000, output=58_000)))
    async with bench.run():
        bench.chat.hears("go")
        assert await bench.chat.said() == "thanks"
    assert report(bench) == "delegation t1/2/0 · completed · 0 s · 70,000 tokens · $0.03\n[Researcher]: all of it"


async def test_a_role_may_use_more_than_the_default_as_far_as_the_cap(bench: Bench) -> None:
    bench.roles[RESEARCHER] = role(
        "researcher", "read", limits=limits_with(iterations=3, tokens=900_000, seconds=9_000)
    )
    bench.model.says("lead", delegates("researcher"), "thanks")
    bench.model.says("researcher", "done")
    async with bench.run():
        bench.chat.hears("go")
        assert await bench.chat.said() == "thanks"
    assert bench.select("max_iterations, max_tokens, max_seconds", "turns", "depth = 1") == [(3, 500_000, 1_800.0)]


async def test_a_role_may_use_at_most_its_parents_remaining_tokens(bench: Bench) -> None:
    bench.model.says("lead", reply(*delegates("researcher").content, usage=Usage(output=12_000)), "thanks")
    bench.model.says("researcher", reply(uses("read"), usage=Usage(output=17_500)), "half of it")
    async with bench.run(**engine_options(turn=limits_with(tokens=30_000))):
        bench.chat.hears("go")
        await bench.chat.said()
    assert bench.select("reason", "turns", "depth = 1") == [(reasons.TOKENS_USED(tokens=18_000),)]


# The notice


async def test_each_turn_of_a_chat_has_fresh_limits(bench: Bench) -> None:
    bench.model.says("lead", reply(uses("read")), "one", reply(uses("read")), "two")
    async with bench.run(**engine_options(turn=limits_with(iterations=1))):
        for said in ("one", "two"):
            bench.chat.hears("dig")
            assert await bench.chat.said() == said
    assert [request.may_call_tools for request in bench.model.seen] == [True, False, True, False]
