"""`retinue chat` beside a bot that runs: it is attached to it, whatever happens to either of them meanwhile."""

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from bot import phrases
from bot.access import Access
from bot.cli.condition import installed
from bot.control.place import connect
from bot.control.server import Control
from bot.role import LEAD
from bot.store.review import Review
from channels.terminal import wire
from channels.terminal.channel import Terminal
from channels.terminal.remote import Remote
from channels.terminal.talk import CHANNEL, HERE, OWNER, Talk
from tests.conftest import ACCESS, Bench
from tests.fakes import Pause, delegates, reply, uses
from tests.patience import PATIENCE
from tests.terminals import IS_THERE, RETINUE, Home
from tests.troubles import has_row

pytestmark = IS_THERE
ALL = {**ACCESS, CHANNEL: Access(owner=OWNER)}


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path)
    home.data.mkdir(parents=True)
    return home


@pytest.fixture
def bench(home: Home) -> Bench:
    return Bench(home.data)


@asynccontextmanager
async def running(bench: Bench, version: str = "", **options: Any) -> AsyncIterator[None]:
    """A bot as `retinue run` has it: a chat elsewhere, and terminals that may be attached."""
    terminal = Terminal(title="scripted", version=version or installed())
    control = Control(bench.data, {"chat": terminal.attach})
    async with bench.run(access=ALL, console=terminal, control=control.run, **options):
        yield


async def chat(home: Home, *words: str, stdin: str = "") -> "subprocess.CompletedProcess[str]":
    return await asyncio.to_thread(home.chat, *words, stdin=stdin)


async def begun(home: Home, *words: str) -> asyncio.subprocess.Process:
    pipe = subprocess.PIPE
    return await asyncio.create_subprocess_exec(
        *(str(RETINUE), "chat", *words), cwd=home.folder, env=home.environment, stdin=pipe, stdout=pipe, stderr=pipe
    )


def addresses(bench: Bench) -> list[str]:
    return [address for (address,) in bench.rows("SELECT DISTINCT address FROM sessions ORDER BY rowid")]


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
        said = await chat(home, stdin="first\nsecond\n2\n")
    assert (said.returncode, said.stdout) == (0, "One.\nBlue it is.\n")
    assert "Which colour?" in said.stderr
    assert bench.rows("SELECT answer FROM questions") == [("blue",)]


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


async def test_what_one_terminal_has_remembered_another_finds(home: Home, bench: Bench) -> None:
    lead = bench.roles[LEAD]
    bench.roles[LEAD] = replace(lead, tools=(lead.tools or frozenset()) | {"memory_save", "memory_search"})
    saves = reply(uses("memory_save", text="the mat is red"))
    bench.model.says("lead", saves, "Noted.", reply(uses("memory_search", query="mat")), "Red.")
    async with running(bench):
        await chat(home, "-m", "The mat is red")
        await chat(home, "-m", "Which colour is the mat?")
    assert "the mat is red" in bench.model.heard("lead")[0]
    assert len(addresses(bench)) == 2


async def test_a_bot_that_does_not_come_back_is_waited_for_no_longer_than_said(home: Home, bench: Bench) -> None:
    remote = Remote(partial(connect, bench.data, PATIENCE), installed(), goes_on=False)
    async with running(bench):
        async with asyncio.timeout(PATIENCE):
            while not await remote.open():  # noqa: ASYNC110 - a socket that is not there yet wakes nobody
                await asyncio.sleep(0.01)
    shown = Shown()
    await remote.run(shown, phrases.BOT_AWAY, phrases.BOT_BACK, 0.1)  # type: ignore[arg-type]  # it is only warned
    assert shown.warnings == [phrases.BOT_AWAY]


class Shown:
    def __init__(self) -> None:
        self.warnings: list[str] = []

    def warn(self, text: str, *, is_over: bool) -> None:
        self.warnings.append(text)


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


async def test_what_is_asked_when_the_terminal_is_killed_is_answered_and_shown_to_the_next(
    home: Home, bench: Bench
) -> None:
    pause = Pause("It is done.")
    bench.model.says("lead", pause)
    async with running(bench):
        process = await begun(home, "-m", "Take your time")
        await pause.reached.wait()
        process.kill()
        await process.communicate()
        pause.go_on.set()
        await has_row(bench, "SELECT 1 FROM outbox WHERE kind = 'reply' AND state = 'queued'")
        bench.model.says("lead", "Nothing else.")
        said = await chat(home, "--continue", "-m", "And now?")
    assert said.stdout == "Nothing else.\n"
    assert "It is done." in said.stderr
    assert bench.rows("SELECT DISTINCT state FROM outbox WHERE kind = 'reply'") == [("sent",)]


async def test_leaving_stops_nothing_and_says_how_to_see_the_answer(home: Home, bench: Bench) -> None:
    pause = Pause("It is done.")
    bench.model.says("lead", pause)
    async with running(bench):
        process = await begun(home, "-m", "Take your time")
        await pause.reached.wait()
        process.send_signal(signal.SIGTERM)
        _, errors = await process.communicate()
        assert process.returncode == 1
        assert phrases.GOES_ON in errors.decode()
        pause.go_on.set()
        await has_row(bench, "SELECT 1 FROM turns WHERE status = 'completed'")


