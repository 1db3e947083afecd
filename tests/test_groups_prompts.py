"""What groups cost in prompts, as the strict stand-in counts: nothing where there are none, and little to who asks."""

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from itertools import pairwise

import pytest

from bot.config import Config, Loaded
from bot.group import Group, no_groups
from bot.wiring import roles_for, tools_for
from tests.conftest import Bench
from tests.crossing import ASKED, ASKS, MODEL, asks, private_to_channel, reads
from tests.grouping import Registry, group
from tests.servers.claude import ClaudeStandIn, Request, ToolUse, reply
from tests.talking import Talk
from tests.together import together

MOST_TO_ASK_TWO = 110  # tokens: what who may ask two others is shown more


@pytest.fixture
async def shipped(bench: Bench) -> AsyncIterator[Talk]:
    """The shipped roles, in a chat in memory."""
    async with ClaudeStandIn() as server:
        config = Config(workspace=bench.data / "workspace", data_dir=bench.data)
        yield Talk(bench, server, roles_for(Loaded(config=config, path=None)))


async def first(talk: Talk, registry: Registry | None, chat: str, *also: str) -> list[Request]:
    """The first requests of a conversation there, with all tools that there are; `also` are roles that it asks."""
    before = len(talk.server.requests)
    if also:
        talk.server.script.say(reply(*(ToolUse("delegate", {"role": role, "task": "look"}) for role in also)))
    groups = registry or no_groups
    config = Config(workspace=talk.bench.data / "workspace", data_dir=talk.bench.data)
    async with talk.run(groups=groups, tools=tools_for(config, groups)):
        await talk.ask("hi", chat=chat)
    return talk.server.requests[before:]


def speaking(name: str, *may_ask: str) -> Group:
    made = group(name, *may_ask, description="knows all that has come by mail, and what was answered", model=MODEL)
    return replace(made, agent=replace(made.agent, prompt="You are the agent of a group.", tools=frozenset()))


async def test_where_the_lead_answers_not_a_byte_says_that_there_are_groups(shipped: Talk) -> None:
    """Of the lead and of a role below it; but for the chat's name, which is as long."""
    registry = Registry(speaking("main", "post"), speaking("post"))
    without = sent(await first(shipped, None, "room 1", "researcher"))
    beside = sent(await first(shipped, registry, "room 2", "researcher"))
    assert [each.replace("room 1", "room 2") for each in without] == beside
    assert not any("group" in each for each in without)


def sent(requests: list[Request]) -> list[str]:
    """What the lead is sent at first, and what the role is."""
    lead, role, _ = requests
    return [json.dumps([each.body[key] for key in ("tools", "system", "messages")]) for each in (lead, role)]


async def test_who_may_ask_two_others_is_shown_little_more(shipped: Talk) -> None:
    registry = Registry(*(speaking(name) for name in ("none", "post", "also")), speaking("twos", "post", "also"))
    [alone] = await first(shipped, registry, "none")
    [asking] = await first(shipped, registry, "twos")
    assert 0 < asking.billed.prompt - alone.billed.prompt <= MOST_TO_ASK_TWO


async def test_the_second_question_to_a_group_reads_from_the_cache_what_the_first_wrote(bench: Bench) -> None:
    async with together(bench) as both:
        crossing = private_to_channel(both)
        crossing.says(ASKS, asks(), "one", asks("Has Bob?"), "two")
        crossing.says(ASKED, reads(), "Alice has.", reads(), "Bob has.")
        async with crossing.run():
            crossing.asking.ask("has Alice written?")
            await crossing.asking.has("one")
            both.claude.clock.advance(600)
            crossing.asking.ask("has Bob?")
            await crossing.asking.has("two")
        crossing.verify()
    first, its_end, second, end = (each.billed for each in crossing.requests(ASKED))
    assert first.read == 0 < 512 < first.write_1h
    assert (second.read, second.write_1h) == (first.write_1h, 0)
    assert its_end.read == first.write_1h + first.write_5m
    assert end.read == second.read + second.write_5m
    asking = [each.billed for each in crossing.requests(ASKS)]
    for before, after in pairwise(asking):
        assert after.read == before.read + before.write_1h, "what a group said is read again with the rest"
