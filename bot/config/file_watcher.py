"""Look repeatedly, in a thread of its own, for changes in files. No error that a look meets ends the bot."""

import logging
import threading
from types import TracebackType
from typing import Self

from bot.core.texts import logs

log = logging.getLogger(__name__)

SECONDS = 2.0  # between two looks
END_SECONDS = 5.0  # for a look that is under way: on a file system that hangs it would take for ever


class FileWatcher:
    """`look` is called every so often while it is entered."""

    def __init__(self, name: str, seconds: float) -> None:
        self.name, self.seconds = name, seconds
        self.last_error = ""  # what the last look has ended with, if it was a bug
        self.logged_faults: frozenset[str] = frozenset()
        self.is_over = threading.Event()

    def check_files(self) -> None:
        raise NotImplementedError

    def __enter__(self) -> Self:
        self.thread = threading.Thread(target=self.run, name=self.name, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.is_over.set()
        self.thread.join(END_SECONDS)

    def run(self) -> None:
        while not self.is_over.wait(self.seconds):
            try:
                self.check_files()
                self.last_error = ""
            except Exception as error:  # the bot goes on with what it has
                if repr(error) != self.last_error:
                    log.exception(logs.LOOK_FAILED, self.name)
                self.last_error = repr(error)

    def log_faults(self, faults: frozenset[str]) -> None:
        """Log each fault when it appears, and once more when it is gone."""
        for line in sorted(faults - self.logged_faults):
            log.warning(logs.FOLDER_FAULT, self.name, line)
        for line in sorted(self.logged_faults - faults):
            log.info(logs.FAULT_MENDED, self.name, line)
        self.logged_faults = faults
