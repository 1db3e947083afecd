"""What a call of `delegate` may say, and what is said where it may not: the errors in their order, in these words."""

from typing import Any

import pytest

from bot.limits import Settings
from bot.memory import NAMES
from bot.messages import RoleName
from bot.model import Stop
from bot.phrases import shown as label
from bot.refusal_phrases import declined_task
from bot.role import Role
from tests.conftest import WORKERS, Bench
from tests.delegating import KNOWN, heard, results, says, shown
from tests.fakes import delegates, failing, reply, role, uses

RESEARCHER = WORKERS[0]
LOOK = {"role": "researcher", "task": "look"}
TAKES = (
    "role, task, context, output_format, tools, max_iterations, max_tokens, timeout_seconds, background,"
    " continue_from, tasks"
)
BATCH = "not done: at most 1 delegations in one step; call again for the rest"
ALONE = "'tasks' stands alone: a list of objects, each with what one call may have"


# What is wrong


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({**LOOK, "timeout": 5}, f"no argument 'timeout', but 'timeout_seconds'; delegate takes {TAKES}"),
        ({**LOOK, "q" * 200: 5}, f"no argument '{'q' * 80}'; delegate takes {TAKES}"),
        ({**LOOK, "context": ["a"]}, "'context' must be a text"),
        ({**LOOK, "background": "yes"}, "'background' must be true or false"),
        ({**LOOK, "tools": "read"}, "'tools' must be a list of names; an empty one means none"),
        ({**LOOK, "tools": [1]}, "'tools' must be a list of names; an empty one means none"),
        ({**LOOK, "max_tokens": 0}, "'max_tokens' must be a whole number above 0"),
        ({**LOOK, "max_tokens": 0.5}, "'max_tokens' must be a whole number above 0"),
        ({**LOOK, "max_iterations": True}, "'max_iterations' must be a whole number above 0"),
        ({**LOOK, "timeout_seconds": "5"}, "'timeout_seconds' must be a whole number above 0"),
        ({**LOOK, "continue_from": 7}, "'continue_from' must be a text"),
        ({**LOOK, "tasks": [LOOK]}, ALONE),
        ({"tasks": "look"}, ALONE),
        ({"tasks": ["look"]}, ALONE),
    ],
)
async def test_an_argument_that_cannot_be_is_an_error_that_says_what_can(
    bench: Bench, arguments: dict[str, Any], error: str
) -> None:
    assert await results(bench, uses("delegate", **arguments)) == [(error, True)]
    assert bench.rows("SELECT id FROM turns WHERE depth = 1") == []


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
        ("role", f"Missing 'role' argument: name one of {KNOWN}"),
        ("task", "Missing 'task' argument: say what is to be done"),
        ("kind", "'max_tokens' must be a whole number above 0"),
        ("batch", BATCH),
        ("name", f"lead cannot delegate to 'a/b'; only to: {KNOWN}"),
        ("tools", "'tools': researcher cannot be given shell; only: ask_person, change, message, read"),
        ("form", "'output_format' is no JSON Schema that can be used: $.type: 'objekt' is not valid"),
    ],
)
async def test_of_several_faults_the_first_in_a_fixed_order_is_told(bench: Bench, first: str, error: str) -> None:
    faults = list(FAULTS)[list(FAULTS).index(first) :]
    arguments = dict(LOOK)
    for fault in reversed(faults):
        arguments |= FAULTS[fault]
    calls = [uses("delegate", **LOOK)] * ("batch" in faults)
    bench.model.says("researcher", "found")
    *_, (said, is_error) = await results(bench, *calls, uses("delegate", **arguments), max_per_step=1)
    assert (said.startswith(error), is_error) == (True, True)


