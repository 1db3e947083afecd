"""`retinue restore`: replace what is there with the content of a back-up, while no bot runs."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import click

from bot.backup import texts
from bot.cli.backup import STREAM, print_on_stderr, stop_on_sigterm
from bot.cli.options import config_option
from bot.core.errors import ConfigError, FolderInUse, StoreDamaged


@click.command()
@config_option
@click.argument("source", metavar="FILE", type=click.Path(path_type=Path, allow_dash=True))
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
def command(file: Path | None, source: Path, only_data: bool, as_is: bool, folder: Path | None) -> None:
    """Put what a back-up holds in the place of what is there.

    FILE is the back-up (-: stdin); what was there is kept aside.
    """
    from bot.backup.restore import restore_backup, unpack_operator_files  # here: pydantic is slow to import
    from bot.config.config_file import find_config_file
    from bot.store.restore_exchange import UnfinishedRestore

    if folder and (only_data or as_is):
        raise ConfigError(texts.UNPACK_ALONE)
    try:
        with stop_on_sigterm(), open_backup_file(source) as stream:
            if folder:
                unpack_operator_files(stream, folder, print_on_stderr)
            else:
                restore_backup(
                    find_config_file(file, os.environ),
                    stream,
                    print_on_stderr,
                    only_data=only_data,
                    is_settled=not as_is,
                )
    except UnfinishedRestore:
        raise
    except (ConfigError, StoreDamaged) as error:
        kind = FolderInUse if isinstance(error, FolderInUse) else ConfigError
        raise kind(texts.NOTHING_CHANGED(path=source, reason=error)) from None
    except OSError as error:
        reason = error.strerror or error
        why = f"{error.filename}: {reason}" if error.filename else reason
        raise ConfigError(texts.NOTHING_CHANGED(path=source, reason=why)) from None


@contextmanager
def open_backup_file(source: Path) -> Iterator[IO[bytes]]:
    if str(source) == STREAM:
        yield sys.stdin.buffer
        return
    try:
        file = source.open("rb")
    except OSError as error:
        raise ConfigError(texts.CANNOT_READ(error=error.strerror)) from None
    with file:
        yield file
