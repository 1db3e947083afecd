"""The month: it lets each situation act when its time has come, moves the clock between them, and keeps the books."""

from __future__ import annotations

import asyncio
import heapq
import signal
import sqlite3
import traceback
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.month.bookkeeping import fill_books
from tests.month.books import Books, Kill
from tests.month.clock import ShiftedClock, berlin
from tests.month.english import EnglishWatch
from tests.month.family import GIVEN, Family
from tests.month.judging import Judging
from tests.month.places import DiscordPlace, Place, Shown
from tests.month.process import BotProcess
from tests.month.registry import Situation
from tests.month.script import View, as_reply
from tests.month.stage import NotSo, Stage
from tests.stand_ins.claude import Asked, Reply, reply
from tests.stand_ins.discord import Flag

QUIET = """SELECT
    (SELECT count(*) FROM inbox WHERE state = 'taken' OR state = 'received')
    + (SELECT count(*) FROM turns WHERE state != 'ended')
    + (SELECT count(*) FROM incoming_files WHERE state = 'waiting')
    + (SELECT count(*) FROM outbox WHERE state NOT IN ('sent', 'failed') AND kind != 'draft')
    + (SELECT count(*) FROM schedules WHERE state = 'active' AND next_at <= ?)"""
STILL_SECONDS = 0.12  # nothing may happen for so long, before all counts as at rest
REST_PATIENCE = 60.0


