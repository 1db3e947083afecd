"""A turn's clock: it runs while the turn works, and stands still while the turn waits for others."""

import asyncio
from types import TracebackType
from typing import Self


class TurnClock:
    """`with clock:` runs it. The counted seconds are taken when they are written down."""

    def __init__(self) -> None:
        self._counted = 0.0
        self._since: float | None = None

    def __enter__(self) -> Self:
        self._since = asyncio.get_running_loop().time()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._counted, self._since = self.unwritten_seconds, None

    @property
    def unwritten_seconds(self) -> float:
        """Return the seconds at work that are in no row yet."""
        running = asyncio.get_running_loop().time() - self._since if self._since is not None else 0.0
        return self._counted + running

    def discard(self) -> None:
        """Drop the seconds counted since they were last taken."""
        self._counted = 0.0

    def take_seconds(self) -> float:
        """Return the seconds counted since the last call, and start from zero. The caller writes them down."""
        counted = self.unwritten_seconds
        self._counted = 0.0
        if self._since is not None:
            self._since = asyncio.get_running_loop().time()
        return counted
