"""What is loaded once for all pages that show the same conversation."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

from bot.core.lru_cache import LruCache
from bot.core.turn import SessionId
from bot.web_page.change_watch import Version

MAX_VIEWS = 32  # of conversations that are shown at the same time

View = TypeVar("View")


class LiveViews(Generic[View]):
    """The newest views of conversations. `load` is awaited once for each version of the rows, whoever asks first."""

    def __init__(self, load: Callable[[SessionId], Awaitable[View]]) -> None:
        self.load = load
        self.kept = LruCache[SessionId, tuple[Version, asyncio.Future[View]]](MAX_VIEWS)

    async def view_at(self, id: SessionId, version: Version) -> View:
        """Return the view of a conversation, as of that version or later. Raise what `load` raises."""
        seen, loading = self.kept.get(id, (None, None))
        if loading is None or seen != version:
            loading = asyncio.ensure_future(self.load(id))
            self.kept[id] = version, loading
        return await asyncio.shield(loading)  # a page that is closed meanwhile ends it for no other
