"""Many people at once, on a platform with its limits on: what the bot does under load, by the stand-in's record.

tests/channels/test_load.py has it short; `python -m tests.load` has it whole, as docs/reliability.md shows it.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import quantiles
from typing import Protocol

from bot import app
from bot.core.access import AccessByChannel
from bot.core.channel import Channel
from bot.core.content_blocks import text_block
from bot.core.messages import RoleName
from bot.core.model import Model, ModelReply, ModelRequest, ShowTextCallback
from bot.core.prices import Micros, Usage
from bot.core.role import Role
from bot.core.settings import Settings
from tests.support.engine_options import DELEGATION_LIMITS, engine_options

TOKEN = re.compile(r"n\d+")  # what each message says, and its answer repeats
LEAD = RoleName("lead")
ROLES = {LEAD: Role(name=LEAD, prompt="lead", limits=DELEGATION_LIMITS)}
PLENTY = engine_options(turn=Settings().swarm.highest_delegation_limits, chat_day=Micros(10**15), day=Micros(10**15))
THINKS = 0.05  # seconds that the model takes


class Parrot(Model):
    """A model that repeats what it was asked, after a moment."""

    async def reply(self, request: ModelRequest, show: ShowTextCallback) -> ModelReply:
        request.meter.sent_at_loop_seconds = asyncio.get_running_loop().time()
        await asyncio.sleep(THINKS)
        said = [str(block.get("text", "")) for block in request.transcript[-1].content]
        return ModelReply(
            content=[text_block(" ".join(TOKEN.findall(" ".join(said))))], usage=Usage(input=10, output=10)
        )


class Crowd(Protocol):
    """Many private chats on one platform."""

    accesses: AccessByChannel

    def channel(self) -> AbstractAsyncContextManager[Channel]: ...

    async def is_there(self) -> None:
        """Wait until the bot would hear of a first message ever."""
        ...

    def says(self, chat: int, text: str) -> None:
        """The person of that chat writes."""
        ...

    def answers(self, chat: int) -> Sequence[tuple[str, float]]:
        """What the bot has said there, in order, and when, by `time.monotonic`."""
        ...

    def passed(self) -> int:
        """How often a limit of the platform was passed."""
        ...


@dataclass
class Load:
    """What was said and when, and what came of it."""

    crowd: Crowd
    said: dict[int, list[str]] = field(default_factory=lambda: defaultdict(list))
    at: dict[str, float] = field(default_factory=dict)

    def says(self, chat: int) -> None:
        text = f"n{len(self.at)}"
        self.said[chat].append(text)
        self.at[text] = time.monotonic()
        self.crowd.says(chat, text)

    async def flows(self, chats: int, per_second: float, seconds: float, flood: float = 0.0) -> None:
        """Messages from chats 1, 2, 3 … in turn; chat 0 floods beside them, if it does."""
        began, sent, flooded = time.monotonic(), 0, 0
        while (passed := time.monotonic() - began) < seconds:
            while sent < passed * per_second:
                self.says(1 + sent % chats)
                sent += 1
            while flooded < passed * flood:
                self.says(0)
                flooded += 1
            await asyncio.sleep(0.005)

    def answered(self, chat: int) -> list[str]:
        """The messages that were answered there, in the order of the answers."""
        return [word for text, _ in self.crowd.answers(chat) for word in TOKEN.findall(text)]

    def is_done(self) -> bool:
        return all(len(self.answered(chat)) >= len(said) for chat, said in self.said.items())

    async def is_answered(self, seconds: float) -> None:
        async with asyncio.timeout(seconds):
            while not self.is_done():  # noqa: ASYNC110 -- a platform wakes nobody
                await asyncio.sleep(0.05)

    def faults(self) -> list[str]:
        """What should not be: lost, doubled, out of order, in another chat; or a limit that was passed."""
        found = []
        for chat, said in self.said.items():
            if (answered := self.answered(chat)) != said:
                found.append(f"chat {chat}: said {said}, answered {answered}")
        if passed := self.crowd.passed():
            found.append(f"limits were passed {passed} times")
        return found

    def waits(self, chats: Sequence[int]) -> list[float]:
        """How long each message of these chats waited for its answer, in seconds."""
        return [
            at - self.at[word]
            for chat in chats
            for text, at in self.crowd.answers(chat)
            for word in TOKEN.findall(text)
        ]

    def percentile(self, chats: Sequence[int], hundredths: int = 95) -> float:
        return quantiles(self.waits(chats), n=100)[hundredths - 1]


async def answering(load: Load, data: Path, until: asyncio.Event) -> None:
    """The bot at work for this crowd, until it is told to end."""
    async with load.crowd.channel() as channel:
        access = load.crowd.accesses
        assembly = app.Assembly(model=Parrot(), roles=ROLES, channels=[channel], data=data, access=access, **PLENTY)
        await app.run_bot(assembly, until)


@asynccontextmanager
async def at_work(crowd: Crowd, data: Path) -> AsyncIterator[Load]:
    """The bot answers the crowd, and what is asked and answered is counted."""
    load, until = Load(crowd), asyncio.Event()
    async with asyncio.TaskGroup() as owner:
        owner.create_task(answering(load, data, until))
        await crowd.is_there()
        yield load
        until.set()
