"""What a role may use holds, however much it reads: its last words read the cache, and their tokens are kept back."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bot.core.limits import Limits
from bot.core.messages import RoleName
from bot.core.prices import Micros
from bot.core.texts import model
from bot.tools import Arguments, Tool, ToolContext
from bot.tools.web import web_tools
from tests.stand_ins.claude import Asked, Fetch, Page, Reply, Search, Text, Thinking, ToolUse, reply
from tests.support.claude_bot import PROMPTED, Talk, talk
from tests.support.engine_options import TURN_LIMITS, limits_with

__all__ = ["talk"]

RESEARCHER = RoleName("researcher")
FILE = "so it is written there, word for word. " * 615  # 24 kB
PAGE = "what stands on the page, as it was found. " * 600
WEB = frozenset({"web_search", "web_fetch"})


def long_files(tools: list[Tool]) -> list[Tool]:
    async def read(context: ToolContext, arguments: Arguments) -> str:
        return f"{context.call_id}: {FILE}"

    return [*(replace(tool, run=read) if tool.name == "read" else tool for tool in tools), *web_tools()]


def is_last(asked: Asked) -> bool:
    return model.LAST_WORDS.partition("{reason}")[2] in str(asked.messages[-1])


def reads(count: int) -> Callable[[Asked], Reply]:
    """A model that reads on and on, also when it is told that nothing is run any more."""

    def says(asked: Asked) -> Reply:
        calls = [ToolUse("read", {"path": f"{asked.step}/{number}"}) for number in range(count)]
        return reply(Thinking("hm " * 200), Text("I read on."), *calls)

    return says


def browses(asked: Asked) -> Reply:
    looks = Search("q", (Page("https://a.example", text=PAGE),)), Fetch("https://a.example/page", PAGE)
    return (
        reply("As far as I got.")
        if is_last(asked)
        else reply(*looks, Text("I read on."), ToolUse("change", {"to": asked.step}))
    )


@pytest.mark.parametrize("says", [reads(1), reads(4), reads(20), browses], ids=["one", "four", "twenty", "web"])
@pytest.mark.parametrize(
    "limits",
    [
        limits_with(tokens=30_000),
        limits_with(tokens=50_000),
        limits_with(tokens=200_000),
        limits_with(iterations=3),
        limits_with(tokens=200_000, cost=Micros(30_000)),
    ],
    ids=["30,000 tokens", "50,000 tokens", "200,000 tokens", "three steps", "three cents"],
)
async def test_no_role_spends_more_than_a_twentieth_above_a_cap(talk: Talk, limits: Limits, says: Any) -> None:
    talk.bench.is_gate_open = True
    researcher = replace(PROMPTED[RESEARCHER], tools=frozenset({"read", "change"}) | WEB, limits=limits)
    lead = PROMPTED[RoleName("lead")]
    talk.roles = {**PROMPTED, RESEARCHER: researcher, lead.name: replace(lead, tools=frozenset(lead.tools or ()) | WEB)}
    talk.server.script.say(
        reply(ToolUse("delegate", {"role": "researcher", "task": "dig"})), "thanks", system="the lead"
    )
    talk.server.script.rule(lambda asked: says(asked) if "the researcher" in asked.system else None)
    async with talk.run(tools=long_files(talk.bench.tools())):
        assert await talk.ask("go") == "thanks"
    [(tokens, cost, steps, status)] = talk.bench.rows("SELECT tokens, cost, steps, status FROM turns WHERE depth = 1")
    [(most_tokens, most_cost)] = talk.bench.rows("SELECT max_tokens, max_cost FROM turns WHERE depth = 1")
    assert status == "budget"
    assert tokens <= 1.05 * most_tokens
    assert cost <= 1.05 * most_cost
    assert steps <= limits.iterations
    asked = [request for request in talk.server.requests if "the researcher" in request.asked.system]
    last = [number for number, request in enumerate(asked, 1) if is_last(request.asked)]
    assert last in ([len(asked)], [])  # and never once more; without any only where no money is left for it
    assert last or limits.cost < TURN_LIMITS.cost
    talk.server.verify()


@pytest.mark.parametrize("minutes", [4, 6])
@pytest.mark.parametrize("steps", [3, 5, 6, 7])
async def test_an_expired_cache_is_counted_again_before_the_request(talk: Talk, minutes: int, steps: int) -> None:
    """A role pauses for longer than the cache holds, after so many steps; its next request pays for all it has read."""
    start, most = datetime.now(UTC), 60_000
    now = start

    async def pause(context: ToolContext, arguments: Arguments) -> str:
        nonlocal now
        talk.server.clock.advance(minutes * 60)
        now += timedelta(minutes=minutes)
        return f"{context.call_id}: {FILE}"

    def says(asked: Asked) -> Reply:
        done = sum(message["role"] == "assistant" for message in asked.messages)
        if is_last(asked):
            return reply("As far as I got.")
        return reply(Text("I read on."), ToolUse("change" if done + 1 == steps else "read", {"path": str(done)}))

    tools = [replace(tool, run=pause) if tool.name == "change" else tool for tool in long_files(talk.bench.tools())]
    talk.roles = {**PROMPTED, RESEARCHER: replace(PROMPTED[RESEARCHER], limits=limits_with(tokens=most))}
    talk.server.script.say(
        reply(ToolUse("delegate", {"role": "researcher", "task": "dig"})), "thanks", system="the lead"
    )
    talk.server.script.rule(lambda asked: says(asked) if "the researcher" in asked.system else None)
    async with talk.run(tools=tools, now=lambda: now):
        assert await talk.ask("go") == "thanks"
    [(tokens, status)] = talk.bench.rows("SELECT tokens, status FROM turns WHERE depth = 1")
    assert status == "budget"
    assert 0.5 * most < tokens <= 1.05 * most