async def test_an_id_that_is_none_is_told_last_with_those_that_there_are(bench: Bench) -> None:
    bench.model.says("lead", delegates("researcher"))
    bench.model.says("researcher", "found")
    unknown = {"continue_from": "t9/9/9", "output_format": {"type": "objekt"}}
    calls = [uses("delegate", task="more", **unknown), uses("delegate", **unknown)]
    assert await results(bench, *calls) == [
        ("unknown delegation id 't9/9/9'; this conversation has t1/2/0 (Researcher, completed)", True),
        ("Missing 'task' argument: say what is to be done", True),
    ]


async def test_a_role_that_fails_is_told_in_these_words_and_what_it_did_is_not_lost(bench: Bench) -> None:
    bench.model.says("lead", delegates("researcher", "writer", "analyst"), "two failed")
    bench.model.says("researcher", failing)
    bench.model.says("writer", reply(stop=Stop.REFUSAL))
    bench.model.says("analyst", "analysed")
    async with bench.run():
        assert await says(bench, "go") == "two failed"
    [one, two, three] = heard(bench)
    goes_on = "(continue_from t1/2/{} goes on with what it did)"
    assert one == (f"Sub-agent 'Researcher' failed: the model is not there {goes_on.format(0)}", True)
    assert two == (f"Sub-agent 'Writer' failed: {declined_task('')} {goes_on.format(1)}", True)
    assert (three[0].split("\n")[1], three[1]) == ("[Analyst]: analysed", False)


async def test_a_role_that_says_nothing_has_no_output(bench: Bench) -> None:
    bench.model.says("researcher", reply(), reply())
    [(result, is_error)] = await results(bench, uses("delegate", **LOOK))
    assert (result.split("\n")[1], is_error) == ("[Researcher]: (no output)", False)


# Depth


async def test_at_depth_0_nobody_delegates_and_the_whole_family_is_gone(bench: Bench) -> None:
    bench.roles[RoleName("lead")] = Role(name=RoleName("lead"), prompt="lead")
    disabled = "Delegation is disabled in configuration: do the work yourself"
    assert await results(bench, uses("delegate", **LOOK), max_depth=0) == [(disabled, True)]
    assert shown(bench, "lead") == sorted(["ask_person", "change", "read", *NAMES])


async def test_at_depth_3_three_delegate_and_the_fourth_may_not(bench: Bench) -> None:
    everybody = [Role(name=RoleName(name), prompt=name) for name in ("one", "two", "three")]
    bench.roles |= {each.name: each for each in everybody}
    bench.roles[RoleName("lead")] = Role(name=RoleName("lead"), prompt="lead")
    for asking, asked in (("lead", "one"), ("one", "two"), ("two", "three"), ("three", "one")):
        bench.model.says(asking, reply(uses("delegate", role=asked, task="go deeper")), f"{asking} is done")
    async with bench.run(settings=Settings(max_depth=3)):
        assert await says(bench, "go") == "lead is done"
    family = {"delegate", "list_delegations", "get_delegation", "cancel_delegation"}
    assert [family <= set(shown(bench, name)) for name in ("lead", "one", "two", "three")] == [True] * 3 + [False]
    assert family & set(shown(bench, "three")) == set()
    assert heard(bench, "three") == [
        ("Cannot delegate from within a delegated task (recursion limit): do the work yourself", True)
    ]
    assert bench.rows("SELECT id, depth FROM turns WHERE depth > 0 ORDER BY depth") == [
        ("t1/2/0", 1),
        ("t1/2/0/2/0", 2),
        ("t1/2/0/2/0/2/0", 3),
    ]


async def test_only_the_lead_begins_something_in_the_background(bench: Bench) -> None:
    bench.roles[RESEARCHER] = role("researcher", "delegate", delegates_to=("writer",))
    bench.model.says("researcher", reply(uses("delegate", role="writer", task="write", background=True)), "alone")
    await results(bench, uses("delegate", **LOOK), max_depth=2)
    assert heard(bench, "researcher") == [
        ("'background' is for who answers people alone: a delegation waits for what it delegates", True)
    ]


# What a delegation is told


async def test_a_delegation_is_told_where_it_is_its_context_and_its_task_and_nothing_of_the_conversation(
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
