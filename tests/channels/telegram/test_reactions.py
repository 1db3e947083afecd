"""On Telegram a reaction says what became of a person's message: everything but the model is real."""

import asyncio
from dataclasses import replace

from bot.core.errors import ModelFailed
from bot.core.model import ModelReply
from channels.pacing import RateLimit
from tests.stand_ins.telegram import Fault, Message, TelegramStandIn, document, voice
from tests.stand_ins.telegram.people import BOT_ID
from tests.support.bench import Bench
from tests.support.fakes import Pause, reply, uses
from tests.support.patience import PATIENCE
from tests.support.places.telegram import UNPACED
from tests.support.telegram_bot import BEN, bot, private, sees
from tests.support.troubles import wait_for_row

RECEIVED, DONE, FAILED = "👀", "👍", "👎"


async def shows(server: TelegramStandIn, message: Message, emoji: str | None) -> None:
    try:
        async with asyncio.timeout(PATIENCE):
            await server.until(lambda: message.reactions.get(BOT_ID) == emoji)
    except TimeoutError:
        raise AssertionError(f"there is {message.reactions}") from None


async def test_a_message_is_marked_when_it_comes_and_when_it_is_answered(bench: Bench, server: TelegramStandIn) -> None:
    room, at_work = private(server), Pause("hello")
    bench.model.says("lead", at_work)
    async with bot(bench, server, reactions=True):
        written = room.say(room.chat.person, "hi")
        await shows(server, written, RECEIVED)
        at_work.go_on.set()
        await shows(server, written, DONE)


async def test_a_message_that_failed_is_marked_so(bench: Bench, server: TelegramStandIn) -> None:
    room = private(server)

    async def fail() -> ModelReply:
        raise ModelFailed("I cannot")

    bench.model.says("lead", fail)
    async with bot(bench, server, reactions=True):
        written = room.say(room.chat.person, "hi")
        await shows(server, written, FAILED)


async def test_a_voice_note_that_nobody_can_hear_is_marked_as_failed(bench: Bench, server: TelegramStandIn) -> None:
    room = private(server)
    async with bot(bench, server, reactions=True):
        sent = room.say(room.chat.person, media=voice())
        await shows(server, sent, FAILED)


async def test_a_stopped_message_keeps_no_mark(bench: Bench, server: TelegramStandIn) -> None:
    room, at_work = private(server), Pause("hello")
    bench.model.says("lead", at_work)
    async with bot(bench, server, reactions=True):
        written = room.say(room.chat.person, "hi")
        await shows(server, written, RECEIVED)
        room.say(room.chat.person, "/stop")
        await shows(server, written, None)


async def test_a_new_conversation_is_marked_as_done(bench: Bench, server: TelegramStandIn) -> None:
    room = private(server)
    async with bot(bench, server, reactions=True):
        written = room.say(room.chat.person, "/new")
        await shows(server, written, DONE)


async def test_a_file_that_answers_a_question_is_marked_as_done(bench: Bench, server: TelegramStandIn) -> None:
    room = private(server)
    bench.model.says("lead", reply(uses("ask_person", question="which?")), "that one")
    async with bot(bench, server, reactions=True):
        room.say(room.chat.person, "choose")
        await sees(server, room, lambda there: "which?" in there)
        sent = room.say(room.chat.person, "this", media=server.holding(document("a.txt"), b"words"))
        await shows(server, sent, DONE)


async def test_marks_that_wait_in_one_chat_hold_up_no_other_chat(bench: Bench, server: TelegramStandIn) -> None:
    room, other, at_work = private(server), private(server, BEN, "Ben"), Pause("hello")
    bench.model.says("lead", at_work, *["hello"] * 9)
    narrow = replace(UNPACED, reaction_limit=RateLimit(1, 60.0))
    async with bot(bench, server, reactions=True, rates=narrow):
        room.say(room.chat.person, "hi")
        await at_work.reached.wait()
        for number in range(6):
            room.say(room.chat.person, f"and {number}")
        await wait_for_row(bench, "inbox", "text = 'and 5'")
        await shows(server, other.say(other.chat.person, "hi"), RECEIVED)


async def test_a_mark_that_is_there_is_not_sent_again(bench: Bench, server: TelegramStandIn) -> None:
    room = private(server)
    bench.model.says("lead", "hello")
    async with bot(bench, server, reactions=True):
        sent = room.say(room.chat.person, media=server.holding(document("a.txt"), b"words"))
        await shows(server, sent, DONE)
    marks = [call for call in server.calls if call.method == "setMessageReaction"]
    assert len(marks) == 2


async def test_without_the_setting_nothing_is_marked(bench: Bench, server: TelegramStandIn) -> None:
    room = private(server)
    bench.model.says("lead", "hello")
    async with bot(bench, server):
        room.say(room.chat.person, "hi")
        await sees(server, room, lambda there: "hello" in there)
    assert not [call for call in server.calls if call.method == "setMessageReaction"]


async def test_a_wait_for_reactions_holds_up_no_answer(bench: Bench, server: TelegramStandIn) -> None:
    room = private(server)
    bench.model.says("lead", "hello", "again")
    async with bot(bench, server, reactions=True):
        server.faults.next("setMessageReaction", Fault.RETRY_240)
        room.say(room.chat.person, "hi")
        await sees(server, room, lambda there: "hello" in there)
        room.say(room.chat.person, "and")
        await sees(server, room, lambda there: "again" in there)


async def test_a_chat_that_forbids_reactions_is_asked_once(bench: Bench, server: TelegramStandIn) -> None:
    room = private(server)
    room.chat.reactions = frozenset()
    bench.model.says("lead", "hello", "again")
    async with bot(bench, server, reactions=True):
        for words, answer in (("hi", "hello"), ("and", "again")):
            room.say(room.chat.person, words)
            await sees(server, room, lambda there, answer=answer: answer in there)  # type: ignore[misc]  # bound
    refused = [call.refusal for call in server.calls if call.method == "setMessageReaction" and call.refusal]
    assert refused == ["400 Bad Request: REACTION_INVALID"]


async def test_after_a_block_is_over_messages_are_marked_again(bench: Bench, server: TelegramStandIn) -> None:
    room, at_work = private(server), Pause("hello")
    bench.model.says("lead", at_work, "again")
    async with bot(bench, server, reactions=True):
        room.say(room.chat.person, "hi")
        await at_work.reached.wait()
        room.block()
        at_work.go_on.set()
        async with asyncio.timeout(PATIENCE):
            await server.until(
                lambda: any(each.refusal for each in server.calls if each.method == "setMessageReaction")
            )
        room.unblock()
        await shows(server, room.say(room.chat.person, "and"), DONE)


async def test_a_mark_that_a_kill_cut_off_is_shown_at_the_next_start(bench: Bench, server: TelegramStandIn) -> None:
    room, at_work = private(server), Pause("hello")
    bench.model.says("lead", at_work)
    async with bot(bench, server, reactions=True):
        written = room.say(room.chat.person, "hi")
        await shows(server, written, RECEIVED)
        server.faults.always("setMessageReaction", Fault.RESET_UNREAD)
        at_work.go_on.set()
        await wait_for_row(bench, "turns", "state = 'ended'")
        bench.crashes()
    server.faults.always("setMessageReaction", None)
    async with bot(bench, server, reactions=True):
        await shows(server, written, DONE)
