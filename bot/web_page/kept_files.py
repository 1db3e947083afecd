"""Find the bytes of the files that conversations name.

A file may have been changed, moved or deleted since it was sent. So nothing is returned but what has the digest that
its row names: if something else lies at its path by now, no other content of this machine gets out.
"""

import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISREG
from typing import IO

from bot.core.messages import Address
from bot.store.shown_files import FileOrigin, ShownFile

OPEN_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY  # opening never blocks, not even a pipe

FindFolder = Callable[[str, Address], Path | None]  # of a scope, as `folder_of_scope`


@dataclass(frozen=True, slots=True)
class KeptFiles:
    """The folders in which files of conversations lie."""

    outgoing: Path  # copies of files that the bot has sent, as long as they are needed
    find_folder: FindFolder

    def list_paths(self, file: ShownFile) -> Iterator[Path]:
        """Yield where a file may lie."""
        if file.origin is FileOrigin.RECEIVED and file.path and file.address:
            if folder := self.find_folder(file.scope, file.address):
                yield folder / file.path
        elif file.origin is FileOrigin.SENT:
            yield from (self.outgoing / name for name in [file.copy_name] if name)
            yield from (Path(path) for path in [file.source] if path)

    def is_there(self, file: ShownFile) -> bool:
        """Return True if something of its size lies where it may lie. `open` looks at the content."""
        for path in self.list_paths(file):
            with suppress(OSError, ValueError):
                found = path.lstat()
                if S_ISREG(found.st_mode) and found.st_size == file.size_bytes:
                    return True
        return False

    def open(self, file: ShownFile) -> IO[bytes] | None:
        """Return the opened file; None if it is gone or has another content. The whole file is read once before."""
        for path in self.list_paths(file):
            with suppress(OSError, ValueError):
                if opened := open_if_unchanged(path, file.sha256):
                    return opened
        return None


def open_if_unchanged(path: Path, sha256: str) -> IO[bytes] | None:
    """Return an opened file if it is a regular one with that digest, else None. Raise OSError."""
    opened = os.fdopen(os.open(path, OPEN_FLAGS), "rb")
    if S_ISREG(os.fstat(opened.fileno()).st_mode) and hashlib.file_digest(opened, "sha256").hexdigest() == sha256:
        opened.seek(0)
        return opened
    opened.close()
    return None
