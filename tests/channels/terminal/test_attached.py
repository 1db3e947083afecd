"""`retinue chat` beside a bot that runs: it is attached to it."""

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import Collection, Sequence
from dataclasses import replace

import pytest

from bot.cli import texts
from bot.core.channel import MessagePart
from bot.core.exit_status import ExitStatus
from bot.core.messages import Draft, InboundEvent, InboundMessage, MessageId, OutboundId, OutboundKind, OutboundMessage
from bot.core.role import LEAD_ROLE_NAME
from bot.core.texts import operators
from bot.ops.health import retinue_version
from channels.terminal import attach_protocol, operator_texts
from channels.terminal.conversation import LOCAL_ADDRESS, TerminalConversation
from channels.terminal.line_interface import LineInterface, iterate_single_text
from tests.channels.terminal.test_text import Nothing
from tests.support.attached_terminals import addresses, begun, bench, chat, home, running
from tests.support.bench import Bench
from tests.support.fakes import Pause, delegates, reply, uses
from tests.support.terminals import IS_THERE, Home
from tests.support.troubles import has_row

__all__ = ["bench", "home"]

pytestmark = IS_THERE
COMPLETED = "SELECT 1 FROM turns WHERE status = 'completed'"
REPLIES = "SELECT state FROM outbox WHERE kind = 'reply'"


async def test_one_message_is_answered_by_the_bot_that_runs_and_it_goes_on(home: Home, bench: Bench) -> None:
    bench.model.says("lead", "Good evening.", "Hello Ann")
    async with running(bench):
        said = await chat(home, "-m", "Hello")
        assert (said.returncode, said.stdout) == (0, "Good evening.\n")
        bench.chat.hears("hello")
        assert await bench.chat.said() == "Hello Ann"
    assert addresses(bench) == ["terminal:local:1", "fake:room"]


async def test_as_json_it_is_what_it_is_without_a_bot_that_runs(home: Home, bench: Bench) -> None:
    bench.model.says("lead", "Good evening.")
    async with running(bench):
        said = await chat(home, "--json", "-m", "Hello")
    told = json.loads(said.stdout)
    assert (said.returncode, told["reply"], told["status"]) == (0, "Good evening.", "completed")


async def test_from_a_pipe_lines_are_answered_in_order_and_questions_by_the_next(home: Home, bench: Bench) -> None:
    asks = reply(uses("ask_person", question="Which colour?", options=["red", "blue"]))
    bench.model.says("lead", "One.", asks, "Blue it is.")
    async with running(bench):
        said = await chat(home, "--lines", stdin="first\nsecond\n2\n")
    assert (said.returncode, said.stdout) == (0, "One.\nBlue it is.\n")
    assert "Which colour?" in said.stderr
    assert bench.rows("SELECT answer FROM questions") == [("blue",)]


@pytest.mark.fast
async def test_each_terminal_has_a_conversation_and_the_memory_is_shared(home: Home, bench: Bench) -> None:
    pause = Pause("The first.")
    bench.model.says("lead", pause, "The second.")
    async with running(bench):
        first = asyncio.create_task(chat(home, "-m", "one"))
        await pause.reached.wait()
        assert (await chat(home, "-m", "two")).stdout == "The second.\n"
        pause.go_on.set()
        assert (await first).stdout == "The first.\n"
    assert addresses(bench) == ["terminal:local:1", "terminal:local:2"]
    assert bench.rows("SELECT DISTINCT chat FROM requests") == [("terminal:local",)]


async def test_a_terminal_finds_the_memories_of_another(home: Home, bench: Bench) -> None:
    lead = bench.roles[LEAD_ROLE_NAME]
    bench.roles[LEAD_ROLE_NAME] = replace(lead, tools=(lead.tools or frozenset()) | {"memory_save", "memory_search"})
    saves = reply(uses("memory_save", text="the mat is red"))
    bench.model.says("lead", saves, "Noted.", reply(uses("memory_search", query="mat")), "Red.")
    async with running(bench):
        await chat(home, "-m", "The mat is red")
        await chat(home, "-m", "Which colour is the mat?")
    assert "the mat is red" in bench.model.heard("lead")[0]
    assert len(addresses(bench)) == 2


