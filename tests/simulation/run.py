"""One simulated run: a world, its people, and bots that are started, killed and started again, as the choices say."""

from __future__ import annotations

import asyncio
import contextvars
import gc
import hashlib
import logging
import tempfile
from collections import defaultdict
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from bot.core.group import Groups
from bot.core.messages import PersonId
from bot.store import personal_data
from bot.store.connection import Connection
from bot.tools import Tool
from bot.tools.files import file_tools
from bot.tools.workspace_scope import make_scoped_tools
from tests.rig import files, groups
from tests.rig.chat import Chat
from tests.rig.checks import Played, check
from tests.rig.people import MODELS, SCENARIOS, TROUBLES, settings_of
from tests.rig.persons import CODE
from tests.rig.process import DEFAULT_MODEL, PART_LENGTH
from tests.rig.run import QUIET
from tests.rig.world import Caller, Json, World
from tests.simulation.choices import Choices, ChosenRandom, ChosenTroubles
from tests.simulation.crowd import HOSTILE, Crowd, crowd_settings
from tests.simulation.invariants import Changes, find_broken
from tests.simulation.kin import KIN, MOST_STEPS_OF_KIN
from tests.simulation.kinship import Kinship
from tests.simulation.life import BEGINNING, ErrorCollector, Life
from tests.simulation.loop import SimulatedLoop, Stuck, process
from tests.simulation.planners import PLANNERS
from tests.simulation.scenarios import CROWDS, SETTINGS_OF_CROWDS, choose_scenario
from tests.simulation.store import DATABASE
from tests.simulation.town import (
    MOST_KILLS_OF_TOWN,
    MOST_STEPS_OF_TOWN,
    THINKING_SECONDS_OF_TOWN,
    TOWN,
    VILLAGE,
    Town,
)
from tests.support.empty_database import empty_database

MOST_KILLS = 4
PATIENCE_SECONDS = 3_600
SHARES_OF_TROUBLES = (0, 0, 0, 0.05, 0.2)
LONG_DOWNTIME_SECONDS = 90  # so long that people are told of it
KILL_AT_EVENT_CHANCE = 0.01
LONGEST_UNTIL_KILL_SECONDS = 1.5  # from the start, or from the kill before
SCRATCH = Path("/dev/shm")


@dataclass
class SimulatedWorld(World):
    arrivals: dict[str, asyncio.Event] = field(default_factory=lambda: defaultdict(asyncio.Event))  # by platform
    has_answered: asyncio.Event = field(default_factory=asyncio.Event)  # as the model
    on_request: Callable[[Json], None] = lambda asked: None
    on_send: Callable[[Json], None] = lambda asked: None
    at_work_for: Callable[[str], dict[int, str]] = lambda address: {}  # by number of a delegation: the person
    kinship: Kinship | None = None  # what people with several accounts have said
    most_updates: int = 3  # that the platform hands over at a time

    async def wait_for_updates(self, channel: str, offset: int) -> list[Json]:
        """Return some updates, as soon as there are any."""
        self.updates[channel] = [update for update in self.updates[channel] if update["id"] >= offset]
        while not self.updates[channel]:
            await self.arrivals[channel].wait()
            self.arrivals[channel].clear()
        return self.updates[channel][: self.most_updates]

    async def think(self, asked: Json, caller: Caller) -> Json:
        self.on_request(asked)
        return await super().think(asked, caller)

    def put_up(self, asked: Json, id: str | None) -> str:
        self.on_send(asked)
        return super().put_up(asked, id)

    def tell(self, address: str, *words: Any, **more: Any) -> None:
        super().tell(address, *words, **more)
        self.arrivals[address.split(":")[0]].set()


