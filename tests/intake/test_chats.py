"""Chats as platforms have them: how far a history is read, and chats that move."""

import asyncio
from dataclasses import asdict, replace

from bot.core.errors import ChatHasMoved
from bot.core.messages import Address, ChatMovedEvent, HistoryReadEvent, InboundEvent, MessageId, OutboundKind
from bot.store import chats
from tests.support.bench import ACCESS, Bench
from tests.support.fakes import Pause, reply, uses
from tests.support.patience import PATIENCE
from tests.support.troubles import listed


def moved(old: str = "room", new: str = "hall") -> InboundEvent:
    return ChatMovedEvent(id=MessageId(f"move:{old}:{new}"), channel="fake", old=old, new=new)


async def test_a_chat_that_moves_goes_on_with_its_conversation(bench: Bench) -> None:
    bench.model.says("lead", "one", "two")
    async with bench.run():
        bench.chat.hears("first")
        assert await bench.chat.said() == "one"
        bench.chat.incoming.put_nowait(moved())
        bench.chat.hears("second", chat="hall")
        part = await bench.chat.part()
    assert (part.text, part.message.address.chat) == ("two", "hall")
    assert len(bench.model.asked("lead")[-1].transcript) == 3  # the first exchange is still there


async def test_a_chat_moved_in_mid_turn_gets_the_answer_at_its_new_place(bench: Bench) -> None:
    pause = Pause(reply(uses("ask_person", question="which?")))
    bench.model.says("lead", pause, "so be it")
    async with bench.run():
        bench.chat.hears("go")
        async with asyncio.timeout(PATIENCE):
            await pause.reached.wait()
        bench.chat.incoming.put_nowait(moved())
        await bench.chat.is_taken_in()
        pause.go_on.set()
        question = await bench.chat.part(OutboundKind.QUESTION)
        assert question.message.address.chat == "hall"
        bench.chat.hears("the red one", chat="hall")
        part = await bench.chat.part()
    assert (part.text, part.message.address.chat) == ("so be it", "hall")


async def test_the_right_to_speak_in_a_group_chat_moves_with_it(bench: Bench) -> None:
    bench.model.says("lead", "seen")
    access = {"fake": replace(ACCESS["fake"], allowed_ids=frozenset({"room"}))}
    async with bench.run(access=access):
        bench.chat.incoming.put_nowait(moved())
        bench.chat.hears("hello", by="Zoe", chat="hall", group_chat="hall")
        assert await bench.chat.said() == "seen"


async def test_a_platform_that_says_at_sending_that_a_chat_has_moved_is_followed(bench: Bench) -> None:
    bench.chat.faults.append(ChatHasMoved("hall"))
    bench.model.says("lead", "done")
    async with bench.run():
        bench.chat.hears("go")
        part = await bench.chat.part()
    assert (part.text, part.message.address.chat, part.may_be_shown_already) == ("done", "hall", False)


async def test_a_position_in_a_history_is_written_with_its_message_and_grows(bench: Bench) -> None:
    bench.model.says("lead", "one", "two")
    thread = Address(channel="fake", chat="room", thread="7")
    async with bench.run():
        bench.chat.hears("first", cursor="99", place="there")
        assert await bench.chat.said() == "one"
        bench.chat.incoming.put_nowait(HistoryReadEvent(address=thread, cursor="1000"))
        bench.chat.incoming.put_nowait(HistoryReadEvent(address=thread, cursor="250"))
        bench.chat.hears("from a stranger", by="Zoe", chat="other", cursor="5")
        await bench.chat.is_taken_in()
    found = listed(bench.data, lambda db: map(asdict, chats.list_known_chats(db, "fake")))
    assert [(str(chat["address"]["chat"]), chat["cursor"], chat["place"]) for chat in found] == [
        ("room", "1000", None),
        ("room", "99", "there"),
        ("other", "5", None),
    ]
