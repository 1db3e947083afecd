"""The Discord channel stays connected through every fault, and says what only an operator can mend."""

import asyncio
import logging
import re
import threading
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from bot.core.errors import ConfigError, NotDelivered
from channels.discord import operator_texts
from channels.discord.channel import Discord
from channels.discord.gateway import seconds_before_session
from tests.stand_ins.discord import Drop, Fault, Intent, Route, pointed_at
from tests.support.discord_channel import COMMANDS, QUICK, Town, at, channel_of, message, send

AWAY = operator_texts.AWAY.partition("(")[0]


async def is_heard(town: Town, text: str) -> None:
    town.ask(text)
    await town.door.until(lambda: text in town.door.texts)


LOSSES = {
    "cut": lambda town: town.server.gateway.cut(),
    "asked to reconnect": lambda town: town.server.gateway.ask_to_reconnect(),
    "closed with 1000": lambda town: town.server.gateway.close(1000),
    "closed with 4000": lambda town: town.server.gateway.close(4000),
    "invalid, to be resumed": lambda town: town.server.gateway.invalidate(is_resumable=True),
    "invalid for good": lambda town: town.server.gateway.invalidate(is_resumable=False),
}


@pytest.mark.parametrize("loss", LOSSES)
async def test_the_channel_reconnects_and_hears_what_it_missed(town: Town, loss: str) -> None:
    async with town.at_work():
        first = town.ask("first")
        await town.door.messages(1)
        town.door.knows(replace(town.door.heard[0].address), first.id)
        LOSSES[loss](town)
        town.ask("meanwhile")
        await town.door.until(lambda: "meanwhile" in town.door.texts)
        await is_heard(town, "afterwards")
    assert list(dict.fromkeys(town.door.texts)) == ["first", "meanwhile", "afterwards"]


@pytest.mark.parametrize(
    "drop",
    [
        Drop.UNAVAILABLE,
        Drop.BEFORE_HELLO,
        Drop.AFTER_HELLO,
        Drop.AFTER_IDENTIFY,
        Drop.AFTER_READY,
        Drop.INVALID,
        Drop.INVALID_RESUMABLE,
    ],
)
async def test_a_connection_that_fails_while_it_is_made_is_made_again(town: Town, drop: Drop) -> None:
    town.server.drops.append(drop)
    async with town.at_work():
        await is_heard(town, "hello")


async def test_a_gateway_that_says_nothing_is_left(town: Town) -> None:
    town.server.drops.append(Drop.SILENT, None)
    async with town.at_work(replace(QUICK, max_gateway_silence_seconds=0.3)):
        await is_heard(town, "hello")


async def test_a_connection_on_which_nothing_comes_any_more_is_left(town: Town) -> None:
    town.server.gateway.heartbeat_seconds = 0.2
    async with town.at_work(replace(QUICK, max_gateway_silence_seconds=0.5)):
        town.server.gateway.fall_silent()
        await is_heard(town, "hello")


@pytest.mark.parametrize("drop", [Drop.BEFORE_EVENT, Drop.IN_FRAME, Drop.HALF_COMPRESSED, Drop.AFTER_EVENT])
async def test_a_connection_lost_at_an_event_loses_no_event(town: Town, drop: Drop) -> None:
    async with town.at_work():
        first = town.ask("first")
        await town.door.messages(1)
        town.door.knows(town.door.heard[0].address, first.id)
        town.server.drops.at("MESSAGE_CREATE", drop)
        town.ask("at the loss")
        await town.door.until(lambda: "at the loss" in town.door.texts)
        await is_heard(town, "afterwards")
    assert list(dict.fromkeys(town.door.texts)) == ["first", "at the loss", "afterwards"]


async def test_after_a_bad_event_a_loss_is_still_mended(town: Town) -> None:
    async with town.at_work():
        town.server.drops.at("MESSAGE_CREATE", Drop.MALFORMED)
        town.ask("bad")
        await is_heard(town, "good")
        town.server.gateway.cut()
        await town.sessions(2)
        await is_heard(town, "afterwards")


