"""Calls of functions: a turn in a fresh chat against a bare call with the same request, with the short answer and with
one in many pieces. They are nearly the same on every machine, so the tests hold them against the aim, too."""

import asyncio
import sys
import threading
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from tests.bench.responder import responder
from tests.bench.rig import Bare, running
from tests.bench.table import Row
from tests.bench.turns import PIECES

TURNS = 10
TURNS_IN_PIECES = 3
REST = 0.05  # seconds for what follows an answer
MOST, MOST_IN_PIECES = 1.0, 0.7


class CallCounter:
    """Count the calls of functions, also of those in C, in all threads that begin while it is there."""

    def __init__(self) -> None:
        self.count = 0

    def note(self, frame: FrameType, event: str, argument: Any) -> None:
        if event in ("call", "c_call"):
            self.count += 1

    @contextmanager
    def in_all_threads(self) -> Iterator[None]:
        threading.setprofile(self.note)
        sys.setprofile(self.note)
        try:
            yield
        finally:
            sys.setprofile(None)
            threading.setprofile(None)

    async def calls_of(self, asked: Awaitable[str]) -> int:
        before = self.count
        await asked
        await asyncio.sleep(REST)
        return self.count - before


async def rows() -> list[Row]:
    return [
        await compare(TURNS, 0, MOST, "a plain turn"),
        await compare(TURNS_IN_PIECES, PIECES, MOST_IN_PIECES, f"a turn with an answer in {PIECES} pieces"),
    ]


async def compare(turns: int, pieces: int, most: float, what: str) -> Row:
    ours, bare, counter = 0, 0, CallCounter()
    async with responder(pieces=pieces) as url, Bare(url) as sdk:
        with counter.in_all_threads():
            async with running(url) as bot:
                for number in range(-1, turns):  # the first turn takes the start with it
                    asked = await counter.calls_of(bot.ask("hi", chat=f"room {max(0, number) // turns}"))
                    alone = await counter.calls_of(sdk.ask(bot.model.body()))
                    if number >= 0:
                        ours, bare = ours + asked, bare + alone
    return Row(
        what=f"calls of functions, of {what}",
        ours=f"{ours // turns:,}",
        other=f"{bare // turns:,} of a bare call",
        value=ours / bare,
        most=most,
        aim=f"≤ {most} times the bare call",
    )
