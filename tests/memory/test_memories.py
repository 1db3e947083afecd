"""What a search finds, and what it puts first."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count

import pytest

from bot.core.messages import Address, PersonId, RoleName
from bot.core.turn import CallId, SessionId, Turn, TurnId, TurnState
from bot.store import memories
from bot.store.connection import Connection
from bot.store.schema import migrate
from bot.store.text_search.indexing import index_some_texts
from bot.store.text_search.scopes import MemoryScope
from bot.store.text_search.word_index import MAX_TEXTS_PER_WORD
from bot.store.text_search.words import split_into_words
from tests.support.engine_options import TURN_LIMITS
from tests.support.search import LANGUAGES

NOW = datetime(2026, 3, 1, tzinfo=UTC)
ROOM, OTHER = Address(channel="fake", chat="room"), Address(channel="fake", chat="other")
TURN = Turn(
    id=TurnId("t1"),
    root=TurnId("t1"),
    session=SessionId("s"),
    address=ROOM,
    person=PersonId("Ann"),
    asker="Ann",
    role=RoleName("lead"),
    tools=frozenset(),
    limits=TURN_LIMITS,
    depth=0,
    background=False,
    state=TurnState.RUNNING,
)


class Shelf:
    """The memory of some chats."""

    def __init__(self, db: Connection) -> None:
        self.db = db
        self.calls = count(1)

    def saves(self, *texts: str, chat: Address = ROOM, days_ago: float = 0) -> None:
        turn, at = replace(TURN, address=chat), NOW - timedelta(days=days_ago)
        for text in texts:
            memories.add_memory(
                self.db, turn, MemoryScope.of_turn(turn), CallId(f"t1/2/{next(self.calls)}"), text, at, as_role=False
            )

    def indexes(self) -> None:
        while index_some_texts(self.db, LANGUAGES):
            pass

    def found(self, query: str, chat: Address = ROOM) -> list[str]:
        return [
            memory.text
            for memory in memories.search_memories(
                self.db, [MemoryScope.for_address(chat)], split_into_words(query), LANGUAGES, NOW
            ).memories
        ]


@pytest.fixture
def shelf() -> Iterator[Shelf]:
    with closing(sqlite3.connect(":memory:", isolation_level=None, factory=Connection)) as db:
        db.row_factory = sqlite3.Row
        migrate(db)
        db.start_collecting_wake_ups()
        yield Shelf(db)


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Ann meets Zoë at the Café Šárka", "zoe"),
        ("Ann meets Zoë at the Café Šárka", "CAFÉ"),
        ("Ann meets Zoe at the Cafe", "zoë"),
        ("Das Maß ist voll", "MASS"),
        ("Сегодня ёлка", "елка"),
        ("she is booking a flight", "book"),
        ("the file is plan_of-work.v2", "plan work v2"),
        ("meet at 東京駅 tomorrow", "東京"),
        ("おんがくが すき", "音楽 が"),
        ("พบกันที่สถานี", "สถานี"),
        ("서울에서 만나요", "서울"),
        ("हम स्टेशन पर मिलेंगे", "स्टेशन"),
        ("half a \ud83d character", "half"),
    ],
)
def test_case_accents_and_endings_make_no_difference_in_any_script(shelf: Shelf, text: str, query: str) -> None:
    shelf.saves("nothing of the kind", text)
    [found] = shelf.found(query)
    assert found.startswith(text[:6])


def test_a_short_word_is_no_beginning(shelf: Shelf) -> None:
    shelf.saves("ox cart", "oxygen mask")
    assert shelf.found("ox") == ["ox cart"]
    assert shelf.found("oxy") == ["oxygen mask"]


@pytest.mark.parametrize(
    "query",
    [
        *(
            '"',
            '""',
            '"mat',
            "mat*",
            "*",
            "mat AND",
            "AND OR NOT",
            "NEAR(mat, 2)",
            "words:mat",
            "rowid:1",
            "-mat",
            "+mat",
        ),
        *(
            "mat)",
            "((((",
            "^mat",
            "{words}:mat",
            "mat\0mat",
            "🎉",
            "mat 🎉",
            "'; DROP TABLE memories; --",
            "%",
            "\ud83d",
        ),
        *("mat" * 5_000, " ", "\n", "\x00", "mat\\", "a" * 100 + "*"),
    ],
)
def test_any_query_is_only_words(shelf: Shelf, query: str) -> None:
    shelf.saves("the mat is red", "near enough")
    found = shelf.found(query)
    words = set(split_into_words(query))
    assert ("the mat is red" in found) == ("mat" in words)
    assert ("near enough" in found) == ("near" in words)


def test_memories_with_more_and_rarer_words_come_first(shelf: Shelf) -> None:
    shelf.saves(*(f"the number of shelf {n}" for n in range(30)))
    shelf.saves("her passport lies in the drawer", "the passport number is 731")
    assert shelf.found("the passport number")[:2] == ["the passport number is 731", "her passport lies in the drawer"]


def test_a_telling_word_is_found_behind_any_number_of_usual_ones(shelf: Shelf) -> None:
    shelf.saves("the passport is blue")
    shelf.saves(*(f"the day was {n}" for n in range(2 * MAX_TEXTS_PER_WORD)))
    assert shelf.found("the passport")[0] == "the passport is blue"


def test_memories_of_others_do_not_change_the_ranking(shelf: Shelf) -> None:
    shelf.saves("tea is fine", "tea and coffee are fine", "coffee is fine")
    before = shelf.found("tea coffee")
    shelf.saves(*["coffee"] * 500, chat=OTHER)
    assert shelf.found("tea coffee") == before


def test_a_whole_word_comes_before_the_beginning_of_another(shelf: Shelf) -> None:
    shelf.saves("a cat sleeps here", "a catalogue lies here")
    assert shelf.found("cat") == ["a cat sleeps here", "a catalogue lies here"]


def test_the_better_fit_comes_first_and_the_newer_of_equal_fits(shelf: Shelf) -> None:
    shelf.saves("Ann lives in Oslo", days_ago=0)
    shelf.saves("Ann lives in Rome", days_ago=400)
    assert shelf.found("Ann lives") == ["Ann lives in Oslo", "Ann lives in Rome"]
    assert shelf.found("Ann Rome")[0] == "Ann lives in Rome"


def test_a_call_that_is_done_again_saves_nothing_more(shelf: Shelf) -> None:
    for _ in range(2):
        memories.add_memory(shelf.db, TURN, MemoryScope.of_turn(TURN), CallId("t1/2/0"), "once", NOW, as_role=False)
    assert shelf.found("once") == ["once"]
    assert shelf.db.fetch_number("SELECT count(*) FROM memories") == 1


def test_a_forgotten_memory_leaves_no_words_in_the_index(shelf: Shelf) -> None:
    shelf.saves("the mat is red", "a quokka lives under the mat", "the quail does not", "nor does the quagga")
    shelf.indexes()
    assert (holds(shelf, b"uokka"), holds(shelf, b"agga")) == (True, True)
    assert memories.forget_memory(shelf.db, MemoryScope.for_address(ROOM), 2)
    assert (holds(shelf, b"uokka"), holds(shelf, b"agga")) == (False, True)
    assert shelf.found("mat") == ["the mat is red"]


def test_a_memory_is_found_alike_before_and_after_it_is_indexed(shelf: Shelf) -> None:
    shelf.saves("tea is fine", "tea and coffee are fine", "coffees are fine", "a teapot")
    before = shelf.found("tea coffee")
    shelf.indexes()
    assert shelf.found("tea coffee") == before
    assert len(before) == 4


def holds(shelf: Shelf, part: bytes) -> bool:
    """Whether the index has this anywhere, as bytes."""
    return any(part in row["block"] for row in shelf.db.fetch_rows("SELECT block FROM memory_words_data"))
