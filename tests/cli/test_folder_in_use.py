"""A data folder that another process holds: a chat joins it, a run waits for it, the wizard asks what it hears."""

import asyncio
import json
import os
import signal
import socket
import stat
from contextlib import suppress
from pathlib import Path

import pytest

from bot.assembly import USER_HASH_KEY_BYTES
from bot.cli.setup_wizard import texts as installing_texts
from bot.core.access import Access
from bot.core.exit_status import ExitStatus
from bot.ops import texts as ops_texts
from bot.ops.control.server import ControlServer
from bot.ops.folder_holder import (
    GIVE_WAY_REQUEST,
    HOLDER_REQUEST,
    FolderHolder,
    find_folder_holder,
    make_give_way_answerer,
    make_holder_answerer,
    wait_until_folder_is_free,
)
from bot.ops.health import retinue_version
from bot.ops.watchdog import NOTIFY_VARIABLE
from bot.store import folder_lock
from channels.terminal.channel import Terminal
from channels.terminal.conversation import CHANNEL_NAME, OWNER_ID
from tests.stand_ins.telegram import TelegramStandIn
from tests.support.bench import ACCESS, Bench
from tests.support.patience import PATIENCE
from tests.support.run_command import Service, service
from tests.support.shell import Shell

__all__ = ["service"]

pytestmark = pytest.mark.timeout(90)  # each run imports three large libraries
NOBODY = "http://127.0.0.1:9"
# Answers to the wizard: change the config, no model, on Telegram, the next person who writes.
UNTIL_OWNER = "y\n\ny\n{token}\ny\n"


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    shell = Shell(tmp_path, {"RETINUE_CONFIG": str(tmp_path / "config.json"), "RETINUE_MODEL__BASE_URL": NOBODY})
    shell.config()
    return shell


async def held(folder: Path) -> FolderHolder:
    """Who holds the folder, once its socket answers."""
    async with asyncio.timeout(PATIENCE):
        while True:
            found = await asyncio.to_thread(find_folder_holder, folder)
            if found and found.platforms is not None:
                return found
            await asyncio.sleep(0.05)


async def opened_to_write(fifo: Path) -> int:
    """Its descriptor, once somebody has opened it to read."""
    async with asyncio.timeout(PATIENCE):
        while True:
            with suppress(OSError):
                return os.open(fifo, os.O_WRONLY | os.O_NONBLOCK)
            await asyncio.sleep(0.01)


@pytest.mark.fast
async def test_a_chat_that_another_process_forestalls_joins_it(shell: Shell) -> None:
    bench = Bench(shell.data)
    bench.model.says("lead", "Good evening.")
    shell.data.mkdir()
    key = shell.data / "user_key"
    os.mkfifo(key)  # the chat has found the folder free when it reads its key, and holds it only afterwards
    terminal = Terminal(title="scripted", version=retinue_version())
    control = ControlServer(bench.data, {"chat": terminal.serve_attached_terminal})
    shell.settings["ANTHROPIC_API_KEY"] = "sk-ant-x"
    async with shell.begun("chat", "-m", "Hello") as chat:
        read_key = await opened_to_write(key)
        access = {**ACCESS, CHANNEL_NAME: Access(owner_id=OWNER_ID)}
        async with bench.run(access=access, terminal_channel=terminal, serve_control_socket=lambda _: control.run()):
            async with asyncio.timeout(PATIENCE):
                while not folder_lock.find_lock_holder(shell.data):  # noqa: ASYNC110 - a lock that is taken wakes nobody
                    await asyncio.sleep(0.01)
            os.write(read_key, bytes(USER_HASH_KEY_BYTES))
            os.close(read_key)
            out, _ = await chat.communicate()
    assert stat.S_ISFIFO(key.stat().st_mode)
    assert (chat.returncode, out) == (0, b"Good evening.\n")


