"""`retinue migrate`: bring the rows up to this version, and look whether it would run, without answering anybody."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bot.cli.doctor import SOMETHING_IS_WRONG
from bot.cli.options import config_file

if TYPE_CHECKING:
    from bot.cli.checks import Finding


@click.command()
@config_file
def command(file: Path | None) -> int:
    """Bring the rows up to this version, and look whether it would run.

    The exit status is 1 if it would not.
    """
    from bot.cli import logs, one_line  # here, since pydantic takes its time
    from bot.cli.checks import State

    logs.to_nobody()
    is_wrong = False
    for finding in findings(file):
        click.echo(one_line(str(finding)))
        is_wrong |= finding.state is State.WRONG
    return SOMETHING_IS_WRONG if is_wrong else 0


def findings(file: Path | None) -> Iterator["Finding"]:
    """The rows first; then all that `doctor` looks at, but for the process, which is this one."""
    from bot.cli import doctor, texts
    from bot.cli.checks import wrong
    from bot.config import load
    from bot.errors import ConfigError, StoreDamaged
    from bot.store import lock

    try:
        data = load(file).config.data_dir
        lock.make(data)
        with lock.borrow(data):
            yield migrated(data / "bot.db")
            yield from doctor.findings(file, is_alone=True)
    except (ConfigError, StoreDamaged) as error:
        yield wrong(texts.NOT_MIGRATED(reason=error), texts.MEND_FIRST)
    except OSError as error:
        yield wrong(texts.NOT_MIGRATED(reason=f"{error.filename}: {error.strerror}"), texts.MEND_RIGHTS)


def migrated(path: Path) -> "Finding":
    from bot.cli import texts
    from bot.cli.checks import ok
    from bot.store.review import bring_up_to_date

    if not path.exists():
        return ok(texts.NO_ROWS_YET)
    was, now = bring_up_to_date(path)
    return ok(texts.ROWS_UP_TO_DATE(step=now) if was == now else texts.ROWS_MIGRATED(before=was, step=now))
