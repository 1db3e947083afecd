"""`retinue backup` writes everything that a bot has into one file, while it runs. `retinue restore` restores it."""

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
from bot.backup.creation import format_bytes, write_backup
from bot.backup.restore import restore_backup, unpack_operator_files_into_new_folder
from bot.cli.options import config_option
from bot.config import load
from bot.config.config_file import find_config_file
from bot.core import durable_files
from bot.core.errors import ConfigError, FolderInUse, StoreDamaged
from bot.core.texts import escape_unprintable
from bot.store.restore_exchange import RestoreUnfinished

STDIO_PATH = "-"
backup_path_type = click.Path(path_type=Path, allow_dash=True)


@click.command()
@config_option
@click.argument("target", metavar="FILE", type=backup_path_type)
@click.option("--force", is_flag=True, help="Replace a file that is there.")
@click.option("--with-secrets", is_flag=True, help="Put the key and the tokens in, readable to who reads the file.")
def backup(file: Path | None, target: Path, force: bool, with_secrets: bool) -> None:
    """Write all that the bot has into one file, while it runs.

    FILE is where (-: stdout); a bot that does not run can be backed up too.
    """
    loaded = load(file)
    if with_secrets:
        print_on_stderr(texts.SECRETS_PUT_IN)
    is_stdout = str(target) == STDIO_PATH
    workspace = loaded.config.workspace
    into_target = open_stdout_for_backup() if is_stdout else open_file_for_backup(target, workspace, is_forced=force)
    with treat_sigterm_as_interrupt(), into_target as into:
        try:
            end = write_backup(loaded, into, print_on_stderr, version("retinue"), with_secrets=with_secrets)
            into.flush()
        except OSError as error:
            raise ConfigError(texts.CANNOT_WRITE_BACKUP(path=target, error=error.strerror or error)) from None
    files, length = texts.FILES(end.files), format_bytes(end.bytes)
    if end.left_out_in_all:
        print_on_stderr(texts.DONE_WITH_LEFT_OUT(files=files, size=length, left_out=end.left_out_in_all))
    else:
        print_on_stderr(texts.DONE(files=files, size=length))


@click.command()
@config_option
@click.argument("source", metavar="FILE", type=backup_path_type)
@click.option("--only-data", is_flag=True, help="The database and the workspace, and nothing that the operator writes.")
@click.option(
    "--as-is", is_flag=True, help="No bot has run since the back-up: nothing counts as unknown, no chat is told."
)
@click.option(
    "--unpack",
    "folder",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Restore nothing: put config, secrets, roles and groups into a new folder.",
)
def restore(file: Path | None, source: Path, only_data: bool, as_is: bool, folder: Path | None) -> None:
    """Put what a back-up holds in the place of what is there.

    FILE is the back-up (-: stdin); what was there is kept aside.
    """
    if folder and (only_data or as_is):
        raise ConfigError(texts.UNPACK_ALONE)
    try:
        with treat_sigterm_as_interrupt(), open_backup_for_reading(source) as stream:
            if folder:
                unpack_operator_files_into_new_folder(stream, folder, print_on_stderr)
            else:
                path = find_config_file(file, os.environ)
                restore_backup(path, stream, print_on_stderr, only_data=only_data, is_settled=not as_is)
    except RestoreUnfinished:
        raise
    except (ConfigError, StoreDamaged) as error:
        kind = FolderInUse if isinstance(error, FolderInUse) else ConfigError
        raise kind(texts.NOTHING_CHANGED(path=source, reason=error)) from None
    except OSError as error:
        reason = error.strerror or error
        why = f"{error.filename}: {reason}" if error.filename else reason
        raise ConfigError(texts.NOTHING_CHANGED(path=source, reason=why)) from None


@contextmanager
def treat_sigterm_as_interrupt() -> Iterator[None]:
    """Treat SIGTERM like Ctrl-C, so that the caller removes its unfinished files."""
    former = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, former)


def print_on_stderr(text: str) -> None:
    with suppress(OSError):  # stderr was closed, so nobody reads the message
        click.echo(escape_unprintable(text), err=True)


@contextmanager
def open_stdout_for_backup() -> Iterator[IO[bytes]]:
    if sys.__stdout__ is None:
        raise ConfigError(texts.STDOUT_CLOSED)
    if sys.stdout.isatty():
        raise ConfigError(texts.STDOUT_IS_A_TERMINAL)
    try:
        yield sys.stdout.buffer
    except BaseException:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # drop the rest: the pipe may be closed
        raise


@contextmanager
def open_file_for_backup(target: Path, workspace: Path, *, is_forced: bool) -> Iterator[IO[bytes]]:
    """Yield a file that is renamed to `target` when it is complete. Raise ConfigError if `target` may not or cannot be
    written, or if another process is writing the same draft."""
    if os.path.lexists(target) and not is_forced:
        raise ConfigError(texts.FILE_EXISTS(path=target))
    if target.resolve().is_relative_to(workspace.resolve()):
        raise ConfigError(texts.IN_WORKSPACE(path=target))
    if target.is_dir():
        raise ConfigError(texts.TARGET_IS_A_FOLDER(path=target))
    try:
        with durable_files.open_for_atomic_write(target) as into:
            yield into
        with suppress(OSError):  # the disk may not be able to sync a folder
            durable_files.fsync_folder(target.parent)
    except BlockingIOError:
        raise ConfigError(texts.BEING_WRITTEN(path=durable_files.partial_file_path(target))) from None
    except OSError as error:
        raise ConfigError(texts.CANNOT_WRITE(path=target, error=error.strerror)) from None


@contextmanager
def open_backup_for_reading(source: Path) -> Iterator[IO[bytes]]:
    if str(source) == STDIO_PATH:
        yield sys.stdin.buffer
        return
    try:
        file = source.open("rb")
    except OSError as error:
        raise ConfigError(texts.CANNOT_READ(error=error.strerror)) from None
    with file:
        yield file
