"""The page beside a bot: it ends with the bot, is started again when it ends, and never ends the bot."""

import asyncio
import logging
import re
import socket
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
    async with asyncio.timeout(2 * PATIENCE), httpx.AsyncClient(timeout=PATIENCE) as client:
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


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]


async def test_run_serves_it_until_it_is_killed_and_logs_no_link(tmp_path: Path) -> None:
    port = free_port()
    async with (
        served(tmp_path, web_page={"enabled": True, "port": port}) as service,
        httpx.AsyncClient(timeout=PATIENCE) as client,
    ):
        async with service.run() as process:
            await wait_until_served(port)
            link = re.search(r"http://\S+", (await service.shell.retinue("web", "login")).out)
            assert link
            assert await log_in(client, link[0]) == 200
            process.kill()
            await wait_until_served(port, is_served=False)
        log = (service.shell.data / "retinue.log").read_text()
    assert page_texts.STARTED(address=f"http://127.0.0.1:{port}") in log
    assert "web login" in log
    assert "code=" not in log


async def test_a_port_in_use_is_told_and_taken_once_it_is_free(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        path = Shell(tmp_path).config(web_page={"port": port})
        async with keep_page_running(["web", "--config", str(path), BESIDE_BOT], asyncio.Event()):
            async with asyncio.timeout(2 * PATIENCE):
                while len(warnings(caplog)) < 2:  # noqa: ASYNC110 - a log wakes nobody
                    await asyncio.sleep(0.05)
            taken.close()
            await wait_until_served(port)
        await wait_until_served(port, is_served=False)
    why = page_texts.PORT_TAKEN(host="127.0.0.1", port=port, reason="Address already in use")
    assert warnings(caplog)[0].endswith(why)
    assert warnings(caplog)[1] == texts.PAGE_ENDED(outcome=texts.EXIT_STATUS(status=2), seconds=1)
