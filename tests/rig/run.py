"""One run: a world, a bot that is started again each time it dies, and the checks when all is quiet."""

from __future__ import annotations

import asyncio
import json
import os
import random
import shutil
import signal
import sqlite3
import tempfile
import time
from collections.abc import Collection
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from tests.rig import files, groups, schedules
from tests.rig.chat import Chat
from tests.rig.checks import Played, check
from tests.rig.forking import BotProcess
from tests.rig.people import MODELS, SCENARIOS, TROUBLES, settings_of
from tests.rig.troubles import Troubles
from tests.rig.wire import LIMIT
from tests.rig.world import World

QUIET = """SELECT (SELECT count(*) FROM inbox WHERE kind != 'report' AND origin != 'schedule'
        AND key NOT LIKE 'left:%') AS heard,
    (SELECT count(*) FROM inbox WHERE state = 'taken' OR state = 'received' AND (held_until IS NULL
        OR held_until < '9999')) +
    (SELECT count(*) FROM turns WHERE state != 'ended') +
    (SELECT count(*) FROM incoming_files WHERE state = 'waiting' OR (state = 'removed' AND path != '')) +
    (SELECT count(*) FROM schedules WHERE state = 'active' AND next_at <= ?) +
    (SELECT count(*) FROM outbox WHERE state NOT IN ('sent', 'failed')) AS open"""


