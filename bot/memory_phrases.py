"""What people are told of memories, and asked about them."""

from collections.abc import Sequence

from bot.phrases import first_words

MEMORY_USAGE = "(Or write /memory keep NUMBER, or /memory forget NUMBER.)"


def memory_line(id: int, text: str, asker: str, sources: Sequence[str]) -> str:
    after = f", after I read {' and '.join(sources)}" if sources else ""
    return f"{id}. “{first_words(text, 300)}” (for {asker}{after})"


def keep_memories(found: Sequence[tuple[int, str, str, Sequence[str]]]) -> str:
    lines = [memory_line(*each) for each in found]
    return "\n".join(["Shall I remember this for later conversations?", *lines, MEMORY_USAGE])


def unconfirmed_memories(lines: Sequence[str]) -> str:
    return "\n".join(["I am not sure of these:", *lines, MEMORY_USAGE] if lines else ["There is nothing to confirm."])


def memories_settled(ids: Sequence[int], *, is_kept: bool) -> str:
    if not ids:
        return "There is no such memory to confirm."
    return f"{'Kept' if is_kept else 'Forgotten'}: {', '.join(map(str, ids))}."
