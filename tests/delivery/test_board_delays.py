"""A platform that is slow about a board delays nothing else, and no state of the board is lost."""

import asyncio

import pytest

from bot.core.channel import MessagePart
from bot.core.errors import NotDelivered
from bot.core.messages import Address, OutboundKind, PlatformId
from bot.core.texts import people_help
from tests.support.bench import Bench
from tests.support.fakes import FakeChannel, Pause, delegates, reply, uses
from tests.support.troubles import has_row, wait_for_row

BOARD, NOTICE, REPLY, UPDATE = OutboundKind.BOARD, OutboundKind.NOTICE, OutboundKind.REPLY, OutboundKind.UPDATE
THREAD = Address(channel="fake", chat="room", thread="7")
CLOSED = "SELECT 1 FROM outbox WHERE kind = 'board' AND state = 'sent' AND text LIKE '%role% · % s · $%'"


class SlowBoards(FakeChannel):
    """A platform that does not answer the first sending or the first edit of a board until the test sets `go_on`."""

    def __init__(self, *, at_edits: bool) -> None:
        super().__init__()
        self.at_edits = at_edits
        self.reached, self.go_on = asyncio.Event(), asyncio.Event()

    async def send(self, part: MessagePart) -> PlatformId:
        if part.message.kind is BOARD and not self.at_edits:
            await self.stick()
        return await super().send(part)

    async def edit(self, id: PlatformId, part: MessagePart) -> None:
        if part.message.kind is BOARD and self.at_edits:
            await self.stick()
        await super().edit(id, part)

    async def stick(self) -> None:
        self.reached.set()
        await self.go_on.wait()


@pytest.mark.parametrize("at_edits", [False, True], ids=["first sending", "edit"])
async def test_updates_and_the_answer_pass_a_board_that_hangs(bench: Bench, at_edits: bool) -> None:
    bench.chat = chat = SlowBoards(at_edits=at_edits)
    looking, answer = Pause(reply(uses("message", text="looking"))), Pause("there")
    bench.model.says("lead", delegates("researcher"), answer)
    bench.model.says("researcher", looking, "found")
    async with bench.run():
        chat.hears("go")
        await looking.reached.wait()
        await chat.reached.wait()
        looking.go_on.set()
        assert await chat.said(UPDATE) == "[Researcher]: looking"
        await answer.reached.wait()
        answer.go_on.set()
        assert await chat.said(REPLY) == "there"
        assert bench.count("outbox", "kind = 'board' AND state = 'sending'") == 1
        chat.go_on.set()
        await has_row(bench, CLOSED)
    assert bench.count("outbox", "kind = 'board'") == 1


class SlowBoardsAndOneFailure(SlowBoards):
    """The first sending of a notice fails while a board hangs."""

    has_failed = False

    async def send(self, part: MessagePart) -> PlatformId:
        if part.message.kind is NOTICE and not self.has_failed:
            self.has_failed = True
            raise NotDelivered("away")
        return await super().send(part)


async def test_a_message_that_fails_beside_a_board_is_sent_again_beside_it(bench: Bench) -> None:
    bench.chat = chat = SlowBoardsAndOneFailure(at_edits=True)
    found = Pause("found")
    bench.model.says("lead", delegates("researcher"), "there")
    bench.model.says("researcher", found)
    async with bench.run():
        chat.hears("go")
        await found.reached.wait()
        await chat.reached.wait()
        chat.hears("/help")
        assert people_help.HELP["new"]() in await chat.said(NOTICE)
        assert bench.count("outbox", "kind = 'board' AND state = 'sending'") == 1
        chat.go_on.set()
        found.go_on.set()


class SlowBoardsBehindAnUpdate(SlowBoards):
    """A platform that is also slow about a role's update, until the test sets `update_goes_on`."""

    def __init__(self) -> None:
        super().__init__(at_edits=True)
        self.update_reached, self.update_goes_on = asyncio.Event(), asyncio.Event()

    async def send(self, part: MessagePart) -> PlatformId:
        if part.message.kind is UPDATE:
            self.update_reached.set()
            await self.update_goes_on.wait()
        return await super().send(part)


async def test_what_came_in_a_thread_before_the_board_went_passes_it(bench: Bench) -> None:
    bench.chat = chat = SlowBoardsBehindAnUpdate()
    found = Pause("found")
    bench.model.says("lead", delegates("researcher"), "hello", "there")
    bench.model.says("researcher", reply(uses("message", text="looking")), found)
    async with bench.run():
        chat.hears("go")
        await chat.update_reached.wait()
        await found.reached.wait()
        chat.hears("hi", "Bob", address=THREAD)
        await wait_for_row(bench, "outbox", text="hello")
        chat.update_goes_on.set()
        assert await chat.said(REPLY) == "hello"
        assert bench.count("outbox", "kind = 'board' AND state = 'sending'") == 1
        chat.go_on.set()
        found.go_on.set()
        await has_row(bench, CLOSED)


async def test_another_thread_of_the_chat_does_not_wait_either(bench: Bench) -> None:
    bench.chat = chat = SlowBoards(at_edits=True)
    found = Pause("found")
    bench.model.says("lead", delegates("researcher"), "hello", "there")
    bench.model.says("researcher", found)
    async with bench.run():
        chat.hears("go")
        await chat.reached.wait()
        await found.reached.wait()
        chat.hears("hi", "Bob", address=THREAD)
        assert await chat.said(REPLY) == "hello"
        found.go_on.set()
        assert await chat.said(REPLY) == "there"
        chat.go_on.set()
        await has_row(bench, CLOSED)


async def test_a_stop_of_the_bot_waits_for_a_board_on_its_way(bench: Bench) -> None:
    bench.chat = chat = SlowBoards(at_edits=True)
    found = Pause("found")
    bench.model.says("lead", delegates("researcher"), "there")
    bench.model.says("researcher", found)
    async with bench.run():
        chat.hears("go")
        await chat.reached.wait()
        await found.reached.wait()
        asyncio.get_running_loop().call_later(0.1, chat.go_on.set)
    assert bench.count("outbox", "kind = 'board' AND state = 'sending'") == 0
