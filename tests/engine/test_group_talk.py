"""What is said in a group chat comes along with the next message for the bot, unless somebody takes it back."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from bot.core.access import Access
from bot.core.group_chats import talk_line_of_message
from bot.core.messages import (
    Address,
    InboundEvent,
    MessageDeletedEvent,
    MessageId,
    OutboundKind,
    OverheardMessage,
    PersonId,
)
from bot.core.texts import people_accounts
from bot.core.texts import people_accounts as texts
from bot.engine.group_talk import MAX_ADDRESSES, TalkWindow
from tests.support.bench import Bench
from tests.support.engine_options import engine_options
from tests.support.fakes import Pause, message
from tests.support.troubles import wait_for_row

NOTICE, QUESTION, REPLY = OutboundKind.NOTICE, OutboundKind.QUESTION, OutboundKind.REPLY


def overheard(text: str, by: str = "Bob", **fields: Any) -> OverheardMessage:
    return OverheardMessage(message=message(text, by, "-5", group_chat="-5", **fields))


def hears(bench: Bench, events: Iterable[InboundEvent]) -> None:
    """Let these events come in one batch."""
    for event in events:
        bench.chat.incoming.put_nowait(event)


async def asks_to_forget(bench: Bench, by: str = "Bob") -> str:
    bench.chat.hears("/forget everything", by=by, chat=by.lower())
    return (await bench.chat.part(QUESTION)).message.id


async def test_what_a_forgotten_person_has_said_comes_along_no_more(bench: Bench) -> None:
    bench.model.says("lead", "hello")
    async with bench.run():
        hears(bench, [overheard("we leave at nine"), overheard("a secret", "Eve")])
        bench.chat.taps(await asks_to_forget(bench), people_accounts.FORGET_OPTION(), by="Bob", chat="bob")
        assert await bench.chat.said(NOTICE) == texts.FORGOTTEN()
        bench.chat.hears("hi", by="Ann", chat="-5", group_chat="-5")
        assert await bench.chat.said(REPLY) == "hello"
    heard = bench.model.heard("lead")[-1]
    assert "> Eve: a secret" in heard
    assert "nine" not in heard
    assert bench.rows("SELECT 1 FROM inbox WHERE quotes LIKE '%nine%'") == []


async def test_forgetting_counts_for_what_comes_in_the_same_batch(bench: Bench) -> None:
    bench.model.says("lead", "hello")
    async with bench.run():
        hears(bench, [overheard("we leave at nine")])
        question = await asks_to_forget(bench)
        bench.chat.taps(question, people_accounts.FORGET_OPTION(), by="Bob", chat="bob")
        bench.chat.hears("hi", by="Ann", chat="-5", group_chat="-5")
        assert await bench.chat.said(REPLY) == "hello"
    assert "nine" not in bench.model.heard("lead")[-1]


async def test_stored_talk_of_a_forgotten_person_is_not_stored_again(bench: Bench) -> None:
    async with bench.run(**engine_options(group_chats__keep_talk_hours=1.0)):
        hears(bench, [overheard("we leave at nine")])
        question = await asks_to_forget(bench)
        hears(bench, [overheard("really at nine"), overheard("a secret", "Eve")])
        bench.chat.taps(question, people_accounts.FORGET_OPTION(), by="Bob", chat="bob")
        assert await bench.chat.said(NOTICE) == texts.FORGOTTEN()
        await wait_for_row(bench, "overheard", "text = 'a secret'")
    assert bench.select("text", "overheard") == [("a secret",)]


async def test_a_message_that_is_deleted_in_its_own_batch_is_not_answered(bench: Bench) -> None:
    bench.model.says("lead", "hello")
    slip = message("a slip", "Bob", "-5", group_chat="-5")
    async with bench.run():
        hears(bench, [slip, MessageDeletedEvent(address=slip.address, message=slip.id)])
        bench.chat.hears("hi", by="Ann", chat="-5", group_chat="-5")
        assert await bench.chat.said(REPLY) == "hello"
    assert "a slip" not in str(bench.model.seen)
    assert bench.count("turns") == 1


async def test_an_edit_that_takes_the_mention_away_reaches_a_waiting_message(bench: Bench) -> None:
    at_work = Pause("hello")
    bench.model.says("lead", at_work, "all right")
    async with bench.run():
        bench.chat.hears("hi", by="Ann", chat="-5", group_chat="-5")
        await at_work.reached.wait()
        bench.chat.hears("delete the old list", by="Bob", chat="-5", id="wish", group_chat="-5")
        await wait_for_row(bench, "inbox", "text = 'delete the old list'")
        hears(bench, [overheard("never mind, sorry", id="wish", is_edit=True)])
        await wait_for_row(bench, "inbox", "text = 'never mind, sorry'")
        at_work.go_on.set()
        assert [await bench.chat.said(REPLY) for _ in range(2)] == ["hello", "all right"]
    assert "delete the old list" not in str(bench.model.seen)


async def test_an_edit_in_the_batch_of_its_message_takes_no_talk_away(bench: Bench) -> None:
    bench.model.says("lead", "hello", "again")
    wish = {"by": "Ann", "chat": "-5", "group_chat": "-5", "id": "wish"}
    async with bench.run():
        bench.chat.hears("hj", **wish)
        hears(bench, [overheard("we leave at nine")])
        bench.chat.hears("hi", is_edit=True, **wish)
        assert await bench.chat.said(REPLY) == "hello"
        bench.chat.hears("and now?", by="Ann", chat="-5", group_chat="-5")
        assert await bench.chat.said(REPLY) == "again"
    assert "we leave at nine" in bench.model.heard("lead")[-1]


async def test_what_a_stranger_asks_by_a_command_is_no_talk(bench: Bench) -> None:
    bench.model.says("lead", "hello")
    async with bench.run(access={"fake": Access(owner_id=PersonId("Ann"))}):
        hears(bench, [message("am I allowed?", "Eve", "-5", group_chat="-5", is_unseen_by_others=True)])
        hears(bench, [message("aloud", "Eve", "-5", group_chat="-5")])
        bench.chat.hears("hi", by="Ann", chat="-5", group_chat="-5")
        assert await bench.chat.said(REPLY) == "hello"
    heard = bench.model.heard("lead")[-1]
    assert "> Eve: aloud" in heard
    assert "am I allowed?" not in heard


def test_messages_that_are_deleted_elsewhere_push_no_talk_out() -> None:
    window, line = TalkWindow(), talk_line_of_message(message("we leave at nine", "Bob", "-5"))
    window.add(line, 50)
    for number in range(MAX_ADDRESSES):
        window.remove(Address(channel="fake", chat=str(number)), MessageId("gone"))
    window.add(replace(line, address=Address(channel="fake", chat="-6")), 50)
    assert window.take(line.address) == [line]
