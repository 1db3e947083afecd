"""The memories of everybody, as the operator writes them: `retinue memory`. The owner may also say them in a chat."""

from bot.core.limits import DecisionTerms
from bot.core.texts import operators as texts
from bot.journal.memory import MAX_MEMORY_CHARACTERS
from bot.store import memories
from bot.store.connection import Connection
from bot.store.orders import OrderAnswer
from bot.store.text_search.scopes import EVERYBODY

MAX_DIGITS = 18  # of a memory's number: SQLite takes no longer ones


def save_for_everybody(db: Connection, text: str, terms: DecisionTerms) -> OrderAnswer:
    text = text.strip()
    if not text or len(text) > MAX_MEMORY_CHARACTERS:
        return OrderAnswer(texts.MEMORY_HAS_WRONG_LENGTH(most=MAX_MEMORY_CHARACTERS), is_done=False)
    return OrderAnswer(texts.SAVED_FOR_EVERYBODY(number=memories.add_memory_of_operator(db, text, terms.now)))


def forget_of_everybody(db: Connection, number: str) -> OrderAnswer:
    is_number = number.isdecimal() and len(number) <= MAX_DIGITS
    if not is_number or not memories.forget_memory(db, EVERYBODY, int(number)):
        return OrderAnswer(texts.NOT_EVERYBODYS(number=number), is_done=False)
    return OrderAnswer(texts.FORGOTTEN_FOR_EVERYBODY(number=number))
