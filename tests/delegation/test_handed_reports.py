"""`context_from`: a role reads the reports of ended delegations word for word."""

from typing import Any

import pytest

from bot.core.content_blocks import Block, text_block
from bot.core.prices import Usage
from bot.core.texts import model
from bot.delegation import texts
from tests.support.bench import Bench
from tests.support.delegation_calls import heard, says
from tests.support.engine_options import engine_options
from tests.support.fakes import Pause, delegates, reply, uses


def asks(*ids: str, **arguments: Any) -> Block:
    """Return a call that hands the reports of these delegations to the writer."""
    return uses("delegate", **{"role": "writer", "task": "write it up", "context_from": list(ids), **arguments})


def handed(id: str, report: str) -> str:
    return model.REPORT_HANDED_ON(delegation=id, report=report)


async def test_a_role_reads_the_reports_in_the_order_of_the_call_after_its_task(bench: Bench) -> None:
    bench.model.says("lead", delegates("researcher", "analyst"), reply(asks("t1/2/1", "t1/2/0", "t1/2/1")), "written")
    bench.model.says("researcher", "There are two.\n\n| a | b |")
    bench.model.says("analyst", "It is 7.")
    bench.model.says("writer", "draft")
    async with bench.run():
        assert await says(bench, "go") == "written"
    assert bench.model.heard("writer")[-3:] == [
        "write it up",
        handed("t1/2/1", "[Analyst]: It is 7."),
        handed("t1/2/0", "[Researcher]: There are two.\n\n| a | b |"),
    ]


async def test_a_report_is_handed_on_after_a_restart_and_to_one_that_continues(bench: Bench) -> None:
    bench.model.says("lead", delegates("researcher", "writer"), "there")
    bench.model.says("researcher", "There are two.")
    bench.model.says("writer", "draft", "better draft")
    async with bench.run():
        await says(bench, "go")
    bench.model.says("lead", reply(asks("t1/2/0", role="", continue_from="t1/2/1")), "written")
    async with bench.run():
        assert await says(bench, "again") == "written"
    assert bench.model.heard("writer")[-1] == handed("t1/2/0", "[Researcher]: There are two.")


async def test_each_of_several_tasks_has_its_own(bench: Bench) -> None:
    tasks = [{"role": "writer", "task": "one", "context_from": ["t1/2/0"]}, {"role": "writer", "task": "two"}]
    bench.model.says("lead", delegates("researcher"), reply(uses("delegate", tasks=tasks)), "written")
    bench.model.says("researcher", "There are two.")
    bench.model.says("writer", "draft", "draft")
    async with bench.run():
        await says(bench, "go")
    told = [str(request.transcript[0].content) for request in bench.model.asked("writer")]
    assert sorted("There are two." in each for each in told) == [False, True]


@pytest.mark.parametrize(
    ("ids", "error"),
    [
        (["t1/2/0"], texts.NO_REPORT_TO_HAND_ON(delegation="t1/2/0")),
        ("t1/2/0", texts.NOT_A_LIST_OF_NAMES(argument="context_from")),
    ],
)
async def test_what_cannot_be_handed_on_is_an_error(bench: Bench, ids: object, error: str) -> None:
    at_work = Pause("found")
    bench.model.says("lead", delegates("researcher", background=True), "begun")
    bench.model.says("researcher", at_work)
    async with bench.run(**engine_options()):
        await says(bench, "go")
        await at_work.reached.wait()
        bench.model.says("lead", reply(asks(context_from=ids)), "so be it")
        await says(bench, "and?")
    assert heard(bench) == [(error, True)]


async def test_an_unknown_delegation_is_an_error_that_names_the_known_ones(bench: Bench) -> None:
    bench.model.says("lead", delegates("researcher"), reply(asks("t9/2/0")), "so be it")
    bench.model.says("researcher", "found")
    async with bench.run():
        await says(bench, "go")
    known = "t1/2/0 (Researcher, completed)"
    assert heard(bench) == [(texts.UNKNOWN_ID(delegation="t9/2/0", known=known), True)]


async def test_a_report_is_handed_on_to_one_that_is_summarised_before_it_continues(bench: Bench) -> None:
    small = engine_options(model__roles="some/local-model", model__context_tokens=8_000)
    bench.model.says("lead", delegates("researcher", "writer"), "there")
    bench.model.says("researcher", "There are two.")
    long = reply(text_block("a long draft"), usage=Usage(input=5_500, output=200))
    bench.model.says("writer", long, "the gist of it", "better draft")
    async with bench.run(**small):
        await says(bench, "go")
        bench.model.says("lead", reply(asks(" t1/2/0", role="", continue_from="t1/2/1")), "written")
        assert await says(bench, "again") == "written"
    assert bench.model.heard("writer")[-2:] == ["write it up", handed("t1/2/0", "[Researcher]: There are two.")]
