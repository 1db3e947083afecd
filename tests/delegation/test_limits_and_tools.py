"""What a call gives a delegation to work with: figures as far as the caps, and tools that it only narrows."""

from typing import Any

import pytest

from bot.core.content_blocks import text_block
from bot.core.messages import RoleName
from bot.core.prices import Micros, Usage
from bot.core.texts import model, reasons
from bot.delegation import texts
from tests.support.bench import WORKERS, Bench
from tests.support.delegation_calls import delegations, heard, results, says, shown, still
from tests.support.engine_options import engine_options, limits_with
from tests.support.fakes import PRICE, Pause, delegates, reply, role, uses

RESEARCHER = WORKERS[0]
LOOK = {"role": "researcher", "task": "look"}


# The figures


@pytest.mark.parametrize(
    ("figures", "limits", "cut"),
    [
        ({}, (7, 60_000, 400.0), {}),
        ({"max_iterations": 3, "max_tokens": 30_000, "timeout_seconds": 60}, (3, 30_000, 60.0), {}),
        ({"max_iterations": 90, "max_tokens": 150_000, "timeout_seconds": 900}, (90, 150_000, 900.0), {}),
        (
            {"max_iterations": 9_000, "max_tokens": 900_000, "timeout_seconds": 9_000},
            (1_000, 500_000, 1_800.0),
            {"max_iterations": 1_000, "max_tokens": 500_000, "timeout_seconds": 1_800},
        ),
    ],
    ids=["none", "lower", "higher", "above the caps"],
)
async def test_a_call_names_its_own_figures_as_far_as_the_caps(
    bench: Bench, figures: dict[str, int], limits: tuple[int, int, float], cut: dict[str, int]
) -> None:
    bench.roles[RESEARCHER] = role("researcher", limits=limits_with(iterations=7, tokens=60_000, seconds=400))
    bench.model.says("researcher", "found")
    [(result, _)] = await results(bench, uses("delegate", **LOOK, **figures))
    assert delegations(bench, "max_iterations, max_tokens, max_seconds") == [limits]
    facts = model.DELEGATION(delegation="t1/2/0", state="completed", seconds=0, tokens=1_100, cost="$0.00")
    cuts = [model.LIMIT_CUT(limit=name, most=most) for name, most in cut.items()]
    assert result == f"{' · '.join([facts, *cuts])}\n[Researcher]: found"


async def test_a_figure_above_the_parents_rest_is_cut_and_the_result_says_so(bench: Bench) -> None:
    bench.model.says("researcher", "found")
    [(result, _)] = await results(bench, uses("delegate", **LOOK, max_tokens=30_000), turn=limits_with(tokens=20_000))
    assert delegations(bench, "max_tokens") == [(18_900,)]
    assert result.split("\n")[0].endswith(f"· {model.LIMIT_CUT(limit='max_tokens', most=18_900)}")


async def test_a_continuations_chapter_comes_on_top_of_its_tokens(bench: Bench) -> None:
    """A chapter may grow beyond what a delegation may use: to summarise it must leave something to work with."""
    long, summarising = Usage(input=5_000, cache_read=80_000), Usage(input=85_000, output=500)
    more = uses("delegate", task="look again", continue_from="t1/2/0", max_tokens=20_000)
    bench.model.says("lead", delegates("researcher"), "found", reply(more), "found more")
    bench.model.says("researcher", reply(text_block("a long report"), usage=long))
    bench.model.says("researcher", reply(text_block("the gist"), usage=summarising), reply(uses("read")), "found more")
    async with bench.run():
        await says(bench, "go")
        assert await says(bench, "more") == "found more"
    [_, (status, most)] = delegations(bench, "status, max_tokens")
    assert (status, 85_000 + 20_000 <= most <= 85_000 + 21_000) == ("completed", True)
    assert len(bench.model.asked("researcher")) == 4


async def test_a_continued_delegation_may_use_at_most_its_parents_rest(bench: Bench) -> None:
    bench.model.says("researcher", reply(text_block("found"), usage=Usage(input=5_000, cache_read=80_000)))
    await results(bench, uses("delegate", **LOOK))
    bench.model.says("researcher", reply(text_block("the gist"), usage=Usage(output=100)), "found more")
    more = {"task": "look again", "continue_from": "t1/2/0"}
    await results(bench, uses("delegate", **more), turn=limits_with(tokens=60_000))
    assert delegations(bench, "max_tokens", "id = 't2/6/0'") == [(58_900,)]


async def test_a_background_delegation_says_at_once_which_figures_were_cut(bench: Bench) -> None:
    cut = model.LIMIT_CUT(limit="max_tokens", most=500_000)
    bench.model.says("lead", reply(uses("delegate", **LOOK, max_tokens=10**6, background=True)), "begun", "found")
    bench.model.says("researcher", "it is here")
    async with bench.run(now=still):
        bench.chat.hears("go")
        assert [await bench.chat.said() for _ in range(2)] == ["begun", "found"]
    results = [entry.content[0] for entry in bench.model.seen[-1].transcript if entry.role == "user"]
    assert results[1]["content"] == model.BEGUN_WITH_CUTS(role="Researcher", delegation="t1/2/0", cuts=cut)
    report = f"delegation t1/2/0 · completed · 0 s · 1,100 tokens · $0.00 · {cut}"
    assert results[2]["text"] == f"report on “look”\n{report}\n[Researcher]: it is here"


