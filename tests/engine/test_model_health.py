"""A model that cannot answer: the owner is told once, health says so, and people read a plain excuse."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.core.errors import ModelFailed
from bot.core.limits import DecisionTerms
from bot.core.messages import Address, OutboundKind
from bot.core.settings import Settings
from bot.core.texts import people, reasons
from bot.core.texts.people_model_faults import TRY_LATER
from bot.engine.model_health import ModelHealth
from bot.models.claude.faults import append_hints
from bot.models.claude.operator_texts import ADD_CREDIT, SET_KEY, SET_MODEL
from bot.store import Store, health_rows
from tests.stand_ins.claude import Fault
from tests.support.bench import ACCESS
from tests.support.claude_bot import Talk, talk
from tests.support.engine_options import engine_options

__all__ = ["talk"]

OFFICE = Address(channel="fake", chat="office")
TOLD = {"fake": replace(ACCESS["fake"], owner_address=OFFICE)}
REPLY, NOTICE = OutboundKind.REPLY, OutboundKind.NOTICE
LEAD = "claude-sonnet-5-5"
REMEDIES = {
    Fault.UNAUTHORIZED: SET_KEY,
    Fault.FORBIDDEN: SET_KEY,
    Fault.PAYMENT_REQUIRED: f"no credit left ({ADD_CREDIT})",
    Fault.CREDIT_TOO_LOW: f"no credit left ({ADD_CREDIT})",
    Fault.NO_SUCH_MODEL: SET_MODEL,
}

NOTICES = "SELECT 1 FROM outbox WHERE kind = 'notice'"
MODELS = "SELECT name FROM channels WHERE name LIKE 'model %'"
AT_FAULT = "SELECT name FROM channels WHERE fault != ''"


@pytest.mark.parametrize("fault", [*REMEDIES, Fault.OVERLOADED])
async def test_owner_reads_the_remedy_once_and_people_an_excuse(talk: Talk, fault: Fault) -> None:
    talk.server.faults.always(fault)
    excuse = reasons.MODEL_AT_FAULT() if fault in REMEDIES else append_hints(reasons.MODEL_AWAY(), TRY_LATER())
    host = talk.server.base_url.removeprefix("http://")
    async with talk.run(access=TOLD, **engine_options(outage_patience_seconds=0.1, outage_alert_seconds=0)):
        for by, chat in (("Ann", "room"), ("Owner", "office"), ("Bob", "hall")):
            told = await talk.ask("hello", by=by, chat=chat)
            assert excuse in told
            assert host not in told
    notices = talk.bench.rows("SELECT address, text FROM outbox WHERE kind = 'notice' AND NOT is_quiet")
    assert [address for address, _ in notices] == [str(OFFICE)]
    assert notices[0][1].startswith(people.MODEL_FAULT(model=LEAD, fault=""))
    assert host in notices[0][1]
    assert REMEDIES.get(fault, "") in notices[0][1]


async def test_a_fault_that_outlasts_a_restart_is_not_told_again(talk: Talk) -> None:
    talk.server.faults.always(Fault.UNAUTHORIZED)
    for _ in range(2):
        async with talk.run(access=TOLD):
            await talk.ask("hello")
    assert len(talk.bench.rows(NOTICES)) == 1


async def test_a_fault_that_comes_back_after_an_answer_is_told_again(talk: Talk) -> None:
    async with talk.run(access=TOLD):
        for _ in range(2):
            talk.server.faults.always(Fault.UNAUTHORIZED)
            await talk.ask("hello")
            talk.server.faults.always(None)
            await talk.ask("again")
    assert len(talk.bench.rows(NOTICES)) == 2
    assert talk.bench.rows(MODELS) == []


async def test_a_role_of_another_model_that_answers_clears_nothing_of_the_lead(talk: Talk) -> None:
    talk.server.faults.when(lambda asked: asked.model == LEAD, Fault.NO_SUCH_MODEL)
    async with talk.run(access=TOLD):
        await talk.ask("hello")
        assert talk.bench.rows(AT_FAULT) == [(f"model {LEAD}",)]


async def test_a_fault_of_one_conversation_is_no_fault_of_the_model(talk: Talk) -> None:
    talk.server.faults.append(Fault.PROMPT_TOO_LONG, Fault.BAD_REQUEST)
    async with talk.run(access=TOLD):
        await talk.ask("hello")
        await talk.ask("hello")
    assert talk.bench.rows(NOTICES) == []
    assert talk.bench.rows(MODELS) == []


async def test_a_failure_that_is_noted_beside_an_answer_is_cleared_by_the_next(tmp_path: Path) -> None:
    async with Store.open(tmp_path / "bot.db") as store:
        health = ModelHealth(store, {}, lambda: DecisionTerms(settings=Settings(), now=datetime.now(UTC)))
        failed = ModelFailed("an excuse", "the key is refused")
        await health.report_if_fault(LEAD, "fake", failed)
        await asyncio.gather(health.clear_fault_after_answer(LEAD), health.report_if_fault(LEAD, "fake", failed))
        await health.clear_fault_after_answer(LEAD)
        assert await store.read(health_rows.list_failing_models) == []
