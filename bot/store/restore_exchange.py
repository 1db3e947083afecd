"""Exchange the old data for the restored data by renames.

A kill may interrupt the renames anywhere. The next process that holds the data folder finishes or undoes them.

A file, `restoring.json`, says how far it is. While it says *unpacking*, nothing in use has been touched: the
unpacked files are removed again. Once it says *exchanging*, all of them are there and on the disk. First all old files
move aside, then all new files move into their place. The places of the files show which renames were done.
No bot starts in between, since it takes the lock first, and the lock finishes this.
"""

import json
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from bot.core import durable_files
from bot.core.errors import ConfigError
from bot.store import texts

RESTORE_NOTE = "restoring.json"
ASIDE_PREFIX = "before-restore-"  # begins the name of each folder with replaced data
STAGE_PREFIX = ".restoring-"  # begins the name of each folder with unpacked data

RenamePair = tuple[str, str]  # from where to where


class UnfinishedRestore(ConfigError):
    """Old and new data may be mixed, so nothing starts until the exchange is finished."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreExchange:
    """Paths are absolute. Each stage is a file or a folder, in the folder that its contents will be in."""

    stages: Sequence[str]
    aside: Sequence[RenamePair] = ()
    place: Sequence[RenamePair] = ()
    is_complete: bool = False  # what is staged is whole, and may be exchanged


def write_restore_note(data: Path, exchange: RestoreExchange) -> None:
    """Write down how far the exchange is, for the process after a kill. Raise OSError."""
    durable_files.replace_file(data / RESTORE_NOTE, json.dumps(asdict(exchange)), mode=0o600)


def refuse_unfinished_restore(data: Path) -> None:
    """Raise UnfinishedRestore if a restore is under way or was interrupted: old and new data may be mixed there."""
    if (data / RESTORE_NOTE).exists():
        raise UnfinishedRestore(texts.RESTORE_UNFINISHED(path=data / RESTORE_NOTE))


def finish_restore(data: Path) -> bool:
    """Finish an exchange of files, or undo one that had not begun. Return True if all files are exchanged now and
    nobody knew that yet.

    Raise UnfinishedRestore if that cannot be done.
    """
    path = data / RESTORE_NOTE
    try:
        durable_files.draft_path(path).unlink(missing_ok=True)
        if not path.exists():
            return False
        exchange = RestoreExchange(**json.loads(path.read_text(encoding="utf-8")))
        if exchange.is_complete:
            rename_staged_files(exchange)
        for stage in exchange.stages:
            remove_tree(Path(stage))
        path.unlink()
        durable_files.sync_folder(data)
        return exchange.is_complete
    except OSError as error:
        why = f"{error.filename or data}: {error.strerror}"
        raise UnfinishedRestore(texts.RESTORE_STUCK(path=path, reason=why)) from None
    except (ValueError, TypeError):
        raise UnfinishedRestore(texts.NO_NOTE_OF_RESTORE(path=path)) from None


def rename_staged_files(exchange: RestoreExchange) -> None:
    for former, aside in exchange.aside:
        if not os.path.lexists(aside):  # if it is there, what has the former name now is what is new
            Path(aside).parent.mkdir(mode=0o700, exist_ok=True)
            with suppress(FileNotFoundError):
                os.rename(former, aside)
    sync_parent_folders(exchange.aside)
    for staged, final in exchange.place:
        if os.path.lexists(staged) or not os.path.lexists(final):  # if neither is there, no folder is where it was
            os.rename(staged, final)
    sync_parent_folders(exchange.place)


def remove_tree(path: Path) -> None:
    """Remove a file, or a folder with all that is in it. Do nothing if it is gone."""
    if not path.is_dir() or path.is_symlink():
        path.unlink(missing_ok=True)
        return
    folders = [str(path)]
    for folder in folders:  # and those that are found meanwhile: there may be more below each other than calls can be
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                else:
                    os.unlink(entry.path)
    for folder in reversed(folders):
        os.rmdir(folder)


def sync_parent_folders(pairs: Sequence[RenamePair]) -> None:
    for folder in {Path(path).parent for pair in pairs for path in pair}:
        with suppress(FileNotFoundError):  # it may be one that was taken away
            durable_files.sync_folder(folder)
