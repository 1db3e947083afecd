"""Who may speak, and whose commands are answered, in group chats and in public."""

from dataclasses import replace
from typing import Any

from bot.core.access import Access
from bot.core.messages import Address, OutboundKind
from tests.support.bench import ACCESS, Bench
from tests.support.fakes import Pause, delegates
from tests.support.troubles import Clock

OWNER_AT = Address(channel="fake", chat="office")
GUARDED = {"fake": replace(ACCESS["fake"], owner_address=OWNER_AT, may_strangers_pair=True)}


async def test_a_stranger_in_a_group_chat_is_ignored_and_nothing_of_his_is_kept(bench: Bench) -> None:
    async with bench.run(access=GUARDED):
        bench.chat.hears("let me in", by="Sam", chat="sam", group_chat="-100")
        await bench.chat.is_taken_in()
    assert bench.chat.sent.empty()
    assert bench.rows("SELECT text, name FROM inbox") == [("", "")]


async def test_everybody_may_speak_in_an_allowed_group_chat_and_only_there(bench: Bench) -> None:
    bench.model.says("lead", "Hello all")
    access = {"fake": Access(allowed_ids=frozenset({"-100"}))}
    async with bench.run(access=access):
        bench.chat.hears("in private", by="Sam", chat="sam")
        bench.chat.hears("elsewhere", by="Sam", chat="other", group_chat="-200")
        bench.chat.hears("here", by="Sam", chat="-100", group_chat="-100")
        assert await bench.chat.said() == "Hello all"
    assert bench.model.heard("lead") == ['id Sam "Sam": here']
    assert bench.count("turns") == 1


async def test_a_public_chat_is_for_everybody(bench: Bench) -> None:
    bench.model.says("lead", "Hello")
    async with bench.run(access={"fake": Access(is_public=True)}):
        bench.chat.hears("hello", by="Zoe")
        assert await bench.chat.said() == "Hello"


async def test_the_same_command_is_answered_once_a_minute_in_a_group_chat(bench: Bench) -> None:
    clock = Clock()
    bench.model.says("lead", "the answer")

    async def hears(text: str, by: str = "Bob", **where: str) -> None:
        bench.chat.hears(text, by=by, **{"chat": "hall", "group_chat": "-5", **where})
        await bench.chat.is_taken_in()

    async with bench.run(now=clock):
        for number in range(20):
            await hears("/help")
            await hears("/new")
            await hears(f"/nonsense{number}")
        await hears("go", by="Ann")
        said = [await bench.chat.said() for _ in range(4)]
        assert said[-1] == "the answer"
        clock.passes(seconds=59)
        await hears("/help")
        assert bench.chat.sent.empty()
        clock.passes(seconds=1)
        await hears("/help")
        assert await bench.chat.said() in said
        for _ in range(2):
            bench.chat.hears("/help", chat="private")
            assert await bench.chat.said() in said


async def test_a_command_that_is_not_answered_is_obeyed_all_the_same(bench: Bench) -> None:
    pause = Pause()
    bench.model.says("lead", pause)
    hall: dict[str, Any] = {"chat": "hall", "group_chat": "-5"}
    async with bench.run():
        bench.chat.hears("/stop", **hall)
        await bench.chat.said()
        bench.chat.hears("go", **hall)
        await pause.reached.wait()
        bench.chat.hears("/stop", **hall)
        await bench.chat.said(OutboundKind.REPLY)
    assert bench.select("status", "turns") == [("cancelled",)]


async def test_a_refused_command_about_a_role_is_always_answered_in_a_group_chat(bench: Bench) -> None:
    async with bench.run():
        for text in ("/tell 9 hello", "/tell 8 hello", "/retry 9", "/retry 9", "/stop 9", "/stop 9"):
            bench.chat.hears(text, group_chat="-5")
            assert await bench.chat.said(OutboundKind.NOTICE)


async def test_the_pace_of_commands_counts_what_is_asked_and_by_whom(bench: Bench) -> None:
    bench.model.says("lead", delegates("researcher", "writer"), "done")
    bench.model.says("researcher", "found")
    bench.model.says("writer", "written")
    async with bench.run():
        bench.chat.hears("go", group_chat="-5")
        await bench.chat.said(OutboundKind.REPLY)
        for text, by in (
            ("/log 1", "Ann"),
            ("/log 2", "Ann"),
            ("/log 1", "Bob"),
            ("/agents", "Ann"),
            ("/agents", "Bob"),
        ):
            bench.chat.hears(text, by=by, group_chat="-5")
            assert await bench.chat.said(OutboundKind.NOTICE)
        for text in ("/log 2", "/agents now"):
            bench.chat.hears(text, group_chat="-5")
            await bench.chat.is_taken_in()
        assert bench.count("outbox", "kind = 'notice'") == 5


async def test_a_command_whose_answer_only_its_sender_sees_is_always_answered(bench: Bench) -> None:
    async with bench.run():
        for _ in range(3):
            bench.chat.hears("/help", group_chat="-5", is_answered_privately=True)
            assert await bench.chat.said(OutboundKind.NOTICE)
