"""The fault menu of the stand-in for Telegram, as the real library meets it."""

import asyncio
import socket
import time
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from telegram import Bot
from telegram.error import NetworkError, RetryAfter, TelegramError, TimedOut

from tests.stand_ins.telegram import ANY, Clock, Fault, Limits, Room, TelegramStandIn
from tests.stand_ins.telegram.client import client
from tests.stand_ins.telegram.raw import call
from tests.support.patience import PATIENCE


@pytest.fixture
async def server(clock: Clock) -> AsyncIterator[TelegramStandIn]:
    async with TelegramStandIn(now=clock, limits=Limits.none(), slow_seconds=1.0) as running:
        yield running


@pytest.fixture
async def bot(server: TelegramStandIn) -> AsyncIterator[Bot]:
    async with client(server, read_seconds=0.5) as made:
        yield made


# What the library raises, and from what; whether the message is there all the same.
SHOWN: dict[Fault, tuple[type[BaseException], type[BaseException] | None, bool]] = {
    Fault.REFUSED: (NetworkError, httpx.ReadError, False),
    Fault.RESET_UNREAD: (NetworkError, httpx.ReadError, False),
    Fault.BLACK_HOLE_UNREAD: (TimedOut, httpx.ReadTimeout, False),
    Fault.HTML: (TelegramError, ValueError, False),
    Fault.NOT_OK: (KeyError, None, False),
    Fault.RETRY_1: (RetryAfter, None, False),
    Fault.RETRY_35: (RetryAfter, None, False),
    Fault.RETRY_240: (RetryAfter, None, False),
    Fault.RETRY_UNSAID: (NetworkError, None, False),
    Fault.SERVER_ERROR: (NetworkError, None, False),
    Fault.BAD_GATEWAY: (NetworkError, TelegramError, False),
    Fault.RESET_AFTER: (NetworkError, httpx.ReadError, True),
    Fault.END_AFTER: (NetworkError, httpx.RemoteProtocolError, True),
    Fault.HALF_ANSWER: (NetworkError, httpx.RemoteProtocolError, True),
    Fault.BLACK_HOLE: (TimedOut, httpx.ReadTimeout, True),
    Fault.SLOW: (TimedOut, httpx.ReadTimeout, True),
    Fault.HTML_AFTER: (TelegramError, ValueError, True),
    Fault.SERVER_ERROR_AFTER: (NetworkError, None, True),
    Fault.BAD_GATEWAY_AFTER: (NetworkError, TelegramError, True),
}


@pytest.mark.parametrize("fault", list(Fault), ids=str)
async def test_a_fault_of_sending(server: TelegramStandIn, bot: Bot, room: Room, clock: Clock, fault: Fault) -> None:
    kind, cause, is_there = SHOWN[fault]
    server.faults.next("sendMessage", fault)
    with pytest.raises(kind) as raised:
        await bot.send_message(7, "hello")
    assert isinstance(raised.value.__cause__, cause or type(None))
    assert room.texts() == ["hello"] * is_there
    (record,) = server.calls
    assert (record.fault, record.accepted) == (fault, is_there)
    # What is over is over: the next one goes.
    if not server.is_listening:
        await server.listen()
    clock.advance(240)
    await bot.send_message(7, "again")
    assert room.texts()[-1] == "again"


@pytest.mark.parametrize("fault", list(Fault), ids=str)
async def test_a_fault_of_receiving_takes_no_message_away(
    server: TelegramStandIn, bot: Bot, room: Room, clock: Clock, fault: Fault
) -> None:
    room.say(room.chat.person, "hello")
    server.faults.next("getUpdates", fault)
    with pytest.raises(SHOWN[fault][0]):
        await bot.get_updates()
    clock.advance(240)
    if not server.is_listening:
        await server.listen()
    assert [update.message.text for update in await bot.get_updates() if update.message] == ["hello"]


@pytest.mark.parametrize(("fault", "seconds"), [(Fault.RETRY_1, 1), (Fault.RETRY_35, 35), (Fault.RETRY_240, 240)])
async def test_a_wait_that_was_ordered_is_kept_to(
    server: TelegramStandIn, room: Room, clock: Clock, fault: Fault, seconds: int
) -> None:
    server.faults.next("sendMessage", fault)
    answer = await call(server, "sendMessage", chat_id=7, text="a")
    assert answer.json["parameters"] == {"retry_after": seconds}
    clock.advance(seconds - 0.5)
    assert (await call(server, "sendMessage", chat_id=7, text="b")).status == 429
    assert len(server.rates.trespasses) == 1
    clock.advance(seconds)
    assert (await call(server, "sendMessage", chat_id=7, text="c")).status == 200


