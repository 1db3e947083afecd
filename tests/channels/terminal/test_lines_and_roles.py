"""The chat without a screen while roles work: when a line is over, and who reads it."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from bot.core.access import Access
from bot.core.exit_status import ExitStatus
from bot.core.role import LEAD_ROLE_NAME, Role
from bot.core.texts.people import NEW_CONVERSATION
from bot.store.chat_reader import ChatReader
from channels.terminal.channel import Terminal
from channels.terminal.conversation import CHANNEL_NAME, LOCAL_ADDRESS, OWNER_ID, TerminalConversation
from channels.terminal.line_interface import LineInterface
from tests.support.bench import Bench
from tests.support.engine_options import DELEGATION_LIMITS, engine_options
from tests.support.fakes import Pause, delegates, reply, uses
from tests.support.patience import PATIENCE
from tests.support.troubles import wait_for_row

ACCESS = {CHANNEL_NAME: Access(owner_id=OWNER_ID, owner_address=LOCAL_ADDRESS)}
REPLY_SHOWN = "kind = 'reply' AND state = 'sent'"


@dataclass
class Lines:
    """The line interface of a bot on the bench. The test types the lines, and reads stdout and stderr."""

    bench: Bench
    options: dict[str, Any]
    typed: asyncio.Queue[str | None] = field(default_factory=asyncio.Queue)
    is_reading: asyncio.Event = field(default_factory=asyncio.Event)
    has_ended: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        rows = ChatReader(self.bench.data / "bot.db", LOCAL_ADDRESS)
        talk = TerminalConversation(rows, "Ann", is_continuing=True)
        self.face = LineInterface(talk, self.read_typed(), self.has_ended.set, **self.options)

    @property
    def as_channel(self) -> dict[str, Any]:
        return {"channels": [Terminal(self.face)], "access": ACCESS}

    async def read_typed(self) -> AsyncIterator[str]:
        self.is_reading.set()
        while (text := await self.typed.get()) is not None:
            yield text

    async def types(self, *texts: str) -> None:
        await self.is_reading.wait()
        for text in texts:
            self.typed.put_nowait(text)

    async def leaves(self) -> None:
        self.typed.put_nowait(None)
        async with asyncio.timeout(PATIENCE):
            await self.has_ended.wait()


@pytest.fixture(autouse=True)
def lead_has_money_for_delegations(bench: Bench) -> None:
    bench.roles[LEAD_ROLE_NAME] = Role(name=LEAD_ROLE_NAME, prompt="lead", limits=DELEGATION_LIMITS)


@pytest.mark.parametrize(("busy", "text", "answer"), [("queue", "hi", "hi, Ann"), ("steer", "/new", NEW_CONVERSATION)])
async def test_a_single_message_does_not_end_at_the_notice_that_it_waits(
    bench: Bench, busy: str, text: str, answer: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found, at_work = Pause("found"), Pause("it is in")
    bench.model.says("lead", delegates("researcher", background=True), "begun", at_work, "hi, Ann")
    bench.model.says("researcher", found)
    first, single = Lines(bench, {}), Lines(bench, {"is_single_message": True})
    async with bench.run(**first.as_channel, **engine_options(busy=busy)):
        await first.types("go")
        await wait_for_row(bench, "outbox", REPLY_SHOWN)
    async with bench.run(**single.as_channel, **engine_options(busy=busy)):
        found.go_on.set()
        await at_work.reached.wait()
        await single.types(text)
        await wait_for_row(bench, "outbox", "key LIKE '%:wait' AND state = 'sent'")
        statuses = [single.face.status]
        at_work.go_on.set()
        await single.leaves()
    assert [*statuses, single.face.status] == [ExitStatus.NOT_DONE, ExitStatus.DONE]
    assert capsys.readouterr().out == f"begun\n{answer}\n"


async def ask_in_background(bench: Bench, lines: Lines, asks: Pause) -> None:
    """Let a role work in the background, and ask when the lead's turn is over."""
    await lines.types("go")
    await wait_for_row(bench, "outbox", REPLY_SHOWN)
    asks.go_on.set()
    await wait_for_row(bench, "outbox", "kind = 'question' AND state = 'sent'")


async def test_the_next_line_is_read_after_one_that_answered_a_role(bench: Bench) -> None:
    asks = Pause(reply(uses("ask_person", question="Which?", options=["red", "blue"])))
    bench.model.says("lead", delegates("researcher", background=True), "begun", "noted", "noted")
    bench.model.says("researcher", asks, Pause("red, then"))
    lines = Lines(bench, {})
    async with bench.run(**lines.as_channel):
        await ask_in_background(bench, lines, asks)
        await lines.types("2", "and now?")
        await wait_for_row(bench, "inbox", text="and now?")
        await lines.leaves()
    assert bench.rows("SELECT answer FROM questions") == [("blue",)]


async def test_a_single_message_that_answers_a_question_is_a_success(bench: Bench) -> None:
    asks = Pause(reply(uses("ask_person", question="Which?", options=["red", "blue"])))
    bench.model.says("lead", delegates("researcher", background=True), "begun")
    bench.model.says("researcher", asks, Pause("red, then"))
    first, single = Lines(bench, {}), Lines(bench, {"is_single_message": True})
    async with bench.run(**first.as_channel):
        await ask_in_background(bench, first, asks)
    async with bench.run(**single.as_channel):
        await single.types("red")
        await single.leaves()
    assert single.face.status is ExitStatus.DONE
    assert bench.rows("SELECT answer FROM questions") == [("red",)]
