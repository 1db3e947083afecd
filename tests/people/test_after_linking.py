"""What changes in chats and schedules when accounts are linked, and when they are separated again."""

from datetime import timedelta

import pytest

from bot.core.role import LEAD_ROLE_NAME
from bot.core.texts import people_accounts as texts
from tests.people.test_people_commands_of_linked_accounts import GUARDED, NOTICE, REPLY, link
from tests.support.bench import Bench
from tests.support.fakes import Pause, reply, role
from tests.support.memory_bot import save
from tests.support.schedule_bot import ScheduleBot

DAILY = {"text": "tea", "repeat": "FREQ=DAILY;BYHOUR=8;BYMINUTE=0"}
IN_BERLIN, IN_TOKYO = "2026-12-02T07:00:00+00:00", "2026-12-01T23:00:00+00:00"


async def asks(bench: Bench, by: str, chat: str, **fields: str) -> str:
    """Let somebody write. Return all that the model reads."""
    bench.model.says("lead", "well")
    bench.chat.hears("hello", by=by, chat=chat, **fields)
    assert await bench.chat.said(REPLY) == "well"
    return str(bench.model.seen[-1].transcript)


async def says_and_links(bench: Bench) -> None:
    """Let a memory of Ann be saved, and link Bob with her. Then both know it."""
    bench.roles[LEAD_ROLE_NAME] = role("lead", "memory_save", delegates_to=None)
    bench.model.says("lead", reply(save("the walnut")), "noted")
    bench.chat.hears("hello", by="Ann", chat="ann")
    assert await bench.chat.said(REPLY) == "noted"
    await link(bench, "Ann", "Bob")
    assert "walnut" in await asks(bench, "Bob", "bob")


@pytest.mark.parametrize("command", ["/unlink", "/people fake Bob unlink"])
async def test_a_separated_account_reads_no_memory_of_the_other_any_more(bench: Bench, command: str) -> None:
    async with bench.run(access=GUARDED):
        await says_and_links(bench)
        by = "Owner" if "people" in command else "Bob"
        bench.chat.hears(command, by=by, chat="office" if by == "Owner" else "bob")
        assert texts.UNLINKED_HERE() in {await bench.chat.said(NOTICE) for _ in range(1 + (by == "Owner"))}
        assert "walnut" not in await asks(bench, "Bob", "bob")
        assert "walnut" in await asks(bench, "Ann", "ann")


async def test_a_turn_at_work_goes_on_and_the_next_begins_from_nothing(bench: Bench) -> None:
    async with bench.run(access=GUARDED):
        await says_and_links(bench)
        pause = Pause("done")
        bench.model.says("lead", pause)
        bench.chat.hears("work", by="Bob", chat="bob")
        await pause.reached.wait()
        bench.chat.hears("/unlink", by="Bob", chat="bob")
        assert await bench.chat.said(NOTICE) == texts.UNLINKED_HERE()
        pause.go_on.set()
        assert await bench.chat.said(REPLY) == "done"
        assert "walnut" not in await asks(bench, "Bob", "bob")


async def test_a_group_chat_goes_on_when_accounts_are_separated(bench: Bench) -> None:
    async with bench.run(access=GUARDED):
        await link(bench, "Ann", "Bob")
        await asks(bench, "Bob", "hall", group_chat="-5")
        bench.chat.hears("/unlink", by="Bob", chat="bob")
        await bench.chat.said(NOTICE)
        assert "well" in await asks(bench, "Bob", "hall", group_chat="-5")


async def test_schedules_follow_the_clock_of_the_person_that_they_belong_to(bench: Bench) -> None:
    bot = ScheduleBot(bench)
    async with bot.run(assembly={"access": GUARDED}):
        for name, zone in (("Ann", "Europe/Berlin"), ("Bob", "Asia/Tokyo")):
            await bot.hears(f"/timezone {zone}", by=name, chat=name.lower())
            await bot.calls(("remind_me", DAILY), by=name, chat=name.lower())
        times = "SELECT person, next_at FROM schedules ORDER BY number"
        assert bench.rows(times) == [("Ann", IN_BERLIN), ("Bob", IN_TOKYO)]
        await link(bench, "Ann", "Bob")
        assert bench.rows(times) == [("Ann", IN_BERLIN), ("Bob", IN_BERLIN)]
        await bot.hears("/unlink", by="Bob", chat="bob")
        assert bench.rows(times) == [("Ann", IN_BERLIN), ("Bob", IN_TOKYO)]
    async with bot.run(after=timedelta(hours=1)):
        assert "Asia/Tokyo" in await bot.hears("/schedules", by="Bob", chat="bob")
