"""Choose the sentences that the bot says to people about its memories."""

from collections.abc import Sequence

from bot.core import phrases
from bot.core.scope_kinds import ScopeKind
from bot.core.source_phrases import describe_source
from bot.core.texts import people

MAX_MEMORY_LINE_CHARACTERS = 300  # characters of a memory that people are asked about


def memory_line(id: int, text: str, whose: ScopeKind, asker: str, sources: Sequence[str]) -> str:
    """Return a memory in a line. It says whose it is; in a chat or group also the person it was saved for."""
    memory = phrases.first_words(text, MAX_MEMORY_LINE_CHARACTERS)
    read = phrases.join_with_and([describe_source(each) for each in sources])
    match whose, bool(sources):
        case ScopeKind.PERSON, False:
            return people.MEMORY_LINE_OF_PERSON(number=id, memory=memory)
        case ScopeKind.PERSON, True:
            return people.MEMORY_LINE_OF_PERSON_WITH_SOURCES(number=id, memory=memory, sources=read)
        case ScopeKind.TENANT, False:
            return people.MEMORY_LINE_OF_EVERYBODY(number=id, memory=memory)
        case ScopeKind.TENANT, True:
            return people.MEMORY_LINE_OF_EVERYBODY_WITH_SOURCES(number=id, memory=memory, sources=read)
        case _, False:
            return people.MEMORY_LINE(number=id, memory=memory, person=asker)
    return people.MEMORY_LINE_WITH_SOURCES(number=id, memory=memory, person=asker, sources=read)


def memories_kept_or_forgotten_text(ids: Sequence[int], *, is_kept: bool) -> str:
    if not ids:
        return people.NO_SUCH_MEMORY()
    numbers = ", ".join(map(str, ids))
    return people.MEMORIES_KEPT(numbers=numbers) if is_kept else people.MEMORIES_FORGOTTEN(numbers=numbers)
