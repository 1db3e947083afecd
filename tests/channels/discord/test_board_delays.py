"""On Discord the board delays no answer, whatever becomes of its edits."""

import asyncio
from dataclasses import replace

import pytest

from tests.stand_ins.discord import Fault, Route
from tests.support.discord_channel import QUICK as QUICK_CHANNEL
from tests.support.discord_channel import Town, channel_of
from tests.support.discord_talk import QUICK, Talk
from tests.support.fakes import Pause, delegates

PATIENT = replace(QUICK_CHANNEL, request_timeout_seconds=20.0, cosmetic_call_timeout_seconds=20.0)


@pytest.mark.parametrize(
    "fault", [Fault.RATE_LIMITED_240, Fault.RATE_LIMITED_35, Fault.GATEWAY_TIMEOUT, Fault.BLACK_HOLE_BEFORE]
)
async def test_a_board_that_cannot_be_edited_delays_no_answer(talk: Talk, town: Town, fault: Fault) -> None:
    found, answer = Pause("found"), Pause("so it is")
    talk.bench.model.says("lead", delegates("researcher"), answer)
    talk.bench.model.says("researcher", found)
    chat = channel_of(town.server, PATIENT)
    chat.board_edit_seconds = 0.0
    talk.bench.chat = chat  # type: ignore[assignment]  # a real one
    async with talk.bench.run(access=talk.access, **QUICK):
        await talk.connected()
        town.ask("why?")
        await found.reached.wait()
        await town.server.until(lambda: any(one.buttons for one in town.server.said(town.general)))
        town.server.faults.always(Route.EDIT, fault)
        found.go_on.set()
        await answer.reached.wait()
        await town.server.until(lambda: town.server.to(Route.EDIT))
        answer.go_on.set()
        async with asyncio.timeout(3):
            await talk.sees(town.ann, town.general, "so it is")
        talk.bench.crashes()  # a stop in order would wait for the edit
