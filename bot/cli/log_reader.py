"""`retinue logs`: print the bot's own log, and follow it."""

import os
import re
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import IO

import click

from bot.cli import texts
from bot.cli.options import config_option, print_lines
from bot.config import load
from bot.config.paths import DEMO_FOLDER_NAME
from bot.core.errors import ConfigError
from bot.ops.logs import LOG_FILE_NAME

TIME_AGO_PATTERN = re.compile(r"(\d{1,6})([smhd])", re.ASCII)
TIME_AGO_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}
RECORD_START_PATTERN = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", re.ASCII)  # only a record's first line has a time
POLL_SECONDS = 0.3


@click.command()
@config_option
@click.option("-f", "--follow", "goes_on", is_flag=True, help="Go on with what is written next, until Ctrl-C.")
@click.option("--since", metavar="WHEN", help="From then on: 10m, 2h or 3d ago, 21:30, 2026-11-22T21:30.")
def logs(file: Path | None, goes_on: bool, since: str | None) -> None:
    """Show what the bot has logged, and go on with it."""
    begins = parse_since(since, datetime.now()) if since else None  # local time, as in the log
    data = load(file).config.data_dir
    log = find_log_file(data)
    if not log and not goes_on:
        raise ConfigError(texts.NO_LOG(folder=data))
    print_lines(log_lines_since(log or data / LOG_FILE_NAME, begins, goes_on=goes_on))


def find_log_file(data: Path) -> Path | None:
    return next((log for log in (data / LOG_FILE_NAME, data / DEMO_FOLDER_NAME / LOG_FILE_NAME) if log.exists()), None)


def parse_since(text: str, now: datetime) -> datetime:
    """Return the local time that the text means, without a zone. Raise click's UsageError if the text is not a time."""
    if found := TIME_AGO_PATTERN.fullmatch(text):
        return now - timedelta(**{TIME_AGO_UNITS[found[2]]: int(found[1])})
    try:
        if re.fullmatch(r"\d\d:\d\d", text, re.ASCII):
            at = datetime.combine(now.date(), datetime.strptime(text, "%H:%M").time())
            return at if at <= now else at - timedelta(days=1)
        at = datetime.fromisoformat(text)
    except ValueError:
        raise click.UsageError(texts.NOT_A_TIME(time=text)) from None
    return at.astimezone().replace(tzinfo=None) if at.tzinfo else at


def log_lines_since(path: Path, begins: datetime | None, *, goes_on: bool) -> Iterator[str]:
    is_wanted = begins is None
    for line in read_or_follow_log_lines(path, goes_on=goes_on):
        if not is_wanted and begins and (found := RECORD_START_PATTERN.match(line)):
            is_wanted = datetime.fromisoformat(found[0]) >= begins.replace(microsecond=0)
        if is_wanted:
            yield line


def read_or_follow_log_lines(path: Path, *, goes_on: bool) -> Iterator[str]:
    former = path.with_name(f"{path.name}.1")
    with suppress(FileNotFoundError), former.open(encoding="utf-8", errors="replace") as older:
        yield from read_complete_lines(older)
    while True:
        try:
            with path.open(encoding="utf-8", errors="replace") as file:
                yield from read_complete_lines(file)
                while goes_on and not has_log_rotated(path, file):
                    time.sleep(POLL_SECONDS)
                    yield from read_complete_lines(file)
                yield from read_complete_lines(file)  # lines written between the last read and the move
        except FileNotFoundError:
            time.sleep(POLL_SECONDS)  # during rotation the file is missing for a moment
        if not goes_on:
            return


def read_complete_lines(file: IO[str]) -> Iterator[str]:
    """Yield the complete lines. Leave a half-written line for the next call."""
    while True:
        place = file.tell()
        line = file.readline()
        if not line.endswith("\n"):
            file.seek(place)
            return
        yield line.rstrip("\n")


def has_log_rotated(path: Path, file: IO[str]) -> bool:
    try:
        return not os.path.samestat(path.stat(), os.fstat(file.fileno()))
    except FileNotFoundError:
        return False
