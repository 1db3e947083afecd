"""What tests of the search share."""

from itertools import count
from pathlib import Path

from bot.core.messages import NO_GROUP, Address, GroupName
from bot.store import conversation_passages
from bot.store.connection import Connection
from bot.store.text_search.indexing import index_some_texts
from bot.store.text_search.scopes import MemoryScope
from bot.store.text_search.words import split_into_words
from tests.support.rows import NOW, ROOM, root_turn

LANGUAGES = ("english", "german")  # the default of `search_languages`
NUMBERS = count(1)


def keep(
    db: Connection, *texts: str, session: str = "s1", address: Address = ROOM, group: GroupName = NO_GROUP
) -> None:
    """Keep these texts as answers of turns in a conversation."""
    for text in texts:
        turn = root_turn(next(NUMBERS), session, address=address, group=group)
        conversation_passages.add_words_of_turn(db, turn, text, NOW)


def find(db: Connection, query: str, address: Address = ROOM, group: GroupName = NO_GROUP) -> list[str]:
    """Return the texts that are found, best first."""
    scope, words = MemoryScope.for_address(address, group), split_into_words(query)
    return [each.said.text for each in conversation_passages.search_conversation_passages(db, scope, words, LANGUAGES)]


def index_all(db: Connection) -> int:
    """Index all that is not indexed, and overwrite all deleted words. Return in how many steps."""
    steps = 1
    while index_some_texts(db, LANGUAGES):
        steps += 1
    return steps


def file_holds(db: Connection, folder: Path, part: bytes) -> bool:
    """Return True if a database file in a folder has these bytes anywhere."""
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return any(part in path.read_bytes() for path in folder.iterdir())
