"""People who are asked whether calls may run: a crowd that agrees, refuses, says why not, or writes something else, at
any moment."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tests.rig.chat import Chat
from tests.rig.held import AGAIN, HOLDING, NO, SAYINGS, WHY_NOT, YES, Asked, place_of_questions, questions_about_calls
from tests.rig.mail import PLANS
from tests.simulation.choices import Choices
from tests.simulation.crowd import LONGEST_WAIT_SECONDS, STRANGER, Crowd

if TYPE_CHECKING:
    from tests.simulation.run import SimulatedWorld

ASKED = "asked"  # the scenario
ASKED_ADDRESSES = ("tg:1", "dc:2", "tg:club9", "tg:alpha", "wh:3")  # one is a group chat, one a group's own
ASKED_WISHES = (*["skim"] * 3, "pair_skim", "pair_skim", "deep_skim", "deep_skim", "same_skim", "same_skim",
                "other_skim", "late_skim", "crowded_skim", "and", "asks")  # fmt: skip
WISHES_OF_GROUP = (*["hop_skim"] * 3, "skim", "pair_skim", "and")
SAID = (*SAYINGS, WHY_NOT)
APPROVAL_MINUTES = (60.0, 60.0, 0.005)
PARTS = (20, 20, 3)  # of a question; a longer one is a file
LONGEST_UNTIL_KILL_OR_STOP_SECONDS = 0.016  # as long as a few commits take


class AskedPeople(Crowd):
    @property
    def there(self) -> Chat:
        """Return where people are asked about the calls for this chat."""
        return place_of_questions(self.chat)

    @property
    def acts(self) -> list[Callable[[], None]]:
        return [self.decide, self.decide, self.decide, self.decide, self.write, self.write, self.agree_and_stop,
                self.stop, self.answer, self.edit, self.tell, self.decide_by_number, self.tap_as_stranger,
                self.write_below, self.command]  # fmt: skip

    def among_approvers(self) -> str:
        """Return who answers, mostly somebody who may."""
        return self.choices.among(
            "who", ("owner", "owner", "ann") if self.there.address != self.chat.address else self.people
        )

    def options_of(self, asked: Asked) -> tuple[str, ...]:
        return (YES, YES, NO, AGAIN) if AGAIN in asked["options"] else (YES, YES, NO)

    def decide(self) -> None:
        """Decide about a call: by a tap, by words, or by a reply. Without a question, write."""
        asked = questions_about_calls(self.there)
        if not asked:
            return self.write()
        question, who = self.choices.among("question", asked[::-1]), self.among_approvers()
        match self.choices.pick("manner of the decision", 3):
            case 0:
                self.there.taps(self.choices.among("decision", self.options_of(question)), who, question["key"])
            case 1:
                self.there.types(self.choices.among("words", SAID), who)
            case _:
                self.there.types(self.choices.among("words", SAID), who, reply_to=question["id"])
        return None

    def agree_and_stop(self) -> None:
        """Agree, and take it back about when the call begins."""
        if not (asked := questions_about_calls(self.there)):
            return self.write()
        who = self.among_approvers()
        self.there.taps(YES, who, asked[-1]["key"])
        seconds = self.choices.seconds("moment of the stop", 0.001, LONGEST_UNTIL_KILL_OR_STOP_SECONDS)
        asyncio.get_running_loop().call_later(seconds, lambda: self.chat.types("/stop", who))
        return None

    def decide_by_number(self) -> None:
        """Tell a role whose call is held what it may do."""
        number, words = self.choices.pick("number", 3) + 1, self.choices.among("decision", (YES, NO))
        self.chat.types(f"/tell {number} {words}", self.choices.among("who", self.people))

    def tap_as_stranger(self) -> None:
        if asked := questions_about_calls(self.there):
            self.there.taps(YES, STRANGER, self.choices.among("question", asked[::-1])["key"])

    async def answer_in_the_end(self) -> None:
        """Answer every question that nobody has answered for a while. Nobody knows who was asked, so all tap."""
        seen: set[str] = set()
        while True:
            while not (asked := [each for each in self.all_questions() if each["key"] not in seen]):
                self.world.happened.clear()
                await self.world.happened.wait()
            await asyncio.sleep(LONGEST_WAIT_SECONDS)
            is_about_call = asked[0]["kind"] == "approval"
            said = self.choices.among("decision in the end", self.options_of(asked[0])) if is_about_call else "red"
            for who in sorted({*self.people, "owner"}):
                (self.there if is_about_call else self.chat).taps(said, who, asked[0]["key"])
            seen.add(asked[0]["key"])

    def all_questions(self) -> list[dict[str, Any]]:
        return [*self.chat.questions, *questions_about_calls(self.there)]


def asked_people(chat: Chat, choices: Choices, world: SimulatedWorld) -> AskedPeople:
    wishes = WISHES_OF_GROUP if chat.address == "tg:alpha" else ASKED_WISHES
    assert all((wish, 0) in PLANS or wish in ("and", "asks") for wish in wishes)
    return AskedPeople(chat, choices, world, wishes=wishes)


def asked_settings(choices: Choices) -> dict[str, Any]:
    return {
        **HOLDING,
        "approvals__timeout_minutes": choices.among("minutes until a question ends", APPROVAL_MINUTES),
        "approvals__unattended": choices.among("when nobody is there", ("wait", "wait", "refuse")),
        "long_answer_parts": choices.among("parts of a question", PARTS),
    }
