"""What no row tells: requests to the model that failed, and how late the event loop is."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from bot.errors import ModelFailed, Refused, RequestFailed
from bot.model import Model, ModelReply, ModelRequest, Show

SECOND = 1.0


class Watched:
    """A model whose failures are counted."""

    def __init__(self, model: Model, count: Callable[[str, str], None]) -> None:
        self.model = model
        self.count = count  # takes the model's name and "retried", "failed" or "refused"

    async def reply(self, request: ModelRequest, show: Show) -> ModelReply:
        try:
            return await self.model.reply(request, show)
        except RequestFailed:
            self.count(request.prefix.model, "retried")
            raise
        except Refused:
            self.count(request.prefix.model, "refused")
            raise
        except ModelFailed:
            self.count(request.prefix.model, "failed")
            raise


class Lag:
    """How late the event loop comes to what is due: the most since somebody asked."""

    def __init__(self) -> None:
        self._most = 0.0
        self._next: asyncio.TimerHandle | None = None

    @contextmanager
    def measured(self) -> Iterator[None]:
        self._wait()
        try:
            yield
        finally:
            if self._next:
                self._next.cancel()

    def take(self) -> float:
        """Seconds."""
        most, self._most = self._most, 0.0
        return most

    def _wait(self) -> None:
        loop = asyncio.get_running_loop()
        self._next = loop.call_at(loop.time() + SECOND, self._look, loop.time() + SECOND)

    def _look(self, due: float) -> None:
        self._most = max(self._most, asyncio.get_running_loop().time() - due)
        self._wait()