@dataclass
class Simulation(Played):
    """A run. Without `given` its choices are made from the seed; with it, they are those and the harmless ones."""

    world: SimulatedWorld = field(init=False)
    given: Mapping[tuple[str, int], int] | None = None
    bug: str = ""
    story: list[str] = field(default_factory=list)
    errors: list[BaseException] = field(default_factory=list)
    added_seconds: float = 0  # to the bot's clock

    def go(self) -> Simulation:
        self.choices = Choices(self.seed, self.given)
        self.loop = SimulatedLoop(self.choices)
        self.loop.on_error = lambda said: self.add_fault(f"the loop: {said['message']}", said.get("exception"))
        self.context = contextvars.copy_context()
        self.hash = hashlib.sha256()
        self.changes = Changes()
        self.lives: list[Life] = []
        self.town: Town | None = None
        with tempfile.TemporaryDirectory(dir=SCRATCH if SCRATCH.is_dir() else None) as folder, self.heard():
            self.folder = Path(folder)
            try:
                self.play_and_check()
            except Exception as error:  # noqa: BLE001 -- whatever fails, this seed is faulty, and the others go on
                self.add_fault(f"the run itself failed: {error!r}", error)
            for unheard in self.loop.unretrieved_errors():
                self.add_fault(f"nobody asked for the error of a task: {unheard!r}", unheard)
        self.bury()
        self.hash.update(repr((self.faults, self.loop.steps)).encode())
        return self

    def play_and_check(self) -> None:
        try:
            self.loop.run(self.live())
        except Stuck as stuck:
            self.add_fault(f"never came to rest: {stuck}")
        if not self.faults:
            data = self.lives[-1].folder
            for fault in [*self.world.faults, *check(data / DATABASE[0], self)]:
                self.add_fault(fault)
            for fault in self.world.kinship.at_rest(data, self.folder / "workspace") if self.world.kinship else ():
                self.add_fault(fault)

    @contextmanager
    def heard(self) -> Iterator[None]:
        """Collect what the bots log as an error."""
        collector, root = ErrorCollector(self.add_fault), logging.getLogger()
        root.addHandler(collector)
        try:
            yield
        finally:
            root.removeHandler(collector)

    def bury(self) -> None:
        """Forget the bots. Only now may what is left of their code run: it can reach nothing any more."""
        self.loop.close()
        for life in self.lives:
            for db in life.connections:
                db.close()
        self.loop.tasks.clear()
        self.lives.clear()
        gc.collect()

    # Its world

    async def live(self) -> None:
        choices = self.choices
        self.context = contextvars.copy_context()
        self.scenario = self.scenario or choose_scenario(choices)
        is_hostile, is_town = self.scenario == HOSTILE, self.scenario in (TOWN, VILLAGE)
        self.settings = settings_of(self.scenario, 3 - choices.pick("places", 3))
        if self.scenario in CROWDS:
            self.settings |= crowd_settings(choices, is_hostile=is_hostile)
        if is_town:  # thirty kills lose many requests, at their highest price
            self.settings |= {"turn": {"cost": 10_000_000}}
        if choose_settings := SETTINGS_OF_CROWDS.get(self.scenario):
            self.settings |= choose_settings(choices)
        self.part_length = choices.among("characters in a part", (400, 400, PART_LENGTH))
        self.board_edit_seconds = choices.among("seconds between edits of a board", (1.0, 1.0, 0.05))
        self.model = MODELS.get(self.scenario, DEFAULT_MODEL)
        limits = {name: self.settings[f"swarm__{name}"] for name in ("max_concurrent", "max_running")}
        self.world = SimulatedWorld(ChosenRandom(choices, "the world's time"), self.strike, self.kill_bot, **limits)
        self.world.is_hostile = is_hostile
        self.world.advance, self.world.forget = self.advance_clock, self.forget_schedules
        self.world.is_at_rest = self.is_quiet
        if is_town:
            self.settle_town()
        if self.scenario == KIN:
            kinship = self.world.kinship = Kinship(self, self.is_quiet)
            self.loop.most_steps = MOST_STEPS_OF_KIN
            self.world.on_request, self.world.now = kinship.see_request, self.now
        share = choices.among("share of troubles", SHARES_OF_TROUBLES)
        share = 0 if is_town or self.scenario == PLANNERS else TROUBLES.get(self.scenario, share)
        self.world.troubles = ChosenTroubles(share, choices)
        groups.furnish(self.folder)
        files.furnish_desk(self.folder / "workspace")
        self.folder_of(1).mkdir()
        if not choices.happens("no database yet", 0.05):
            (self.folder_of(1) / DATABASE[0]).write_bytes(empty_database())
        rng = ChosenRandom(choices, "people's time")
        addresses, people_of = CROWDS.get(self.scenario, ((), Crowd))
        chats = dict.fromkeys(addresses) or SCENARIOS[self.scenario]
        chance_of_more = 0.3 if addresses else 0.15
        has_all = is_town or self.scenario == KIN
        number = len(chats) if has_all else 1 + choices.pick("more chats", len(chats), chance_of_more)
        first = choices.pick("first chat", len(chats))
        chosen = (list(chats.items()) * 2)[first : first + min(number, len(chats))]
        plots, others = [], []
        for address, plot in chosen:
            chat = Chat(self.world, rng, address, self.tags)
            crowd = people_of(chat, choices, self.world)
            plots.append(plot(chat) if plot else crowd.live())
            others += [] if plot else [self.create_world_task(crowd.answer_in_the_end(), "people")]
        bots = self.create_world_task(self.keep_alive(), "bots")
        kills = self.create_world_task(self.kill_at_random(), "kills")
        people = [self.create_world_task(live_plot(plot), "people") for plot in plots]
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                await asyncio.gather(*people)
                while not self.is_quiet():  # noqa: ASYNC110 -- rows wake nobody
                    await asyncio.sleep(0.05)
        except TimeoutError:
            self.add_fault("never came to rest")
        for task in (bots, kills, *people, *others):
            task.cancel()
        await asyncio.gather(bots, kills, *people, *others, return_exceptions=True)
        self.lives[-1].until.set()
        if self.town:
            self.town.at_rest(self.lives[-1].connections[0])
        if not self.lives[-1].was_killed:
            await self.lives[-1].has_ended.wait()

    def settle_town(self) -> None:
        """Let the town see what its people write, and what the world is asked."""
        self.town = town = Town(self)
        self.loop.most_steps = MOST_STEPS_OF_TOWN
        self.world.most_updates, self.world.thinking_seconds = 1, THINKING_SECONDS_OF_TOWN
        self.world.on_request = lambda asked: town.see_request(asked, self.lives[-1].connections[0])
        self.world.on_send = town.see_send
        self.world.at_work_for = town.at_work_for

    def create_world_task(self, work: Coroutine[Any, Any, None], name: str) -> asyncio.Task[None]:
        task: asyncio.Task[None] = self.loop.create_task(work, name=name, context=self.context.copy())
        return task

    def folder_of(self, number: int) -> Path:
        return self.folder / f"data-{number}"

    async def keep_alive(self) -> None:
        """Start a bot; when it has ended, start the next, as a service manager does."""
        while True:
            self.world.generation += 1
            life = Life(self, self.world.generation, self.folder_of(self.world.generation))
            self.lives.append(life)
            self.tell(f"bot {life.number} starts")
            life.begin()
            await life.has_ended.wait()
            if not life.was_killed:
                life.folder.rename(self.folder_of(life.number + 1))
            await asyncio.sleep(self.choices.seconds("seconds until the next start", 0.01, 0.4))
            if self.choices.happens("a long downtime", 0.03):
                await asyncio.sleep(LONG_DOWNTIME_SECONDS)

    def file_tools(self, registered: Groups) -> list[Tool]:
        return make_scoped_tools(file_tools, self.folder / "workspace", lambda: registered)

    def is_quiet(self) -> bool:
        """Return True if the inbox has every message that people wrote, and nothing is open."""
        life = self.lives[-1] if self.lives else None
        if life is None or life.has_ended.is_set() or life.until.is_set() or not life.is_recovered:
            return False
        heard, still_open = life.connections[0].execute(QUIET, (self.now().isoformat(),)).fetchone()
        return bool(still_open == 0 and heard >= self.world.told)

    # The clock

    def now(self) -> datetime:
        """Return the time on the bot's clock."""
        return BEGINNING + timedelta(seconds=self.loop.time() + self.added_seconds)

    def advance_clock(self, seconds: float) -> None:
        self.added_seconds += seconds
        self.tell(f"the clock is set by {seconds / 60:g} minutes")

    def forget_schedules(self, channel: str, person: str) -> None:
        """Let the bot delete the schedules of a person, as when it forgets that person."""
        life = self.lives[-1]
        if life.store and life.is_recovered and not life.has_ended.is_set():
            self.figures["forgotten schedules"] += 1
            self.tell(f"the schedules of {person} are forgotten")
            work = life.store.write(
                personal_data.delete_schedules, [personal_data.Account(channel=channel, id=PersonId(person))]
            )
            context = self.context.copy()
            context.run(process.set, life.number)
            self.loop.create_task(work, name="forgetting", context=context)

    # Kills

    def may_kill(self) -> bool:
        return self.killed < (MOST_KILLS_OF_TOWN if self.town else MOST_KILLS)

    def kill_bot(self) -> None:
        self.lives[-1].die("by its own tool")

    def strike(self, what: str) -> None:
        self.counts[what] += 1
        if what == "model":
            self.world.has_answered.set()
        if self.may_kill() and self.choices.happens(f"kill at a {what}", KILL_AT_EVENT_CHANCE):
            self.lives[-1].die(f"when the world has done: {what}")

    async def kill_at_random(self) -> None:
        """Kill the bot at random moments, between two steps of its loop, or ask it to stop."""
        kills = self.choices.pick("kills at any moment", MOST_KILLS_OF_TOWN if self.town else 3)
        for _ in range(kills):
            await asyncio.sleep(
                0.01 + LONGEST_UNTIL_KILL_SECONDS * self.choices.pick("moment of the kill", 1_000) / 1_000
            )
            life = self.lives[-1]
            if self.choices.happens("a clean stop in place of a kill", 1 / 3):
                self.figures["sigterm"] += not life.has_ended.is_set()
                self.tell(f"bot {life.number} is asked to stop")
                life.until.set()
            elif self.may_kill():
                life.die("between two steps")

    def after_commit(self, life: Life, db: Connection) -> None:
        """Check what must hold after every commit."""
        self.commits += 1
        if kinship := self.world.kinship:
            kinship.after_commit(db)
        for fault in [*find_broken(db), *self.changes.find_broken(db)]:
            if not (kinship and kinship.excuses(fault)):
                self.add_fault(fault)
        if self.town:
            self.town.after_commit(db)
        self.hash.update(repr((life.number, life.commits, self.loop.time())).encode())

    # What it tells

    def note(self, process: int, text: str) -> None:
        """Put what a bot asked of the world, or was answered, into the hash. Codes are others in each run."""
        text = CODE.sub("/link CODE", text)
        self.hash.update(f"{process} {self.loop.time():.6f} {text}".encode())

    def note_request(self, process: int, asked: Json, text: str) -> None:
        self.note(process, text)
        if asked["do"] in ("send", "edit"):
            if self.world.kinship:
                self.world.kinship.see_message(asked)
            self.tell(f"bot {process} {asked['do']}s {asked['address']} {asked['kind']}: {asked['text']!r}")

    def tell(self, what: str) -> None:
        self.story.append(f"{self.loop.time():8.4f}  {what}")

    def add_fault(self, what: str, error: BaseException | None = None) -> None:
        what = what.replace(str(self.folder), "…")  # its name is another in each run
        if what not in self.faults:  # what does not hold after one commit does not hold after the next one either
            self.tell(f"FAULT: {what}")
            self.faults.append(what)
            self.errors += [error] if error else []


async def live_plot(plot: Awaitable[None]) -> None:
    await plot
