"""The tools of memory: save something for later conversations, find it, read it whole, forget it.

Saving and forgetting only write rows, in the transaction of the reply that calls them. So they happen exactly once,
even after a crash. All four tools see the memories that the turn may see (`bot/journal/memory_scopes.py`), and no
others. With the chat they forget, too: those of everybody only for the owner."""

from datetime import tzinfo
from functools import partial

from bot.core.acts import ActKind, Critical, Effect, Part
from bot.core.errors import ToolError
from bot.core.limits import DecisionTerms, GetCurrentTerms
from bot.core.phrases import first_words
from bot.core.reply_plan import ForgetMemory, SaveMemory
from bot.core.rights import Right
from bot.core.scope_kinds import ScopeKind
from bot.core.texts import model
from bot.core.turn import CallKind, Turn
from bot.journal import memory_scopes
from bot.journal.clock import read_zone_of_person
from bot.journal.memory import MAX_MEMORY_CHARACTERS, memory_heading, memory_in_one_line
from bot.store import memories
from bot.store.connection import Connection, ReadTransactionRunner, fail_on_row_read
from bot.store.memories import FoundMemories, Memory
from bot.store.text_search.words import split_into_words
from bot.tools import Arguments, Tool, ToolContext
from bot.tools.parameters import Parameter, Parameters

MEMORY_TOOL_NAMES = frozenset({"memory_save", "memory_search", "memory_get", "memory_forget"})
MAX_QUERY_WORDS = 24  # words in a search
MAX_SHOWN_MEMORY_CHARACTERS = 300  # in a line of a search's result
LARGEST_MEMORY_ID = 2**63 - 1

ID_DESCRIPTION = "the number of a memory, as memory_search shows it"
ID_PARAMETER = Parameter(name="id", type=int, description=ID_DESCRIPTION, is_required=True)
TEXT_DESCRIPTION = "one fact, in words that make sense alone"
TEXT_PARAMETER = Parameter(name="text", type=str, description=TEXT_DESCRIPTION, is_required=True)
QUERY_DESCRIPTION = "words to look for; left out: the newest memories"
QUERY_PARAMETER = Parameter(name="query", type=str, description=QUERY_DESCRIPTION, is_required=False)
SCOPE_DESCRIPTION = (
    "whose it is: `person`: this person's, in all their private chats (there the default); `chat`: this chat's (the "
    "default where others read); `tenant`: everybody's, by the owner alone"
)
NAMED_SCOPES = (ScopeKind.PERSON, ScopeKind.CHAT, ScopeKind.TENANT)  # an agent of a group has no other than its group's
SCOPE_PARAMETER = Parameter(
    name="scope", type=str, description=SCOPE_DESCRIPTION, is_required=False, choices=NAMED_SCOPES
)
SAVE_PARAMETERS = Parameters(tool_name="memory_save", by_name={"text": TEXT_PARAMETER, "scope": SCOPE_PARAMETER})
FORGET_PARAMETERS = Parameters(tool_name="memory_forget", by_name={"id": ID_PARAMETER})
SEARCH_PARAMETERS = Parameters(tool_name="memory_search", by_name={"query": QUERY_PARAMETER})
GET_PARAMETERS = Parameters(tool_name="memory_get", by_name={"id": ID_PARAMETER})


def memory_tools(terms: GetCurrentTerms, read: ReadTransactionRunner = fail_on_row_read) -> list[Tool]:
    reader = MemoryReadTools(read, terms)
    changing = partial(Tool, kind=CallKind.ROW, needed_right=Right.MEMORY)
    effects = frozenset({Effect.READS_PRIVATE, Effect.READS_UNTRUSTED})
    reading = partial(Tool, kind=CallKind.READ, effects=effects, needed_right=Right.MEMORY)
    return [
        changing(
            name=SAVE_PARAMETERS.tool_name,
            description=(
                "Remember a fact in later conversations. Use it when the person asks you to, or tells a "
                "lasting preference, name, place or deadline. Not for what holds only now, for what a file says "
                "already, or for passwords and codes. To change a memory, save the new one and forget the old."
            ),
            input_schema=SAVE_PARAMETERS.json_schema,
            effects=frozenset({Effect.KEEPS}),
            acts=frozenset({ActKind.MAKE}),
            critical_arguments={"scope": Critical(Part.WHO)},  # who will read it
            confirms_itself=True,
            uncritical_arguments=frozenset({"text"}),  # what others' words saved, somebody has to confirm
            plan_rows=partial(plan_memory_save, read, terms),
        ),
        changing(
            name=FORGET_PARAMETERS.tool_name,
            description=(
                "Delete one memory for good. Use it when the person asks you to forget something, or when a memory is "
                "wrong or replaced by a new one. Find its number with memory_search first."
            ),
            input_schema=FORGET_PARAMETERS.json_schema,
            effects=frozenset({Effect.DESTROYS}),
            acts=frozenset({ActKind.DELETE}),
            things=frozenset({"memory"}),
            critical_arguments={"id": Critical(Part.WHICH, is_own_id=True)},
            plan_rows=plan_memory_forget,
        ),
        reading(
            name=SEARCH_PARAMETERS.tool_name,
            description=(
                "Find what you remember here, by words, or the newest of it. Use it when the person refers to "
                "something from before this conversation, or when a preference of theirs would change your answer. It "
                "compares words and not meanings: try other words before you say that nothing is known. Long memories "
                "are shortened; memory_get returns one whole."
            ),
            input_schema=SEARCH_PARAMETERS.json_schema,
            run=reader.memory_search,
        ),
        reading(
            name=GET_PARAMETERS.tool_name,
            description=(
                "Read one memory whole, with its date and who saved it. Use it where memory_search shows a memory cut "
                "short. Memories are what was once said: for facts that may have changed, look again."
            ),
            input_schema=GET_PARAMETERS.json_schema,
            run=reader.memory_get,
        ),
    ]


