"""What is loaded once for all pages that show the same conversation."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from bot.core.lru_cache import LruCache
from bot.core.turn import SessionId
from bot.web_page.change_watch import Version

MAX_VIEWS = 32  # of conversations that are shown at the same time

View = TypeVar("View")


@dataclass
class KeptView(Generic[View]):
    loaded: list[tuple[Version, View]] = field(default_factory=list)  # the newest one, if any
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)  # held by the page that loads the next one


class LiveViews(Generic[View]):
    """The newest views of conversations. `load` is awaited once for each version of the rows, by the first page."""

    def __init__(self, load: Callable[[SessionId], Awaitable[View]]) -> None:
        self.load = load
        self.kept = LruCache[SessionId, KeptView[View]](MAX_VIEWS)

    async def view_at(self, id: SessionId, version: Version) -> View:
        """Return the view of a conversation, as of that version or later. Raise what `load` raises."""
        if id not in self.kept:
            self.kept[id] = KeptView()
        kept = self.kept[id]
        async with kept.lock:
            if not kept.loaded or kept.loaded[0][0] != version:
                kept.loaded[:] = [(version, await self.load(id))]
            return kept.loaded[0][1]
