"""`retinue migrate`: migrate the database and check whether the bot would run, without answering anybody."""

from collections.abc import Iterator
from pathlib import Path

import click

from bot.cli import doctor, texts
from bot.cli.options import config_option
from bot.config import load
from bot.core.errors import ConfigError, StoreDamaged
from bot.core.exit_status import ExitStatus
from bot.core.findings import CheckFinding, CheckState, ok, wrong
from bot.core.printable import escape_unprintable
from bot.ops import logs
from bot.store import folder_lock
from bot.store.chat_reader import migrate_database


@click.command()
@config_option
def command(file: Path | None) -> ExitStatus:
    """Bring the rows up to this version, and look whether it would run.

    The exit status is 1 if it would not.
    """
    logs.silence_logs()
    is_wrong = False
    for finding in migration_findings(file):
        click.echo(escape_unprintable(str(finding)))
        is_wrong |= finding.state is CheckState.WRONG
    return ExitStatus.NOT_DONE if is_wrong else ExitStatus.DONE


def migration_findings(file: Path | None) -> Iterator[CheckFinding]:
    """Migrate the database, then yield the findings of `doctor`.

    Leave out the check for a running process, because this process holds the data folder.
    """
    try:
        data = load(file).config.data_dir
        folder_lock.make_data_folder(data)
        with folder_lock.borrow_folder(data):
            if (data / "bot.db").exists():
                was, now = migrate_database(data / "bot.db")
                yield ok(texts.ROWS_UP_TO_DATE(step=now) if was == now else texts.ROWS_MIGRATED(before=was, step=now))
            else:
                yield ok(texts.NO_ROWS_YET)
            yield from doctor.list_findings(file, is_alone=True)
    except (ConfigError, StoreDamaged) as error:
        yield wrong(texts.NOT_MIGRATED(reason=error), texts.MEND_FIRST)
    except OSError as error:
        yield wrong(texts.NOT_MIGRATED(reason=f"{error.filename}: {error.strerror}"), texts.MEND_RIGHTS)