async def plan_memory_save(
    read: ReadTransactionRunner, terms: GetCurrentTerms, context: ToolContext, arguments: Arguments
) -> SaveMemory:
    given = SAVE_PARAMETERS.validate_and_drop_nulls(arguments)
    text, named = given["text"].strip(), given.get("scope")
    scope = ScopeKind(named) if named else memory_scopes.default_scope_kind(context.turn)
    memory_scopes.reject_forbidden_scope_kind(context.turn, scope)
    may_change = memory_scopes.may_change_memories_of_everybody
    if scope is ScopeKind.TENANT and not await read(may_change, context.turn, terms()):
        raise ToolError(model.ONLY_OWNER_REMEMBERS_FOR_EVERYBODY)
    if not text:
        raise ToolError(model.MEMORY_IS_EMPTY(description=TEXT_PARAMETER.description))
    if len(text) > MAX_MEMORY_CHARACTERS:
        raise ToolError(model.MEMORY_TOO_LONG(characters=len(text), most=MAX_MEMORY_CHARACTERS))
    return SaveMemory(text=text, scope=scope)


async def plan_memory_forget(context: ToolContext, arguments: Arguments) -> ForgetMemory:
    return ForgetMemory(memory=parse_memory_id(FORGET_PARAMETERS, arguments))


class MemoryReadTools:
    def __init__(self, read: ReadTransactionRunner, terms: GetCurrentTerms) -> None:
        self.read = read
        self.terms = terms

    async def memory_search(self, context: ToolContext, arguments: Arguments) -> str:
        query = SEARCH_PARAMETERS.validate_and_drop_nulls(arguments).get("query", "")
        words = list(dict.fromkeys(split_into_words(query)))
        if len(words) > MAX_QUERY_WORDS:
            raise ToolError(model.SEARCH_HAS_TOO_MANY_WORDS(most=MAX_QUERY_WORDS, words=len(words)))
        found, zone = await self.read(search_or_list_memories, context.turn, words, self.terms())
        lines = [memory_in_one_line(memory, zone, MAX_SHOWN_MEMORY_CHARACTERS) for memory in found.memories]
        if not lines and not words:
            return model.NO_MEMORY_YET
        if not lines:
            return model.NO_MEMORY_HAS_WORDS(words=first_words(", ".join(words), MAX_SHOWN_MEMORY_CHARACTERS))
        if not found.is_complete:
            shown = len(lines)
            lines.append(model.SOME_MEMORIES_FIT(shown=shown) if words else model.NEWEST_MEMORIES(shown=shown))
        return "\n".join(lines)

    async def memory_get(self, context: ToolContext, arguments: Arguments) -> str:
        id = parse_memory_id(GET_PARAMETERS, arguments)
        memory, zone = await self.read(find_memory_of_turn, context.turn, id, self.terms())
        if memory is None:
            raise ToolError(model.NO_SUCH_MEMORY_HERE(number=id))
        return f"{memory_heading(memory, zone)}:\n{memory.text}"


def search_or_list_memories(
    db: Connection, turn: Turn, words: list[str], terms: DecisionTerms
) -> tuple[FoundMemories, tzinfo]:
    """Return the memories that a turn may see and that fit the words, or without words the newest; and the zone of its
    person."""
    scopes = memory_scopes.list_scopes_of_turn(db, turn, terms)
    zone = read_zone_of_person(db, turn.address.channel, turn.person, terms)
    if not words:
        return memories.list_newest_memories(db, scopes), zone
    return memories.search_memories(db, scopes, words, terms.settings.search_languages, terms.now), zone


def find_memory_of_turn(db: Connection, turn: Turn, id: int, terms: DecisionTerms) -> tuple[Memory | None, tzinfo]:
    memory = memories.find_memory(db, memory_scopes.list_scopes_of_turn(db, turn, terms), id)
    return memory, read_zone_of_person(db, turn.address.channel, turn.person, terms)


def parse_memory_id(takes: Parameters, arguments: Arguments) -> int:
    """Return the number that a call names. Raise ToolError if no memory can have it."""
    id: int = takes.validate_and_drop_nulls(arguments)["id"]
    if not 0 < id <= LARGEST_MEMORY_ID:
        raise ToolError(model.NO_MEMORY_HAS_THAT_NUMBER)
    return id
