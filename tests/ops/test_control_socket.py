"""The control socket: where it lies, who may speak there, and what becomes of it when a bot is killed."""

import asyncio
import os
import socket
import stat
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from bot.ops.control import texts
from bot.ops.control.server import MAX_CONNECTIONS, ControlServer, Request
from bot.ops.control.unix_socket import (
    MAX_PATH_BYTES,
    SOCKET_NAME,
    ask_running_bot,
    connect_to_bot,
    is_peer_allowed,
    listen_on_socket,
    peer_user_id,
)
from tests.support.backup_bot import apart
from tests.support.file_workspace import Desk, desk
from tests.support.patience import PATIENCE

__all__ = ["desk"]

NOBODY = 65_534  # a user's number
AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")


async def echo(request: Request, reader: StreamReader, writer: StreamWriter) -> None:
    writer.write(b'{"said": "%s"}\n' % str(request.get("what")).encode())


@pytest.fixture
def open_folder() -> Iterator[Path]:
    with TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@asynccontextmanager
async def answering(folder: Path) -> AsyncIterator[None]:
    async with asyncio.TaskGroup() as tasks:
        task = tasks.create_task(ControlServer(folder, {"echo": echo}).run())
        async with asyncio.timeout(PATIENCE):
            while not (folder / SOCKET_NAME).exists() or not await answers(folder):  # noqa: ASYNC110 - a file wakes nobody
                await asyncio.sleep(0.01)
        yield
        task.cancel()


async def answers(folder: Path, what: str = "hello") -> bool:
    return await asyncio.to_thread(ask_running_bot, folder, PATIENCE, ask="echo", what=what) == {"said": what}


async def test_it_is_for_its_owner_alone_and_gone_when_the_bot_is(tmp_path: Path) -> None:
    async with answering(tmp_path):
        found = (tmp_path / SOCKET_NAME).stat()
        assert (stat.S_ISSOCK(found.st_mode), stat.S_IMODE(found.st_mode)) == (True, 0o600)
    assert not (tmp_path / SOCKET_NAME).exists()
    assert ask_running_bot(tmp_path, PATIENCE, ask="echo") is None


async def test_a_path_of_any_length_works(tmp_path: Path) -> None:
    folder = tmp_path
    while len(bytes(folder / SOCKET_NAME)) < 2 * MAX_PATH_BYTES:
        folder = folder / ("d" * 50)
    folder.mkdir(parents=True)
    async with answering(folder):
        assert await answers(folder)
        assert (folder / SOCKET_NAME).is_socket()


async def test_without_proc_a_long_path_works_by_a_link(tmp_path: Path) -> None:
    folder = tmp_path / ("d" * 100) / ("e" * 100)
    folder.mkdir(parents=True)

    def there_and_back() -> None:
        from bot.ops.control import unix_socket

        unix_socket.DESCRIPTORS_FOLDER = "/nowhere"  # as on macOS; in a process of its own
        with closing(listen_on_socket(folder)), closing(connect_to_bot(folder, PATIENCE) or socket.socket()) as asking:
            asking.sendall(b"x")

    assert apart(there_and_back) == 0


async def test_one_that_a_killed_bot_has_left_is_taken_over(tmp_path: Path) -> None:
    def dies() -> None:
        listen_on_socket(tmp_path)
        os._exit(0)

    apart(dies)
    assert (tmp_path / SOCKET_NAME).is_socket()
    assert connect_to_bot(tmp_path, PATIENCE) is None
    async with answering(tmp_path):
        assert await answers(tmp_path)


async def test_a_file_that_is_no_socket_stays_and_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / SOCKET_NAME).write_text("mine")
    await ControlServer(tmp_path, {}).run()
    assert caplog.messages == [texts.CANNOT_LISTEN(path=tmp_path / SOCKET_NAME, reason="Address already in use")]
    assert (tmp_path / SOCKET_NAME).read_text() == "mine"


def test_the_kernel_says_who_is_at_the_other_end() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        assert peer_user_id(ours) == os.geteuid()
        assert is_peer_allowed(ours)


@AS_ROOT
async def test_another_user_is_turned_away_even_where_the_folder_is_open(open_folder: Path) -> None:
    folder = open_folder

    def asks() -> None:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
        connection = connect_to_bot(folder, PATIENCE)
        assert connection, "the test has opened it"
        with connection, suppress(BrokenPipeError, ConnectionResetError):  # it is closed already
            connection.sendall(b'{"ask": "echo", "what": "hello"}\n')
            assert connection.recv(100) == b""

    async with answering(folder):
        (folder / SOCKET_NAME).chmod(0o666)
        assert await asyncio.to_thread(apart, asks) == 0
        assert await answers(folder)


@pytest.mark.parametrize("path", [f"../{SOCKET_NAME}", f"link/{SOCKET_NAME}", "link", "socket"])
async def test_no_tool_reaches_it_from_a_workspace(desk: Desk, path: str) -> None:
    folder = desk.root.parent
    (desk.root / "link").symlink_to("..")
    (desk.root / "socket").symlink_to(f"../{SOCKET_NAME}")
    async with answering(folder):
        for name, more in (("read_file", {}), ("write_file", {"content": "mine"})):
            await desk.fails(name, path=path, **more)
        await desk.fails("list_dir", path="link")
        assert await answers(folder)


async def test_rubbish_silence_and_a_crowd_end_nothing(tmp_path: Path) -> None:
    async with answering(tmp_path):
        for rubbish in (b"\n", b"{}\n", b'"hello"\n', b"\xff\n", b'{"ask": "nothing"}\n', b"half a li"):
            connection = connect_to_bot(tmp_path, PATIENCE)
            assert connection
            with connection:
                connection.sendall(rubbish)
        crowd = [connect_to_bot(tmp_path, PATIENCE) for _ in range(MAX_CONNECTIONS)]
        for each in crowd:
            assert each
            each.close()
        async with asyncio.timeout(PATIENCE):
            while not await answers(tmp_path):  # noqa: ASYNC110 - until the crowd is gone
                await asyncio.sleep(0.01)
