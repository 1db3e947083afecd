"""Exchange the old data for the restored data by renames.

A kill may interrupt the renames anywhere. The next process that takes the folder's lock finishes or undoes them. The
file `restoring.json` records the exchange. Until it says `is_complete`, no file in use was touched, and the unpacked
files are removed again. Once it says so, all unpacked files are on the disk. Then all old files move aside first, and
all new files move into their place. The places of the files show which renames were done.
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

RESTORE_NOTE_FILE_NAME = "restoring.json"
REPLACED_DATA_PREFIX = "before-restore-"  # begins the name of each folder with replaced data
STAGE_FOLDER_PREFIX = ".restoring-"  # begins the name of each folder with unpacked data

RenamePair = tuple[str, str]  # from where to where


class RestoreUnfinished(ConfigError):
    """Old and new data may be mixed, so nothing starts until the exchange is finished."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreExchange:
    """Paths are absolute. Each stage is a file or a folder, in the folder that its contents will be in."""

    stages: Sequence[str]
    aside: Sequence[RenamePair] = ()
    place: Sequence[RenamePair] = ()
    is_complete: bool = False  # all stages are whole, so the files may be exchanged


def write_restore_note(data: Path, exchange: RestoreExchange) -> None:
    """Write down how far the exchange is, for the process after a kill. Raise OSError."""
    durable_files.replace_file(data / RESTORE_NOTE_FILE_NAME, json.dumps(asdict(exchange)), mode=0o600)


def refuse_unfinished_restore(data: Path) -> None:
    """Raise RestoreUnfinished if a restore is under way or was interrupted: old and new data may be mixed there."""
    if (data / RESTORE_NOTE_FILE_NAME).exists():
        raise RestoreUnfinished(texts.RESTORE_UNFINISHED(path=data / RESTORE_NOTE_FILE_NAME))


def finish_or_undo_restore(data: Path) -> bool:
    """Finish an exchange of files, or undo one that had not begun. Return True if this call finished one. Raise
    RestoreUnfinished if that cannot be done."""
    path = data / RESTORE_NOTE_FILE_NAME
    try:
        durable_files.temporary_path_beside(path).unlink(missing_ok=True)
        if not path.exists():
            return False
        exchange = RestoreExchange(**json.loads(path.read_text(encoding="utf-8")))
        if exchange.is_complete:
            move_files_of_restore(exchange)
        for stage in exchange.stages:
            remove_tree(Path(stage))
        path.unlink()
        durable_files.fsync_folder(data)
        return exchange.is_complete
    except OSError as error:
        why = f"{error.filename or data}: {error.strerror}"
        raise RestoreUnfinished(texts.RESTORE_STUCK(path=path, reason=why)) from None
    except (ValueError, TypeError):
        raise RestoreUnfinished(texts.NO_NOTE_OF_RESTORE(path=path)) from None


def move_files_of_restore(exchange: RestoreExchange) -> None:
    for former, aside in exchange.aside:
        if not os.path.lexists(aside):  # if `aside` exists, `former` is a new file by now
            Path(aside).parent.mkdir(mode=0o700, exist_ok=True)
            with suppress(FileNotFoundError):
                os.rename(former, aside)
    sync_parent_folders(exchange.aside)
    for staged, final in exchange.place:
        if os.path.lexists(staged) or not os.path.lexists(final):  # if neither exists, a folder is missing: raise
            os.rename(staged, final)
    sync_parent_folders(exchange.place)


def remove_tree(path: Path) -> None:
    """Remove a file, or a folder with all that is in it. Do nothing if it is gone."""
    if not path.is_dir() or path.is_symlink():
        path.unlink(missing_ok=True)
        return
    folders = [str(path)]
    for folder in folders:  # grows in the loop: folders may be nested deeper than calls can be
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
        with suppress(FileNotFoundError):  # the folder may have been removed
            durable_files.fsync_folder(folder)
