"""Read the rows for the page, beside a running bot or without one."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from bot.core.errors import ConfigError
from bot.core.program_names import retinue_command
from bot.store.chat_reader import query_database_file
from bot.store.connection import Connection
from bot.web_page import texts
from bot.web_page.change_watch import ChangeWatch

R = TypeVar("R")


class RowsOfOtherVersion(Exception):
    """The rows are of another version of the program. Its text says what to do."""


class RowReader:
    """The rows of one data folder. Each reading sees them as of one moment, and waits for no writer."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.watch = ChangeWatch(path)

    async def read(self, work: Callable[[Connection], R], missing: R) -> R:
        """Return what `work` returns for the rows, done in a thread; `missing` if there is no database yet. Raise
        RowsOfOtherVersion if this version cannot read it."""
        return await asyncio.to_thread(self.read_now, work, missing)

    def read_now(self, work: Callable[[Connection], R], missing: R) -> R:
        try:
            found = query_database_file(self.path, lambda db: [work(db)], list[R]())
        except ConfigError as error:  # of a newer version
            raise RowsOfOtherVersion(str(error)) from error
        if not found and self.path.exists():
            raise RowsOfOtherVersion(texts.ROWS_OF_EARLIER_VERSION(command=retinue_command("run")))
        return found[0] if found else missing
