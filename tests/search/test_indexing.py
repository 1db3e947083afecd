"""The index is filled in batches, again after another choice of languages, and goes on where it was interrupted."""

from contextlib import closing
from pathlib import Path

from bot.core.messages import Address
from bot.core.turn import CallId, SessionId
from bot.store import conversation_passages, memories
from bot.store.chat_reader import migrate_database
from bot.store.connection import Connection
from bot.store.text_search.indexing import MAX_TEXTS_PER_BATCH, index_some_texts
from bot.store.text_search.scopes import MemoryScope
from bot.store.text_search.word_index import CONVERSATION_INDEX, purge_index
from tests.support.backup_bot import connection
from tests.support.old_databases import unpack
from tests.support.rows import NOW, ROOM, root_turn
from tests.support.search import LANGUAGES, file_holds, find, index_all, keep

UNINDEXED = (
    "SELECT (SELECT count(*) FROM said WHERE stems IS NULL) + (SELECT count(*) FROM memories WHERE stems IS NULL)"
)


def test_a_batch_indexes_so_many_texts_and_the_rest_later(db: Connection) -> None:
    keep(db, *(f"harvest {number}" for number in range(MAX_TEXTS_PER_BATCH + 5)))
    assert index_some_texts(db, LANGUAGES)
    assert db.fetch_number(UNINDEXED) == 5
    assert len(find(db, "harvest 3")) == 10
    assert not index_some_texts(db, LANGUAGES)
    assert db.fetch_number(UNINDEXED) == 0


def test_an_interrupted_batch_is_made_again(db: Connection) -> None:
    keep(db, "the bicycle", "the cellar")
    db.execute("BEGIN")
    index_some_texts(db, LANGUAGES)
    db.execute("ROLLBACK")
    assert db.fetch_number(UNINDEXED) == 2
    index_all(db)
    assert find(db, "bicycle")[0] == "the bicycle"


def test_other_languages_make_the_index_again(db: Connection) -> None:
    keep(db, "zwei Häuser am See", "elsewhere")
    while index_some_texts(db, ("english",)):
        pass
    [before] = db.fetch_rows("SELECT stems FROM said WHERE text LIKE 'zwei%'")
    index_all(db)
    [after] = db.fetch_rows("SELECT stems FROM said WHERE text LIKE 'zwei%'")
    assert " haus " in after["stems"]
    assert " haus " not in before["stems"]
    assert find(db, "Haus")[0] == "zwei Häuser am See"


def test_memories_and_conversations_are_indexed_by_one_mechanism(db: Connection) -> None:
    keep(db, "the bicycles")
    memories.add_memory(
        db, root_turn(), MemoryScope.for_address(ROOM), CallId("t1/2/0"), "two bicycles", NOW, as_role=False
    )
    index_all(db)
    assert db.fetch_number(UNINDEXED) == 0
    found = memories.search_memories(db, [MemoryScope.for_address(ROOM)], ["bicycle"], LANGUAGES, NOW)
    assert [each.text for each in found.memories] == ["two bicycles"]
    assert find(db, "bicycle") == ["the bicycles"]


def test_a_file_of_an_older_version_finds_what_was_said_in_it(tmp_path: Path) -> None:
    path = unpack("step7", tmp_path)
    migrate_database(path)
    with closing(connection(path)) as db:
        db.start_collecting_wake_ups()
        before = find(db, "heat pumps", Address(channel="fake", chat="done"))
        index_all(db)
        assert find(db, "heat pumps", Address(channel="fake", chat="done")) == before
        assert find(db, "heat pumps", Address(channel="fake", chat="work")) == []
    assert {"What does a heat pump cost?", "About 9,000 euro."} <= set(before)


def test_deleted_words_of_a_large_index_are_overwritten_in_steps(db: Connection, tmp_path: Path) -> None:
    db.execute("BEGIN")
    for number in range(1_500):
        keep(db, " ".join(f"w{number}x{word}" for word in range(60)), session=f"s{number % 3}")
        if number % 50 == 0:
            index_some_texts(db, LANGUAGES)
    index_all(db)
    conversation_passages.delete_words_of_sessions(db, [SessionId("s1")])
    db.execute("COMMIT")
    steps = index_all(db)
    assert steps >= 1
    assert not purge_index(db, CONVERSATION_INDEX)
    assert not file_holds(db, tmp_path, b"w1000x5")
    assert file_holds(db, tmp_path, b"w1001x5")
