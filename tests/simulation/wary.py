"""People who are asked what roles may cost: a crowd that agrees, refuses, or writes something else, at any moment."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from tests.rig.chat import Chat
from tests.rig.costs import DECISIONS, DO_NOT_START, LEAST_USD, OTHER_WORDS, START
from tests.simulation.choices import Choices
from tests.simulation.crowd import LONGEST_WAIT_SECONDS, STRANGER, Crowd

if TYPE_CHECKING:
    from tests.simulation.run import SimulatedWorld

WARY = "wary"  # the scenario
WARY_WISHES = (*["errand"] * 3, "pair", "pair", "and", "and", "lavish", "nested", "asks")
FIRST_WISH = "errand"  # nobody is asked about roles that have never worked
LONGEST_FIRST_WAIT_SECONDS = 2.0
LONGEST_UNTIL_STOP_SECONDS = 0.016  # as long as a few commits take
DECIDING_WORDS = (*DECISIONS, OTHER_WORDS)
AMOUNTS_USD = (LEAST_USD, LEAST_USD, 0.01)  # from which on people are asked
QUESTION_SECONDS = (600.0, 600.0, 0.2)


class WaryPeople(Crowd):
    async def live(self) -> None:
        if not self.chat.tags:  # nobody has written yet
            tag = self.chat.says(FIRST_WISH)
            self.written.append((self.world.updates_made, self.people[0], tag))
            with suppress(TimeoutError):  # a kill may take long
                async with asyncio.timeout(LONGEST_FIRST_WAIT_SECONDS):
                    await self.chat.sees("reply")
        await super().live()

    @property
    def acts(self) -> list[Callable[[], None]]:
        return [self.decide, self.decide, self.decide, self.agree_and_stop, self.agree_and_stop, self.write,
                self.write, self.stop, self.answer, self.edit, self.tell, self.decide_by_number,
                self.tap_as_stranger, self.write_below]  # fmt: skip

    @property
    def asked_about_costs(self) -> list[dict[str, Any]]:
        """Return the questions about costs that were shown here; those that are still open come last."""
        asked, shown = [each for each in self.chat.questions if START in each["options"]], self.world.shown
        return sorted(asked, key=lambda each: (shown.get(each["id"]) or each)["do"] != "edit")

    def decide(self) -> None:
        """Decide a question about costs: by a tap, by words, or by a reply. Without one, write."""
        asked = self.asked_about_costs
        if not asked:
            return self.write()
        question, who = self.choices.among("question", asked[::-1]), self.choices.among("who", self.people)
        match self.choices.pick("manner of the decision", 3):
            case 0:
                self.chat.taps(self.choices.among("decision", (START, DO_NOT_START)), who, question["key"])
            case 1:
                self.chat.types(self.choices.among("words", DECIDING_WORDS), who)
            case _:
                self.chat.types(self.choices.among("words", DECIDING_WORDS), who, reply_to=question["id"])
        return None

    def agree_and_stop(self) -> None:
        """Agree, and take it back about when the roles begin."""
        if not (asked := self.asked_about_costs):
            return self.write()
        who = self.choices.among("who", self.people)
        self.chat.taps(START, who, asked[-1]["key"])
        seconds = self.choices.seconds("moment of the stop", 0.001, LONGEST_UNTIL_STOP_SECONDS)
        asyncio.get_running_loop().call_later(seconds, lambda: self.chat.types("/stop", who))
        return None

    def decide_by_number(self) -> None:
        """Tell a role that asks about costs what it may do."""
        number, words = self.choices.pick("number", 3) + 1, self.choices.among("decision", (START, DO_NOT_START))
        self.chat.types(f"/tell {number} {words}", self.choices.among("who", self.people))

    def tap_as_stranger(self) -> None:
        if asked := self.asked_about_costs:
            self.chat.taps(START, STRANGER, self.choices.among("question", asked[::-1])["key"])

    async def answer_in_the_end(self) -> None:
        """Answer every question that nobody has answered for a while. Nobody knows who was asked, so all tap."""
        seen: set[str] = set()
        while True:
            while not (asked := [each for each in self.chat.questions if each["key"] not in seen]):
                self.world.happened.clear()
                await self.world.happened.wait()
            await asyncio.sleep(LONGEST_WAIT_SECONDS)
            is_about_costs = START in asked[0]["options"]
            said = self.choices.among("decision in the end", (START, DO_NOT_START)) if is_about_costs else "red"
            for who in sorted({*self.people}):
                self.chat.taps(said, who, asked[0]["key"])
            seen.add(asked[0]["key"])


def wary_settings(choices: Choices) -> dict[str, Any]:
    return {
        "swarm__ask_above_usd": choices.among("amount from which on people are asked", AMOUNTS_USD),
        "question_timeout_seconds": choices.among("seconds until a question ends", QUESTION_SECONDS),
    }


def wary_people(chat: Chat, choices: Choices, world: SimulatedWorld) -> WaryPeople:
    return WaryPeople(chat, choices, world, wishes=WARY_WISHES)