async def test_a_bot_that_ends_leaves_what_nobody_reads_for_the_next(home: Home, bench: Bench) -> None:
    pause = Pause("It is done.")
    bench.model.says("lead", pause)
    async with running(bench):
        process = await begun(home, "-m", "Take your time")
        await pause.reached.wait()
        process.kill()
        await process.communicate()
        pause.go_on.set()
        await has_row(bench, "SELECT 1 FROM outbox WHERE kind = 'reply' AND state = 'queued'")
    assert bench.rows("SELECT state, tries FROM outbox WHERE kind = 'reply'") == [("queued", 0)]
    async with running(bench):
        bench.model.says("lead", "Nothing else.")
        assert "It is done." in (await chat(home, "--continue", "-m", "And now?")).stderr


async def test_a_bot_that_is_killed_and_started_again_is_joined_again(home: Home) -> None:
    """The bot is a process of its own, killed while its role works and once more when it has begun again."""
    with home.begun() as bot:
        is_up(bot)
        terminal = await begun(home, "-m", "compare the README and the design page")
        await line_with(terminal.stderr, "[Researcher]: ")
        bot.kill()
        await line_with(terminal.stderr, phrases.BOT_AWAY)
    with home.begun() as bot:
        out, errors = await asyncio.wait_for(terminal.communicate(), PATIENCE)
        assert phrases.BOT_BACK in errors.decode()
        assert terminal.returncode == 0
        assert out.decode().count("`docs/architecture.md` is") == 1


async def test_what_was_said_while_the_bot_was_away_is_taken_in_once(home: Home, bench: Bench) -> None:
    bench.model.says("lead", "one", "two")
    async with running(bench):
        process = await begun(home)
        assert process.stdin
        assert process.stdout
        process.stdin.write(b"first\n")
        assert await process.stdout.readline() == b"one\n"
    await line_with(process.stderr, phrases.BOT_AWAY)
    process.stdin.write(b"second\n")
    async with running(bench):
        assert await asyncio.wait_for(process.stdout.readline(), PATIENCE) == b"two\n"
        process.stdin.close()
        await process.wait()
    texts = bench.rows("SELECT text, address, state FROM inbox WHERE kind = 'text' ORDER BY seq")
    assert texts == [("first", "terminal:local:1", "done"), ("second", "terminal:local:1", "done")]


async def test_a_message_that_is_sent_again_since_its_acknowledgement_was_lost_is_taken_once(bench: Bench) -> None:
    bench.model.says("lead", "one")
    message = Talk(Review(bench.data / "bot.db", HERE), "Ann", goes_on=True).message("first")
    batch = wire.MESSAGES.dump_python([message], mode="json")
    async with running(bench):
        for at in (None, "terminal:local:1"):
            reader, writer = await seat(bench, at)
            wire.write(writer, publish=batch, number=7)
            while not (line := await wire.read(reader)) or line.get("taken") != 7:
                assert line, "the bot has hung up"
            writer.close()
            await writer.wait_closed()
    assert bench.rows("SELECT text, address FROM inbox") == [("first", "terminal:local:1")]


async def seat(bench: Bench, at: str | None) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Sit down as an attached terminal does, once the bot is there and has seen that it left before."""
    async with asyncio.timeout(PATIENCE):
        while True:
            if connection := connect(bench.data, PATIENCE):
                reader, writer = await asyncio.open_unix_connection(sock=connection)
                wire.write(writer, ask="chat", version=installed(), at=at, **{"continue": False})
                if "at" in (await wire.read(reader) or {}):
                    return reader, writer
                writer.close()
            await asyncio.sleep(0.01)


async def test_where_the_lock_is_held_and_nobody_answers_it_is_the_error_of_a_folder_in_use(home: Home) -> None:
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
    assert (said.returncode, said.stdout) == (2, "")
    assert f"{home.data} is in use by process 77" in said.stderr


async def test_a_bot_of_another_version_is_not_spoken_with(home: Home, bench: Bench) -> None:
    async with running(bench, version="0.0.1"):
        said = await chat(home, "-m", "Hello")
    assert (said.returncode, said.stdout) == (2, "")
    assert wire.OTHER_VERSION.format("0.0.1", installed()) in said.stderr


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
    assert bench.rows("SELECT DISTINCT state FROM outbox WHERE kind = 'reply'") == [("sent",)]


def is_up(bot: "subprocess.Popen[str]") -> None:
    assert bot.stdin
    assert bot.stdout
    bot.stdin.write("help\n")
    assert bot.stdout.readline().startswith("I am the demo")


async def line_with(stream: asyncio.StreamReader | None, text: str) -> None:
    assert stream
    async with asyncio.timeout(PATIENCE):
        while text not in (line := (await stream.readline()).decode()):
            assert line, f"{text!r} did not come"
