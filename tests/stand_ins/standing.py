"""The base of a stand-in with its own port: it can go away and come back, and tests can wait for its changes."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from types import TracebackType

from tests.stand_ins.http import Connection
from tests.stand_ins.port import Port


class StandIn(ABC):
    port: int  # 0: any free port

    @abstractmethod
    async def serve(self, connection: Connection) -> None:
        """Handle one connection until its end."""

    async def begin(self) -> None:
        """Begin to accept connections. Call this at the end of `__aenter__`."""
        self._changed = asyncio.Event()
        self._port = Port(self.serve, self.tell_watchers)
        await self.listen()

    async def __aexit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.hang_up()

    @property
    def is_listening(self) -> bool:
        return self._port.listening is not None

    @property
    def open_connections(self) -> int:
        return len(self._port.connections)

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until the stand-in is in a state: `await server.until(lambda: not server.open_connections)`."""
        while not holds():
            await self._changed.wait()

    @asynccontextmanager
    async def away(self) -> AsyncIterator[None]:
        """Refuse connections and cut the existing ones, until the block ends."""
        await self.hang_up()
        try:
            yield
        finally:
            await self.listen()

    async def listen(self) -> None:
        """Accept connections, at the same port as before."""
        self.port = self._port.open(self.port)

    async def hang_up(self) -> None:
        await self._port.hang_up()

    def tell_watchers(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()
