"""What people are told of memories, and asked about them."""

from collections.abc import Sequence

from bot.core.phrases import first_words
from bot.core.texts import people


def memory_line(id: int, text: str, asker: str, sources: Sequence[str]) -> str:
    memory = first_words(text, 300)
    if not sources:
        return people.MEMORY_LINE(number=id, memory=memory, person=asker)
    return people.MEMORY_LINE_WITH_SOURCES(number=id, memory=memory, person=asker, sources=" and ".join(sources))


def keep_memories_question(found: Sequence[tuple[int, str, str, Sequence[str]]]) -> str:
    return "\n".join([people.KEEP_MEMORIES, *(memory_line(*each) for each in found), people.MEMORY_USAGE])


def memories_to_confirm_text(lines: Sequence[str]) -> str:
    if not lines:
        return people.NO_UNCONFIRMED_MEMORIES
    return "\n".join([people.UNCONFIRMED_MEMORIES, *lines, people.MEMORY_USAGE])


def memories_settled_text(ids: Sequence[int], *, is_kept: bool) -> str:
    if not ids:
        return people.NO_SUCH_MEMORY
    numbers = ", ".join(map(str, ids))
    return people.MEMORIES_KEPT(numbers=numbers) if is_kept else people.MEMORIES_FORGOTTEN(numbers=numbers)