async def test_without_parameters_there_is_no_number_to_wait_for(server: TelegramStandIn, room: Room) -> None:
    server.faults.next("sendMessage", Fault.RETRY_UNSAID)
    answer = await call(server, "sendMessage", chat_id=7, text="a")
    assert (answer.status, "parameters" in answer.json) == (429, False)
    assert answer.json["description"].startswith("Too Many Requests")


async def test_while_it_is_away_connections_are_refused(server: TelegramStandIn, bot: Bot, room: Room) -> None:
    await bot.send_message(7, "before")
    async with server.away():
        with pytest.raises(NetworkError) as raised:
            await bot.send_message(7, "meanwhile")
        assert isinstance(raised.value.__cause__, httpx.ConnectError)
    await bot.send_message(7, "after")
    assert room.texts() == ["before", "after"]


async def test_once_the_port_is_closed_it_stays_so(server: TelegramStandIn, bot: Bot, room: Room) -> None:
    server.faults.next(ANY, Fault.REFUSED)
    causes = []
    for _ in range(3):
        with pytest.raises(NetworkError) as raised:
            await bot.get_me()
        causes.append(type(raised.value.__cause__))
    assert causes == [httpx.ReadError, httpx.ConnectError, httpx.ConnectError]
    await server.listen()
    assert (await bot.get_me()).is_bot


async def test_a_slow_answer_arrives(server: TelegramStandIn, room: Room) -> None:
    server.slow_seconds = 0.05
    server.faults.next("sendMessage", Fault.SLOW)
    began = time.monotonic()
    assert (await call(server, "sendMessage", chat_id=7, text="a")).status == 200
    assert time.monotonic() - began >= 0.05


async def test_faults_go_by_method_and_by_number(server: TelegramStandIn, bot: Bot, room: Room) -> None:
    server.faults.at("sendMessage", 2, Fault.SERVER_ERROR)
    server.faults.at(ANY, 4, Fault.SERVER_ERROR)
    server.faults.next("deleteMessage", None, Fault.SERVER_ERROR)
    assert [await went(server, "sendMessage", chat_id=7, text="a") for _ in range(3)] == [True, False, True]
    assert [await went(server, "getMe") for _ in range(2)] == [False, True]
    assert [await went(server, "deleteMessage", chat_id=7, message_id=number) for number in (1, 2)] == [True, False]


async def test_a_fault_can_stand_until_it_is_taken_away(server: TelegramStandIn, room: Room) -> None:
    server.faults.always(ANY, Fault.SERVER_ERROR)
    server.faults.always("getMe", Fault.RETRY_UNSAID)
    assert [(await call(server, name)).status for name in ("getMe", "getMe", "getUpdates")] == [429, 429, 500]
    server.faults.always(ANY, None)
    server.faults.always("getMe", None)
    assert [await went(server, name) for name in ("getMe", "getUpdates")] == [True, True]


async def went(server: TelegramStandIn, method: str, **given: Any) -> bool:
    return (await call(server, method, **given)).status == 200


async def test_it_ends_while_somebody_waits_for_ever(room: Room, server: TelegramStandIn) -> None:
    server.faults.always("sendMessage", Fault.BLACK_HOLE)
    async with asyncio.timeout(PATIENCE), asyncio.TaskGroup() as tasks:
        waiting = tasks.create_task(cut_off(server, "sendMessage", chat_id=7, text="a"))
        polling = tasks.create_task(cut_off(server, "getUpdates", timeout=50))
        await server.until(lambda: len(server.calls) == 2 and bool(room.texts()) and server.world.updates.is_polled)
        async with server.away():
            pass
    assert (waiting.result(), polling.result()) == (True, True)


async def cut_off(server: TelegramStandIn, method: str, **given: Any) -> bool:
    try:
        await call(server, method, **given)
    except (ConnectionError, asyncio.IncompleteReadError):
        return True
    return False


@pytest.mark.parametrize("steps", range(8))
async def test_a_last_moment_connection_does_not_keep_the_server(server: TelegramStandIn, steps: int) -> None:
    with socket.create_connection(("127.0.0.1", server.port)):
        for _ in range(steps):  # of the loop: how far its taking of the connection has got
            await asyncio.sleep(0)
        async with asyncio.timeout(2):
            await server.hang_up()
    await server.listen()
