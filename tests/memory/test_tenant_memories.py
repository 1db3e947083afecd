"""What the operator saves for everybody, and deletes again."""

from bot.core.limits import DecisionTerms
from bot.core.settings import Settings
from bot.core.texts import operators
from bot.core.turn import CallId
from bot.journal.tenant_memories import forget_of_everybody, save_for_everybody
from bot.store import memories
from bot.store.connection import Connection
from bot.store.text_search.scopes import EVERYBODY, MemoryScope
from tests.memory.test_memories import NOW, TURN, Shelf, shelf

__all__ = ["shelf"]
TERMS = DecisionTerms(settings=Settings(), now=NOW)


def texts_of_everybody(db: Connection) -> list[str]:
    return [memory.text for memory in memories.list_newest_memories(db, [EVERYBODY]).memories]


def test_the_same_text_may_be_saved_twice(shelf: Shelf) -> None:
    for number in (1, 2):
        said = save_for_everybody(shelf.db, " closed at five\n", TERMS)
        assert said == (operators.SAVED_FOR_EVERYBODY(number=number), True)
    assert texts_of_everybody(shelf.db) == ["closed at five"] * 2


def test_a_text_that_is_empty_or_too_long_is_not_saved(shelf: Shelf) -> None:
    for text in (" ", "x" * 2_001):
        assert not save_for_everybody(shelf.db, text, TERMS).is_done
    assert texts_of_everybody(shelf.db) == []


def test_the_operator_deletes_only_what_is_everybodys(shelf: Shelf) -> None:
    shelf.saves("the chat's")
    own = memories.add_memory(shelf.db, TURN, EVERYBODY, CallId("t1/9/0"), "everybody's", NOW, as_role=False)
    for number in ("1", "x", "9" * 30):
        assert forget_of_everybody(shelf.db, number) == (operators.NOT_EVERYBODYS(number=number), False)
    assert forget_of_everybody(shelf.db, str(own)).is_done
    assert texts_of_everybody(shelf.db) == []
    assert shelf.found("chat") == ["the chat's"]


def test_a_memory_of_everybody_names_nobody(shelf: Shelf) -> None:
    memories.add_memory(shelf.db, TURN, EVERYBODY, CallId("t1/9/0"), "closed at five", NOW, as_role=False)
    [row] = shelf.db.fetch_rows("SELECT person, asker, chat FROM memories")
    assert tuple(row) == ("", "", MemoryScope(chat="*").chat)
