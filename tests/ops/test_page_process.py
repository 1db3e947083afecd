"""The page beside a bot: it ends with the bot, is started again when it ends, and never ends the bot."""

import asyncio
import logging
import os
import re
import signal
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest

from bot.ops import texts
from bot.ops.page_process import BESIDE_BOT, keep_page_running
from bot.web_page import texts as page_texts
from tests.cli.test_web import free_port, log_in
from tests.support.patience import PATIENCE
from tests.support.run_command import served
from tests.support.shell import Shell

pytestmark = pytest.mark.timeout(60)


async def wait_until_served(port: int, *, is_served: bool = True) -> None:
    async with asyncio.timeout(2 * PATIENCE), httpx.AsyncClient() as client:
        while True:
            try:
                await client.get(f"http://127.0.0.1:{port}/login")
            except httpx.TransportError:
                if not is_served:
                    return
            else:
                if is_served:
                    return
            await asyncio.sleep(0.05)


def find_page_process(port: int) -> int:
    """Return the process that listens on a port: the only other one here that runs `retinue web`."""
    for each in Path("/proc").glob("[0-9]*"):
        words = (each / "cmdline").read_bytes().split(b"\0") if (each / "cmdline").exists() else []
        if BESIDE_BOT.encode() in words and f"page-{port}.json".encode() in b" ".join(words):
            return int(each.name)
    raise AssertionError("there is no such process")


def config_of_page(shell: Shell, port: int) -> Path:
    """Write the settings of a page on a port. The file's name tells its process from those of other tests."""
    return shell.config(web_page={"enabled": True, "port": port}).rename(shell.folder / f"page-{port}.json")


@asynccontextmanager
async def kept_running(path: Path, until: asyncio.Event | None = None) -> AsyncIterator[None]:
    async with keep_page_running(["web", "--config", str(path), BESIDE_BOT], until or asyncio.Event()):
        yield


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]


async def test_run_serves_it_and_no_link_is_in_the_log(tmp_path: Path) -> None:
    port = free_port()
    async with served(tmp_path, web_page={"enabled": True, "port": port}) as service, httpx.AsyncClient() as client:
        async with service.run() as process:
            await wait_until_served(port)
            link = re.search(r"http://\S+", (await service.shell.retinue("web", "login")).out)
            assert link
            assert await log_in(client, link[0]) == 200
            assert await service.stopped(process, signal.SIGTERM) == (0, "")
        await wait_until_served(port, is_served=False)
        log = (service.shell.data / "retinue.log").read_text()
    assert page_texts.STARTED(address=f"http://127.0.0.1:{port}") in log
    assert "web login" in log
    assert "code=" not in log


async def test_one_that_was_killed_is_started_again(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = config_of_page(Shell(tmp_path), port := free_port())
    async with kept_running(path):
        await wait_until_served(port)
        os.kill(find_page_process(port), signal.SIGKILL)
        await wait_until_served(port, is_served=False)
        await wait_until_served(port)
    await wait_until_served(port, is_served=False)
    assert warnings(caplog) == [texts.PAGE_ENDED(outcome=texts.EXIT_STATUS(status=-9), seconds=1)]


async def test_a_port_in_use_is_told_and_taken_when_it_is_free(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        path, until = config_of_page(Shell(tmp_path), port), asyncio.Event()
        async with kept_running(path, until):
            async with asyncio.timeout(2 * PATIENCE):
                while len(warnings(caplog)) < 2:  # noqa: ASYNC110 - a log wakes nobody
                    await asyncio.sleep(0.05)
            taken.close()
            await wait_until_served(port)
    why = page_texts.PORT_TAKEN(host="127.0.0.1", port=port, reason="Address already in use")
    assert warnings(caplog)[0].endswith(why)
    assert warnings(caplog)[1] == texts.PAGE_ENDED(outcome=texts.EXIT_STATUS(status=2), seconds=1)


async def test_it_ends_when_the_bots_process_is_gone(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    shell.config(web_page={"port": (port := free_port())})
    async with shell.begun("web", BESIDE_BOT) as process:
        await wait_until_served(port)
        async with asyncio.timeout(PATIENCE):
            out, err = await process.communicate(b"")  # which closes its stdin
    assert (process.returncode, err) == (0, b"")
    assert b"code=" not in out
