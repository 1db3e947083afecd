"""`retinue backup`: write all that a bot has into one file, while the bot runs."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.metadata import version
from pathlib import Path
from typing import IO

import click

from bot.backup import texts
from bot.cli.options import config_option
from bot.core import durable_files
from bot.core.errors import ConfigError

STREAM = "-"


@click.command()
@config_option
@click.argument("target", metavar="FILE", type=click.Path(path_type=Path, allow_dash=True))
@click.option("--force", is_flag=True, help="Replace a file that is there.")
@click.option("--with-secrets", is_flag=True, help="Put the key and the tokens in, readable to who reads the file.")
def command(file: Path | None, target: Path, force: bool, with_secrets: bool) -> None:
    """Write all that the bot has into one file, while it runs.

    FILE is where (-: stdout); a bot that does not run can be backed up too.
    """
    from bot.backup.creation import format_bytes, write_backup  # here: pydantic is slow to import
    from bot.config import load

    loaded = load(file)
    if with_secrets:
        print_on_stderr(texts.SECRETS_PUT_IN)
    into_target = (
        backup_to_stdout()
        if str(target) == STREAM
        else backup_to_file(target, loaded.config.workspace, is_forced=force)
    )
    with stop_on_sigterm(), into_target as into:
        without = {(known.st_dev, known.st_ino)} if (known := os.fstat(into.fileno())) else set()
        try:
            end = write_backup(
                loaded, into, print_on_stderr, version("retinue"), with_secrets=with_secrets, without=without
            )
            into.flush()
        except OSError as error:
            raise ConfigError(texts.CANNOT_WRITE_BACKUP(path=target, error=error.strerror or error)) from None
    files, length = texts.FILES(end.files), format_bytes(end.bytes)
    if end.left_out_in_all:
        print_on_stderr(texts.DONE_WITH_LEFT_OUT(files=files, size=length, left_out=end.left_out_in_all))
    else:
        print_on_stderr(texts.DONE(files=files, size=length))


@contextmanager
def stop_on_sigterm() -> Iterator[None]:
    """Treat SIGTERM like Ctrl-C, so that the caller removes its unfinished files."""
    former = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, former)


def print_on_stderr(text: str) -> None:
    from bot.core.printable import escape_unprintable

    with suppress(OSError):  # stderr was closed, so nobody reads the message
        click.echo(escape_unprintable(text), err=True)


@contextmanager
def backup_to_stdout() -> Iterator[IO[bytes]]:
    if sys.__stdout__ is None:
        raise ConfigError(texts.STDOUT_CLOSED)
    if sys.stdout.isatty():
        raise ConfigError(texts.STDOUT_IS_A_TERMINAL)
    try:
        yield sys.stdout.buffer
    except BaseException:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # drop the rest: a pipe may take no more
        raise


@contextmanager
def backup_to_file(target: Path, workspace: Path, *, is_forced: bool) -> Iterator[IO[bytes]]:
    """Yield a file to write the back-up to. Rename it to `target` when it is complete.

    Raise ConfigError if `target` exists and is not forced, is a folder, lies in the workspace or cannot be written.
    Raise ConfigError too if another process is writing the same draft.
    """
    if os.path.lexists(target) and not is_forced:
        raise ConfigError(texts.FILE_EXISTS(path=target))
    if target.resolve().is_relative_to(workspace.resolve()):
        raise ConfigError(texts.IN_WORKSPACE(path=target))
    if target.is_dir():
        raise ConfigError(texts.TARGET_IS_A_FOLDER(path=target))
    try:
        with durable_files.open_part(target) as into:
            yield into
        with suppress(OSError):  # the disk may not be able to sync a folder
            durable_files.sync_folder(target.parent)
    except BlockingIOError:
        raise ConfigError(texts.BEING_WRITTEN(path=durable_files.part_path(target))) from None
    except OSError as error:
        raise ConfigError(texts.CANNOT_WRITE(path=target, error=error.strerror)) from None
