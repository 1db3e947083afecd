"""People who plan reminders and tasks, and change them, while the bot's clock is set forward and back at any moment."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bot.core.texts import people_schedules
from tests.rig.chat import Chat
from tests.rig.files import HAS_DESK
from tests.rig.schedules import HAS_CLOCK, IDLE, NEWS, OFFSETS, PLAN, WATER
from tests.simulation.choices import Choices
from tests.simulation.crowd import Crowd

if TYPE_CHECKING:
    from tests.simulation.run import SimulatedWorld

PLANNERS = "planners"  # the scenario
MOST_PLANNED_ACTS = 12  # of all people in a chat
MOST_NUMBERS = 6  # people change schedules with these numbers
SECONDS_UNTIL_CLOCK_IS_SEEN = 61.0  # the scheduler looks at its clock once a minute
WHENS = ("PT0S", "PT0S", "PT1M", "PT20M", "PT2H", "P1D")
REPEATS = (
    "FREQ=MINUTELY;INTERVAL=15",
    "FREQ=MINUTELY;INTERVAL=20;COUNT=3",
    "FREQ=HOURLY",
    "FREQ=HOURLY;COUNT=2",
    "FREQ=DAILY",
    "FREQ=DAILY;INTERVAL=2;COUNT=2",
)
TASKS = (IDLE, NEWS, f"{WATER} tools=read,change")
CONDITIONS = (
    "",
    "",
    "only_if=window what=00:00-23:59",
    "only_if=window what=12:30-14:00",
    "only_if=tool_changed what=read",
    "only_if=file_changed what=report.txt",
)
JUMPS_MINUTES = (15, 1, 30, 60, 180, 24 * 60, 3 * 24 * 60, -30, -180)
CHANGES = ("pause", "resume", "run", "delete", "run", "resume")
DAY_USD = (1.0, 1.0, 0.002)  # for the runs of a schedule


@dataclass
class Planners(Crowd):
    minutes_back: int = 0  # by which the clock was set back

    async def live(self) -> None:
        self.plan()
        for _ in range(self.choices.pick("acts", MOST_PLANNED_ACTS + 1)):
            await self.wait()
            self.choices.among("act", self.acts)()
            if self.choices.happens("the scheduler sees its clock", 0.3):
                await asyncio.sleep(SECONDS_UNTIL_CLOCK_IS_SEEN)
        self.world.advance(60 * self.minutes_back)  # it is set right, or all that waits would wait for as long

    @property
    def acts(self) -> list[Callable[[], None]]:
        return [self.plan, self.plan, self.plan, self.set_clock, self.set_clock, self.set_clock, self.change,
                self.change, self.change, self.set_zone, self.write, self.stop, self.list_them,
                self.forget]  # fmt: skip

    def plan(self) -> None:
        """Ask for a reminder or a task, or for two."""
        parts = [self.choose_call() for _ in range(1 + self.choices.pick("more calls", 2))]
        who = self.choices.among("who", self.people)
        tag = self.chat.says(PLAN, who, behind_tag=" | ".join(parts))
        self.written.append((self.world.updates_made, who, tag))

    def choose_call(self) -> str:
        is_once = self.choices.happens("once", 0.3)
        when, rule = self.choices.among("when", WHENS), self.choices.among("rule", REPEATS)
        time = f"when={when}" if is_once else f"repeat={rule}"
        if self.choices.happens("a reminder", 0.5):
            return f"remind_me text=tea {time}"
        task, condition = self.choices.among("task", TASKS), self.choices.among("condition", CONDITIONS)
        return f"schedule_create task={task} {time} {condition}"

    def set_clock(self) -> None:
        minutes = self.choices.among("minutes on the clock", JUMPS_MINUTES)
        self.minutes_back += max(0, -minutes)
        self.world.advance(60 * minutes)

    def change(self) -> None:
        who = self.choices.among("who", self.people)
        number = 1 + self.choices.pick("number of a schedule", MOST_NUMBERS)
        self.chat.types(f"/schedules {self.choices.among('change', CHANGES)} {number}", who)

    def list_them(self) -> None:
        self.chat.types("/schedules", self.choices.among("who", self.people))

    def set_zone(self) -> None:
        zone = self.choices.among("zone", [name for name in OFFSETS if name])
        self.chat.types(f"/timezone {zone}", self.choices.among("who", self.people))

    def forget(self) -> None:
        self.world.forget(self.chat.address.partition(":")[0], self.choices.among("who", self.people))

    def is_left_open(self, question: dict[str, Any]) -> bool:
        """Return True for the buttons of `/schedules`: they are for later. Others wait for an answer to a question."""
        first = f"{question['key'].rsplit(':', 1)[0]}:0"
        [begin] = [each["text"] for each in self.chat.questions if each["key"] == first]
        return str(begin).startswith(
            (str(people_schedules.SCHEDULES_HERE()), str(people_schedules.SCHEDULES_EVERYWHERE()))
        )


def planners(chat: Chat, choices: Choices, world: SimulatedWorld) -> Planners:
    return Planners(chat, choices, world)


def planners_settings(choices: Choices) -> dict[str, Any]:
    return {
        HAS_DESK: True,
        HAS_CLOCK: True,
        "schedules__day_usd": choices.among("what a schedule may cost in a day", DAY_USD),
        "schedules__per_person": choices.among("schedules of a person", (20, 20, 3)),
    }
