"""Takes up what changes in the groups' files while the bot runs, by whoever it was changed, and says what it found."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import TracebackType

from bot.errors import ConfigError
from bot.group import Groups, GroupsNow
from bot.groupfiles import Found
from bot.groupfiles.file import FILE, WORKSPACE

log = logging.getLogger(__name__)

SECONDS = 2.0  # between two looks
TRIES = 3  # to read makes workspaces, and so changes what is seen
END_SECONDS = 5.0  # for a look that is under way: on a file system that hangs it would take for ever

Read = Callable[[], Found]  # raises ConfigError
Seen = frozenset[tuple[object, ...]]


class Watch:
    """The groups now. A look reads them all anew if any file is another, and puts the whole in the place of the whole.

    While the folder of all cannot be read, the groups stay as they were. Nothing here ends the bot.
    """

    def __init__(self, folder: Path, read: Read, seconds: float = SECONDS) -> None:
        """Reads them; raises ConfigError where the folder of all cannot be read."""
        self.folder, self.read, self.seconds = folder, read, seconds
        self.seen = seen(folder)
        self.found = read()
        self.told: frozenset[str] = frozenset()
        self.wrong = ""  # what the last look has ended with, if it was a bug
        self.over = threading.Event()
        self.tell(frozenset(self.found.faults))

    def now(self) -> Groups:
        return self.found.groups

    def __enter__(self) -> GroupsNow:
        self.looking = threading.Thread(target=self.run, name="groups", daemon=True)
        self.looking.start()
        return self.now

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.over.set()
        self.looking.join(END_SECONDS)

    def run(self) -> None:
        while not self.over.wait(self.seconds):
            try:
                self.look()
                self.wrong = ""
            except Exception as error:  # the bot goes on with the groups as they were
                if repr(error) != self.wrong:
                    log.exception("looking for changed groups went wrong")
                self.wrong = repr(error)

    def look(self) -> None:
        """Only what was still while it was read is taken up; what somebody is writing just now, at the next look."""
        for _ in range(TRIES):
            before = seen(self.folder)
            if before == self.seen:
                self.tell(frozenset(self.found.faults))  # what could not be read is there again as it was
                return
            try:
                found = self.read()
                if self.found.folders and not self.folder.exists():  # a mount that is away takes no group away
                    raise ConfigError(f"{self.folder}: the folder of all groups is not there; put it back")
            except ConfigError as error:
                self.tell(frozenset({*self.found.faults, f"{error}; till then the groups stay as they are"}))
                return
            if seen(self.folder) == before:
                self.seen = before
                self.found = replace(found, groups=found.groups.after(self.found.groups))
                self.tell(frozenset(found.faults))

    def tell(self, faults: frozenset[str]) -> None:
        """Each fault when it appears, and once more when it is gone."""
        for line in sorted(faults - self.told):
            log.warning("groups: %s", line)
        for line in sorted(self.told - faults):
            log.info("groups: mended: %s", line)
        self.told = faults


def seen(folder: Path) -> Seen:
    """What tells one state of the files from another, without reading them."""
    try:
        return frozenset(each for entry in os.scandir(folder) for each in traces(entry))
    except OSError as error:
        return frozenset({(error.errno,)})


def traces(entry: os.DirEntry[str]) -> Iterator[tuple[object, ...]]:
    """Of a file whether it is another one, or has changed; of a workspace only whether it is another."""
    for name in (FILE, WORKSPACE):
        try:
            known = os.stat(os.path.join(entry.path, name))
        except OSError as error:
            yield entry.name, name, error.errno
        else:
            what = (known.st_dev, known.st_ino, known.st_mode)
            changed = (known.st_size, known.st_mtime_ns, known.st_ctime_ns) if name == FILE else ()
            yield entry.name, name, *what, *changed
