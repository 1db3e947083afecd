"""`retinue migrate`: migrate the database and check whether the bot would run, without answering anybody."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bot.cli.options import config_option
from bot.core.exit_status import ExitStatus

if TYPE_CHECKING:
    from bot.core.findings import CheckFinding


@click.command()
@config_option
def command(file: Path | None) -> ExitStatus:
    """Bring the rows up to this version, and look whether it would run.

    The exit status is 1 if it would not.
    """
    from bot.core.findings import CheckState
    from bot.core.printable import escape_unprintable
    from bot.ops import logs  # here: pydantic is slow to import

    logs.silence_logs()
    is_wrong = False
    for finding in migration_findings(file):
        click.echo(escape_unprintable(str(finding)))
        is_wrong |= finding.state is CheckState.WRONG
    return ExitStatus.NOT_DONE if is_wrong else ExitStatus.DONE


def migration_findings(file: Path | None) -> Iterator["CheckFinding"]:
    """Migrate the database, then yield the findings of `doctor`.

    Leave out the check for a running process, because this process holds the data folder.
    """
    from bot.cli import doctor, texts
    from bot.config import load
    from bot.core.errors import ConfigError, StoreDamaged
    from bot.core.findings import wrong
    from bot.store import folder_lock

    try:
        data = load(file).config.data_dir
        folder_lock.make_data_folder(data)
        with folder_lock.borrow_folder(data):
            yield migrate_rows(data / "bot.db")
            yield from doctor.list_findings(file, is_alone=True)
    except (ConfigError, StoreDamaged) as error:
        yield wrong(texts.NOT_MIGRATED(reason=error), texts.MEND_FIRST)
    except OSError as error:
        yield wrong(texts.NOT_MIGRATED(reason=f"{error.filename}: {error.strerror}"), texts.MEND_RIGHTS)


def migrate_rows(path: Path) -> "CheckFinding":
    from bot.cli import texts
    from bot.core.findings import ok
    from bot.store.chat_reader import migrate_database

    if not path.exists():
        return ok(texts.NO_ROWS_YET)
    was, now = migrate_database(path)
    return ok(texts.ROWS_UP_TO_DATE(step=now) if was == now else texts.ROWS_MIGRATED(before=was, step=now))
