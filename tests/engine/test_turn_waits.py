"""The quiet line for who must wait: what for, and once per turn and person."""

from dataclasses import replace

from bot.core.messages import OutboundKind
from bot.core.texts import model, people
from tests.support.bench import ACCESS, Bench
from tests.support.engine_options import engine_options, limits_with
from tests.support.fakes import Pause, reply, uses

NOTICE, REPLY, QUESTION = OutboundKind.NOTICE, OutboundKind.REPLY, OutboundKind.QUESTION
NOTICES = "SELECT text FROM outbox WHERE kind = 'notice'"


async def test_a_person_waiting_behind_anothers_turn_hears_once_whose_it_is(bench: Bench) -> None:
    pause = Pause("to Ann")
    bench.model.says("lead", pause, "to Bob")
    async with bench.run():
        bench.chat.hears("go")
        await pause.reached.wait()
        bench.chat.hears("me too", by="Bob")
        part = await bench.chat.part(NOTICE)
        assert part.text == people.WAITS_AS_NEXT(person="Ann")
        assert part.message.is_quiet
        bench.chat.hears("hello?", by="Bob")
        await bench.chat.is_taken_in()
        pause.go_on.set()
        assert [await bench.chat.said(REPLY) for _ in range(2)] == ["to Ann", "to Bob"]
        assert len(bench.rows(NOTICES)) == 1


async def test_each_who_waits_hears_their_place_in_a_reply(bench: Bench) -> None:
    pause = Pause("to Ann")
    bench.model.says("lead", pause, "to Bob", "to Cleo")
    access = {"fake": replace(ACCESS["fake"], allowed_ids=frozenset({"Ann", "Bob", "Cleo"}))}
    async with bench.run(access=access):
        bench.chat.hears("go")
        await pause.reached.wait()
        for name, line in (
            ("Bob", people.WAITS_AS_NEXT(person="Ann")),
            ("Cleo", people.WAITS_BEHIND_OTHERS(person="Ann", before=1)),
        ):
            bench.chat.hears("me too", by=name, id=f"m-{name}")
            part = await bench.chat.part(NOTICE)
            assert part.text == line
            assert part.message.reply_to == f"m-{name}"
        pause.go_on.set()
        assert [await bench.chat.said(REPLY) for _ in range(3)] == ["to Ann", "to Bob", "to Cleo"]


async def test_a_message_that_simply_joins_the_turn_gets_no_line(bench: Bench) -> None:
    pause = Pause(reply(uses("read")))
    bench.model.says("lead", pause, "both")
    async with bench.run():
        bench.chat.hears("go")
        await pause.reached.wait()
        bench.chat.hears("and this")
        await bench.chat.is_taken_in()
        pause.go_on.set()
        assert await bench.chat.said() == "both"
        assert bench.rows(NOTICES) == []


async def test_behind_a_question_of_somebody_else_the_line_says_when_it_is_over(bench: Bench) -> None:
    bench.model.says("lead", reply(uses("ask_person", question="which?")), "to Ann", "to Bob")
    async with bench.run():
        bench.chat.hears("go")
        await bench.chat.part(QUESTION)
        bench.chat.hears("me too", by="Bob")
        assert await bench.chat.said(NOTICE) == people.WAITS_AS_NEXT_FOR_QUESTION(person="Ann", minutes=2)
        bench.chat.hears("this one")
        assert [await bench.chat.said(REPLY) for _ in range(2)] == ["to Ann", "to Bob"]


async def test_a_question_does_not_keep_others_waiting_long_either(bench: Bench) -> None:
    pause = Pause(reply(uses("ask_person", question="which?")))
    bench.model.says("lead", pause, "to Ann", "to Bob")
    async with bench.run(**engine_options(question_seconds_if_others_wait=0)):
        bench.chat.hears("go")
        await pause.reached.wait()
        bench.chat.hears("me too", by="Bob")
        await bench.chat.is_taken_in()
        pause.go_on.set()
        assert [await bench.chat.said(REPLY) for _ in range(2)] == ["to Ann", "to Bob"]


async def test_no_message_joins_a_turn_if_messages_queue(bench: Bench) -> None:
    pause = Pause(reply(uses("read")))
    bench.model.says("lead", pause, "one", "two")
    async with bench.run(**engine_options(busy="queue")):
        bench.chat.hears("go")
        await pause.reached.wait()
        bench.chat.hears("and this")
        assert await bench.chat.said(NOTICE) == people.WAITS_FOR_OWN_TURN()
        pause.go_on.set()
        assert [await bench.chat.said(REPLY) for _ in range(2)] == ["one", "two"]
    assert bench.model.heard("lead", 1) == ["read"]


async def test_a_question_ends_when_the_asking_turns_time_is_used_up(bench: Bench) -> None:
    bench.is_stuck = True
    asks = (uses("ask_person", question="which?"), uses("ask_person", question="how many?"))
    bench.model.says("lead", reply(*asks, uses("change")), "so be it")
    async with bench.run(**engine_options(turn=limits_with(seconds=0.5))):
        bench.chat.hears("go")
        await bench.has_changed()
        bench.chat.hears("leave that")
        assert await bench.chat.said(REPLY) == "so be it"
    assert bench.model.heard("lead")[-1] == "Ann: leave that"


async def test_a_new_conversation_asked_for_ends_the_wait_for_an_answer(bench: Bench) -> None:
    bench.model.says("lead", reply(uses("ask_person", question="which?", options=["red"])), "never mind, then")
    async with bench.run():
        bench.chat.hears("go")
        await bench.chat.part(QUESTION)
        bench.chat.hears("/new")
        assert await bench.chat.said(REPLY) == "never mind, then"
        assert await bench.chat.said(NOTICE) == people.NEW_CONVERSATION()
    assert bench.model.heard("lead") == [model.WROTE_INSTEAD(text="/new")]


async def test_a_stop_calls_off_a_new_conversation_that_was_asked_for(bench: Bench) -> None:
    pause = Pause()
    bench.model.says("lead", pause)
    async with bench.run():
        bench.chat.hears("go")
        await pause.reached.wait()
        bench.chat.hears("/new")
        bench.chat.hears("/stop")
        assert await bench.chat.said(REPLY) == people.STOPPED(messages="“go”, “/new”")