# The money


@pytest.mark.parametrize(("own", "most"), [(10**9, 97_000), (10_000, 10_000)], ids=["the parent's rest", "its own"])
async def test_a_delegation_may_spend_its_parents_rest_if_that_is_less(bench: Bench, own: int, most: int) -> None:
    bench.roles[RESEARCHER] = role("researcher", limits=limits_with(cost=Micros(own)))
    bench.model.says("researcher", "found")
    await results(bench, uses("delegate", **LOOK), turn=limits_with(cost=Micros(100_000)))
    assert delegations(bench, "max_cost") == [(most,)]


@pytest.mark.parametrize(
    ("own", "each"), [(10**9, [48_500, 24_250]), (10_000, [10_000, 10_000])], ids=["the half", "its own"]
)
async def test_a_background_delegations_budget_is_taken_off_its_parents_rest(
    bench: Bench, own: int, each: list[int]
) -> None:
    """Half of it at most, and at once: of two in one reply the second gets half of what is left then."""
    bench.roles[RESEARCHER] = role("researcher", limits=limits_with(cost=Micros(own)))
    pauses = Pause("found"), Pause("found")
    bench.model.says("lead", reply(*[uses("delegate", **LOOK, background=True)] * 2), "begun", "found")
    bench.model.says("researcher", *pauses)
    async with bench.run(**engine_options(turn=limits_with(cost=Micros(100_000)))):
        assert await says(bench, "go") == "begun"
        assert delegations(bench, "max_cost") == [(most,) for most in each]
        assert delegations(bench, "cost, reserved", "depth = 0") == [(2 * PRICE + sum(each), 0)]
        for pause in pauses:
            await pause.reached.wait()
            pause.go_on.set()
        assert await bench.chat.said() == "found"
    first = delegations(bench, "cost", "id = 't1'")
    assert first == [(2 * PRICE + sum(each),)]  # what they spend is not taken off once more


async def test_a_role_that_reaches_the_figure_of_its_call_says_why_it_is_not_all(bench: Bench) -> None:
    bench.model.says("researcher", reply(uses("read")), "half of it")
    [(result, is_error)] = await results(bench, uses("delegate", **LOOK, max_iterations=1))
    assert result.startswith("delegation t1/2/0 · budget (the limit of 1 step is reached) · ")
    assert (result.split("\n")[1], is_error) == ("[Researcher]: half of it", False)


async def test_a_role_that_is_out_of_time_is_a_result_and_no_error(bench: Bench) -> None:
    bench.model.says("researcher", Pause(), "as far as I got")
    [(result, is_error)] = await results(bench, uses("delegate", **LOOK, timeout_seconds=1))
    assert result.startswith(f"delegation t1/2/0 · timeout ({reasons.SECONDS_USED(seconds=1)}) · ")
    assert (result.split("\n")[1], is_error) == ("[Researcher]: as far as I got", False)


# The tools of a call


@pytest.mark.parametrize(
    ("arguments", "has"),
    [
        ({}, ["ask_person", "change", "message", "read"]),
        ({"tools": None}, ["ask_person", "change", "message", "read"]),
        ({"tools": []}, ["message"]),
        ({"tools": ["read"]}, ["message", "read"]),
        ({"tools": [" read ", "message"]}, ["message", "read"]),
        ({"tools": ["ask_person", "change", "read"]}, ["ask_person", "change", "message", "read"]),
    ],
    ids=["omitted", "null", "empty", "narrower", "message named too", "all"],
)
async def test_a_call_narrows_the_tools_and_message_is_there_in_each_case(
    bench: Bench, arguments: dict[str, Any], has: list[str]
) -> None:
    bench.model.says("researcher", reply(uses("change")), "found")
    await results(bench, uses("delegate", **LOOK, **arguments))
    assert shown(bench, "researcher") == has
    if "change" not in has:  # what is not shown is not allowed either
        assert heard(bench, "researcher") == [
            (
                model.NO_SUCH_TOOL(role="researcher", tool="change", tools=", ".join(has)),
                True,
            )
        ]
        assert bench.changed == []


@pytest.mark.parametrize(
    ("named", "outside"),
    [(["read", "change"], "change"), (["shell"], "shell"), (["read", "delegate", "grep"], "delegate, grep")],
    ids=["wider than the role", "unknown", "not below, and off"],
)
async def test_a_call_with_forbidden_tools_is_refused_and_hears_the_allowed_ones(
    bench: Bench, named: list[str], outside: str
) -> None:
    bench.roles[RESEARCHER] = role("researcher", "read", "ask_person")
    heard = await results(bench, uses("delegate", **LOOK, tools=named))
    assert heard == [(texts.TOOLS_NOT_HELD(role="researcher", tools=outside, held="ask_person, message, read"), True)]


async def test_a_call_cannot_give_what_the_parent_has_not(bench: Bench) -> None:
    bench.roles[RoleName("lead")] = role("lead", "delegate", "read", delegates_to=("researcher",))
    heard = await results(bench, uses("delegate", **LOOK, tools=["change"]), swarm__max_updates=0)
    assert heard == [(texts.TOOLS_NOT_HELD(role="researcher", tools="change", held="read"), True)]