async def test_without_any_network_at_the_start_it_tries_until_there_is_one(
    town: Town, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    town.server.leave()
    async with town.at_work(is_awaited=False) as channel:
        await asyncio.sleep(0.3)
        assert AWAY in channel.health().fault
        assert channel.health().silent_seconds is None
        await town.server.come_back()
        await town.sessions(1)
        await is_heard(town, "hello")
        assert channel.health().fault == ""
    assert sum(AWAY in record.message for record in caplog.records) == 1


async def test_a_connection_that_is_soon_back_is_no_fault(town: Town, caplog: pytest.LogCaptureFixture) -> None:
    async with town.at_work(replace(QUICK, seconds_away_until_fault=60.0)) as channel:
        town.server.leave()
        await asyncio.sleep(0.3)
        assert AWAY in caplog.text
        assert channel.health().fault == ""
        await town.server.come_back()
        await town.sessions(2)


async def test_a_long_lost_connection_is_one_fault_despite_further_errors(town: Town) -> None:
    async with town.at_work() as channel:
        town.server.leave()
        faults = set()
        for _ in range(40):
            await asyncio.sleep(0.02)
            faults.add(channel.health().fault)
        await town.server.come_back()
        await town.sessions(2)
    assert len(faults - {""}) == 1


async def test_while_the_gateway_is_away_answers_are_still_sent(town: Town) -> None:
    async with town.at_work() as channel:
        town.server.drops.append(*[Drop.UNAVAILABLE] * 500)
        town.server.gateway.cut()
        await town.server.until(lambda: not town.server.gateway.connections)
        await send(channel, message("all the same", at(town.general)))
    assert town.has_said() == ["all the same"]


async def test_heartbeats_that_are_answered_are_its_good_health(town: Town) -> None:
    town.server.gateway.heartbeat_seconds = 0.1
    async with town.at_work() as channel:
        silent = channel.health().silent_seconds
        assert silent is not None
        assert silent < 1
        town.server.gateway.withhold_acks()
        await asyncio.sleep(0.4)
        assert (channel.health().silent_seconds or 0) > 0.2


async def test_a_token_that_is_no_good_at_the_start_is_the_operators(town: Town) -> None:
    channel = Discord("some.other.token", town.server.base_url, town.server.gateway_url, timing=QUICK)
    with pointed_at(town.server), pytest.raises(ConfigError, match=re.escape(operator_texts.TOKEN_REFUSED)):
        await channel.run(town.door)


async def test_a_missing_message_intent_is_the_operators_fault(town: Town) -> None:
    town.server.portal.intents = Intent(0)
    with pointed_at(town.server), pytest.raises(ConfigError, match=re.escape(operator_texts.NO_INTENT)):
        await channel_of(town.server).run(town.door)


async def test_a_token_that_is_revoked_is_a_fault_until_it_is_good_again(town: Town) -> None:
    async with town.at_work() as channel:
        good = town.server.portal.token
        town.server.portal.token = "another"
        with pytest.raises(NotDelivered):
            await send(channel, message("hello?", at(town.general)))
        assert channel.health().fault == operator_texts.TOKEN_REFUSED
        town.server.gateway.close(4004)
        await asyncio.sleep(0.2)
        assert operator_texts.TOKEN_REFUSED in channel.health().fault
        town.server.portal.token = good
        await town.sessions(2)
        await is_heard(town, "hello")
        assert channel.health().fault == ""


async def test_a_handful_of_quick_restarts_delays_none(town: Town) -> None:
    began = asyncio.get_running_loop().time()
    for number in range(5):
        async with town.at_work():
            await is_heard(town, f"hello {number}")
    assert asyncio.get_running_loop().time() - began < 3


async def test_how_many_sign_ins_are_left_is_not_waited_for_without_end(town: Town) -> None:
    town.server.faults.on(Route.GATEWAY_BOT, Fault.BLACK_HOLE_BEFORE)
    async with town.at_work():
        await is_heard(town, "hello")


async def test_the_next_sign_in_waits_if_few_are_left(town: Town) -> None:
    town.server.limits.identifies_per_day = 4
    for _ in range(2):
        async with town.at_work():
            pass
    async with town.at_work(is_awaited=False) as channel:
        await asyncio.sleep(0.3)
        assert operator_texts.FEW_SIGN_INS.partition("{")[0] in channel.health().fault
    assert len(town.readies) == 2


async def test_a_sign_in_succeeds_after_its_share_of_the_day(town: Town) -> None:
    limits = town.server.limits
    limits.identifies_per_day = 80
    limits.identifies.extend([limits.now() - 86_380.0] * 40)  # 40 are left for 20 s: one each half second
    began = asyncio.get_running_loop().time()
    async with town.at_work():
        await is_heard(town, "hello")
    assert 0.4 < asyncio.get_running_loop().time() - began < 5


@pytest.mark.parametrize(
    ("remaining", "seconds"), [(1000, 0.0), (501, 0.0), (500, 86.4), (100, 432.0), (1, 43_200.0), (0, 43_200.0)]
)
def test_a_days_remaining_sign_ins_are_made_to_last(remaining: int, seconds: float) -> None:
    assert seconds_before_session(1000, remaining, 43_200.0) == pytest.approx(seconds)


async def test_the_commands_are_registered_once_and_again_when_they_change(town: Town) -> None:
    for count in range(1, 3):
        async with town.at_work():
            await town.server.until(lambda: len(town.server.to(Route.COMMANDS)) == count)  # noqa: B023 -- awaited here
            await town.server.until(lambda: town.server.world.commands)
    assert len(town.server.to(Route.PUT_COMMANDS)) == 1
    town.server.world.commands[0]["description"] = "something old"
    async with town.at_work():
        await town.server.until(lambda: len(town.server.to(Route.PUT_COMMANDS)) == 2)
    offered = [each["name"] for each in town.server.world.commands]
    assert sorted(offered) == sorted(["ask", *(name.removeprefix("/") for name, _ in COMMANDS)])
    town.server.verify()


async def test_unregistered_commands_are_a_fault_stop_nothing_and_are_retried(town: Town) -> None:
    town.server.faults.always(Route.PUT_COMMANDS, Fault.UNAVAILABLE)
    async with town.at_work() as channel:
        await town.server.until(lambda: town.server.to(Route.PUT_COMMANDS))
        await is_heard(town, "hello")
        assert operator_texts.COMMANDS_NOT_OFFERED.partition("{")[0] in channel.health().fault
        town.server.faults.always(Route.PUT_COMMANDS, None)
        await town.server.until(lambda: town.server.world.commands)


def beating() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if thread.name.startswith("keep-alive")}


