"""One bot of a simulated run, from its start to its end or its kill: the real `app.run_bot` on a simulated world."""

from __future__ import annotations

import asyncio
import contextvars
import json
import logging
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bot import app
from bot.core.access import Access
from bot.core.rights import EVERY_RIGHT, Right
from bot.store import Store
from bot.store.connection import Connection
from tests.rig import groups
from tests.rig.files import HAS_DESK
from tests.rig.mail import HAS_MAIL, mail_tools
from tests.rig.process import (
    ACCESS,
    PLATFORMS,
    WorldChannel,
    WorldModel,
    options,
    roles,
    tools,
    tools_of_groups,
)
from tests.rig.schedules import HAS_CLOCK
from tests.rig.traces import INDEXED_AT_ONCE
from tests.rig.voices import HAS_EARS, WorldTranscriber
from tests.rig.watching import Watched
from tests.rig.world import Wrong
from tests.simulation.loop import Killed, SimulatedLoop, process, settle
from tests.simulation.planners import PLANNERS
from tests.simulation.store import DATABASE, store_of, tear, write_image

if TYPE_CHECKING:
    from tests.simulation.run import Simulation

BEGINNING = datetime(2026, 1, 1, 12, tzinfo=UTC)  # of every run
KILL_AT_COMMIT_CHANCE = 0.006
MOMENTS = ("before", "torn", "after")  # of a commit


class Caller:
    """The world's view of a bot's request: whether the bot still waits for the answer."""

    def __init__(self) -> None:
        self.has_left = False

    def at_eof(self) -> bool:
        return self.has_left


class SimulatedWire:
    """The bot's way to the world, in memory. It tells the story what was asked, and when."""

    def __init__(self, life: Life) -> None:
        self.life = life

    async def ask(self, what: str, **fields: Any) -> Any:
        asked = json.dumps({"do": what, **fields})
        caller, answer = Caller(), asyncio.get_running_loop().create_future()
        self.life.callers.append(caller)
        self.life.run.create_world_task(self.serve(asked, caller, answer), what)
        try:
            return await answer
        except BaseException:
            caller.has_left = True
            raise
        finally:
            self.life.callers.remove(caller)

    async def serve(self, text: str, caller: Caller, answer: asyncio.Future[Any]) -> None:
        run, asked = self.life.run, json.loads(text)
        run.note_request(self.life.number, asked, text)
        try:
            given = await run.world.answer(self.life.number, asked, caller)
        except Wrong as wrong:
            run.add_fault(str(wrong))
            given = None
        except Exception as error:  # the bot would wait for ever, and nobody would know why
            run.add_fault(f"the world itself fails: {error!r}", error)
            raise
        run.note(self.life.number, json.dumps(given))
        settle(answer, given)

    def now(self) -> datetime:
        return self.life.run.now()


