"""What a chat or group remembers: calls save and forget memories, and a new chapter begins with a digest of them."""

from datetime import tzinfo

from bot.core.limits import DecisionTerms
from bot.core.messages import role_display_name
from bot.core.texts import model
from bot.core.turn import CallId, Turn
from bot.journal import memory_confirmation, provenance
from bot.store import memories, transcript
from bot.store.connection import Connection
from bot.store.memories import Memory
from bot.store.text_search.scopes import MemoryScope

MAX_DIGEST_MEMORIES, MAX_DIGEST_CHARACTERS = 8, 1_000  # memories, characters
MAX_DIGEST_LINE_CHARACTERS = 200  # characters of a memory's line in the digest


def save_memory_for_call(db: Connection, turn: Turn, call: CallId, text: str, terms: DecisionTerms) -> None:
    as_role = terms.settings.swarm.memory_writes == "delegated" and not turn.is_root
    sources = provenance.list_sources_of_others(db, turn)
    id = memories.add_memory(db, turn, call, text, terms.now, as_role=as_role, sources=sources)
    if not sources:
        transcript.finish_call(db, call, model.MEMORY_SAVED(number=id))
    else:
        transcript.finish_call(db, call, model.MEMORY_SAVED_UNCONFIRMED(number=id))
        memory_confirmation.ask_to_confirm_memories(db, turn.address, MemoryScope.of_turn(turn), terms)


def forget_memory_for_call(db: Connection, turn: Turn, call: CallId, id: int) -> None:
    if memories.forget_memory(db, MemoryScope.of_turn(turn), id):
        transcript.finish_call(db, call, model.MEMORY_FORGOTTEN(number=id))
    else:
        transcript.finish_call(db, call, unknown_memory_text(turn, id), is_error=True)


def memory_digest_lines(db: Connection, turn: Turn, terms: DecisionTerms) -> list[str]:
    """Return the newest memories of a turn's chat or group in a few lines; an empty list if there are none."""
    scope = MemoryScope.of_turn(turn)
    found = memories.list_newest_memories(db, scope, MAX_DIGEST_MEMORIES, only_confirmed=True)
    lines: list[str] = []
    left = MAX_DIGEST_CHARACTERS
    for memory in found.memories:
        line = memory_in_one_line(memory, terms.resolved_settings.operator_time_zone, MAX_DIGEST_LINE_CHARACTERS)
        left -= len(line)
        if left < 0:
            break
        lines.append(line)
    if not lines:
        return []
    if found.is_complete and len(lines) == len(found.memories):
        heading = model.GROUP_MEMORIES if turn.group else model.CHAT_MEMORIES
    else:
        heading = model.GROUP_MEMORIES_AND_MORE if turn.group else model.CHAT_MEMORIES_AND_MORE
    return [heading, *lines]


def memory_in_one_line(memory: Memory, zone: tzinfo, most: int) -> str:
    """Return a memory on one line that cannot pass for markup, cut to `most` characters."""
    text = " ".join(memory.text.split()).replace("<", "(").replace(">", ")")
    line, cut = f"{memory_heading(memory, zone)}: {text}", model.MEMORY_CUT(characters=len(memory.text))
    return line if len(line) <= most else line[: most - len(cut)] + cut


def memory_heading(memory: Memory, zone: tzinfo) -> str:
    """Return a memory's number, date, person, the role that saved it, the sources read, and if it is unconfirmed."""
    parts = [f"{memory.saved_at.astimezone(zone):%Y-%m-%d}"]
    if memory.asker:
        parts.append(model.MEMORY_FOR(id=memory.person, person=memory.asker))
    if memory.role:
        parts.append(model.MEMORY_BY(role=role_display_name(memory.role), delegation=memory.delegation))
    if memory.sources:
        parts.append(model.MEMORY_AFTER(sources=" and ".join(memory.sources)))
    if not memory.is_confirmed:
        parts.append(model.MEMORY_UNCONFIRMED)
    return f"{memory.id} ({', '.join(parts)})"


def unknown_memory_text(turn: Turn, id: object) -> str:
    return model.GROUP_HAS_NO_MEMORY(number=id) if turn.group else model.CHAT_HAS_NO_MEMORY(number=id)
