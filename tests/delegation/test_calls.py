"""What a call of `delegate` may say, and what is said where it may not: the errors in their order, in these words."""

from typing import Any

import pytest

from bot.core.messages import RoleName
from bot.core.messages import role_display_name as label
from bot.core.model import StopReason
from bot.core.phrases import refusal_text_for_parent_turn
from bot.core.role import Role
from bot.core.texts import model
from bot.delegation import texts
from bot.tools.conversations import CONVERSATION_TOOL_NAMES
from bot.tools.memory import MEMORY_TOOL_NAMES
from bot.tools.texts import UNKNOWN_ARGUMENT, UNKNOWN_ARGUMENT_BUT
from tests.support.bench import WORKERS, Bench
from tests.support.delegation_calls import KNOWN, REPLY, delegations, heard, results, says, shown
from tests.support.engine_options import DELEGATION_LIMITS, engine_options
from tests.support.fakes import Pause, delegates, failing, reply, role, uses

RESEARCHER = WORKERS[0]
LOOK = {"role": "researcher", "task": "look"}
TAKES = (
    "role, task, context, output_format, tools, max_iterations, max_tokens, timeout_seconds, max_depth,"
    " background, context_from, continue_from, tasks"
)
TAKEN = {"tool": "delegate", "arguments": TAKES}


# What is wrong


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({**LOOK, "timeout": 5}, UNKNOWN_ARGUMENT_BUT(argument="timeout", nearest="timeout_seconds", **TAKEN)),
        ({**LOOK, "q" * 200: 5}, UNKNOWN_ARGUMENT(argument="q" * 80, **TAKEN)),
        ({**LOOK, "context": ["a"]}, texts.NOT_A_TEXT(argument="context")),
        ({**LOOK, "background": "yes"}, texts.NOT_A_TRUTH(argument="background")),
        ({**LOOK, "background": 1}, texts.NOT_A_TRUTH(argument="background")),
        ({**LOOK, "tools": "read"}, texts.NOT_A_LIST_OF_NAMES(argument="tools")),
        ({**LOOK, "tools": [1]}, texts.NOT_A_LIST_OF_NAMES(argument="tools")),
        ({**LOOK, "max_tokens": 0}, texts.NOT_A_NUMBER(argument="max_tokens")),
        ({**LOOK, "max_tokens": 0.5}, texts.NOT_A_NUMBER(argument="max_tokens")),
        ({**LOOK, "max_iterations": True}, texts.NOT_A_NUMBER(argument="max_iterations")),
        ({**LOOK, "timeout_seconds": "5"}, texts.NOT_A_NUMBER(argument="timeout_seconds")),
        ({**LOOK, "max_depth": -1}, texts.NOT_A_COUNT(argument="max_depth")),
        ({**LOOK, "max_depth": False}, texts.NOT_A_COUNT(argument="max_depth")),
        ({**LOOK, "max_depth": 1}, texts.TOO_MANY_LEVELS(most=0)),
        ({**LOOK, "continue_from": 7}, texts.NOT_A_TEXT(argument="continue_from")),
        ({**LOOK, "tasks": [LOOK]}, texts.TASKS_STAND_ALONE),
        ({"tasks": "look"}, texts.TASKS_STAND_ALONE),
        ({"tasks": ["look"]}, texts.TASKS_STAND_ALONE),
    ],
)
async def test_an_argument_that_cannot_be_is_an_error_that_says_what_can(
    bench: Bench, arguments: dict[str, Any], error: str
) -> None:
    assert await results(bench, uses("delegate", **arguments)) == [(error, True)]
    assert delegations(bench, "id") == []


async def test_arguments_that_are_null_or_empty_are_as_none(bench: Bench) -> None:
    bench.model.says("researcher", "found")
    empty = dict.fromkeys(("context", "output_format", "tools", "max_tokens", "background", "continue_from", "tasks"))
    [(result, is_error)] = await results(bench, uses("delegate", **LOOK, **empty))
    assert (result.split("\n")[1], is_error) == ("[Researcher]: found", False)


FAULTS: dict[str, dict[str, Any]] = {  # in the order in which they are told
    "role": {"role": " "},
    "task": {"task": ""},
    "kind": {"max_tokens": 0},
    "batch": {},
    "name": {"role": "a/b"},
    "tools": {"tools": ["shell"]},
    "form": {"output_format": {"type": "objekt"}},
}


