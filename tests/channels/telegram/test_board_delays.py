"""On Telegram the board delays no answer, whatever becomes of its sending and its edits."""

import asyncio
from dataclasses import replace

import pytest

from tests.stand_ins.telegram import Fault, TelegramStandIn
from tests.support.bench import Bench
from tests.support.fakes import Pause, delegates
from tests.support.places.telegram import HASTY
from tests.support.telegram_bot import bot, private, sees

PATIENT = replace(HASTY, call_timeout_seconds=20.0, cosmetic_call_timeout_seconds=20.0)
SEND, EDIT = "sendMessage", "editMessageText"


@pytest.mark.parametrize("fault", [Fault.BLACK_HOLE, Fault.BLACK_HOLE_UNREAD])
async def test_a_board_that_is_not_answered_delays_no_answer(
    bench: Bench, server: TelegramStandIn, fault: Fault
) -> None:
    room, found, answer = private(server), Pause("found"), Pause("so it is")
    bench.model.says("lead", delegates("researcher"), answer)
    bench.model.says("researcher", found)
    async with bot(bench, server, timing=PATIENT) as telegram:
        telegram.board_edit_seconds = 0.0
        room.say(room.chat.person, "why?")
        await found.reached.wait()
        await server.until(lambda: any(each.labels for each in room.answers()))
        server.faults.always(EDIT, fault)
        found.go_on.set()
        await answer.reached.wait()
        await server.until(lambda: any(call.method == EDIT for call in server.calls))
        answer.go_on.set()
        async with asyncio.timeout(3):
            await sees(server, room, lambda there: "so it is" in there)
        bench.crashes()  # a stop in order would wait for the edit


async def test_a_new_board_that_is_answered_late_is_there_once(bench: Bench, server: TelegramStandIn) -> None:
    room, found = private(server), Pause("found")
    bench.model.says("lead", delegates("researcher"), "so it is")
    bench.model.says("researcher", found)
    server.slow_seconds = 2 * HASTY.cosmetic_call_timeout_seconds
    server.faults.next(SEND, Fault.SLOW)
    async with bot(bench, server) as telegram:
        telegram.board_edit_seconds = 0.0
        room.say(room.chat.person, "why?")
        await found.reached.wait()
        await server.until(lambda: any(each.labels for each in room.answers()))
        found.go_on.set()
        await sees(server, room, lambda there: "so it is" in there)
        await sees(server, room, lambda there: any(text.startswith("1 role · ") for text in there))
    assert len([each for each in room.answers() if each.labels]) == 1