@dataclass
class Month(Judging):
    family: Family
    begin: datetime = field(default_factory=lambda: berlin("2026-10-01 07:00"))
    claimed: set[tuple[str, int]] = field(default_factory=set)
    stages: dict[int, Stage] = field(default_factory=dict)
    starts: int = 0
    process: BotProcess | None = None
    has_voice: bool = False

    def __post_init__(self) -> None:
        self.notes: dict[str, Any] = {}  # of situations for later ones
        self.acting: Stage | None = None
        self.waiting: list[tuple[datetime, int, Stage]] = []
        self.tasks: dict[int, asyncio.Task[None]] = {}
        self.family.claude.script.rule(self.reply)
        self.kept: list[Any] = []  # messages, so that no id is used twice
        self.unmarked: list[tuple[Stage, Place, Any, str, float]] = []  # messages whose mark is still to come
        self.judged = 0  # requests to the model that were looked at
        self.answered: dict[tuple[str, int], int] = {}
        self.watch = EnglishWatch(self.family) if self.family.language == "de" else None
        self.started_at = 0.0  # by the month's clock
        self.books = Books()
        self.begun_with: list[str] = []  # faults of the time before the first situation

    @property
    def clock(self) -> ShiftedClock:
        return self.family.clock

    # The bot

    async def start(self, **options: Any) -> None:
        """Start the bot, and wait until both platforms have it."""
        begun = self.sign_ins()
        self.family.write_config(with_voice=self.has_voice, **options)
        self.process = BotProcess(self.family.folder, self.family.environment)
        self.starts += 1
        self.started_at = self.clock()
        async with asyncio.timeout(REST_PATIENCE):
            while self.sign_ins() == begun or not self.family.telegram.world.updates.is_polled:
                assert self.process.is_running, f"the bot has ended: {self.log()[-3000:]}"
                await asyncio.sleep(0.01)

    def sign_ins(self) -> int:
        frames = self.family.discord.gateway.frames
        return sum(frame.event in ("READY", "RESUMED") and frame.is_sent for frame in frames)

    async def stop(self) -> None:
        if self.process and self.process.is_running:
            status = await self.process.end(signal.SIGTERM)
            assert status == 0, f"the bot ended with {status}: {self.log()[-3000:]}"

    async def kill(self) -> None:
        assert self.process
        assert self.process.is_running, "the bot does not run"
        self.books.kills.append(Kill(len(self.family.claude.requests), asyncio.get_running_loop().time()))
        await self.process.end(signal.SIGKILL)

    async def restart(self, **options: Any) -> None:
        await self.stop()
        await self.start(**options)

    async def set_voice(self, has_voice: bool) -> None:
        """Restart the bot with a transcriber, or without one."""
        if self.has_voice != has_voice:
            self.has_voice = has_voice
            await self.restart()

    def log(self) -> str:
        return (self.family.folder / "log").read_text()

    # Rows

    def rows(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        path = self.family.folder / "data" / "bot.db"
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
            return db.execute(sql, values).fetchall()

    def number(self, sql: str, *values: object) -> int:
        return int(self.rows(sql, *values)[0][0])

    async def at_rest(self, patience: float = REST_PATIENCE) -> None:
        """Wait until nothing is at work, and nothing has happened for a moment."""
        before: object = None
        try:
            async with asyncio.timeout(patience):
                while True:
                    signs = self.signs()
                    if signs is not None and signs == before:
                        return
                    before = signs
                    await asyncio.sleep(STILL_SECONDS)
        except TimeoutError:
            raise NotSo(f"it does not come to rest: {self.unfinished()}") from None

    async def settle(self) -> None:
        """Wait a moment, so that what people did has come. Something may still be at work."""
        await asyncio.sleep(2 * STILL_SECONDS)

    def is_in_files(self, words: str) -> bool:
        """Return True if these words stand anywhere below the data folder or the workspace."""
        folders = (self.family.folder / "data", self.family.folder / "workspace")
        files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
        return any(words.encode() in path.read_bytes() for path in files)

    def signs(self) -> object:
        """Return what has happened so far; None while something is at work."""
        family = self.family
        if self.process is None or not self.process.is_running:
            return ()
        if family.telegram.world.updates.waiting or family.claude.answering or self.has_open_commands():
            return None
        if self.number(QUIET, self.clock.now().isoformat()):
            return None
        calls = sum(call.method != "getUpdates" for call in family.telegram.calls)
        return (
            calls,
            len(family.discord.requests),
            len(family.claude.requests),
            self.number("SELECT count(*) FROM inbox"),
        )

    def has_open_commands(self) -> bool:
        """Return True if Discord shows "thinking" for a slash command that this process of the bot has got: its token
        must not expire, which the clock of the month would let it do."""
        places = (place for place in self.family.places.values() if isinstance(place, DiscordPlace))
        newest = (message for place in places for message in place.channel.messages[-5:])
        return any(Flag.LOADING in each.flags and each.at >= self.started_at for each in newest)

    def unfinished(self) -> str:
        found = {
            "inbox": self.rows("SELECT key, text, state FROM inbox WHERE state IN ('taken', 'received')"),
            "turns": self.rows("SELECT id, state FROM turns WHERE state != 'ended'"),
            "files": self.rows("SELECT name, state FROM incoming_files WHERE state = 'waiting'"),
            "outbox": self.rows("SELECT key, state, reason FROM outbox WHERE state NOT IN ('sent', 'failed')"),
            "model": len(self.family.claude.answering),
        }
        return str({name: rows for name, rows in found.items() if rows})

    # What the bot says

    def unclaimed(self, place: Place | None = None) -> list[Shown]:
        places = [place] if place else list(self.family.places.values())
        return [each for one in places for each in one.shown() if each.id not in self.claimed]

    def new_texts(self, place: Place) -> list[str]:
        return [each.text for each in self.unclaimed(place)]

    def claim(self, shown: Shown) -> None:
        self.claimed.add(shown.id)
        self.kept.append(shown.message)

    def take_unexpected(self, stage: Stage) -> list[str]:
        """Return what the bot has said and nobody has expected or allowed. It is not returned again."""
        awaited = [words for each in self.stages.values() if each is not stage for words in each.awaited]
        new = [each for each in self.unclaimed() if not any(words in each.text for words in awaited)]
        for each in new:
            self.claim(each)
        allowed = [words for each in (stage, *self.stages.values()) for words in each.allowed]
        return [f"{each.place}: {each.text!r}" for each in new if not any(words in each.text for words in allowed)]

    def claim_all(self) -> None:
        for each in self.unclaimed():
            self.claim(each)

    async def is_final(self, place: Place, shown: Shown, fits: Callable[[Shown], bool]) -> None:
        """Wait until what may be a draft has become the message."""
        async with asyncio.timeout(REST_PATIENCE):
            while any(map(fits, self.unclaimed(place))) and self.is_streaming(place):  # noqa: ASYNC110 -- rows
                await asyncio.sleep(0.01)

    def is_streaming(self, place: Place) -> bool:
        sql = "SELECT count(*) FROM outbox WHERE address = ? AND (kind = 'draft' OR state IN ('queued', 'sending'))"
        return bool(self.number(sql, place.address))

    # The model

    def reply(self, asked: Asked) -> Reply:
        view = View(asked)
        stages = [self.acting] if self.acting else []
        stages += [stage for stage in self.stages.values() if stage is not self.acting]
        for stage in stages:
            for rule in stage.rules:
                if (found := rule(view)) is not None:
                    return as_reply(found)
        return reply(f"?? {view.text[-300:]}" if self.is_open else "Hello.")

    def name_of(self, place: Place) -> str:
        """Return a place as the prompt names it."""
        channel, _, rest = place.address.partition(":")
        chat, _, thread = rest.partition(":")
        return f"{channel} {chat}" + (f", thread {thread}" if thread else "")

    def options_of(self, command: str, words: str) -> dict[str, str]:
        """Return the options of a slash command: all words belong to the first one."""
        if not words:
            return {}
        [found] = [each for each in self.family.discord.world.commands if each["name"] == command]
        return {found["options"][0]["name"]: words}

    def file_option_of(self, command: str) -> str:
        """Return the first option of a slash command that takes a file."""
        [found] = [each for each in self.family.discord.world.commands if each["name"] == command]
        return next(str(option["name"]) for option in found["options"] if option["type"] == 11)

    # Time

    async def pass_time(self, stage: Stage, moment: datetime) -> None:
        """Let others play until this moment."""
        heapq.heappush(self.waiting, (moment, stage.number, stage))
        stage.resumed.clear()
        stage.paused.set()
        await stage.resumed.wait()

    @staticmethod
    def utc(text: str) -> datetime:
        return datetime.fromisoformat(text).replace(tzinfo=UTC)

    async def move_clock(self, moment: datetime) -> None:
        """Let the time pass to this moment. Stop at each time at which a schedule is due, as time itself does."""
        while self.process and self.process.is_running and (due := self.next_due(moment)):
            await self.jump(due + timedelta(seconds=1))
            await self.at_rest()
        if moment > self.clock.now():
            await self.jump(moment)

    def next_due(self, moment: datetime) -> datetime | None:
        sql = "SELECT min(next_at) FROM schedules WHERE state = 'active' AND next_at <= ?"
        [(found,)] = self.rows(sql, moment.astimezone(UTC).isoformat())
        return max(datetime.fromisoformat(found), self.clock.now()) if found else None

    async def jump(self, moment: datetime) -> None:
        self.clock.move_to(moment)
        if self.process:
            self.process.signal(signal.SIGUSR1)
            await asyncio.sleep(0.03)

    async def set_aside_until(self, stage: Stage, moment: str) -> None:
        """Stop the bot, and start it again at this moment. Others wait for it too. Once it has passed, do nothing."""
        if self.clock.now() >= berlin(moment):
            return
        await self.stop()
        self.clock.move_to(berlin(moment))
        await self.start()

    # Playing

    async def open(self) -> None:
        """Begin the month: the topics are opened, and everybody has met the bot once where it has to be met."""
        self.family.open_topics()
        self.is_open = False
        for place in list(self.family.places.values()):
            if place.name in ("holiday", "school", "thread"):
                continue
            place.ask(place.name if place.name in self.family.people else "Anna", "hello")
        await self.at_rest()
        anna = self.family.places["T", "Anna"]
        for account in ("telegram 1004", f"discord {self.family.members['David'].id}"):
            for right in GIVEN:
                anna.say("Anna", f"/people {account} give {right}")
        await self.at_rest()
        self.claim_all()
        self.begun_with = self.watch.find() if self.watch else []
        self.is_open = True
        self.judged = len(self.family.claude.requests)

    async def close(self, done: dict[int, Stage]) -> None:
        """Look at the whole month once more: nothing is left, and nothing is there twice."""
        stage = Stage(self, 0)
        stage.faults += self.begun_with
        await self.judge(stage, is_over=True)
        while self.unmarked:
            await asyncio.sleep(0.1)
            self.judge_marks(stage)
        fill_books(self.books, self.family)
        stage.faults += self.books.find_faults()
        if stage.faults:
            last = max(done)
            done[last].faults += [f"at the end of the month: {each}" for each in stage.faults]

    async def play(self, situations: Sequence[Situation], told: Callable[[Situation, Stage, float], None]) -> None:
        """Play all of them, in the order of their times."""
        times = {each.number: asyncio.get_running_loop().time() for each in situations}
        spent: dict[int, float] = dict.fromkeys(times, 0.0)
        by_number = {each.number: each for each in situations}
        for each in situations:
            heapq.heappush(self.waiting, (each.begin, each.number, Stage(self, each.number)))
        while self.waiting:
            moment, number, stage = heapq.heappop(self.waiting)
            began = asyncio.get_running_loop().time()
            is_over = await self.act(stage, moment, by_number[number])
            spent[number] += asyncio.get_running_loop().time() - began
            if is_over:
                told(by_number[number], stage, spent[number])

    async def act(self, stage: Stage, moment: datetime, situation: Situation) -> bool:
        """Let one situation act until it waits for a time, or is over. Return True if it is over."""
        try:
            await self.move_clock(moment)
        except NotSo as fault:
            stage.faults.append(str(fault))
        self.acting = stage
        if situation.number not in self.tasks:
            stage.asked_from = len(self.family.claude.requests)
            self.stages[stage.number] = stage
            await self.prepare(situation, stage)
            self.tasks[situation.number] = asyncio.create_task(situation.play(stage), name=f"situation {stage.number}")
        task = self.tasks[situation.number]
        stage.paused.clear()
        stage.resumed.set()
        pausing = asyncio.create_task(stage.paused.wait())
        await asyncio.wait([task, pausing], return_when=asyncio.FIRST_COMPLETED)
        pausing.cancel()
        if not task.done():
            await self.judge(stage, is_over=False)
            return False
        if error := task.exception():
            stage.faults.append(describe(error))
        await self.judge(stage, is_over=True)
        del self.stages[stage.number]
        return True

    async def prepare(self, situation: Situation, stage: Stage) -> None:
        try:
            if self.process is None or not self.process.is_running:
                await self.start()
            if situation.voice is not None:
                await self.set_voice(situation.voice)
        except (AssertionError, TimeoutError) as error:
            stage.faults.append(f"before it began: {error!r}")


def describe(error: BaseException) -> str:
    if isinstance(error, (NotSo, AssertionError)) and str(error):
        return str(error)
    return "".join(traceback.format_exception(error)[-3:])
