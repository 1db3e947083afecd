"""Questions about cost: a person is asked before delegations start that are expected to cost more than is set."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from bot.core.messages import OutboundKind
from bot.core.prices import format_micro_dollars
from bot.core.texts import model, people
from tests.support.bench import Bench
from tests.support.engine_options import engine_options
from tests.support.fakes import delegates, reply, uses
from tests.support.patience import PATIENCE

REPLY, QUESTION = OutboundKind.REPLY, OutboundKind.QUESTION
LOW = 0.000_001  # US dollars


@asynccontextmanager
async def running_after_a_first_delegation(bench: Bench, **options: Any) -> AsyncIterator[int]:
    """Run the bot once a researcher has completed a task. Yield its cost in micros."""
    bench.model.says("lead", delegates("researcher"), "first")
    bench.model.says("researcher", "found")
    async with bench.run(**engine_options(**options)):
        bench.chat.hears("go")
        assert await bench.chat.said(REPLY) == "first"
        [(cost,)] = bench.select("cost", "turns", "role = 'researcher'")
        yield cost


def count_delegations(bench: Bench) -> int:
    return bench.count("turns", "depth > 0")


async def test_delegations_start_when_the_person_agrees(bench: Bench) -> None:
    async with running_after_a_first_delegation(bench, swarm__ask_above_usd=LOW) as cost:
        bench.model.says("lead", delegates("researcher", "researcher"), "both")
        bench.model.says("researcher", "one", "two")
        bench.chat.hears("again")
        asked = (await bench.chat.part(QUESTION)).message
        about = format_micro_dollars(2 * cost)
        assert asked.text == people.MAY_ROLES_START(2, cost=about)
        assert count_delegations(bench) == 1
        bench.chat.taps(asked.id, people.START_COSTLY_ROLES())
        assert await bench.chat.said(REPLY) == "both"
        assert count_delegations(bench) == 3


@pytest.mark.parametrize(
    "words", [people.DO_NOT_START_COSTLY_ROLES(), "2", "No, thanks.", "Don\u2019t!", "nein", "不要"]
)
async def test_a_refusal_starts_nothing_and_reaches_the_model(bench: Bench, words: str) -> None:
    async with running_after_a_first_delegation(bench, swarm__ask_above_usd=LOW):
        bench.model.says("lead", delegates("researcher", "researcher"), "without them")
        bench.chat.hears("again")
        await bench.chat.part(QUESTION)
        bench.chat.hears(words)
        assert await bench.chat.said(REPLY) == "without them"
    assert bench.model.heard("lead")[-2:] == [model.COST_NOT_AGREED(answer=people.DO_NOT_START_COSTLY_ROLES())] * 2
    assert count_delegations(bench) == 1


@pytest.mark.parametrize("words", ["1", "start", "yes", "Yes, please!", "sí", "да", "はい"])
async def test_a_plain_yes_agrees_too(bench: Bench, words: str) -> None:
    async with running_after_a_first_delegation(bench, swarm__ask_above_usd=LOW):
        bench.model.says("lead", delegates("researcher"), "done")
        bench.model.says("researcher", "found")
        bench.chat.hears("again")
        await bench.chat.part(QUESTION)
        bench.chat.hears(words)
        assert await bench.chat.said(REPLY) == "done"
    assert count_delegations(bench) == 2


async def test_after_other_words_the_question_stays_open(bench: Bench) -> None:
    async with running_after_a_first_delegation(bench, swarm__ask_above_usd=LOW):
        bench.model.says("lead", delegates("researcher"), "done")
        bench.model.says("researcher", "found")
        bench.chat.hears("again")
        await bench.chat.part(QUESTION)
        bench.chat.hears("why so much?")
        assert await bench.chat.said(OutboundKind.NOTICE) == people.COST_QUESTION_IS_OPEN()
        bench.chat.hears("yes")
        assert await bench.chat.said(REPLY) == "done"
    assert bench.count("inbox", "state != 'done'") == 0


async def test_a_deadline_starts_nothing(bench: Bench) -> None:
    options = {"swarm__ask_above_usd": LOW, "question_timeout_seconds": 0}
    async with running_after_a_first_delegation(bench, **options):
        bench.model.says("lead", delegates("researcher"), "without it")
        bench.chat.hears("again")
        assert await bench.chat.said(REPLY) == "without it"
    assert bench.model.heard("lead")[-1] == model.COST_NOT_AGREED_IN_TIME
    assert count_delegations(bench) == 1


async def test_the_tasks_of_one_call_are_asked_about_together(bench: Bench) -> None:
    tasks = [{"role": "researcher", "task": "left"}, {"role": "researcher", "task": "right"}]
    async with running_after_a_first_delegation(bench, swarm__ask_above_usd=LOW):
        bench.model.says("lead", reply(uses("delegate", tasks=tasks)), "both")
        bench.model.says("researcher", "one", "two")
        bench.chat.hears("again")
        asked = (await bench.chat.part(QUESTION)).message
        bench.chat.taps(asked.id, people.START_COSTLY_ROLES())
        assert await bench.chat.said(REPLY) == "both"
        assert count_delegations(bench) == 3


async def test_the_question_and_the_answer_survive_a_kill(bench: Bench) -> None:
    async with running_after_a_first_delegation(bench, swarm__ask_above_usd=LOW):
        bench.model.says("lead", delegates("researcher"), "done")
        bench.model.says("researcher", "one")
        bench.chat.hears("again")
        asked = (await bench.chat.part(QUESTION)).message
        bench.crashes()
    async with bench.run(**engine_options(swarm__ask_above_usd=LOW)):
        bench.chat.taps(asked.id, people.START_COSTLY_ROLES())
        async with asyncio.timeout(PATIENCE):
            while not bench.count("questions", "state = 'answered'"):  # noqa: ASYNC110 -- the database wakes nobody
                await asyncio.sleep(0)
        bench.crashes()
    async with bench.run(**engine_options(swarm__ask_above_usd=LOW)):
        assert await bench.chat.said(REPLY) == "done"
    assert count_delegations(bench) == 2


async def test_a_stop_withdraws_the_question(bench: Bench) -> None:
    async with running_after_a_first_delegation(bench, swarm__ask_above_usd=LOW):
        bench.model.says("lead", delegates("researcher"))
        bench.chat.hears("again")
        await bench.chat.part(QUESTION)
        bench.chat.hears("stop")
        await bench.chat.said(REPLY)
    assert bench.count("questions", "state = 'withdrawn'") == 1
    assert count_delegations(bench) == 1


@pytest.mark.parametrize("above", [None, 1.0])
async def test_nobody_is_asked_if_it_is_off_or_cheap(bench: Bench, above: float | None) -> None:
    async with running_after_a_first_delegation(bench, swarm__ask_above_usd=above):
        bench.model.says("lead", delegates("researcher"), "second")
        bench.model.says("researcher", "found")
        bench.chat.hears("again")
        assert await bench.chat.said(REPLY) == "second"
    assert bench.count("questions") == 0


async def test_a_role_that_has_never_worked_adds_nothing(bench: Bench) -> None:
    async with running_after_a_first_delegation(bench, swarm__ask_above_usd=LOW):
        bench.model.says("lead", delegates("analyst"), "second")
        bench.model.says("analyst", "found")
        bench.chat.hears("again")
        assert await bench.chat.said(REPLY) == "second"
    assert bench.count("questions") == 0
