"""Notice turns that make no progress: the chat is told, and in the end the turn is stopped with what it has.

Progress is a piece of the model's reply, the result of a call, or what a call reports. Only requests and the turn's own
calls are watched: a turn that waits for a person, for its delegations, for money or for the model's server is not. A
request that the server has not begun to answer is told, but not stopped here: the model's client decides how long to
wait for a server.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from bot.core.limits import GetCurrentTerms
from bot.core.model import RequestMeter
from bot.core.turn import TurnId
from bot.journal import silence
from bot.store import Store


@dataclass(slots=True, kw_only=True)
class WatchedWork:
    """A request under way, or the calls of a step. Times are the loop's, in seconds."""

    progress_at: float  # of the newest result or report; before the first, when the work began
    meter: RequestMeter | None = None  # of the request; None for calls
    own_limit_seconds: float = 0.0  # within which a call ends by itself
    is_told: bool = False

    @property
    def has_begun(self) -> bool:
        return self.meter is None or self.meter.last_piece_at_loop_seconds is not None

    def silent_seconds(self, now: float) -> float:
        newest_piece = self.meter.last_piece_at_loop_seconds if self.meter else None
        return now - max(self.progress_at + self.own_limit_seconds, newest_piece or 0.0)


class ProgressWatch:
    def __init__(self, store: Store, terms: GetCurrentTerms) -> None:
        self.store = store
        self.terms = terms
        self._at_work: dict[TurnId, WatchedWork] = {}

    @contextmanager
    def watch(
        self, turn: TurnId, *, meter: RequestMeter | None = None, own_limit_seconds: float = 0.0
    ) -> Iterator[WatchedWork]:
        """Watch what runs inside. A turn does one thing at a time."""
        now = asyncio.get_running_loop().time()
        work = WatchedWork(progress_at=now, meter=meter, own_limit_seconds=own_limit_seconds)
        self._at_work[turn] = work
        try:
            yield work
        finally:
            self._at_work.pop(turn, None)

    def note_progress(self, turn: TurnId) -> None:
        if work := self._at_work.get(turn):
            work.progress_at = asyncio.get_running_loop().time()

    async def run(self) -> None:
        """Look at all turns at work again and again, until cancelled."""
        while True:
            await asyncio.sleep(self.terms().timings.silence_check_seconds)
            now = asyncio.get_running_loop().time()
            for turn, work in list(self._at_work.items()):
                await self.tell_or_stop_if_silent(turn, work, work.silent_seconds(now))

    async def tell_or_stop_if_silent(self, turn: TurnId, work: WatchedWork, silent: float) -> None:
        terms = self.terms()
        if silent >= terms.timings.silence_stop_seconds and work.has_begun:
            await self.store.write(silence.stop_silent_turn, turn, terms)
        elif silent >= terms.timings.silence_told_seconds and not work.is_told:
            work.is_told = True
            await self.store.write(silence.tell_of_silence, turn, terms, has_begun=work.has_begun)
