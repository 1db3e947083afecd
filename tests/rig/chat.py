"""One chat of a world: what people write there, and what they wait for."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import Any

from tests.rig.script import TAG
from tests.rig.world import World


class Chat:
    """One chat of a world, and the people in it. Each message that must be answered carries a tag."""

    def __init__(self, world: World, rng: random.Random, address: str, tags: dict[str, str]) -> None:
        self.world = world
        self.rng = rng
        self.address = address
        self.tags = tags  # tag → address, for the whole world
        self.told = 0  # how often a role was told something here

    def says(self, text: str, by: str = "ann", reply_to: str = "", behind_tag: str = "") -> str:
        tag = f"#{len(self.tags) + 1}"
        self.tags[tag] = self.address
        self.world.tell(self.address, by, "text", f"{text} {tag} {behind_tag}".rstrip(), reply_to=reply_to)
        return tag

    def opens(self, text: str, by: str = "ann") -> "Chat":
        """Write a request that is answered in a thread of its own, and return that thread."""
        thread = Chat(self.world, self.rng, f"{self.address}:{self.world.updates_made + 1}", self.tags)
        tag = f"#{len(self.tags) + 1}"
        self.tags[tag] = thread.address
        self.world.tell(thread.address, by, "text", f"{text} {tag}", opens_thread=True)
        return thread

    def types(self, text: str, by: str = "ann", reply_to: str = "", *, is_admin: bool = False) -> None:
        """Write a text that needs no answer of its own: a command, or an answer to a question."""
        self.world.tell(self.address, by, "text", text, reply_to=reply_to, is_admin=is_admin)

    def is_overheard(self, text: str, by: str = "ann") -> None:
        """Write something that does not address the bot, and that it has to answer all the same."""
        tag = f"#{len(self.tags) + 1}"
        self.tags[tag] = self.address
        self.world.tell(self.address, by, "overheard", f"{text} {tag}")

    def is_unheard(self, text: str, by: str = "ann", kind: str = "text") -> None:
        """Write something in a group chat that is not for the bot, so that it keeps nothing of it."""
        self.world.tell(self.address, by, kind, text, is_kept=False)

    async def is_taken_in(self) -> None:
        """Wait until the bot has acknowledged everything that was written, so that none of it comes again."""
        last = self.world.updates_made
        while any(update["id"] <= last for update in self.world.updates[self.address.split(":")[0]]):  # noqa: ASYNC110
            await asyncio.sleep(0.02)

    def adds_bot(self, by: str) -> None:
        """Add the bot to this group chat."""
        self.world.clubs.add(self.address)
        self.world.members.add(self.address)
        self.world.tell(self.address, by, "added", "")

    def tells(self, number: int, by: str = "ann") -> None:
        """Tell the role with this number something, in words that nobody has used before."""
        self.told += 1
        self.types(f"/tell {number} heed {self.told} at {self.address}.", by)

    def sends_rubbish(self) -> None:
        self.world.tell(self.address, "ann", "rubbish", "{no")

    def edits(self, update: int, text: str, by: str = "ann") -> None:
        """Change the text of the message that came with this update."""
        self.world.tell(self.address, by, "text", text, edits=update)

    @property
    def questions(self) -> list[dict[str, Any]]:
        """Return the first sending of every question that was shown here."""
        return self.first_sends("question")

    @property
    def updates(self) -> list[dict[str, Any]]:
        """Return the first sending of every update that was shown here."""
        return self.first_sends("update")

    def first_sends(self, kind: str) -> list[dict[str, Any]]:
        here = reversed(self.world.sends_at[self.address])
        first = {send["key"]: send for send in here if send["kind"] == kind}
        return list(reversed(first.values()))

    @property
    def question(self) -> str:
        """Return the id of the message that shows the first question asked here."""
        return str(next(send["id"] for send in self.world.sends if self.is_here(send, "question")))

    def taps(self, option: str, by: str = "ann", key: str = "") -> None:
        """Tap an option of the question whose part has this key, or of the first one that was asked here."""
        key = key or next(send["key"] for send in self.world.sends if self.is_here(send, "question"))
        self.world.tell(self.address, by, "answer", option, key.rsplit(":", 1)[0])

    def is_here(self, send: dict[str, object], kind: str) -> bool:
        return send["address"] == self.address and send["kind"] == kind

    async def sees(self, *kinds: str) -> str:
        """Wait until a message of one of these kinds is shown here. Return its kind."""
        while not (seen := [kind for kind in kinds for send in self.world.sends if self.is_here(send, kind)]):
            self.world.happened.clear()
            await self.world.happened.wait()
        return seen[0]

    async def sees_question(self, tag: str = "") -> bool:
        """Wait for the first question. Return False if none comes, because who would ask it was at work at too many
        kills, or because the message with this tag is answered: the asked group was busy."""
        while not self.questions:
            if any("set aside" in send["text"] for send in self.world.sends_at[self.address]):
                return False
            if any(tag in TAG.findall(send["text"]) for send in self.first_sends("reply")):
                return False
            self.world.happened.clear()
            await self.world.happened.wait()
        return True

    async def is_asked(self, entries: int) -> None:
        """Wait until a request to the model has at least `entries` messages in this chat."""
        mine = f"{self.address}#"  # the number of the message that opened the conversation follows
        while max((len(said) for key, said in self.world.history.items() if key.startswith(mine)), default=0) < entries:
            self.world.was_asked.clear()
            await self.world.was_asked.wait()

    async def pause(self, mean: float = 0.05) -> None:
        await asyncio.sleep(self.rng.expovariate(1 / mean))


Plot = Callable[[Chat], Awaitable[None]]