@pytest.mark.parametrize(
    ("first", "error"),
    [
        ("role", texts.NO_ROLE(roles=KNOWN)),
        ("task", texts.NO_TASK),
        ("kind", texts.NOT_A_NUMBER(argument="max_tokens")),
        ("batch", model.TOO_MANY_DELEGATIONS(most=1)),
        ("name", texts.NOT_A_ROLE_OF_YOURS(delegating="lead", role="a/b", roles=KNOWN)),
        ("tools", texts.TOOLS_NOT_HELD(role="researcher", tools="shell", held="ask_person, change, message, read")),
        ("form", texts.NOT_A_SCHEMA(flaw="$.type: 'objekt' is not valid under any of the given schemas")),
    ],
)
async def test_of_several_faults_the_first_in_a_fixed_order_is_told(bench: Bench, first: str, error: str) -> None:
    faults = list(FAULTS)[list(FAULTS).index(first) :]
    arguments = dict(LOOK)
    for fault in reversed(faults):
        arguments |= FAULTS[fault]
    calls = [uses("delegate", **LOOK)] * ("batch" in faults)
    bench.model.says("researcher", "found")
    *_, (said, is_error) = await results(bench, *calls, uses("delegate", **arguments), swarm__max_per_step=1)
    assert (said.startswith(error), is_error) == (True, True)


async def test_an_id_that_is_none_is_told_last_with_those_that_there_are(bench: Bench) -> None:
    bench.model.says("lead", delegates("researcher"))
    bench.model.says("researcher", "found")
    unknown = {"continue_from": "t9/9/9", "output_format": {"type": "objekt"}}
    calls = [uses("delegate", task="more", **unknown), uses("delegate", **unknown)]
    assert await results(bench, *calls) == [
        (texts.UNKNOWN_ID(delegation="t9/9/9", known="t1/2/0 (Researcher, completed)"), True),
        (texts.NO_TASK, True),
    ]


async def test_a_failed_role_is_told_in_these_words_and_its_work_is_kept(bench: Bench) -> None:
    bench.model.says("lead", delegates("researcher", "writer", "analyst"), "two failed")
    bench.model.says("researcher", failing)
    bench.model.says("writer", reply(stop=StopReason.REFUSAL))
    bench.model.says("analyst", "analysed")
    async with bench.run():
        assert await says(bench, "go") == "two failed"
    [one, two, three] = heard(bench)
    not_there = model.SUBAGENT_FAILED(role="Researcher", reason="the model is not there", delegation="t1/2/0")
    declined = model.SUBAGENT_FAILED(role="Writer", reason=refusal_text_for_parent_turn(""), delegation="t1/2/1")
    assert (one, two) == ((not_there, True), (declined, True))
    assert (three[0].split("\n")[1], three[1]) == ("[Analyst]: analysed", False)


async def test_a_role_that_says_nothing_has_no_output(bench: Bench) -> None:
    bench.model.says("researcher", reply(), reply())
    [(result, is_error)] = await results(bench, uses("delegate", **LOOK))
    assert (result.split("\n")[1], is_error) == (f"[Researcher]: {model.NO_OUTPUT}", False)


# Depth


async def test_at_depth_0_nobody_delegates_and_the_whole_family_is_gone(bench: Bench) -> None:
    bench.roles[RoleName("lead")] = Role(name=RoleName("lead"), prompt="lead", limits=DELEGATION_LIMITS)
    assert await results(bench, uses("delegate", **LOOK), swarm__max_depth=0) == [(texts.SWITCHED_OFF, True)]
    assert shown(bench, "lead") == sorted(
        ["ask_person", "change", "read", *MEMORY_TOOL_NAMES, *CONVERSATION_TOOL_NAMES]
    )