@pytest.mark.parametrize("drop", [Drop.AFTER_HELLO, Drop.AFTER_IDENTIFY, Drop.SILENT])
async def test_a_connection_that_failed_leaves_no_thread_behind(town: Town, drop: Drop) -> None:
    before = beating()
    town.server.drops.append(drop, drop)
    async with town.at_work(replace(QUICK, max_gateway_silence_seconds=0.2)):
        await is_heard(town, "hello")
        beat = beating() - before
    for thread in beat:
        thread.join(2)
    assert beat
    assert not beating() - before


async def test_a_silent_gateway_does_not_keep_it_from_ending(town: Town) -> None:
    async with town.at_work():
        town.server.gateway.fall_silent()
        for connection in town.server.gateway.connections:
            assert connection.http.transport
            connection.http.transport.pause_reading()  # so that nobody answers its goodbye
        began = asyncio.get_running_loop().time()
    assert asyncio.get_running_loop().time() - began < 2


async def test_a_close_that_is_cut_short_still_gives_up_every_connection(town: Town) -> None:
    async with town.at_work() as channel:
        client = channel.gateway.client
        assert client
        closing = asyncio.create_task(client.close_within_timeout())
        await asyncio.sleep(0)  # so that it has begun
        closing.cancel()
        await asyncio.gather(closing, return_exceptions=True)
        assert client.http.connector.closed


@pytest.mark.parametrize("error", [RuntimeError("Session is closed"), AssertionError()], ids=["closed", "closing"])
async def test_a_request_open_while_its_sign_in_ends_is_a_lost_connection(town: Town, error: Exception) -> None:
    """The library raises these if its session is closed while a request is repeated, which no test can time."""

    async def request(*args: Any, **options: Any) -> None:
        raise error

    api = channel_of(town.server).api
    ended: Any = SimpleNamespace(http=SimpleNamespace(request=request))
    with pytest.raises(ConnectionError):
        await replace(api, get_client=lambda: ended).fetch_page_after("1", "0")
