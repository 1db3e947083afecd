"""A message waits while the background is full, or comes back from a role: the lead hears of it at once."""

import pytest

from bot.core.messages import OutboundKind
from bot.core.prices import Micros
from bot.core.role import LEAD_ROLE_NAME, Role
from tests.support.bench import Bench
from tests.support.delegation_calls import says
from tests.support.engine_options import DELEGATION_LIMITS, engine_options, limits_with
from tests.support.fakes import Pause, delegates, failing, reply, uses

REPLY, NOTICE = OutboundKind.REPLY, OutboundKind.NOTICE
ROOMY = {"swarm__max_per_step": 10, "swarm__max_concurrent": 10, "swarm__max_running": 11}


@pytest.fixture(autouse=True)
def everything_is_the_leads(bench: Bench) -> None:
    bench.roles[LEAD_ROLE_NAME] = Role(name=LEAD_ROLE_NAME, prompt="lead", limits=DELEGATION_LIMITS)


async def test_a_waiting_message_is_answered_once_the_background_has_room(bench: Bench, analyst: Pause) -> None:
    pauses = [Pause("found") for _ in range(10)]
    bench.model.says("lead", delegates(*["researcher"] * 10, background=True), "begun", delegates("analyst"), "answer")
    bench.model.says("researcher", *pauses)
    async with bench.run(**engine_options(**ROOMY, turn=limits_with(cost=Micros(10**9)))):
        await says(bench, "go")
        bench.chat.hears("analyse")
        await analyst.reached.wait()
        bench.chat.hears("and this?")
        await bench.chat.said(NOTICE)
        pauses[0].go_on.set()
        assert await bench.chat.said(REPLY) == "answer"
    assert bench.count("turns", "role = 'analyst' AND background") == 1


async def test_words_that_come_back_from_a_role_interrupt_the_leads_wait(bench: Bench, analyst: Pause) -> None:
    at_work = Pause(reply(uses("read")))
    bench.model.says("lead", delegates("researcher", background=True), "begun", delegates("analyst"), "answer")
    bench.model.says("researcher", at_work, failing)
    async with bench.run():
        await says(bench, "go")
        await at_work.reached.wait()
        bench.chat.hears("analyse")
        await analyst.reached.wait()
        bench.chat.hears("/tell 1 leave out the prices")
        await bench.chat.said(NOTICE)
        at_work.go_on.set()
        assert await bench.chat.said(REPLY) == "answer"
    assert bench.count("turns", "role = 'analyst' AND background") == 1