async def test_a_run_beside_an_open_chat_says_so_and_may_be_tried_again(service: Service) -> None:
    async with service.shell.begun("chat", "--lines") as chat:
        assert (await held(service.shell.data)).is_chat_command
        said = await service.shell.retinue("run")
    why = ops_texts.CHAT_IS_OPEN(folder=service.shell.data, process=chat.pid)
    assert (said.status, said.out, said.err) == (ExitStatus.IN_USE, "", f"retinue: {why}\n")


async def test_a_service_begins_when_the_chat_is_left(service: Service) -> None:
    service.shell.settings[NOTIFY_VARIABLE] = address = str(service.shell.folder / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(address)
        systemd.setblocking(False)
        async with service.shell.begun("chat", "--lines") as chat, asyncio.timeout(2 * PATIENCE):
            assert chat.stdin
            assert (await held(service.shell.data)).is_chat_command
            async with service.shell.begun("run") as process:
                why = ops_texts.CHAT_IS_OPEN(folder=service.shell.data, process=chat.pid)
                while await asyncio.get_running_loop().sock_recv(systemd, 4096) != f"STATUS={why}".encode():
                    pass
                chat.stdin.close()
                while await asyncio.get_running_loop().sock_recv(systemd, 4096) != b"READY=1":
                    pass
                assert (await held(service.shell.data)).platforms == ("telegram", "discord")
                assert (await service.stopped(process, signal.SIGTERM))[0] == 0


async def test_the_wizard_waits_for_a_message_beside_an_open_chat(shell: Shell) -> None:
    async with TelegramStandIn() as telegram, shell.begun("chat", "--lines"):
        shell.settings["RETINUE_CHANNELS__TELEGRAM__BASE_URL"] = telegram.base_url
        assert (await held(shell.data)).is_chat_command
        ann = telegram.person(7, "Ann")
        async with shell.begun("setup") as process, asyncio.timeout(PATIENCE):
            assert process.stdin
            process.stdin.write(UNTIL_OWNER.format(token=telegram.token).encode())
            await telegram.until(lambda: len(telegram.accepted("getUpdates")) >= 1)
            telegram.private(ann).say(ann, "it is me")
            process.stdin.write(b"y\nn\ny\n")
            out, _ = await process.communicate()
    assert process.returncode == 0, out
    assert json.loads((shell.folder / "config.json").read_text())["channels"]["telegram"]["owner"] == 7


@pytest.mark.parametrize(
    ("folder", "platforms", "refusal"),
    [
        ("data", ["telegram"], installing_texts.BOT_TAKES_MESSAGES),
        ("data/demo", ["telegram"], installing_texts.BOT_TAKES_MESSAGES),
        ("data", None, installing_texts.PROCESS_MAY_TAKE_MESSAGES),
    ],
)
async def test_the_wizard_waits_for_no_message_that_a_bot_may_take(
    shell: Shell, folder: str, platforms: list[str] | None, refusal: str
) -> None:
    there = shell.folder / folder
    answers = {} if platforms is None else {HOLDER_REQUEST: make_holder_answerer(platforms)}
    async with TelegramStandIn() as telegram:
        shell.settings["RETINUE_CHANNELS__TELEGRAM__BASE_URL"] = telegram.base_url
        with folder_lock.lock_data_folder(there):
            control = asyncio.create_task(ControlServer(there, answers).run())
            given = UNTIL_OWNER.format(token=telegram.token) + "7\nn\ny\n"
            said = await shell.retinue("setup", stdin=given)
            control.cancel()
        assert not telegram.accepted("getUpdates")
    assert said.status == 0
    assert refusal.format(process=os.getpid(), folder=there) in said.out


async def test_who_can_do_without_the_folder_is_asked_to_give_way(shell: Shell) -> None:
    asked = asyncio.Event()
    answers = {HOLDER_REQUEST: make_holder_answerer([]), GIVE_WAY_REQUEST: make_give_way_answerer(asked.set)}
    with folder_lock.lock_data_folder(shell.data):
        control = asyncio.create_task(ControlServer(shell.data, answers).run())
        await held(shell.data)
        waiting = asyncio.create_task(asyncio.to_thread(wait_until_folder_is_free, shell.data))
        await asyncio.wait_for(asked.wait(), PATIENCE)
        control.cancel()
    await waiting