@dataclass
class Run(Played):
    """`kill` names a moment (`before:7`, `after:7`, `send:3`, `effect:2`, `model:9`), or one for each of the first
    lives of the bot. A commit is counted in its own life, an event in the whole run. `kills` counts random kills."""

    kills: int = 0
    only: Collection[str] = ()  # the chats that are played; empty: all
    places: int = 3
    group: int = 64
    bug: str = ""  # the deliberate bug that this run should find
    patience_seconds: float = 300  # until it must have come to rest
    still_seconds: float = (
        60  # after which a run in which nothing happens is given up: a busy machine only takes longer
    )
    added_seconds: float = 0  # to the bot's clock
    started: float = field(default_factory=time.time)
    ends_at_fault: bool = False  # as soon as the world sees one

    async def go(self) -> Run:
        self.rng = random.Random(self.seed)
        self.settings = settings_of(self.scenario, self.places)
        limits = {name: self.settings[f"swarm__{name}"] for name in ("max_concurrent", "max_running")}
        self.world = World(self.rng, self.strike, self.kill_bot, **limits)
        self.world.troubles = Troubles(TROUBLES.get(self.scenario, 0), self.seed)
        with tempfile.TemporaryDirectory() as folder:
            self.folder, self.socket = Path(folder), Path(folder) / "socket"
            self.world.advance, self.world.is_at_rest = self.advance_clock, self.is_quiet
            groups.furnish(self.folder)
            files.furnish_desk(self.folder / "workspace")
            server = await asyncio.start_unix_server(self.world.serve, self.socket, limit=LIMIT)
            try:
                await self.live()
                self.faults += self.world.faults
                self.faults += check(self.folder / "bot.db", self)
                if self.faults and (kept := os.environ.get("KEEP")):
                    shutil.copytree(
                        folder,
                        f"{kept}/{self.scenario}-{self.seed}-{self.kill}",
                        ignore=shutil.ignore_patterns("socket"),
                    )
            finally:
                server.close()
        return self

    async def live(self) -> None:
        chats = [
            (plot, Chat(self.world, self.rng, address, self.tags))
            for address, plot in SCENARIOS[self.scenario].items()
            if address in self.only or not self.only
        ]
        owner = [asyncio.create_task(self.keep_alive()), asyncio.create_task(self.kill_at_random())]
        try:
            async with asyncio.timeout(self.patience_seconds) as patience:
                owner.append(asyncio.create_task(self.give_up_when_still(patience)))
                await asyncio.gather(*(plot(chat) for plot, chat in chats))
                while not self.is_quiet():  # noqa: ASYNC110 - the bot is another process, which sets no event
                    await asyncio.sleep(0.02)
        except TimeoutError:
            self.faults.append("never came to rest")
        for task in owner:
            task.cancel()
        await asyncio.gather(*owner, return_exceptions=True)
        await self.end_bot()

    # The clock

    def advance_clock(self, seconds: float) -> None:
        """Set the bot's clock forward."""
        self.added_seconds += seconds
        new = self.folder / f"{schedules.CLOCK_FILE}.new"
        new.write_text(str(self.added_seconds))
        new.rename(self.folder / schedules.CLOCK_FILE)

    def now(self) -> datetime:
        return schedules.read_clock(self.folder, self.started)

    async def give_up_when_still(self, patience: asyncio.Timeout) -> None:
        """End the patience when the world has seen nothing of the bot for `still_seconds`, or a fault that ends it."""
        seen, since, now = tuple[int, ...](), 0.0, asyncio.get_running_loop().time
        while True:
            if (seen_now := self.world.activity()) != seen:
                seen, since = seen_now, now()
            if now() - since > self.still_seconds or (self.ends_at_fault and self.is_faulty()):
                patience.reschedule(0)
            await asyncio.sleep(0.1)

    def is_faulty(self) -> bool:
        """Return True if the world has seen a fault, or the bot has logged one."""
        return bool(self.world.faults) or has_errors((self.folder / "log").read_text())

    # The bot

    async def keep_alive(self) -> None:
        """Start the bot. Start it again when a kill or a stop has ended it. Any other end is a fault."""
        while True:
            self.world.generation += 1
            self.bot = self.start_bot()
            status = await self.bot.wait()
            if status not in (0, -signal.SIGKILL, -signal.SIGTERM):  # SIGTERM ends a bot that does not handle it yet
                self.faults.append(f"the bot left with {status}")
                await asyncio.Event().wait()
            self.killed += status == -signal.SIGKILL and self.moment.startswith(("before", "after"))

    @property
    def moment(self) -> str:
        """Return when this life of the bot is to end; empty if it is not to be killed."""
        moments = self.kill.split()
        return moments[self.world.generation - 1] if self.world.generation <= len(moments) else ""

    def start_bot(self) -> BotProcess:
        started = {schedules.STARTED_VARIABLE: str(self.started)} if self.settings.get(schedules.HAS_CLOCK) else {}
        options = {
            "KILL": self.moment,
            "GROUP": str(self.group),
            "SETTINGS": json.dumps(self.settings),
            "BUG": self.bug,
            **started,
        }
        options |= {"MODEL": MODELS.get(self.scenario, "claude-sonnet-5-5")}
        return BotProcess(self.folder, self.socket, options)

    async def end_bot(self) -> None:
        self.bot.signal(signal.SIGTERM)
        self.has_closed = await self.bot.wait() == 0
        out, log = (self.folder / "out").read_text().split(), (self.folder / "log").read_text()
        self.commits = int(out[-1]) if out else 0
        if has_errors(log):
            self.faults.append(f"in the log: …{log[-900:]}")

    # Kills

    def kill_bot(self) -> None:
        if self.bot.returncode is None:
            self.bot.signal(signal.SIGKILL)
            self.killed += 1

    def strike(self, what: str) -> None:
        self.counts[what] += 1
        if self.moment == f"{what}:{self.counts[what]}":
            self.kill_bot()

    async def kill_at_random(self) -> None:
        """Kill the bot `kills` times at random moments. About every third time, only ask it to stop."""
        for _ in range(self.kills):
            await asyncio.sleep(0.2 + self.rng.expovariate(1 / 0.3))
            if self.bot.returncode is None and self.rng.random() < 1 / 3:
                self.bot.signal(signal.SIGTERM)
                self.figures["sigterm"] += 1
            else:
                self.kill_bot()

    def is_quiet(self) -> bool:
        """Return True if the inbox has every message that people wrote, and nothing is open."""
        try:
            with closing(sqlite3.connect(f"file:{self.folder / 'bot.db'}?mode=ro", uri=True, timeout=1)) as db:
                heard, still_open = db.execute(QUIET, (self.now().isoformat(),)).fetchone()
        except sqlite3.Error:
            return False
        return bool(still_open == 0 and heard >= self.world.told)

    def __str__(self) -> str:
        return json.dumps({"seed": self.seed, "scenario": self.scenario, "kill": self.kill, "places": self.places})


def has_errors(log: str) -> bool:
    return "Traceback" in log or "Error" in log