async def test_continue_takes_the_newest_that_is_free(home: Home, bench: Bench) -> None:
    pause = Pause("At last.")
    bench.model.says("lead", "one", "two", pause, "four")
    async with running(bench):
        await chat(home, "-m", "first")
        await chat(home, "-m", "second")
        third = asyncio.create_task(chat(home, "--continue", "-m", "third"))
        await pause.reached.wait()
        await chat(home, "--continue", "-m", "fourth")
        pause.go_on.set()
        await third
    sessions = dict(bench.rows("SELECT text, address FROM inbox WHERE kind = 'text'"))
    assert (sessions["third"], sessions["fourth"]) == ("terminal:local:2", "terminal:local:1")
    assert len(addresses(bench)) == 2


async def test_leaving_stops_nothing_and_says_how_to_see_the_answer(home: Home, bench: Bench) -> None:
    pause = Pause("It is done.")
    bench.model.says("lead", pause)
    async with running(bench):
        process = await begun(home, "-m", "Take your time")
        await pause.reached.wait()
        process.send_signal(signal.SIGTERM)
        _, errors = await process.communicate()
        assert process.returncode == 1
        assert texts.BOT_GOES_ON(command="retinue chat --continue") in errors.decode()
        pause.go_on.set()
        await has_row(bench, COMPLETED)


async def test_a_held_lock_without_an_answer_is_the_error_of_a_folder_in_use(home: Home) -> None:
    script = "import fcntl, sys; f = open(sys.argv[1], 'w'); fcntl.flock(f, 2); f.write('77'); f.flush(); print()"
    holder = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", f"{script}; sys.stdout.flush(); sys.stdin.read()", home.data / "lock"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert holder.stdout
    await holder.stdout.readline()
    said = await chat(home, "-m", "Hello")
    await holder.communicate(b"")
    assert (said.returncode, said.stdout) == (ExitStatus.IN_USE, "")
    assert operators.FOLDER_IN_USE(folder=home.data, process=77) in said.stderr


async def test_a_bot_of_another_version_is_not_spoken_with(home: Home, bench: Bench) -> None:
    async with running(bench, version="0.0.1"):
        said = await chat(home, "-m", "Hello")
    assert (said.returncode, said.stdout) == (2, "")
    assert operator_texts.OTHER_VERSION(running="0.0.1", own=retinue_version()) in said.stderr


async def test_a_screen_is_attached_too(home: Home, bench: Bench) -> None:
    bench.model.says("lead", delegates("researcher"), "The report is in.")
    bench.model.says("researcher", reply(uses("message", text="Two found.")), "Two.")
    async with running(bench):
        with home.screen() as keyboard:
            await asyncio.to_thread(keyboard.sees, "scripted")
            keyboard.types("look for two\r")
            await asyncio.to_thread(keyboard.sees, "[Researcher]: Two found.", "The report is in.")
            keyboard.types("\x04")
            assert await asyncio.to_thread(keyboard.leaves) == 0
    assert set(bench.rows(REPLIES)) == {("sent",)}


def test_a_draft_can_be_read_by_an_older_terminal_and_by_a_newer_one() -> None:
    draft = Draft(turn="t7", address=LOCAL_ADDRESS, text="Hello", activity="reading README.md")
    sent = attach_protocol.DRAFT_ADAPTER.dump_python(draft, mode="json")
    assert attach_protocol.DRAFT_ADAPTER.validate_python({**sent, "what comes later": 1}) == draft
    del sent["activity"]
    assert attach_protocol.DRAFT_ADAPTER.validate_python(sent) == replace(draft, activity=None)


async def test_an_answer_that_overtakes_its_acknowledgement_counts(capsys: pytest.CaptureFixture[str]) -> None:
    lines = LineInterface(
        TerminalConversation(Answered(), "Ann", is_continuing=True),
        iterate_single_text("hello"),
        lambda: None,
        is_single_message=True,
    )

    async def publish(batch: Sequence[InboundEvent]) -> None:
        message = batch[-1]
        assert isinstance(message, InboundMessage)
        answer = OutboundMessage(
            id=OutboundId("t1:reply"), address=LOCAL_ADDRESS, kind=OutboundKind.REPLY, text="Hi", reply_to=message.id
        )
        await lines.show(
            MessagePart(message=answer, text="Hi", number=0, nonce="", is_last=True, may_be_shown_already=False)
        )

    await lines.run(publish)
    assert (lines.status, capsys.readouterr()) == (0, ("Hi\n", ""))


class Answered(Nothing):
    """A chat where every message is answered."""

    def is_over(self, message: MessageId, shown: Collection[OutboundId]) -> bool:
        return bool(shown)

    def is_answered(self, message: MessageId) -> bool:
        return True
