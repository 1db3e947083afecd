"""A cache of transcripts. Transcripts only grow, so what was read stays true, and only new entries are read."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from bot.core.content_blocks import replace_media_references
from bot.core.lru_cache import LruCache
from bot.core.model import TranscriptEntry
from bot.core.prompt_prefix import PromptPrefix
from bot.core.turn import NextStep, SessionId, TurnId, TurnStanding
from bot.journal import steps
from bot.store import Store, sessions, transcript
from bot.store.connection import Connection

MAX_CACHED_CHAPTERS = 256  # beyond that, the least recently used one is forgotten

ChapterKey = tuple[SessionId, int]


@dataclass(frozen=True, slots=True)
class NewEntries:
    """Entries by their numbers, in order. `previous_number` is the number of the last entry before them."""

    previous_number: int = 0
    entries_by_number: Mapping[int, TranscriptEntry] = field(default_factory=dict)


@dataclass(slots=True)
class CachedChapter:
    entries: list[TranscriptEntry] = field(default_factory=list)  # from the first entry on
    last_number: int = 0  # the number of the last entry


class TranscriptCache:
    """Read a turn's standing and its new transcript entries together: a trip to the store costs more than its work."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._chapters: LruCache[ChapterKey, CachedChapter] = LruCache(MAX_CACHED_CHAPTERS)
        self._prefixes: dict[str, PromptPrefix] = {}

    async def read_standing(self, turn: TurnId) -> TurnStanding:
        loaded = await self.store.read(self.do_work_and_load_standing_and_entries, turn)
        return self.cache_entries_and_return_standing(*loaded)

    async def write_and_read_standing(self, turn: TurnId, work: Callable[[Connection], object]) -> TurnStanding:
        """Do `work`, and return the turn's standing afterwards."""
        loaded = await self.store.write(self.do_work_and_load_standing_and_entries, turn, work)
        return self.cache_entries_and_return_standing(*loaded)

    async def load_prefix_and_entries(self, stand: TurnStanding) -> tuple[PromptPrefix, Sequence[TranscriptEntry]]:
        """Return the prefix and entries of a turn's chapter. No other turn adds any: a session runs one at a time."""
        key = (stand.turn.session, stand.chapter)
        if key not in self._chapters or self._chapters[key].last_number != stand.last_entry_seq:  # forgotten
            self.cache_entries_and_return_standing(stand, await self.store.read(self.load_uncached_entries, stand))
        return self._prefixes[stand.prefix_hash], tuple(self._chapters[key].entries)

    async def load_media_into_entries(self, entries: Sequence[TranscriptEntry]) -> Sequence[TranscriptEntry]:
        """Return the entries as they are sent, with images and PDFs, which are not kept in memory."""
        keys = [key for entry in entries for key in entry.media_keys]
        if not keys:
            return entries
        encoded = await self.store.read(transcript.load_media_as_base64, keys)
        return [
            replace(entry, content=replace_media_references(entry.content, encoded)) if entry.media_keys else entry
            for entry in entries
        ]

    def do_work_and_load_standing_and_entries(
        self, db: Connection, id: TurnId, work: Callable[[Connection], object] | None = None
    ) -> tuple[TurnStanding, NewEntries]:
        """Do `work`, if there is any. Return the turn's standing afterwards, and the new entries for its request."""
        if work:
            work(db)
        stand = steps.load_turn_standing(db, id)
        is_asking = stand.next_step is NextStep.ASK_MODEL
        return stand, self.load_uncached_entries(db, stand) if is_asking else NewEntries()

    def load_uncached_entries(self, db: Connection, stand: TurnStanding) -> NewEntries:
        """Return a chapter's entries that are not cached yet. This runs in the store's threads; it caches no entry."""
        if stand.prefix_hash not in self._prefixes:
            self._prefixes[stand.prefix_hash] = sessions.load_prefix(db, stand.prefix_hash)
        cached = self._chapters.get((stand.turn.session, stand.chapter))
        after = cached.last_number if cached else 0
        return NewEntries(after, transcript.chapter_entries_by_number(db, stand.turn.session, stand.chapter, after))

    def cache_entries_and_return_standing(self, stand: TurnStanding, news: NewEntries) -> TurnStanding:
        """Add new entries to the cached chapter, and return `stand`."""
        key = (stand.turn.session, stand.chapter)
        cached = self._chapters.get(key) or CachedChapter()
        if news.entries_by_number and news.previous_number == cached.last_number:  # else earlier ones are missing
            cached.entries.extend(news.entries_by_number.values())
            cached.last_number = stand.last_entry_seq
            self._chapters[key] = cached
        return stand
