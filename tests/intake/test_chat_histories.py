"""Where a chat's history can be read: what nobody knows of is looked up in it before it is said again."""

from collections.abc import Collection
from datetime import datetime

import pytest

from bot.core.channel import MessagePart
from bot.core.messages import OutboundMessage, PlatformId
from tests.support.bench import Bench
from tests.support.engine_options import engine_options
from tests.support.fakes import FakeChannel
from tests.support.wording import REPEAT_MARK

QUICK = engine_options(delivery_retry_seconds=0.001)
LOST = OSError("connection lost")


async def test_a_message_in_the_history_is_not_sent_again(bench: Bench) -> None:
    bench.model.says("lead", "one", "two")
    bench.chat.has_history = True
    bench.chat.accepts_anyway = True
    bench.chat.faults.append(LOST)
    async with bench.run(**QUICK):
        bench.chat.hears("hello")
        assert await bench.chat.said() == "one"
        bench.chat.hears("again")
        assert await bench.chat.said() == "two"


class Chronicle(FakeChannel):
    """A chat whose history can be read, where several messages may say the same."""

    def __init__(self) -> None:
        super().__init__()
        self.has_history = True
        self.shown: dict[PlatformId, str] = {}

    async def send(self, part: MessagePart) -> PlatformId:
        id = await super().send(part)
        self.shown[id] = part.text
        return id

    async def find_sent_part_id(
        self, part: MessagePart, since: datetime, known: Collection[PlatformId]
    ) -> PlatformId | None:
        return next((id for id, text in self.shown.items() if text == part.text and id not in known), None)


async def test_another_message_of_the_same_text_is_not_taken_for_this_one(bench: Bench) -> None:
    bench.chat = Chronicle()
    bench.model.says("lead", "the same", "the same")
    async with bench.run(**QUICK):
        bench.chat.hears("hello")
        assert await bench.chat.said() == "the same"
        bench.chat.faults.append(LOST)
        bench.chat.hears("again")
        assert await bench.chat.said() == "the same"
    assert len(bench.chat.shown) == 2


async def test_a_message_missing_from_the_history_is_sent_again_unmarked(bench: Bench) -> None:
    bench.model.says("lead", "Hello Ann")
    bench.chat.has_history = True
    bench.chat.faults.append(LOST)
    async with bench.run(**QUICK):
        bench.chat.hears("hello")
        assert await bench.chat.said() == "Hello Ann"


class Forgetful(FakeChannel):
    """A chat whose history shows only some messages: what it lacks may be shown all the same."""

    def history_shows(self, message: OutboundMessage) -> bool:
        return False


@pytest.mark.parametrize(("is_found", "shown"), [(True, "Hello Ann"), (False, f"{REPEAT_MARK}Hello Ann")])
async def test_what_a_history_may_lack_is_looked_up_and_else_marked(bench: Bench, is_found: bool, shown: str) -> None:
    bench.chat = chat = Forgetful()
    bench.model.says("lead", "Hello Ann", "Bye")
    chat.has_history = chat.accepts_anyway = is_found
    chat.faults.append(LOST)
    async with bench.run(**QUICK):
        chat.hears("hello")
        assert await chat.said() == shown
        chat.hears("bye")
        assert await chat.said() == "Bye"
