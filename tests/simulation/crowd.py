"""People who do what the seed says: they write, edit, stop, tap, answer and command, sometimes at the very moment when
the model answers. Each chat has a few of them. In a hostile run their teams try to spend more than they may."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.rig.chat import Chat
from tests.rig.script import GREEDY, SILENT
from tests.simulation.choices import Choices

if TYPE_CHECKING:
    from tests.simulation.run import SimulatedWorld

CROWD, HOSTILE = "crowd", "hostile"  # the scenarios
ADDRESSES = ("tg:1", "dc:2", "wh:3", "tg:4", "dc:5")
PEOPLE = ("ann", "ann", "bob")
STRANGER = "eve"  # she only taps, and always what nobody else does
# What the lead is asked for. The cheap ones are named more often.
WISHES = (*["and"] * 6, *["asks"] * 2, "pair", "background", "searches", SILENT, "slowly", "go")
HOSTILE_WISHES = (GREEDY, GREEDY, "searches", "and")
COMMANDS = ("/status", "/usage", "/help", "/new", "/new", "/nonsense")
STOPS = ("/stop", "/stop", "stop", "/stop all", "/stop 1", "/stop researcher", "/stop analyst")
LONGEST_WAIT_SECONDS = 0.3
LONGEST_PAUSE_SECONDS = 0.15
LONGEST_HOSTILE_PAUSE_SECONDS = 30.0  # since such a model writes for a minute
MOST_ACTS = 3  # of all people in a chat, after the first message


@dataclass
class Crowd:
    """The people of one chat."""

    chat: Chat
    choices: Choices
    world: SimulatedWorld
    people: tuple[str, ...] = PEOPLE
    wishes: tuple[str, ...] = WISHES
    longest_pause: float = LONGEST_PAUSE_SECONDS
    written: list[tuple[int, str, str]] = field(default_factory=list)  # (number of the update, who wrote it, its tag)

    async def live(self) -> None:
        self.write()
        for _ in range(self.choices.pick("acts", MOST_ACTS + 1)):
            await self.wait()
            self.choices.among("act", self.acts)()

    async def answer_in_the_end(self) -> None:
        """Answer every question that nobody has answered for a while. Nobody knows who was asked, so all tap."""
        seen = 0
        while True:
            while len(asked := self.chat.questions) == seen:
                self.world.happened.clear()
                await self.world.happened.wait()
            await asyncio.sleep(LONGEST_WAIT_SECONDS)
            if not self.is_left_open(asked[seen]):
                for who in sorted({*self.people}):
                    self.chat.taps("red", who, asked[seen]["key"])
            seen += 1

    def is_left_open(self, question: dict[str, Any]) -> bool:
        return False

    @property
    def acts(self) -> list[Callable[[], None]]:
        """Return what people do. What is named first is what a short story has."""
        return [self.write, self.write, self.write, self.stop, self.stop, self.answer, self.answer, self.edit,
                self.command, self.write_below, self.tell, self.tell, self.tap_as_stranger]  # fmt: skip

    async def wait(self) -> None:
        """Wait a little, or until the model answers somebody, and no longer than a commit takes after that."""
        if self.choices.happens("acts as the model answers", 0.4):
            self.world.has_answered.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(LONGEST_WAIT_SECONDS):
                    await self.world.has_answered.wait()
            await asyncio.sleep(self.choices.seconds("moment of the act", 0.0, 0.016))
        else:
            await asyncio.sleep(self.choices.seconds("pause", 0.0, self.longest_pause))

    def write(self, reply_to: str = "", by: str = "") -> None:
        wish = self.choices.among("wish", self.wishes)
        who = by or self.choices.among("who", self.people)
        tag = self.chat.says(wish, who, reply_to)
        self.written.append((self.world.updates_made, who, tag))

    def write_below(self) -> None:
        """Reply to an update, or to a question that is closed. If a role at work said it, that role reads the message;
        otherwise it is like any other."""
        shown = self.world.shown
        below = [each["id"] for each in self.chat.questions if shown.get(each["id"], each)["do"] == "edit"]
        below += [each["id"] for each in self.chat.updates]
        self.write(self.choices.among("replied to", below[::-1]) if below else "")

    def tell(self) -> None:
        self.chat.tells(self.choices.pick("number", 3) + 1, self.choices.among("who", self.people))

    def edit(self) -> None:
        number, who, tag = self.choices.among("edited", self.written[::-1])
        self.chat.edits(number, f"{self.choices.among('wish', self.wishes)} {tag}", by=who)

    def stop(self) -> None:
        self.chat.types(self.choices.among("stop", STOPS), self.choices.among("who", self.people))

    def command(self) -> None:
        self.chat.types(self.choices.among("command", COMMANDS), self.choices.among("who", self.people))

    def answer(self) -> None:
        self.answer_newest(self.choices.among("who", self.people))

    def answer_newest(self, who: str) -> None:
        """Answer a question that is shown: by a tap, by its words, or by a reply. Without one, write."""
        asked = self.chat.questions
        if not asked:
            return self.write()
        question = self.choices.among("question", asked[::-1])
        match self.choices.pick("manner of the answer", 3):
            case 0:
                self.chat.taps("red", who, question["key"])
            case 1:
                self.chat.types("red", who)
            case _:
                self.chat.types("red", who, reply_to=question["id"])
        return None

    def tap_as_stranger(self) -> None:
        if asked := self.chat.questions:
            self.chat.taps("green", STRANGER, self.choices.among("question", asked[::-1])["key"])


def hostile_crowd(chat: Chat, choices: Choices, world: SimulatedWorld) -> Crowd:
    return Crowd(chat, choices, world, wishes=HOSTILE_WISHES, longest_pause=LONGEST_HOSTILE_PAUSE_SECONDS)


def crowd_settings(choices: Choices, *, is_hostile: bool) -> dict[str, Any]:
    """Return the settings of a run with such people. A hostile team has budgets that it can use up."""
    if not is_hostile:
        return {"busy": choices.among("busy", ("steer", "steer", "steer", "queue"))}
    cost = choices.among("a turn's budget", (60_000, 30_000, 150_000))
    tokens = choices.among("a turn's tokens", (400_000, 20_000, 60_000))
    return {
        "turn": {"cost": cost, "tokens": tokens},
        "day": choices.among("a day's budget", (120_000, 60_000, 400_000)),
    }
