"""Channels that fail: the others go on, somebody is told, and the health commands can read it."""

import asyncio
import os
import time
from dataclasses import replace

import pytest

from bot import app
from bot.core.access import Access
from bot.core.channel import HealthReport, InboundBus
from bot.core.errors import ConfigError
from bot.core.messages import Address
from bot.core.texts import people
from tests.support.bench import ACCESS, ROLES, Bench
from tests.support.delegation_calls import says
from tests.support.fakes import FakeChannel
from tests.support.patience import PATIENCE
from tests.support.rows import NOW
from tests.support.troubles import has_row, wait_for_row

OFFICE = Address(channel="fake", chat="office")
TOLD = {"fake": replace(ACCESS["fake"], owner_address=OFFICE)}


class Faulty(FakeChannel):
    """A platform with a fault that the test sets."""

    fault = ""
    silent: float | None = 1.0

    def __init__(self) -> None:
        super().__init__()
        self.looks = asyncio.Semaphore(0)

    def health(self) -> HealthReport:
        self.looks.release()
        return HealthReport(silent_seconds=self.silent, fault=self.fault)


class Impossible(FakeChannel):
    """A platform that cannot be used as it is set."""

    name = "impossible"

    async def run(self, door: InboundBus) -> None:
        raise ConfigError("turn the intent on in the portal")


async def test_a_fault_is_told_once_for_as_long_as_it_lasts(bench: Bench) -> None:
    bench.chat = chat = Faulty()
    chat.fault = "the token was revoked: ask BotFather for a new one"
    async with bench.run(access=TOLD):
        assert await chat.said() == people.CHANNEL_FAULT(channel="Fake", fault=chat.fault)
        chat.fault = ""
        await wait_for_row(bench, "channels", "fault = '' AND good_at IS NOT NULL")
        chat.fault = "again"
        assert await chat.said() == people.CHANNEL_FAULT(channel="Fake", fault="again")
    assert chat.sent.empty()


async def test_after_a_restart_a_fault_that_lasts_is_not_told_again(bench: Bench) -> None:
    bench.chat = chat = Faulty()
    chat.fault = "revoked"
    async with bench.run(access=TOLD):
        await chat.said()
    async with bench.run(access=TOLD):
        await has_row(bench, "SELECT 1 FROM channels")
        await asyncio.sleep(0.05)
    assert chat.sent.empty()


async def test_a_channel_without_faults_is_not_noted_at_every_look(bench: Bench) -> None:
    bench.chat = chat = Faulty()
    bench.model.says("lead", "Hello Ann")
    async with bench.run(access=TOLD, now=lambda: NOW):  # so it is never due again
        assert await says(bench, "hello") == "Hello Ann"
        await wait_for_row(bench, "channels", "good_at IS NOT NULL")
        noted, chat.silent, chat.looks = bench.select("good_at", "channels"), 5.0, asyncio.Semaphore(0)
        for _ in range(2):
            await chat.looks.acquire()
        assert bench.select("good_at", "channels") == noted


async def test_a_channel_that_cannot_be_is_told_of_by_another_which_goes_on(bench: Bench) -> None:
    access = {**TOLD, "impossible": Access(owner_address=Address(channel="impossible", chat="x"))}
    bench.model.says("lead", "Hello Ann")
    async with asyncio.timeout(PATIENCE), asyncio.TaskGroup() as owner:
        until = asyncio.Event()
        channels = [Impossible(), bench.chat]
        assembly = app.Assembly(model=bench.model, roles=ROLES, channels=channels, data=bench.data, access=access)
        owner.create_task(app.run_bot(assembly, until))
        fault = people.CHANNEL_FAULT(channel="Impossible", fault="turn the intent on in the portal")
        assert await bench.chat.said() == fault
        bench.chat.hears("hello")
        assert await bench.chat.said() == "Hello Ann"
        until.set()


async def test_without_any_channel_the_operator_is_told_and_the_bot_ends(bench: Bench) -> None:
    assembly = app.Assembly(model=bench.model, roles=ROLES, channels=[Impossible()], data=bench.data)
    with pytest.raises(ExceptionGroup) as group:
        async with asyncio.timeout(PATIENCE):
            await app.run_bot(assembly)
    assert group.group_contains(ConfigError, match="turn the intent on")


class Forgetful(FakeChannel):
    unfetched_keep_seconds = 24 * 3600.0


@pytest.mark.parametrize(("hours", "is_told"), [(31, True), (23, False)])
async def test_the_owner_hears_that_a_platform_has_forgotten_messages(bench: Bench, hours: int, is_told: bool) -> None:
    bench.chat = chat = Forgetful()
    async with bench.run(access=TOLD):
        pass
    last_alive = time.time() - hours * 3600
    os.utime(bench.data / "lock", (last_alive, last_alive))
    bench.model.says("lead", "Hello Ann")
    async with bench.run(access=TOLD):
        if is_told:
            assert await chat.said() == people.AWAY_TOO_LONG(channel="Fake", away=31, kept=24)
        chat.hears("hello")
        assert await chat.said() == "Hello Ann"
