"""What groups cost in prompts, as the strict stand-in counts: nothing where there are none, and little to who asks."""

import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from itertools import pairwise

import pytest

from bot.assembly import load_roles_with_warnings, make_tools_and_workspace_folder
from bot.cli.groups import texts
from bot.config import Config, LoadedConfig
from bot.core.group import Group, no_groups
from bot.core.prompt_guidance import chat_prompt
from tests.stand_ins.claude import ClaudeStandIn, Request, ToolUse, reply
from tests.support.bench import Bench
from tests.support.both_platforms import together
from tests.support.claude_bot import Talk
from tests.support.delegation_calls import says
from tests.support.group_bots import Registry, at, group
from tests.support.groups_across_platforms import ASKED, ASKS, MODEL, asks, private_to_channel, reads

MOST_TO_ASK_TWO = 110  # tokens: what who may ask two others is shown more
FILES = ("read_file", "list_dir")
WITHIN = 0.1  # how near a figure of docs/groups.md is to what is counted


@pytest.fixture
async def shipped(bench: Bench) -> AsyncIterator[Talk]:
    """The shipped roles, in a chat in memory."""
    async with ClaudeStandIn() as server:
        config = Config(workspace=bench.data / "workspace", data_dir=bench.data)
        yield Talk(bench, server, load_roles_with_warnings(LoadedConfig(config=config, path=None)))


async def first(talk: Talk, registry: Registry | None, chat: str, *also: str) -> list[Request]:
    """The first requests of a conversation there, with all tools that there are; `also` are roles that it asks."""
    before = len(talk.server.requests)
    if also:
        talk.server.script.say(reply(*(ToolUse("delegate", {"role": role, "task": "look"}) for role in also)))
    groups = registry or no_groups
    config = Config(workspace=talk.bench.data / "workspace", data_dir=talk.bench.data)
    async with talk.run(groups=groups, tools=make_tools_and_workspace_folder(config, groups)):
        await talk.ask("hi", chat=chat)
    return talk.server.requests[before:]


def speaking(name: str, *may_ask: str) -> Group:
    made = group(name, *may_ask, description="knows all that has come by mail, and what was answered", model=MODEL)
    return replace(made, agent=replace(made.agent, prompt="You are the agent of a group.", tools=frozenset()))


async def test_the_leads_prompt_has_no_byte_about_groups(shipped: Talk) -> None:
    """Of the lead and of a role below it, except the chat's name, which is as long."""
    registry = Registry(speaking("main", "post"), speaking("post"))
    without = sent(await first(shipped, None, "room 1", "researcher"))
    beside = sent(await first(shipped, registry, "room 2", "researcher"))
    assert [each.replace("room 1", "room 2") for each in without] == beside
    assert not any("group" in each for each in without)


def sent(requests: list[Request]) -> list[str]:
    """What the lead is sent at first, and what the role is."""
    lead, role, _ = requests
    return [json.dumps([each.body[key] for key in ("tools", "system", "messages")]) for each in (lead, role)]


async def test_the_right_to_ask_two_groups_costs_few_tokens(shipped: Talk) -> None:
    registry = Registry(*(speaking(name) for name in ("none", "post", "also")), speaking("twos", "post", "also"))
    [alone] = await first(shipped, registry, "none")
    [asking] = await first(shipped, registry, "twos")
    assert 0 < asking.billed.prompt - alone.billed.prompt <= MOST_TO_ASK_TWO


async def test_the_second_question_to_a_group_reads_the_firsts_cache(bench: Bench) -> None:
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


def guided(name: str, *may_ask: str, tools: Sequence[str] = ()) -> Group:
    """With the instructions that `retinue groups add` writes."""
    description = "the household's notes: plans, dates, people"
    made = group(name, *may_ask, is_main=name == "main", description=description, model=MODEL)
    return replace(
        made,
        agent=replace(made.agent, prompt=chat_prompt(texts.FIRST_INSTRUCTIONS(group=name)), tools=frozenset(tools)),
    )


async def test_a_question_costs_what_the_guide_says(shipped: Talk) -> None:
    """Of a group with all tools, and of one with two."""
    registry = Registry(guided("main"), guided("full"), guided("two", tools=FILES))
    question = {"task": "In which week is the offsite?"}
    shipped.server.script.say(reply(*(ToolUse("delegate", {"group": name, **question}) for name in ("full", "two"))))
    requests = await first(shipped, registry, "main")
    full, two = (next(each for each in requests if f"group {name}." in each.asked.system) for name in ("full", "two"))
    assert full.billed.prompt == pytest.approx(5_400, rel=WITHIN)
    assert two.billed.prompt == pytest.approx(1_550, rel=WITHIN)
    assert min(full.billed.write_1h, two.billed.write_1h) > 512, "both are long enough to be kept by the cache"


async def test_to_be_able_to_ask_costs_what_the_guide_says(shipped: Talk) -> None:
    names = {"none": (), "one": ("none",), "both": ("none", "few"), "few": (), "asks": ("none",)}
    groups = [guided(name, *may, tools=FILES if name in ("few", "asks") else ()) for name, may in names.items()]
    none, one, both, few, asks = [(await first(shipped, Registry(*groups), name))[0].billed.prompt for name in names]
    assert both - one == pytest.approx(20, abs=6)
    assert one - none - (both - one) == pytest.approx(60, rel=2 * WITHIN)
    assert (asks - few) - (one - none) == pytest.approx(1_260, rel=WITHIN), "`delegate` itself, which those had already"


async def test_the_prefix_changes_only_with_the_groups_it_may_ask(bench: Bench) -> None:
    home, mail, notes = group("home", is_main=True), group("mail"), group("notes")
    busy = group("mail", "notes", tools=["read"], addresses=[at("elsewhere")])
    changed = replace(busy, agent=replace(busy.agent, prompt="You are another."))
    registry = Registry(home, mail)
    bench.model.says("home", *["hello"] * 7)  # two of them are summaries, where the prefix changes
    prefixes = []
    async with bench.run(groups=registry):
        for groups in ((home, mail), (mail, home), (home, changed), (home, mail, notes), (home, mail)):
            registry.groups = Registry(*groups).groups
            await says(bench, "hello", "home")
            prefixes.append(bench.model.asked("home")[-1].prefix)
    first, same, other, more, less = prefixes
    assert first == same == other == less != more
    assert "- notes: knows of notes" in more.system
