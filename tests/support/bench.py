"""A bench to test the whole bot on, with a scripted model and a chat in memory."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from bot import app
from bot.core.access import Access
from bot.core.acts import Effect
from bot.core.limits import Timings
from bot.core.messages import PersonId
from bot.core.model import Model
from bot.core.rights import EVERY_RIGHT
from bot.core.role import LEAD_ROLE_NAME, Role
from bot.core.settings import Settings
from bot.core.turn import CallKind
from bot.tools import Arguments, RunTool, Tool, ToolContext
from tests.support.empty_database import make_empty_database
from tests.support.engine_options import change_settings
from tests.support.fakes import FakeChannel, ScriptedModel, role
from tests.support.patience import PATIENCE

WORKERS = ("researcher", "analyst", "writer")
ROLES = {
    LEAD_ROLE_NAME: role("lead", "delegate", "ask_person", "read", "change", delegates_to=None),
    **{(worker := role(name, "message", "ask_person", "read", "change")).name: worker for name in WORKERS},
}
UNSHARED: Any = {
    "limits__person_day_percent": 100,
    "limits__owner_reserve_percent": 0,
}  # each person may use the whole day's money
CHANGES = frozenset({Effect.REPLACES})
ACCESS = {"fake": Access(owner_id=PersonId("Owner"), allowed_ids=frozenset({"Ann", "Bob"}), others_rights=EVERY_RIGHT)}


@dataclass
class Bench:
    """All that a test may change. `run` starts the bot; a second `run` starts it again with the same rows."""

    data: Path
    model: ScriptedModel = field(default_factory=ScriptedModel)
    chat: FakeChannel = field(default_factory=FakeChannel)
    changed: list[str] = field(default_factory=list)
    stop_seconds: float = 0  # how long a clean stop waits for turns
    is_gate_open: bool = False  # nobody is asked: the test is about what holds all the same
    is_stuck: bool = False  # the tool `change` does its change and never returns
    changes: asyncio.Queue[str] = field(default_factory=asyncio.Queue)
    roles: dict[Any, Role] = field(default_factory=lambda: dict(ROLES))

    @asynccontextmanager
    async def run(self, **options: Any) -> AsyncIterator[asyncio.Event]:
        """Run the bot in `channels`, or in the chat in memory. Stop it cleanly at the end."""
        until, channels = asyncio.Event(), options.pop("channels", [self.chat])
        timings = replace(options.pop("timings", Timings()), stop_timeout_seconds=self.stop_seconds)
        model: Model = options.pop("model", self.model)
        made_of = {"model": model, "roles": self.roles, "channels": channels, "data": self.data, "access": ACCESS}
        if self.is_gate_open:
            settings = options.get("settings", Settings())
            options["settings"] = change_settings(settings, approvals__enabled=False)
        assembly = app.Assembly(**{**made_of, "tools": self.tools(), "timings": timings, **options})
        make_empty_database(self.data / "bot.db")
        # if the bot fails, the test fails
        async with asyncio.timeout(2 * PATIENCE), asyncio.TaskGroup() as owner:
            self.bot = owner.create_task(app.run_bot(assembly, until), name="bot")
            yield until
            until.set()

    def crashes(self) -> None:
        """End the bot without a clean stop. (tests/rig tests real kills.)"""
        self.bot.cancel()

    def rows(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        """Return what a query finds in the database, as another process would see it."""
        with closing(sqlite3.connect(f"file:{self.data / 'bot.db'}?mode=ro", uri=True)) as db:
            return db.execute(sql, values).fetchall()

    def select(self, columns: str, table: str, where: str = "TRUE", order: str = "NULL") -> list[tuple[Any, ...]]:
        """Return these columns of a table's rows."""
        return self.rows(f"SELECT {columns} FROM {table} WHERE {where} ORDER BY {order}")

    def count(self, table: str, where: str = "TRUE") -> int:
        """Return the number of a table's rows, or of those that `where` selects."""
        return len(self.select("1", table, where))

    async def has_changed(self) -> str:
        """Wait until the tool `change` has made one more change. Return the call's id."""
        async with asyncio.timeout(PATIENCE):
            return await self.changes.get()

    def tools(self) -> list[Tool]:
        async def read(context: ToolContext, arguments: Arguments) -> str:
            return "read"

        async def change(context: ToolContext, arguments: Arguments) -> str:
            self.changed.append(context.call_id)
            self.changes.put_nowait(context.call_id)
            if self.is_stuck:
                await asyncio.Event().wait()
            return "changed"

        return [
            tool("read", CallKind.READ, frozenset(), read),
            tool("change", CallKind.CHANGE, CHANGES, change),
        ]


def tool(name: str, kind: CallKind, effects: frozenset[Effect], run: RunTool) -> Tool:
    return Tool(
        name=name,
        description=f"{name.title()} something.",
        input_schema={"type": "object"},
        kind=kind,
        effects=effects,
        run=run,
    )
