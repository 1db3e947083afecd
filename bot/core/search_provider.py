"""What searches the web for the tool `web_search`, where that runs here: a service outside."""

from dataclasses import dataclass
from typing import Protocol

MAX_QUERY_CHARACTERS = 400  # some services refuse longer ones
MAX_QUERY_WORDS = 50
MAX_HITS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchHit:
    """A page that was found. `date` is as 2026-11-28; empty if nobody has told it."""

    title: str
    address: str
    excerpt: str
    date: str = ""


class SearchProvider(Protocol):
    @property
    def title(self) -> str:
        """Return how people call the service."""

    async def search(self, query: str) -> list[SearchHit]:
        """Return the pages that were found, best first, at most MAX_HITS. Raise SearchFailed."""
