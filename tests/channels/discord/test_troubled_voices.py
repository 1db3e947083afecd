"""A webhook in trouble delays nothing: the bot speaks in its place, and no other role loses its voice."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from bot.core.errors import ChatClosed
from bot.core.messages import OutboundKind
from tests.stand_ins.discord import Channel, Fault, Permission, Route
from tests.support.discord_channel import QUICK, Town, at, message, parts, send

HASTY = replace(QUICK, cosmetic_call_timeout_seconds=0.5)


@pytest.fixture(autouse=True)
def may_manage_webhooks(town: Town) -> None:
    town.general.granted |= Permission.MANAGE_WEBHOOKS


def update(text: str, place: Channel, role: str = "researcher", **fields: Any) -> Any:
    return message(text, at(place), OutboundKind.UPDATE, role=role, is_quiet=True, **fields)


@pytest.mark.parametrize("route", [Route.WEBHOOKS, Route.CREATE_WEBHOOK])
@pytest.mark.parametrize(
    "fault",
    [
        Fault.RESET_AFTER,
        Fault.INTERNAL_ERROR,
        Fault.GATEWAY_TIMEOUT,
        Fault.RATE_LIMITED_35,
        Fault.RATE_LIMITED_240,
        Fault.BLACK_HOLE_BEFORE,
    ],
)
async def test_if_a_webhook_cannot_be_had_the_bot_speaks_at_once(town: Town, route: Route, fault: Fault) -> None:
    town.server.faults.always(route, fault)
    async with town.at_work(HASTY) as channel:
        await send(channel, update("0", town.general))
        asked = len(town.server.to(route))
        await send(channel, update("1", town.general, id="t2/1/0"))
    assert town.server.heard_voices(town.general) == [("Retinue", "[Researcher]: 0"), ("Retinue", "[Researcher]: 1")]
    assert len(town.server.to(route)) == asked > 0


@pytest.mark.parametrize("fault", [Fault.RATE_LIMITED_35, Fault.RATE_LIMITED_240])
async def test_if_a_webhook_may_send_no_more_for_now_the_bot_speaks(town: Town, fault: Fault) -> None:
    town.server.faults.on(Route.EXECUTE, fault)
    async with town.at_work() as channel:
        for number in range(2):
            await send(channel, update(f"{number}", town.general, id=f"t{number}/1/0"))
    assert town.server.heard_voices(town.general) == [("Retinue", "[Researcher]: 0"), ("Retinue", "[Researcher]: 1")]


@pytest.mark.parametrize("fault", [Fault.INTERNAL_ERROR, Fault.BAD_GATEWAY_AFTER, Fault.RESET_AFTER])
async def test_what_a_webhook_may_have_sent_is_searched_for_then_the_bot_speaks(town: Town, fault: Fault) -> None:
    town.server.faults.always(Route.EXECUTE, fault)
    async with town.at_work() as channel:
        [part] = parts(channel, update("hello", town.general))
        with pytest.raises(ConnectionError):
            await channel.send(part)
        if await channel.find_sent_part_id(part, datetime.now(UTC), ()) is None:
            await channel.send(part)
    [(name, text)] = town.server.heard_voices(town.general)
    assert (name, text) == ("Retinue" if fault is Fault.INTERNAL_ERROR else "Researcher", "[Researcher]: hello")
    assert len(town.server.to(Route.EXECUTE)) == 1


async def test_a_deleted_thread_silences_no_voice_elsewhere(town: Town) -> None:
    thread = town.server.thread(town.general, "details")
    async with town.at_work() as channel:
        await send(channel, update("a", town.general))
        town.server.world.channels.pop(thread.id)
        with pytest.raises(ChatClosed):
            await send(channel, update("b", thread, id="t2/1/0"))
        await send(channel, update("c", town.general, id="t3/1/0"))
    assert [name for name, _ in town.server.heard_voices(town.general)] == ["Researcher"] * 2


async def test_a_name_that_discord_refuses_silences_no_other_role(town: Town) -> None:
    async with town.at_work() as channel:
        for number, role in enumerate(["writer", "everyone", "writer", "everyone"]):
            await send(channel, update("hello", town.general, role, id=f"t{number}/1/0"))
    assert [name for name, _ in town.server.heard_voices(town.general)] == ["Writer", "Retinue"] * 2
    assert len(town.server.to(Route.EXECUTE)) == 3
