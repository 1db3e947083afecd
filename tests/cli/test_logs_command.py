"""`retinue logs`: the bot's own rotating file, from a time on, and while it is written."""

import asyncio
import logging
import signal
import time
from datetime import datetime, timedelta
from pathlib import Path

import click
import pytest

from bot.cli import texts
from bot.cli.log_reader import parse_since
from bot.ops import logs
from tests.support.patience import PATIENCE
from tests.support.run_command import Service, service
from tests.support.shell import Shell

__all__ = ["service"]

pytestmark = pytest.mark.timeout(120)
NOW = datetime(2026, 11, 22, 21, 30)


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("10m", NOW - timedelta(minutes=10)),
        ("2h", NOW - timedelta(hours=2)),
        ("3d", NOW - timedelta(days=3)),
        ("21:15", datetime(2026, 11, 22, 21, 15)),
        ("21:45", datetime(2026, 11, 21, 21, 45)),
        ("2026-11-20", datetime(2026, 11, 20)),
        ("2026-11-20T08:00", datetime(2026, 11, 20, 8)),
    ],
)
def test_a_time_is_said_as_people_say_it(text: str, at: datetime) -> None:
    assert parse_since(text, NOW) == at


def test_an_invalid_time_is_refused() -> None:
    with pytest.raises(click.UsageError) as refused:
        parse_since("yesterday", NOW)
    assert refused.value.message == texts.NOT_A_TIME(time="yesterday")


def record(at: datetime, text: str) -> str:
    return f"{at:%Y-%m-%d %H:%M:%S},123 WARNING bot: {text}\n"


async def test_from_a_time_on_with_what_belongs_to_a_record(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    shell.config()
    shell.data.mkdir()
    now = datetime.now()
    older = record(now - timedelta(hours=3), "a") + "  a traceback\n"
    (shell.data / f"{logs.LOG_FILE_NAME}.1").write_text(older)
    (shell.data / logs.LOG_FILE_NAME).write_text(
        record(now - timedelta(minutes=5), "b") + "  its traceback\n" + record(now, "c")
    )
    newer = ["b", "its traceback", "c"]
    said = await shell.retinue("logs")
    assert [line.split(": ")[-1].strip() for line in said.out.splitlines()] == [
        "a",
        "a traceback",
        "b",
        "its traceback",
        "c",
    ]
    said = await shell.retinue("logs", "--since", "1h")
    assert [line.split(": ")[-1].strip() for line in said.out.splitlines()] == newer


async def test_one_line_says_that_no_bot_has_run(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    shell.config()
    said = await shell.retinue("logs")
    assert (said.status, said.err) == (2, f"retinue: {texts.NO_LOG(folder=shell.data)}\n")


async def test_new_lines_are_shown_after_the_log_was_rotated(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    shell.config()
    shell.data.mkdir()
    handler = logs.open_log_file_handler(shell.data, {"canary"})
    async with shell.begun("logs", "--follow") as process, asyncio.timeout(2 * PATIENCE):
        assert process.stdout
        for number in range(3):
            write(handler, f"line {number} canary")
            assert f"line {number} …".encode() in await process.stdout.readline()
            handler.doRollover()
        process.send_signal(signal.SIGINT)
        assert await process.wait() == 130
    handler.close()


def write(handler: logging.Handler, text: str) -> None:
    handler.emit(logging.LogRecord("bot", logging.WARNING, "", 0, text, None, None))
    handler.flush()


async def test_a_run_writes_its_own_log(service: Service) -> None:
    began = time.time()
    async with service.run() as process:
        await service.stopped(process, signal.SIGTERM)
    said = await service.shell.retinue("logs", "--since", "1h")
    assert texts.ANSWERING(channels="telegram and discord") in said.out
    assert (service.shell.data / logs.LOG_FILE_NAME).stat().st_mtime >= began
