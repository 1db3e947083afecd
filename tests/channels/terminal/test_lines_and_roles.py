"""The chat without a screen while roles work: when a line is over, and who reads it."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from bot.core.access import Access
from bot.core.exit_status import ExitStatus
from bot.core.messages import RoleName
from bot.core.role import LEAD_ROLE_NAME, Role
from bot.core.texts import people
from bot.core.texts.model import NOBODY_ANSWERS
from bot.core.texts.people import NEW_CONVERSATION
from bot.store.chat_reader import ChatReader
from channels.terminal import people_texts
from channels.terminal.channel import Terminal
from channels.terminal.conversation import CHANNEL_NAME, LOCAL_ADDRESS, OWNER_ID, TerminalConversation
from channels.terminal.line_interface import LineInterface
from tests.support.bench import Bench
from tests.support.engine_options import DELEGATION_LIMITS, engine_options
from tests.support.fakes import Pause, delegates, failing, reply, role, uses
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


@pytest.mark.parametrize(
    ("busy", "text", "answer"), [("queue", "hi", "hi, Ann"), ("steer", "/new", NEW_CONVERSATION())]
)
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


async def let_a_role_end(bench: Bench, **options: Any) -> None:
    """Let a researcher report to the lead, which answers."""
    bench.model.says("lead", delegates("researcher"), "first")
    bench.model.says("researcher", "found")
    lines = Lines(bench, {})
    async with bench.run(**lines.as_channel, **options):
        await lines.types("go")
        await wait_for_row(bench, "outbox", REPLY_SHOWN)
        await lines.leaves()


async def test_a_single_message_to_an_ended_role_waits_for_its_answer(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    again, single = Pause("found more"), Lines(bench, {"is_single_message": True})
    await let_a_role_end(bench)
    bench.model.says("researcher", again)
    async with bench.run(**single.as_channel):
        await single.types("/tell 1 and more?")
        await wait_for_row(bench, "outbox", "key LIKE '%:taken_up' AND state = 'sent'")
        statuses = [single.face.status]
        again.go_on.set()
        await single.leaves()
    assert [*statuses, single.face.status] == [ExitStatus.NOT_DONE, ExitStatus.DONE]
    said = capsys.readouterr()
    assert said.out == "first\n[Researcher]: found more\n"
    assert people.ROLE_TAKES_UP(role="Researcher", number=1) in said.err


async def test_if_a_role_that_works_again_fails_a_single_message_is_no_success(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    single = Lines(bench, {"is_single_message": True})
    await let_a_role_end(bench)
    bench.model.says("researcher", failing)
    async with bench.run(**single.as_channel):
        await single.types("/tell 1 and more?")
        await single.leaves()
    assert single.face.status is ExitStatus.NOT_DONE
    said = capsys.readouterr()
    assert said.out == "first\n"
    assert people.ROLE_NOT_FINISHED(reason="the model is not there") in said.err


async def test_a_single_message_to_a_role_that_works_again_already_waits_too(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    at_work, more = Pause(reply(uses("read"))), Pause("found more")
    first, single = Lines(bench, {}), Lines(bench, {"is_single_message": True})
    await let_a_role_end(bench)
    bench.model.says("researcher", at_work)
    async with bench.run(**first.as_channel):
        await first.types("/tell 1 and more?")
        await at_work.reached.wait()
    bench.model.says("researcher", more)
    async with bench.run(**single.as_channel):
        at_work.go_on.set()
        await more.reached.wait()
        await single.types("/tell 1 and in spring?")
        await wait_for_row(bench, "outbox", "key LIKE '%:told' AND state = 'sent'")
        statuses = [single.face.status]
        bench.model.says("researcher", "found it all")
        more.go_on.set()
        await single.leaves()
    assert [*statuses, single.face.status] == [ExitStatus.NOT_DONE, ExitStatus.DONE]
    assert capsys.readouterr().out == "first\n[Researcher]: found it all\n"


async def test_a_role_that_works_on_a_single_message_learns_that_nobody_answers(bench: Bench) -> None:
    single = Lines(bench, {"is_single_message": True})
    await let_a_role_end(bench)
    bench.model.says("researcher", reply(uses("ask_person", question="Which?")), "any, then")
    async with bench.run(**single.as_channel):
        await single.types("/tell 1 and more?")
        await single.leaves()
    assert single.face.status is ExitStatus.DONE
    assert bench.rows("SELECT answer FROM questions") == [(NOBODY_ANSWERS,)]


async def test_a_role_that_works_on_a_single_message_starts_no_costly_roles(bench: Bench) -> None:
    bench.roles[RoleName("researcher")] = role("researcher", "delegate", delegates_to=None)
    single, options = Lines(bench, {"is_single_message": True}), {"swarm__max_depth": 2}
    await let_a_role_end(bench, **engine_options(**options))
    bench.model.says("researcher", delegates("researcher"), "without it")
    async with bench.run(**single.as_channel, **engine_options(swarm__ask_above_usd=0.000_001, **options)):
        await single.types("/tell 1 and more?")
        await single.leaves()
    assert single.face.status is ExitStatus.DONE
    assert bench.rows("SELECT answer FROM questions") == [(NOBODY_ANSWERS,)]
    assert bench.count("turns", "role = 'researcher'") == 2


async def test_with_nobody_there_to_agree_costly_roles_do_not_start(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    bench.model.says("lead", delegates("researcher"), "first", delegates("researcher"), "without it")
    bench.model.says("researcher", "found")
    first, single = Lines(bench, {}), Lines(bench, {"is_single_message": True})
    async with bench.run(**first.as_channel):
        await first.types("go")
        await wait_for_row(bench, "outbox", REPLY_SHOWN)
        await first.leaves()
    async with bench.run(**single.as_channel, **engine_options(swarm__ask_above_usd=0.000_001)):
        await single.types("again")
        await single.leaves()
    assert capsys.readouterr().out.endswith("without it\n")
    assert bench.rows("SELECT answer FROM questions") == [(NOBODY_ANSWERS,)]
    assert bench.count("turns", "role = 'researcher'") == 1


def asks_what(*options: str) -> Pause:
    """Return a step in which a role asks its person, once the test lets it."""
    return Pause(reply(uses("ask_person", question="Which?", **({"options": list(options)} if options else {}))))


@pytest.mark.parametrize("options", [{}, {"is_interactive": True}])
async def test_words_reach_the_lead_while_a_role_in_the_background_asks(bench: Bench, options: dict[str, Any]) -> None:
    asks = asks_what("red", "blue")
    bench.model.says("lead", delegates("researcher", background=True), "begun", "here I am", "noted")
    bench.model.says("researcher", asks, "green, then")
    lines = Lines(bench, options)
    async with bench.run(**lines.as_channel):
        await ask_in_background(bench, lines, asks)
        await lines.types("are you there?")
        await wait_for_row(bench, "outbox", text="here I am", state="sent")
        assert bench.rows("SELECT state FROM questions") == [("open",)]
        await lines.types("/tell 1 green")
        await wait_for_row(bench, "outbox", text="noted", state="sent")
        await lines.leaves()
    assert bench.rows("SELECT answer FROM questions") == [("green",)]
    assert bench.model.heard("lead", 2)[-1].endswith("are you there?")


async def test_typed_words_reach_the_lead_while_the_role_it_waits_for_asks(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    asks, noted = asks_what(), Pause("noted")
    bench.model.says("lead", delegates("researcher"), "here I am", noted, "yes?")
    bench.model.says("researcher", asks, "green, then")
    lines = Lines(bench, {"is_interactive": True})
    async with bench.run(**lines.as_channel):
        await lines.types("go")
        asks.go_on.set()
        await wait_for_row(bench, "outbox", "kind = 'question' AND state = 'sent'")
        await lines.types("are you there?")
        await wait_for_row(bench, "outbox", text="here I am", state="sent")
        await lines.types("/tell 1 green")
        await noted.reached.wait()
        noted.go_on.set()
        await lines.types("one more")
        await wait_for_row(bench, "inbox", text="one more")
        await lines.leaves()
    assert bench.rows("SELECT answer FROM questions") == [("green",)]
    said = capsys.readouterr()
    assert people_texts.WRITE_FOR_ROLE(number=1) in said.err
    assert "here I am\n" in said.out


async def test_a_line_of_a_pipe_answers_the_role_that_holds_up_the_line_before(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    asks = asks_what("red", "blue")
    bench.model.says("lead", delegates("researcher"), "it is blue", "yes?")
    bench.model.says("researcher", asks, "blue, then")
    lines = Lines(bench, {})
    async with bench.run(**lines.as_channel):
        await lines.types("go", "2", "one more")
        asks.go_on.set()
        await wait_for_row(bench, "outbox", text="yes?", state="sent")
        await lines.leaves()
    assert bench.rows("SELECT answer FROM questions") == [("blue",)]
    said = capsys.readouterr()
    assert said.out == "it is blue\nyes?\n"
    assert people_texts.CHOOSE_FOR_ROLE(number=1) in said.err


async def test_at_the_end_of_a_pipe_a_role_learns_that_nobody_answers(bench: Bench) -> None:
    asks = asks_what()
    bench.model.says("lead", delegates("researcher"), "it is found")
    bench.model.says("researcher", asks, "any, then")
    single = Lines(bench, {"is_single_message": True})
    async with bench.run(**single.as_channel):
        await single.types("go")
        asks.go_on.set()
        await single.leaves()
    assert single.face.status is ExitStatus.DONE
    assert bench.rows("SELECT answer FROM questions") == [(NOBODY_ANSWERS,)]


async def test_a_word_to_leave_by_leaves_also_while_a_role_asks(bench: Bench) -> None:
    asks = asks_what()
    bench.model.says("lead", delegates("researcher", background=True), "begun")
    bench.model.says("researcher", asks)
    lines = Lines(bench, {"is_interactive": True})
    async with bench.run(**lines.as_channel):
        await ask_in_background(bench, lines, asks)
        await lines.types("exit")
        async with asyncio.timeout(PATIENCE):
            await lines.has_ended.wait()
    assert bench.rows("SELECT state FROM questions") == [("open",)]
