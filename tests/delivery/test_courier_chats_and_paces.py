"""Chats that shut us out, owners who hear of it, and platforms that want nothing just now."""

import asyncio
from dataclasses import replace

from bot.core import phrases
from bot.core.access import Access
from bot.core.errors import ChatClosed, DeliveryError
from bot.core.messages import Address
from bot.store import outbox
from tests.delivery.test_delivery import with_owner
from tests.support.bench import ACCESS, Bench
from tests.support.fakes import FakeChannel
from tests.support.patience import PATIENCE
from tests.support.troubles import Uneven, has_row, listed


async def test_the_owner_hears_once_of_a_chat_that_shut_us_out(
    bench: Bench,
) -> None:
    bench.chat = Uneven()
    bench.chat.troubles["room"] += [ChatClosed("blocked")] * 2
    bench.model.says("lead", "one", "two", "three", "four")
    said = phrases.chat_closed_text(Address(channel="fake", chat="room"), "blocked")
    async with bench.run(access=with_owner()):
        bench.chat.hears("hello")
        assert await bench.chat.said() == said
        bench.chat.hears("hello")
        failed = "SELECT 1 FROM outbox WHERE key = 't2:reply' AND state = 'failed'"
        await has_row(bench, failed)
        bench.chat.hears("hello")
        assert await bench.chat.said() == "three"
        bench.chat.troubles["room"].append(ChatClosed("blocked"))
        bench.chat.hears("hello")
        assert await bench.chat.said() == said
    assert [(row["key"], row["is_told"]) for row in listed(bench.data, outbox.list_failed_messages)] == [
        ("t1:reply", 1),
        ("t2:reply", 0),
        ("t4:reply", 1),
    ]


def test_a_topic_that_takes_nothing_is_named() -> None:
    whole, topic = (Address(channel="telegram", chat="-1", thread=thread) for thread in (None, "5"))
    assert "5" not in phrases.chat_closed_text(whole, "closed")
    for known in ("5", "telegram", "-1", "closed"):
        assert known in phrases.chat_closed_text(topic, "closed")


async def test_another_owner_hears_what_one_owner_cannot(bench: Bench) -> None:
    bench.chat = Uneven()
    for chat in ("room", "office"):
        bench.chat.troubles[chat] += [DeliveryError("blocked")] * 2
    other = {"other": Access(owner_address=Address(channel="fake", chat="home"))}
    bench.model.says("lead", "lost")
    async with bench.run(access={**other, **with_owner()}):
        bench.chat.hears("hello")
        part = await bench.chat.part()
    assert part.message.address.chat == "home"
    said = bench.rows("SELECT text FROM outbox WHERE key LIKE '%:owner'")
    assert said == [(part.text,)] * 2
    for known in ("fake", "room", "blocked"):
        assert known in part.text
    told = {row["key"]: row["is_told"] for row in listed(bench.data, outbox.list_failed_messages)}
    assert told["t1:reply"]


async def test_no_owner_hears_twice_of_what_another_cannot_show(bench: Bench) -> None:
    bench.chat = Uneven()
    bench.chat.troubles["room"] += [DeliveryError("blocked")] * 2
    bench.chat.troubles["office"].append(DeliveryError("blocked"))
    places = {"fake": "room", "other": "office", "third": "home"}
    access = {
        name: replace(ACCESS["fake"], owner_address=Address(channel="fake", chat=at)) for name, at in places.items()
    }
    bench.model.says("lead", "lost")
    async with bench.run(access=access):
        bench.chat.hears("hello")
        assert (await bench.chat.part()).message.address.chat == "home"


class Slow(FakeChannel):
    """A platform that is paced: nothing may be sent until the test says so."""

    def __init__(self) -> None:
        super().__init__()
        self.goes = asyncio.Semaphore(0)
        self.waiting = asyncio.Event()

    async def wait_for_pace(self, address: Address) -> None:
        self.waiting.set()
        await self.goes.acquire()


async def test_nothing_is_sent_in_a_platforms_pause_and_a_crash_marks_nothing(bench: Bench) -> None:
    bench.chat = slow = Slow()
    slow.length = 4
    bench.model.says("lead", "one two")
    async with bench.run():
        slow.hears("hello")
        async with asyncio.timeout(PATIENCE):
            await slow.waiting.wait()
        assert bench.rows("SELECT state FROM outbox") == [("queued",)]
        bench.crashes()
    async with bench.run():
        slow.goes.release()
        assert await slow.said() == "one "
        slow.goes.release()
        assert await slow.said() == "two"
