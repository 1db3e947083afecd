"""A cache of transcripts. Transcripts only grow, so what was read stays true, and only the rest is read."""

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from bot.core.content_blocks import fill_media, media_references_in
from bot.core.model import TranscriptEntry
from bot.core.prompt_prefix import Prefix
from bot.core.turn import SessionId, TurnId, TurnStanding
from bot.journal import steps
from bot.store import Store, sessions, transcript
from bot.store.connection import Connection

MOST_CACHED_CHAPTERS = 256  # the chapter that was not asked for longest is forgotten first

ChapterKey = tuple[SessionId, int]


@dataclass(frozen=True, slots=True)
class NewEntries:
    """Entries by their numbers, in order. `after` is the number of the last entry before them."""

    after: int = 0
    entries: Mapping[int, TranscriptEntry] = field(default_factory=dict)


class TranscriptCache:
    """A cache that reads a turn's standing and its new transcript entries together: a trip to the store costs more
    than the work done there."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._known: OrderedDict[ChapterKey, list[TranscriptEntry]] = OrderedDict()  # each from its first entry
        self._reach: dict[ChapterKey, int] = {}  # the number of the last entry
        self._prefixes: dict[str, Prefix] = {}

    async def read_standing(self, turn: TurnId) -> TurnStanding:
        """Return where a turn stands."""
        return self.remember_entries(*await self.store.read(self.standing_after, turn))

    async def write_and_read(self, turn: TurnId, work: Callable[[Connection], None]) -> TurnStanding:
        """Do `work`, and return where the turn stands afterwards."""
        return self.remember_entries(*await self.store.write(self.standing_after, turn, work))

    async def prefix_and_entries(self, stand: TurnStanding) -> tuple[Prefix, Sequence[TranscriptEntry]]:
        """Return the prefix and entries of the chapter that a turn is in. One turn at a time works in a session, so
        no two turns ask for the same chapter."""
        key = (stand.turn.session, stand.chapter)
        if self._reach.get(key) != stand.seq:  # forgotten since
            self.remember_entries(stand, await self.store.read(self.load_new_entries, stand))
        self._known.move_to_end(key)
        return self._prefixes[stand.prefix], tuple(self._known[key])

    async def fill_entries(self, entries: Sequence[TranscriptEntry]) -> Sequence[TranscriptEntry]:
        """Return the entries as they are sent. Images and PDFs are read again for each request, and are not kept in
        memory."""
        calls = [block["source"]["call"] for entry in entries for block in media_references_in(entry.content)]
        if not calls:
            return entries
        encoded = await self.store.read(transcript.media_as_base64, calls)
        return [replace(entry, content=fill_media(entry.content, encoded)) for entry in entries]

    def standing_after(
        self, db: Connection, id: TurnId, work: Callable[[Connection], None] | None = None
    ) -> tuple[TurnStanding, NewEntries]:
        """Do `work`, if there is any. Return where the turn stands then, with the new entries for its request."""
        if work:
            work(db)
        stand = steps.load_standing(db, id)
        return stand, self.load_new_entries(db, stand) if stand.request and stand.is_model_next else NewEntries()

    def load_new_entries(self, db: Connection, stand: TurnStanding) -> NewEntries:
        """Return the entries of a chapter that are not cached yet. This runs in the store's threads, and changes no
        cached entry."""
        if stand.prefix not in self._prefixes:
            self._prefixes[stand.prefix] = sessions.load_prefix(db, stand.prefix)
        after = self._reach.get((stand.turn.session, stand.chapter), 0)
        return NewEntries(after, transcript.load_entries(db, stand.turn.session, stand.chapter, after))

    def remember_entries(self, stand: TurnStanding, news: NewEntries) -> TurnStanding:
        key = (stand.turn.session, stand.chapter)
        if news.entries and news.after == self._reach.get(key, 0):  # else the entries before them are forgotten by now
            self._known.setdefault(key, []).extend(news.entries.values())
            self._known.move_to_end(key)
            self._reach[key] = stand.seq
        while len(self._known) > MOST_CACHED_CHAPTERS:
            self._reach.pop(self._known.popitem(last=False)[0])
        return stand