class Life:
    def __init__(self, run: Simulation, number: int, folder: Path) -> None:
        self.run = run
        self.number = number
        self.folder = folder
        self.until = asyncio.Event()
        self.has_ended = asyncio.Event()
        self.was_killed = False
        self.is_recovered = False
        self.commits = 0
        self.connections: list[Connection] = []
        self.store: Store | None = None
        self.callers: list[Caller] = []

    def begin(self) -> None:
        Watched.told_busy = None
        Watched.in_background.clear()
        Watched.direct.clear()
        context = contextvars.copy_context()
        context.run(process.set, self.number)
        self.task = asyncio.get_running_loop().create_task(self.live(), name=f"bot {self.number}", context=context)
        self.task.add_done_callback(self.end, context=self.run.context)

    async def live(self) -> None:
        wire, run = SimulatedWire(self), self.run
        settings, desk = dict(run.settings), run.folder / "workspace"
        has_clock, has_mail = settings.pop(HAS_CLOCK, False), settings.pop(HAS_MAIL, False)
        registered = groups.registered(run.folder, tools_of_groups(has_mail=has_mail), run.model)
        store = store_of(self, run.bug)
        channels = [WorldChannel(name, wire) for name in PLATFORMS]
        for channel in channels:
            channel.board_edit_seconds, channel.part_length = run.board_edit_seconds, run.part_length
        has_ears, Watched.languages = settings.pop(HAS_EARS, False), tuple(settings.pop(INDEXED_AT_ONCE, ()))
        if has_desk := settings.pop(HAS_DESK, False):
            settings |= {"workspace": desk, "writable_workspace": desk}
        own_tools = [*tools(wire, desk if has_desk else None), *(mail_tools(wire) if has_mail else [])]
        assembly = app.Assembly(
            model=WorldModel(wire),
            roles=roles(run.model, has_desk=has_desk, has_clock=has_clock, has_mail=has_mail),
            channels=channels,
            data=self.folder,
            groups=lambda: registered,
            tools=[*own_tools, *run.file_tools(registered)],
            access=dict.fromkeys(PLATFORMS, self.choose_access()),
            transcriber=WorldTranscriber(wire) if has_ears else None,
            **options(settings, store),
            store=store,
            now=wire.now,
            on_recovered=self.note_recovery,
        )
        await app.run_bot(assembly, self.until)

    def choose_access(self) -> Access:
        """Return who may speak. In this life people who plan may not have tasks done for them at set times."""
        run = self.run
        if run.scenario == PLANNERS and run.choices.happens("no right to schedule", 0.1):
            return replace(ACCESS, others_rights=EVERY_RIGHT - {Right.SCHEDULE})
        return ACCESS

    def note_recovery(self) -> None:
        self.is_recovered = True

    def end(self, task: asyncio.Task[None]) -> None:
        if self.was_killed:
            return
        if task.cancelled():
            self.run.add_fault("the bot was cancelled by itself")
        elif error := task.exception():
            self.run.add_fault(f"the bot ended with {error!r}", error)
        elif not self.until.is_set():
            self.run.add_fault("the bot ended though nobody had asked it to")
        else:
            self.run.tell(f"bot {self.number} has ended cleanly")
        self.has_ended.set()

    # Kills

    def commit(self, db: Connection, commit: Callable[[], sqlite3.Cursor]) -> sqlite3.Cursor:
        """Do a commit, and perhaps die before it, in its middle or after it."""
        self.commits += 1
        choices, moment = self.run.choices, ""
        if self.run.may_kill() and choices.happens("kill at a commit", KILL_AT_COMMIT_CHANCE):
            moment = choices.among("moment of the commit", MOMENTS)
        if moment == "before":
            self.die(f"before commit {self.commits}")
            raise Killed
        wal = self.folder / DATABASE[1]
        before = (self.read_database(), wal.read_bytes() if wal.exists() else b"") if moment == "torn" else None
        done = commit()
        if (
            before and before[0] == self.read_database()
        ):  # otherwise SQLite has moved its log into the file: it is whole
            share = choices.seconds("how much of the log was written", 0.0, 0.99)
            self.die(f"in the middle of commit {self.commits}", tear(before[1], wal.read_bytes(), share))
            raise Killed
        self.run.after_commit(self, db)
        if moment:
            self.die(f"after commit {self.commits}")
            raise Killed
        return done

    def read_database(self) -> bytes:
        return (self.folder / DATABASE[0]).read_bytes()

    def die(self, when: str, torn_wal: bytes | None = None) -> None:
        """Stop at once: nothing of this process runs any more, and what is on the disk stays as it is now."""
        if self.was_killed or self.has_ended.is_set():
            return
        self.was_killed = True
        self.run.tell(f"bot {self.number} is killed {when}")
        self.run.killed += 1
        loop = asyncio.get_running_loop()
        assert isinstance(loop, SimulatedLoop)
        loop.dead.add(self.number)
        for caller in self.callers:
            caller.has_left = True
        write_image(self.folder, self.run.folder_of(self.number + 1), torn_wal)
        self.has_ended.set()


class ErrorCollector(logging.Handler):
    """The log of the bots: an error in it is a fault of the run."""

    def __init__(self, add_fault: Callable[[str, BaseException | None], None]) -> None:
        super().__init__(logging.ERROR)
        self.add_fault = add_fault

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info or "Error" in record.getMessage():
            error = record.exc_info[1] if record.exc_info else None
            self.add_fault(f"in the log: {record.getMessage()}", error)
