"""What a chat remembers: saved and forgotten by calls, and told in short where a conversation begins."""

from collections.abc import Iterator
from datetime import tzinfo

from bot import phrases
from bot.limits import Terms
from bot.messages import Address
from bot.store import memories, transcript
from bot.store.connection import Connection
from bot.store.memories import Memory
from bot.turn import CallId, Turn

MOST_TOLD, LONGEST_DIGEST = 8, 1_000  # memories, characters
LONGEST_LINE = 200  # characters of a memory's line in the digest


def save(db: Connection, turn: Turn, call: CallId, text: str, terms: Terms) -> None:
    as_role = terms.settings.marks_memory and not turn.is_root
    id = memories.add(db, turn, call, text, terms.now, as_role=as_role)
    transcript.finish(db, call, f"saved as memory {id}")


def forget(db: Connection, turn: Turn, call: CallId, id: int) -> None:
    if memories.forget(db, turn.address.whole_chat, id):
        transcript.finish(db, call, f"memory {id} is forgotten")
    else:
        transcript.finish(db, call, no_memory(id), is_error=True)


def digest(db: Connection, address: Address, terms: Terms) -> list[str]:
    """The newest memories of a chat in a few lines; no line where there is none."""
    found = memories.newest(db, address.whole_chat, MOST_TOLD)
    lines = list(
        within(LONGEST_DIGEST, (told(each, terms.settings.time_zone, LONGEST_LINE) for each in found.memories))
    )
    if not lines:
        return []
    is_all = found.is_all and len(lines) == len(found.memories)
    return ["You remember of this chat:" if is_all else "You remember of this chat, and more (memory_search):", *lines]


def within(characters: int, lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        characters -= len(line)
        if characters < 0:
            return
        yield line


def told(memory: Memory, zone: tzinfo, most: int) -> str:
    """A memory on one line that looks like nothing else, cut where all of that line is longer."""
    text = " ".join(memory.text.split()).replace("<", "(").replace(">", ")")
    line, cut = f"{heading(memory, zone)}: {text}", f"… ({len(memory.text):,} characters in all)"
    return line if len(line) <= most else line[: most - len(cut)] + cut


def heading(memory: Memory, zone: tzinfo) -> str:
    """Which one it is, of when, and who saved it, if that was a role."""
    by = f", [{phrases.shown(memory.role)}] in delegation {memory.delegation}" if memory.role else ""
    return f"{memory.id} ({memory.saved_at.astimezone(zone):%Y-%m-%d}{by})"


def no_memory(id: object) -> str:
    return f"this chat has no memory {id}; memory_search finds those that it has"
