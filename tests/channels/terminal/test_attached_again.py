"""An attached terminal and its bot, either of which is killed, or away for a while."""

import asyncio
from asyncio import StreamReader, StreamWriter
from functools import partial
from pathlib import Path

import pytest

from bot.cli import texts
from bot.ops.control.unix_socket import connect_to_bot, listen_on_socket
from bot.ops.health import retinue_version
from bot.store.chat_reader import ChatReader
from channels.terminal import attach_protocol
from channels.terminal.bot_connection import BotConnection
from channels.terminal.conversation import LOCAL_ADDRESS, TerminalConversation
from tests.support.attached_terminals import begun, bench, chat, home, is_up, line_with, running
from tests.support.bench import Bench
from tests.support.fakes import Pause
from tests.support.patience import PATIENCE
from tests.support.terminals import IS_THERE, Home
from tests.support.troubles import has_row

__all__ = ["bench", "home"]

pytestmark = IS_THERE
REPLIES = "SELECT state, tries FROM outbox WHERE kind = 'reply'"
REPLY_WAITS = f"{REPLIES} AND state = 'queued'"


async def test_a_bot_that_does_not_come_back_is_waited_for_no_longer_than_said(home: Home, bench: Bench) -> None:
    remote = BotConnection(partial(connect_to_bot, bench.data, PATIENCE), retinue_version(), is_continuing=False)
    async with running(bench):
        async with asyncio.timeout(PATIENCE):
            while not await remote.try_to_connect():  # noqa: ASYNC110 - a socket that is not there yet wakes nobody
                await asyncio.sleep(0.01)
    shown = Shown()
    await remote.show_and_reconnect(shown, texts.BOT_AWAY, texts.BOT_BACK, 0.1)  # type: ignore[arg-type]  # it is only warned
    assert shown.warnings == [texts.BOT_AWAY]


class Shown:
    def __init__(self) -> None:
        self.warnings: list[str] = []

    def warn(self, text: str, *, is_over: bool) -> None:
        self.warnings.append(text)


@pytest.mark.parametrize("hello", [b"no JSON\n", b"[]\n"])
async def test_a_terminal_that_was_greeted_wrongly_joins_the_next_bot(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, hello: bytes
) -> None:
    hellos = iter([hello, b'{"at": "terminal:local:1", "title": "scripted"}\n'])

    async def greet(reader: StreamReader, writer: StreamWriter) -> None:
        await reader.readline()
        writer.write(next(hellos))
        assert await reader.read() == b"", "the terminal hangs up"
        writer.close()

    remote = BotConnection(partial(connect_to_bot, tmp_path, PATIENCE), retinue_version(), is_continuing=False)
    async with await asyncio.start_unix_server(greet, sock=listen_on_socket(tmp_path)):
        assert not await remote.try_to_connect()
        assert await remote.try_to_connect()
        await remote.close()
    assert (remote.answerer_title, caplog.messages) == ("scripted", [])


async def test_a_killed_terminals_question_is_answered_and_shown_to_the_next_one(home: Home, bench: Bench) -> None:
    pause = Pause("It is done.")
    bench.model.says("lead", pause)
    async with running(bench):
        process = await begun(home, "-m", "Take your time")
        await pause.reached.wait()
        process.kill()
        await process.communicate()
        pause.go_on.set()
        await has_row(bench, REPLY_WAITS)
        bench.model.says("lead", "Nothing else.")
        said = await chat(home, "--continue", "-m", "And now?")
    assert said.stdout == "Nothing else.\n"
    assert "It is done." in said.stderr
    assert {state for state, _ in bench.rows(REPLIES)} == {"sent"}


async def test_a_bot_that_ends_leaves_what_nobody_reads_for_the_next(home: Home, bench: Bench) -> None:
    pause = Pause("It is done.")
    bench.model.says("lead", pause)
    async with running(bench):
        process = await begun(home, "-m", "Take your time")
        await pause.reached.wait()
        process.kill()
        await process.communicate()
        pause.go_on.set()
        await has_row(bench, REPLY_WAITS)
    assert bench.rows(REPLIES) == [("queued", 0)]
    async with running(bench):
        bench.model.says("lead", "Nothing else.")
        assert "It is done." in (await chat(home, "--continue", "-m", "And now?")).stderr


@pytest.mark.fast
async def test_a_bot_that_is_killed_and_started_again_is_joined_again(home: Home) -> None:
    """The bot is a process of its own, killed while its role works and once more when it has begun again."""
    with home.begun("--lines") as bot:
        is_up(bot)
        terminal = await begun(home, "-m", "compare the README and the design page")
        await line_with(terminal.stderr, "[Reader]: ")
        bot.kill()
        await line_with(terminal.stderr, texts.BOT_AWAY)
    with home.begun("--lines") as bot:
        out, errors = await asyncio.wait_for(terminal.communicate(), PATIENCE)
        assert texts.BOT_BACK in errors.decode()
        assert terminal.returncode == 0
        assert out.decode().count("`docs/architecture.md` is") == 1


async def test_a_message_typed_while_the_bot_was_away_is_taken_in_once(home: Home, bench: Bench) -> None:
    bench.model.says("lead", "one", "two")
    async with running(bench):
        process = await begun(home, "--lines")
        assert process.stdin
        assert process.stdout
        process.stdin.write(b"first\n")
        assert await process.stdout.readline() == b"one\n"
    await line_with(process.stderr, texts.BOT_AWAY)
    process.stdin.write(b"second\n")
    async with running(bench):
        assert await asyncio.wait_for(process.stdout.readline(), PATIENCE) == b"two\n"
        process.stdin.close()
        await process.wait()
    taken = bench.rows("SELECT text, address, state FROM inbox WHERE kind = 'text' ORDER BY seq")
    assert taken == [("first", "terminal:local:1", "done"), ("second", "terminal:local:1", "done")]


async def test_a_message_repeated_after_a_lost_acknowledgement_is_taken_once(bench: Bench) -> None:
    bench.model.says("lead", "one")
    message = TerminalConversation(
        ChatReader(bench.data / "bot.db", LOCAL_ADDRESS), "Ann", is_continuing=True
    ).make_message("first")
    batch = attach_protocol.INBOUND_MESSAGES_ADAPTER.dump_python([message], mode="json")
    async with running(bench):
        for at in (None, "terminal:local:1"):
            reader, writer = await seat(bench, at)
            attach_protocol.write_wire_line(writer, publish=batch, number=7)
            while not (line := await attach_protocol.read_wire_line(reader)) or line.get("taken") != 7:
                assert line, "the bot has hung up"
            writer.close()
            await writer.wait_closed()
    assert bench.rows("SELECT text, address FROM inbox") == [("first", "terminal:local:1")]


async def seat(bench: Bench, at: str | None) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Sit down as an attached terminal does, once the bot is there and has seen that it left before."""
    async with asyncio.timeout(PATIENCE):
        while True:
            if connection := connect_to_bot(bench.data, PATIENCE):
                reader, writer = await asyncio.open_unix_connection(sock=connection)
                attach_protocol.write_wire_line(
                    writer, ask="chat", version=retinue_version(), at=at, **{"continue": False}
                )
                if "at" in (await attach_protocol.read_wire_line(reader) or {}):
                    return reader, writer
                writer.close()
            await asyncio.sleep(0.01)
