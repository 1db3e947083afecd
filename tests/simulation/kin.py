"""People with several accounts, who link and unlink them, save and forget memories, and have themselves forgotten.

Every word that one of them says or saves is another one, so that it can be looked for: `kinship.py` says where.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bot.core.texts import people_accounts as texts
from tests.rig.chat import Chat
from tests.rig.clubs import is_club, joined
from tests.rig.files import HAS_DESK
from tests.rig.schedules import HAS_CLOCK, PLAN
from tests.simulation.choices import Choices
from tests.simulation.crowd import LONGEST_WAIT_SECONDS, Crowd

if TYPE_CHECKING:
    from tests.simulation.run import SimulatedWorld

KIN = "kin"  # the scenario
# Where people write: each in their private chats, and two of them in a group chat.
WRITERS = {"tg:1": ("ann",), "dc:2": ("ann",), "wh:3": ("bob",), "tg:4": ("bob",), "dc:club5": ("ann", "bob")}
KIN_ADDRESSES = tuple(WRITERS)
MOST_KIN_ACTS = 9  # of all people in a chat
SHARED_WORD = "zebra"  # in every memory, so that one search finds all that its person may see
SECONDS_UNTIL_INDEXED = 62.0
LONGEST_UNTIL_QUESTION_SECONDS = 3.0
MOST_STEPS_OF_KIN = 300_000  # people wait for each other's minutes until all is indexed
MOST_TAPS = 3  # while something is at work, nobody is forgotten
MOST_NUMBERS = 4  # people forget memories with these numbers


@dataclass
class Kin(Crowd):
    async def live(self) -> None:
        kinship = self.world.kinship
        assert kinship
        kinship.busy += 1
        await self.say()
        for _ in range(self.choices.pick("acts", MOST_KIN_ACTS + 1)):
            await self.wait()
            await self.choices.among("act", self.kin_acts)()
        kinship.busy -= 1
        while kinship.busy or not kinship.is_quiet():  # noqa: ASYNC110 -- rows wake nobody
            await asyncio.sleep(0.05)
        await asyncio.sleep(SECONDS_UNTIL_INDEXED * self.choices.pick("all is indexed", 2))
        # From here on nobody is forgotten, so each of these must be answered.
        self.chat.says(PLAN, self.choose_writer(), behind_tag=f"memory_search query={SHARED_WORD}")

    @property
    def is_private(self) -> bool:
        return not is_club(self.chat.address)

    @property
    def kin_acts(self) -> list[Callable[[], Awaitable[None]]]:
        """Return what people do. What is named first is what a short story has."""
        everywhere: list[Callable[[], Awaitable[None]]] = [
            self.say,
            self.save,
            self.save,
            self.send,
            self.plan,
            self.search,
            self.let_it_be_indexed,
        ]
        if not self.is_private:
            return everywhere
        return [*everywhere, self.link, self.link, self.link, self.unlink, self.be_forgotten, self.be_forgotten,
                self.forget_memory, self.begin_anew]  # fmt: skip

    def choose_writer(self) -> str:
        return self.choices.among("who", WRITERS[self.chat.address])

    def new_word(self, who: str) -> str:
        """Return a word that nobody has ever used, for the message that is written next."""
        assert self.world.kinship
        return self.world.kinship.new_word(self.chat.address, who, self.world.updates_made + 1)

    async def say(self) -> None:
        who = self.choose_writer()
        self.chat.types(f"and {self.new_word(who)}", who)

    async def save(self) -> None:
        who = self.choose_writer()
        self.chat.types(f"{PLAN} memory_save text={SHARED_WORD}-{self.new_word(who)}", who)

    async def plan(self) -> None:
        who, when = self.choose_writer(), self.choices.among("when", ("PT3H", "PT0S"))
        self.chat.types(f"{PLAN} remind_me text={self.new_word(who)} when={when}", who)

    async def send(self) -> None:
        who = self.choose_writer()
        word = self.new_word(who)
        self.world.tell(self.chat.address, who, "text", f"and {word}", files=[f"{word} list"])

    async def search(self) -> None:
        self.chat.types(f"{PLAN} memory_search query={SHARED_WORD}", self.choose_writer())

    async def let_it_be_indexed(self) -> None:
        await asyncio.sleep(SECONDS_UNTIL_INDEXED)

    async def link(self) -> None:
        """Make a code, or enter one that somebody was shown elsewhere."""
        assert self.world.kinship
        codes = self.world.kinship.codes_shown_elsewhere(self.chat.address)
        code = self.choices.among("code", [*codes[::-1], ""])
        self.chat.types(f"/link {code}".rstrip(), self.choose_writer())

    async def unlink(self) -> None:
        which = self.choices.among("which account", ("", " dc ann", " tg bob"))
        self.chat.types(f"/unlink{which}", self.choose_writer())

    async def be_forgotten(self) -> None:
        """Ask to be forgotten, and tap, mostly what forgets; again if something was at work."""
        who, before = self.choose_writer(), len(self.asked_to_forget())
        self.chat.types("/forget everything", who)
        with suppress(TimeoutError):  # a kill may take long
            async with asyncio.timeout(LONGEST_UNTIL_QUESTION_SECONDS):
                while len(self.asked_to_forget()) == before:
                    self.world.happened.clear()
                    await self.world.happened.wait()
        for _ in range(MOST_TAPS):
            if not (asked := self.asked_to_forget()):
                return
            option = self.choices.among("option", (texts.FORGET_OPTION, texts.FORGET_OPTION, texts.KEEP_OPTION))
            self.chat.taps(option(), who, f"{asked[-1]}:0")
            await asyncio.sleep(self.choices.seconds("until the next tap", 0.0, LONGEST_WAIT_SECONDS))

    def asked_to_forget(self) -> list[str]:
        asked = " ".join(texts.FORGET_ALL().split())[:30]
        return [key for key, text in joined(self.chat, "question").items() if asked in text]

    async def forget_memory(self) -> None:
        number = 1 + self.choices.pick("number of a memory", MOST_NUMBERS)
        self.chat.types(f"/memory forget {number}", self.choose_writer())

    async def begin_anew(self) -> None:
        self.chat.types("/new", self.choose_writer())

    async def answer_in_the_end(self) -> None:
        """Answer nothing: whoever does not tap is not forgotten."""
        await asyncio.Event().wait()


def kin(chat: Chat, choices: Choices, world: SimulatedWorld) -> Kin:
    return Kin(chat, choices, world)


def kin_settings(choices: Choices) -> dict[str, Any]:
    return {HAS_DESK: True, HAS_CLOCK: True}