async def test_at_depth_3_three_delegate_and_the_fourth_may_not(bench: Bench) -> None:
    everybody = [Role(name=RoleName(name), prompt=name, limits=DELEGATION_LIMITS) for name in ("one", "two", "three")]
    bench.roles |= {each.name: each for each in everybody}
    bench.roles[RoleName("lead")] = Role(name=RoleName("lead"), prompt="lead", limits=DELEGATION_LIMITS)
    for asking, asked in (("lead", "one"), ("one", "two"), ("two", "three"), ("three", "one")):
        bench.model.says(asking, reply(uses("delegate", role=asked, task="go deeper")), f"{asking} is done")
    async with bench.run(**engine_options(swarm__max_depth=3)):
        assert await says(bench, "go") == "lead is done"
    family = {
        "delegate",
        "list_delegations",
        "get_delegation",
        "forward_report",
        "steer_delegation",
        "cancel_delegation",
    }
    assert [family <= set(shown(bench, name)) for name in ("lead", "one", "two", "three")] == [True] * 3 + [False]
    assert family & set(shown(bench, "three")) == set()
    assert heard(bench, "three") == [(texts.TOO_DEEP, True)]
    assert delegations(bench, "id, depth", "depth > 0") == [
        ("t1/2/0", 1),
        ("t1/2/0/2/0", 2),
        ("t1/2/0/2/0/2/0", 3),
    ]


@pytest.mark.parametrize(("levels", "deepest"), [(0, "one"), (1, "two"), (2, "three")])
async def test_a_call_may_allow_fewer_levels_below_it(bench: Bench, levels: int, deepest: str) -> None:
    """The one at the deepest level that the call allows may not delegate, also when the bot has started again."""
    everybody = [Role(name=RoleName(name), prompt=name, limits=DELEGATION_LIMITS) for name in ("one", "two", "three")]
    bench.roles |= {each.name: each for each in everybody}
    bench.roles[RoleName("lead")] = Role(name=RoleName("lead"), prompt="lead", limits=DELEGATION_LIMITS)
    first = Pause(reply(uses("delegate", role="two", task="go deeper")))
    bench.model.says("lead", reply(uses("delegate", role="one", task="go deeper", max_depth=levels)), "lead is done")
    bench.model.says("one", first)
    options = engine_options(swarm__max_depth=9)
    async with bench.run(**options):
        bench.chat.hears("go")
        await first.reached.wait()
        bench.crashes()
    for asking, asked in (("one", "two"), ("two", "three"), ("three", "one")):
        bench.model.says(asking, reply(uses("delegate", role=asked, task="go deeper")), f"{asking} is done")
    async with bench.run(**options):
        assert await bench.chat.said(REPLY) == "lead is done"
    assert heard(bench, deepest) == [(texts.TOO_DEEP, True)]
    assert "delegate" not in shown(bench, deepest)
    assert len(delegations(bench, "id", "depth > 0")) == levels + 1


async def test_a_delegation_may_not_allow_more_levels_than_it_has(bench: Bench) -> None:
    bench.roles[RESEARCHER] = role("researcher", "delegate", delegates_to=("writer",))
    bench.model.says("researcher", reply(uses("delegate", role="writer", task="write", max_depth=2)), "alone")
    await results(bench, uses("delegate", **LOOK, max_depth=2), swarm__max_depth=9)
    assert heard(bench, "researcher") == [(texts.TOO_MANY_LEVELS(most=1), True)]


async def test_only_the_lead_begins_something_in_the_background(bench: Bench) -> None:
    bench.roles[RESEARCHER] = role("researcher", "delegate", delegates_to=("writer",))
    bench.model.says("researcher", reply(uses("delegate", role="writer", task="write", background=True)), "alone")
    await results(bench, uses("delegate", **LOOK), swarm__max_depth=2)
    assert heard(bench, "researcher") == [(texts.BACKGROUND_BELOW, True)]


# What a delegation is told


async def test_a_delegation_sees_its_place_context_and_task_and_no_conversation(
    bench: Bench,
) -> None:
    bench.model.says("lead", "noted")
    bench.model.says("researcher", "found")
    bench.model.says("lead", reply(uses("delegate", **LOOK, context="Ann likes tea")), "done")
    async with bench.run():
        await says(bench, "a secret word")
        await says(bench, "go")
    [request] = bench.model.asked("researcher")
    [entry] = request.transcript
    surroundings, brief = [block["text"] for block in entry.content]
    assert "You work for: Ann." in surroundings
    assert brief == "<context>\nAnn likes tea\n</context>\n\nlook"
    assert request.prefix.system == "researcher"


@pytest.mark.parametrize("name", ["researcher", "QA", "éva", "Tax lawyer"])
def test_a_label_raises_the_first_letter_and_leaves_the_rest(name: str) -> None:
    assert label(name) == {"researcher": "Researcher", "éva": "Éva"}.get(name, name)
