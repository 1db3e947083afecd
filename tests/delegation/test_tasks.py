"""Several delegations in one call: the same as that many calls, with one result."""

from bot.core.texts import model
from bot.delegation import texts
from tests.support.bench import Bench
from tests.support.delegation_calls import KNOWN, delegations, heard, results, shown, still
from tests.support.fakes import Pause, failing, reply, uses

LOOK = {"role": "researcher", "task": "look"}


async def test_tasks_are_as_that_many_calls_and_have_one_result_in_order(bench: Bench) -> None:
    first, second = Pause("found"), Pause("analysed")
    bench.model.says("researcher", first)
    bench.model.says("analyst", second)
    bench.model.says("lead", reply(uses("delegate", tasks=[LOOK, {"role": "analyst", "task": "analyse"}])), "done")
    async with bench.run(now=still):
        bench.chat.hears("go")
        await first.reached.wait()
        await second.reached.wait()  # side by side
        second.go_on.set()
        first.go_on.set()
        assert await bench.chat.said() == "done"
    [(result, is_error)] = heard(bench)
    facts = "delegation t1/2/0.{} · completed · 0 s · 1,100 tokens · $0.00\n[{}]: {}"
    assert result == f"{facts.format(0, 'Researcher', 'found')}\n\n{facts.format(1, 'Analyst', 'analysed')}"
    assert not is_error
    assert delegations(bench, "id, role, task") == [
        ("t1/2/0.0", "researcher", "look"),
        ("t1/2/0.1", "analyst", "analyse"),
    ]


async def test_a_task_has_every_argument_of_a_call_and_fails_alone(bench: Bench) -> None:
    tasks = [
        {**LOOK, "tools": [], "max_iterations": 3},
        {"role": "analyst"},
        {"role": "analyst", "task": "x"},
        {**LOOK, "tasks": [LOOK]},
    ]
    bench.model.says("researcher", "found")
    bench.model.says("analyst", failing)
    [(result, is_error)] = await results(bench, uses("delegate", tasks=tasks))
    failed = model.SUBAGENT_FAILED(role="Analyst", reason="the model is not there", delegation="t1/2/0.2")
    assert not is_error  # of one of them there is a report
    assert result.split("\n")[1:] == [
        "[Researcher]: found",
        "",
        f"task 2 failed: {texts.NO_TASK}",
        "",
        f"task 3 failed: {failed}",
        "",
        f"task 4 failed: {texts.TASKS_STAND_ALONE}",
    ]
    assert shown(bench, "researcher") == ["message"]
    assert delegations(bench, "max_iterations", "role = 'researcher'") == [(3,)]


async def test_tasks_that_all_fail_are_an_error(bench: Bench) -> None:
    heard = await results(bench, uses("delegate", tasks=[{}, {}]))
    missing = f"failed: {texts.NO_ROLE(roles=KNOWN)}"
    assert heard == [(f"task 1 {missing}\n\ntask 2 {missing}", True)]


async def test_of_eleven_tasks_the_last_is_an_error(bench: Bench) -> None:
    bench.model.says("researcher", *["found"] * 10)
    [(result, is_error)] = await results(bench, uses("delegate", role=None, context="", tasks=[LOOK] * 11))
    assert (result.count("[Researcher]: found"), is_error) == (10, False)
    assert result.endswith(f"\n\ntask 11 failed: {model.TOO_MANY_DELEGATIONS(most=10)}")
    assert delegations(bench, "count(*)") == [(10,)]


async def test_calls_and_tasks_of_one_step_are_counted_together(bench: Bench) -> None:
    bench.model.says("researcher", *["found"] * 3)
    calls = [uses("delegate", **LOOK), uses("delegate", tasks=[LOOK, LOOK, LOOK]), uses("read")]
    first, second, third = await results(bench, *calls, swarm__max_per_step=3)
    assert first[0].startswith("delegation t1/2/0 · completed")
    assert f"\n\ntask 3 failed: {model.TOO_MANY_DELEGATIONS(most=3)}" in second[0]
    assert third == ("read", False)
