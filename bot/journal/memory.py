"""What is remembered: calls save and forget memories, and a new chapter begins with a digest of them."""

from datetime import tzinfo

from bot.core.limits import DecisionTerms
from bot.core.messages import role_display_name
from bot.core.reply_plan import SaveMemory
from bot.core.sources import KNOWN_SOURCES, NO_SOURCES, private_sources
from bot.core.texts import model
from bot.core.turn import CallId, Turn
from bot.journal import memory_confirmation, memory_scopes, provenance
from bot.journal.clock import zone_of_person
from bot.journal.withheld_links import withhold_unseen_links
from bot.store import memories, sessions, transcript
from bot.store.connection import Connection
from bot.store.memories import Memory
from bot.store.text_search.scopes import EVERYBODY

TOOL_NAMES = frozenset({"memory_save", "memory_search", "memory_get"})  # who has one is told memories
MAX_MEMORY_CHARACTERS = 2_000  # characters of a memory
MAX_DIGEST_MEMORIES, MAX_DIGEST_CHARACTERS = 8, 1_000  # memories, characters
MAX_DIGEST_MEMORIES_OF_EVERYBODY = 3  # of these: newer memories of the chat must not push them out, nor the reverse
MAX_DIGEST_LINE_CHARACTERS = 200  # characters of a memory's line in the digest


def save_memory_for_call(db: Connection, turn: Turn, call: CallId, saved: SaveMemory, terms: DecisionTerms) -> None:
    as_role = terms.settings.swarm.memory_writes == "delegated" and not turn.is_root
    sources, scope = provenance.list_sources_of_others(db, turn), memory_scopes.scope_of_kind(turn, saved.scope)
    private = private_sources(sessions.load_session_sources(db, turn.session))
    text = withhold_unseen_links(db, turn, saved.text, terms)
    id = memories.add_memory(db, turn, scope, call, text, terms.now, as_role=as_role, sources=sources, private=private)
    whose = model.WHOSE_MEMORY[scope.kind]
    if not sources:
        transcript.finish_call(db, call, model.MEMORY_SAVED(number=id, whose=whose))
    else:
        transcript.finish_call(db, call, model.MEMORY_SAVED_UNCONFIRMED(number=id, whose=whose))
        memory_confirmation.ask_to_confirm_memories(db, turn.address, scope, terms)


def forget_memory_for_call(db: Connection, turn: Turn, call: CallId, id: int, terms: DecisionTerms) -> None:
    memory = memories.find_memory(db, memory_scopes.list_scopes_of_turn(db, turn, terms), id)
    if memory is None:
        transcript.finish_call(db, call, model.NO_SUCH_MEMORY_HERE(number=id), is_error=True)
    elif memory.scope == EVERYBODY and not memory_scopes.may_change_memories_of_everybody(db, turn, terms):
        transcript.finish_call(db, call, model.MEMORY_IS_EVERYBODYS(number=id), is_error=True)
    else:
        memories.forget_memory(db, memory.scope, id)
        transcript.finish_call(db, call, model.MEMORY_FORGOTTEN(number=id))


def write_memory_digest(db: Connection, turn: Turn, terms: DecisionTerms) -> list[str]:
    """Return the newest memories that a turn may see in a few lines, everybody's first; an empty list if there are
    none. Note for its conversation that it knows them, whose words they are if another person has had them saved, and
    the private things that were read before."""
    scopes = [scope for scope in memory_scopes.list_scopes_of_turn(db, turn, terms) if scope != EVERYBODY]
    of_all = memories.list_newest_memories(db, [EVERYBODY], MAX_DIGEST_MEMORIES_OF_EVERYBODY, only_confirmed=True)
    most = MAX_DIGEST_MEMORIES - len(of_all.memories)
    of_others = memories.list_newest_memories(db, scopes, most, only_confirmed=True)
    found = [*of_all.memories, *of_others.memories]
    if not found:
        return []
    zone = zone_of_person(db, turn.address.channel, turn.person, terms)
    lines: list[str] = []
    left = MAX_DIGEST_CHARACTERS
    for memory in found:
        line = memory_in_one_line(memory, zone, MAX_DIGEST_LINE_CHARACTERS)
        left -= len(line)
        if left < 0:
            break
        lines.append(line)
    private = NO_SOURCES.union(*(each.private_sources for each in found))
    savers = [each.saver for each in found if each.saver]
    others = provenance.sources_of_savers(db, turn, savers, terms)
    provenance.add_turn_sources_to_session(db, turn, private | others | KNOWN_SOURCES)
    is_complete = of_all.is_complete and of_others.is_complete and len(lines) == len(found)
    return [model.MEMORIES_HERE if is_complete else model.MEMORIES_HERE_AND_MORE, *lines]


def memory_in_one_line(memory: Memory, zone: tzinfo, most: int) -> str:
    """Return a memory on one line that cannot pass for markup, cut to `most` characters."""
    text = " ".join(memory.text.split()).replace("<", "(").replace(">", ")")
    line, cut = f"{memory_heading(memory, zone)}: {text}", model.MEMORY_CUT(characters=len(memory.text))
    return line if len(line) <= most else line[: most - len(cut)] + cut


def memory_heading(memory: Memory, zone: tzinfo) -> str:
    """Return a memory's number, date and owner, the person it was saved for, the role that saved it, the sources read,
    and if it is unconfirmed."""
    parts = [f"{memory.saved_at.astimezone(zone):%Y-%m-%d}", model.WHOSE_MEMORY[memory.scope.kind]]
    if memory.asker:
        parts.append(model.MEMORY_FOR(id=memory.person, person=memory.asker))
    if memory.role:
        parts.append(model.MEMORY_BY(role=role_display_name(memory.role), delegation=memory.delegation))
    if memory.sources:
        parts.append(model.MEMORY_AFTER(sources=" and ".join(memory.sources)))
    if not memory.is_confirmed:
        parts.append(model.MEMORY_UNCONFIRMED)
    return f"{memory.id} ({', '.join(parts)})"
