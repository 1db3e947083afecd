"""What must hold in every situation of the month: nothing lost, nothing twice, nothing that nobody expects."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from tests.month.bookkeeping import hash_of_sent
from tests.month.books import Books
from tests.month.english import EnglishWatch
from tests.month.family import Family
from tests.month.places import Place
from tests.month.process import BotProcess
from tests.month.script import View
from tests.month.stage import NONE, NotSo

if TYPE_CHECKING:
    from tests.month.stage import Stage

MARK_PATIENCE = 40.0  # seconds
WAITS_FOR_MARKS = 150  # of 0.02 s


class Judging:
    """The part of the month that looks at what has happened."""

    family: Family
    process: BotProcess | None
    unmarked: list[tuple[Stage, Place, Any, str, float]]
    judged: int
    watch: EnglishWatch | None
    books: Books
    answered: dict[tuple[str, int], int]
    refused_by_discord = 0

    async def at_rest(self) -> None:
        raise NotImplementedError

    async def start(self) -> None:
        raise NotImplementedError

    def rows(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        raise NotImplementedError

    def take_unexpected(self, stage: Stage) -> list[str]:
        raise NotImplementedError

    async def judge(self, stage: Stage, *, is_over: bool) -> None:
        """Note what is wrong now, of what holds in every situation."""
        try:
            if self.process and self.process.is_running:
                await self.at_rest()
            elif is_over:
                await self.start()
                await self.at_rest()
        except (NotSo, AssertionError, TimeoutError) as fault:
            stage.faults.append(f"{fault}")
        if found := self.take_unexpected(stage):
            stage.faults.append(f"nobody has expected {found}")
        await self.judge_marks_in_time(stage)
        if is_over:
            self.judge_faults(stage)
        self.judge_requests(stage)
        self.judge_refusals(stage)
        if self.watch:
            stage.faults += self.watch.find()
        self.books.read_rows(self.rows, hash_of_sent(self.family))

    async def judge_marks_in_time(self, stage: Stage) -> None:
        """Wait for the marks a little: once the clock of the month has moved on, a kill may take them."""
        self.judge_marks(stage)
        for _ in range(WAITS_FOR_MARKS):
            if not self.unmarked or not (self.process and self.process.is_running):
                return
            await asyncio.sleep(0.02)
            self.judge_marks(stage)

    def judge_marks(self, stage: Stage) -> None:
        """Look at the marks below people's messages. A platform paces them, so a mark may come later."""
        now = asyncio.get_running_loop().time()
        self.unmarked += [(stage, place, message, mark, now + MARK_PATIENCE) for place, message, mark in stage.marks]
        stage.marks.clear()
        for each in list(self.unmarked):
            owner, place, message, mark, until = each
            if is_marked(place, message, mark):
                self.unmarked.remove(each)
            elif mark == NONE or now > until:
                self.unmarked.remove(each)
                owner.faults.append(f"{message} in {place} has the marks {place.marks(message)}, not {mark}")

    def judge_faults(self, stage: Stage) -> None:
        """Every fault that was ordered has happened. Take back what is left."""
        family = self.family
        left: list[Any] = [
            *family.telegram.downloads.faults,
            *family.discord.cdn.downloads.faults,
            *family.voice.faults,
        ]
        left += [fault for faults in family.telegram.faults.coming.values() for fault in faults]
        left += [fault for faults in family.discord.faults.coming.values() for fault in faults]
        left += family.claude.faults.coming
        if left:
            stage.faults.append(f"these faults never happened: {left}")
        for each in (family.telegram.downloads.faults, family.discord.cdn.downloads.faults, family.voice.faults):
            each.clear()
        family.telegram.faults.coming.clear()
        family.telegram.faults.standing.clear()
        family.discord.faults.coming.clear()
        family.claude.faults.coming.clear()

    def judge_requests(self, stage: Stage) -> None:
        """Nothing is asked twice: each request that was answered whole has no equal."""
        new = self.family.claude.requests[self.judged :]
        self.judged += len(new)
        for each in new:
            if each.status == 200 and not each.hung_up and each.ended is not None and each.reply:
                key = (each.asked.before[-1], len(each.asked.messages))
                self.answered[key] = self.answered.get(key, 0) + 1
                if self.answered[key] > 1 and not stage.may_repeat:
                    stage.faults.append(f"the model was asked twice: {View(each.asked).text[-200:]!r}")
        refused = self.family.claude.refused
        if refused:
            stage.faults.append(f"the model's server refused {[str(each) for each in refused]}")
            refused.clear()

    def judge_refusals(self, stage: Stage) -> None:
        """The platforms refuse nothing, except what a kill has made double, and what a busy machine was late for."""
        known = (
            "query is too old",
            "message to react not found",
            "message is not modified",
            "message to delete not found",
            "Unknown Message",
            "Unknown Emoji",
            "10062 Unknown interaction",
            "REACTION_INVALID",
            "50001 Missing Access",
            "bot was blocked by the user",
        )
        calls = self.family.telegram.calls
        found = [f"{call.method}: {call.refusal}" for call in calls if call.refusal]
        for call in calls:
            call.refusal = ""
        discord = [str(each) for each in self.family.discord.refused]
        new = discord[self.refused_by_discord :]
        self.refused_by_discord = len(discord)
        stage.faults += [
            f"refused: {each}"
            for each in (*found, *new)
            if not any(one in each for one in known) and "getUpdates" not in each
        ]


def is_marked(place: Place, message: Any, mark: str) -> bool:
    wanted = {"done": [place.mark_done], "failed": [place.mark_failed], NONE: []}[mark]
    return place.marks(message) == wanted
