"""The tools of memory: save something for later conversations of a chat, find it, read it whole, forget it.

Saving and forgetting only write rows, in the transaction of the reply that calls them. So they happen exactly once,
even after a crash. All four tools see the memories of the turn's own chat or group, and no others."""

from functools import partial

from bot.core.errors import ToolError
from bot.core.limits import GetCurrentTerms
from bot.core.phrases import first_words
from bot.core.reply_plan import ForgetMemory, SaveMemory
from bot.core.rights import Right
from bot.core.texts import model
from bot.core.turn import CallKind
from bot.journal.memory import memory_heading, memory_in_one_line, unknown_memory_text
from bot.store import memories
from bot.store.connection import ReadTransactionRunner, fail_on_row_read
from bot.store.text_search.scopes import MemoryScope
from bot.store.text_search.words import split_into_words
from bot.tools import Arguments, Effect, Tool, ToolContext
from bot.tools.parameters import Parameter, Parameters

MEMORY_TOOL_NAMES = frozenset({"memory_save", "memory_search", "memory_get", "memory_forget"})
MAX_MEMORY_CHARACTERS = 2_000  # characters of a memory
MAX_QUERY_WORDS = 24  # words in a search
MAX_SHOWN_MEMORY_CHARACTERS = 300  # in a line of a search's result
LARGEST_MEMORY_ID = 2**63 - 1

ID_DESCRIPTION = "the number of a memory, as memory_search shows it"
ID_PARAMETER = Parameter(name="id", type=int, description=ID_DESCRIPTION, is_required=True)
TEXT_DESCRIPTION = "one fact, in words that make sense alone"
TEXT_PARAMETER = Parameter(name="text", type=str, description=TEXT_DESCRIPTION, is_required=True)
QUERY_DESCRIPTION = "words to look for; left out: the newest memories"
QUERY_PARAMETER = Parameter(name="query", type=str, description=QUERY_DESCRIPTION, is_required=False)
SAVE_PARAMETERS = Parameters(tool_name="memory_save", by_name={"text": TEXT_PARAMETER})
FORGET_PARAMETERS = Parameters(tool_name="memory_forget", by_name={"id": ID_PARAMETER})
SEARCH_PARAMETERS = Parameters(tool_name="memory_search", by_name={"query": QUERY_PARAMETER})
GET_PARAMETERS = Parameters(tool_name="memory_get", by_name={"id": ID_PARAMETER})


def memory_tools(terms: GetCurrentTerms, read: ReadTransactionRunner = fail_on_row_read) -> list[Tool]:
    reader = MemoryReadTools(read, terms)
    changing = partial(Tool, kind=CallKind.ROW, effects=frozenset({Effect.CHANGES}), needed_right=Right.MEMORY)
    effects = frozenset({Effect.READS_PRIVATE, Effect.READS_UNTRUSTED})
    reading = partial(Tool, kind=CallKind.READ, effects=effects, needed_right=Right.MEMORY)
    return [
        changing(
            name=SAVE_PARAMETERS.tool_name,
            description=(
                "Remember a fact in later conversations of this chat. Use it when the person asks you to, or tells a "
                "lasting preference, name, place or deadline. Not for what holds only now, for what a file says "
                "already, or for passwords and codes. To change a memory, save the new one and forget the old."
            ),
            input_schema=SAVE_PARAMETERS.json_schema,
            plan_rows=plan_memory_save,
        ),
        changing(
            name=FORGET_PARAMETERS.tool_name,
            description=(
                "Delete one memory for good. Use it when the person asks you to forget something, or when a memory is "
                "wrong or replaced by a new one. Find its number with memory_search first."
            ),
            input_schema=FORGET_PARAMETERS.json_schema,
            plan_rows=plan_memory_forget,
        ),
        reading(
            name=SEARCH_PARAMETERS.tool_name,
            description=(
                "Find what this chat's memory holds, by words, or the newest of it. Use it when the person refers to "
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


async def plan_memory_save(context: ToolContext, arguments: Arguments) -> SaveMemory:
    text = SAVE_PARAMETERS.validate_and_drop_nulls(arguments)["text"].strip()
    if not text:
        raise ToolError(model.MEMORY_IS_EMPTY(description=TEXT_PARAMETER.description))
    if len(text) > MAX_MEMORY_CHARACTERS:
        raise ToolError(model.MEMORY_TOO_LONG(characters=len(text), most=MAX_MEMORY_CHARACTERS))
    return SaveMemory(text=text)


async def plan_memory_forget(context: ToolContext, arguments: Arguments) -> ForgetMemory:
    return ForgetMemory(memory=parse_memory_id(FORGET_PARAMETERS, context, arguments))


class MemoryReadTools:
    def __init__(self, read: ReadTransactionRunner, terms: GetCurrentTerms) -> None:
        self.read = read
        self.terms = terms

    async def memory_search(self, context: ToolContext, arguments: Arguments) -> str:
        scope, now = MemoryScope.of_turn(context.turn), self.terms()
        query = SEARCH_PARAMETERS.validate_and_drop_nulls(arguments).get("query", "")
        words = list(dict.fromkeys(split_into_words(query)))
        if len(words) > MAX_QUERY_WORDS:
            raise ToolError(model.SEARCH_HAS_TOO_MANY_WORDS(most=MAX_QUERY_WORDS, words=len(words)))
        if words:
            found = await self.read(memories.search_memories, scope, words, now.settings.search_languages, now.now)
        else:
            found = await self.read(memories.list_newest_memories, scope)
        zone = now.resolved_settings.operator_time_zone
        lines = [memory_in_one_line(memory, zone, MAX_SHOWN_MEMORY_CHARACTERS) for memory in found.memories]
        if not lines and not words:
            return model.NO_GROUP_MEMORY_YET if context.turn.group else model.NO_CHAT_MEMORY_YET
        if not lines:
            sought = first_words(", ".join(words), MAX_SHOWN_MEMORY_CHARACTERS)
            is_group = bool(context.turn.group)
            return model.NOT_IN_GROUP_MEMORY(words=sought) if is_group else model.NOT_IN_CHAT_MEMORY(words=sought)
        if not found.is_complete:
            shown = len(lines)
            lines.append(model.SOME_MEMORIES_FIT(shown=shown) if words else model.NEWEST_MEMORIES(shown=shown))
        return "\n".join(lines)

    async def memory_get(self, context: ToolContext, arguments: Arguments) -> str:
        id = parse_memory_id(GET_PARAMETERS, context, arguments)
        memory = await self.read(memories.find_memory, MemoryScope.of_turn(context.turn), id)
        if memory is None:
            raise ToolError(unknown_memory_text(context.turn, id))
        return f"{memory_heading(memory, self.terms().resolved_settings.operator_time_zone)}:\n{memory.text}"


def parse_memory_id(takes: Parameters, context: ToolContext, arguments: Arguments) -> int:
    """Return the number that a call names. Raise ToolError if no memory can have it."""
    id: int = takes.validate_and_drop_nulls(arguments)["id"]
    if not 0 < id <= LARGEST_MEMORY_ID:
        raise ToolError(model.NO_SUCH_NUMBER_IN_GROUP if context.turn.group else model.NO_SUCH_NUMBER_IN_CHAT)
    return id
