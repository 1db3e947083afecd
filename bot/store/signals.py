"""Wake-ups by topic: they tell a reader to look at the rows again. They carry only names."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import NewType

Topic = NewType("Topic", str)
WakeUps = dict[Topic, set[str]]


class WakeUpSignal:
    """A flag that one reader waits for. It is cleared before the rows are read, so a later change sets it again."""

    def __init__(self) -> None:
        self._is_set = asyncio.Event()
        self._names: WakeUps = defaultdict(set)

    def add_names_and_set(self, topic: Topic, names: set[str]) -> None:
        self._names[topic] |= names
        self._is_set.set()

    def take_names_and_clear(self) -> WakeUps:
        """Return the names that were woken since the last call, by topic."""
        self._is_set.clear()
        names, self._names = self._names, defaultdict(set)
        return names

    def is_set(self) -> bool:
        return self._is_set.is_set()

    async def wait(self) -> None:
        await self._is_set.wait()


class WakeUpSignals:
    """The signals by topic. A topic has one reader: readers that share a signal lose wake-ups to each other."""

    def __init__(self) -> None:
        self._readers: dict[Topic, WakeUpSignal] = {}

    @contextmanager
    def listen(self, *topics: Topic) -> Iterator[WakeUpSignal]:
        signal = WakeUpSignal()
        for topic in topics:
            if topic in self._readers:
                raise RuntimeError(f"{topic} has a reader already")
            self._readers[topic] = signal
        try:
            yield signal
        finally:
            for topic in topics:
                del self._readers[topic]

    def wake(self, woken: Mapping[Topic, set[str]]) -> None:
        """Wake the readers of these topics, after a commit. A reader that begins later reads the rows first."""
        for topic, names in woken.items():
            if signal := self._readers.get(topic):
                signal.add_names_and_set(topic, names)
