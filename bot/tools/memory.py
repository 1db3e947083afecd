"""The tools of memory: save something for later conversations of a chat, find it, read it whole, forget it.

Saving and forgetting only write rows, in the transaction of the reply that calls them. So they happen exactly once,
even after a crash. All four tools see the memories of the turn's own chat or group, and no others.
"""

from collections.abc import Sequence

from bot.core.errors import ToolError
from bot.core.limits import TermsNow
from bot.core.phrases import first_words
from bot.core.reply_plan import ForgetMemory, SaveMemory
from bot.core.rights import Right
from bot.core.texts import model
from bot.core.turn import CallKind
from bot.journal.memory import memory_heading, memory_in_one_line, unknown_memory_text
from bot.store import memories
from bot.store.connection import ReadRows, refuse_to_read
from bot.store.word_scoring import split_into_words
from bot.tools import Arguments, Effect, Tool, ToolContext
from bot.tools.parameters import Parameter, Parameters

NAMES = frozenset({"memory_save", "memory_search", "memory_get", "memory_forget"})
LONGEST_MEMORY = 2_000  # characters of a memory
MOST_WORDS = 24  # words in a search
LONGEST_LINE = 300  # characters of a memory's line that a search shows
LARGEST_ID = 2**63 - 1

TEXT = Parameter(name="text", type=str, description="one fact, in words that make sense alone", is_needed=True)
QUERY = Parameter(
    name="query", type=str, description="words to look for; left out: the newest memories", is_needed=False
)
ID = Parameter(name="id", type=int, description="the number of a memory, as memory_search shows it", is_needed=True)


def memory_tools(terms: TermsNow, read: ReadRows = refuse_to_read) -> list[Tool]:
    return [build_save_tool(), build_forget_tool(), build_search_tool(read, terms), build_get_tool(read, terms)]


def build_save_tool() -> Tool:
    takes = memory_parameters("memory_save", TEXT)

    async def plan(context: ToolContext, arguments: Arguments) -> SaveMemory:
        text = takes.check_arguments(arguments)["text"].strip()
        if not text:
            raise ToolError(model.MEMORY_IS_EMPTY(description=TEXT.description))
        if len(text) > LONGEST_MEMORY:
            raise ToolError(model.MEMORY_TOO_LONG(characters=len(text), most=LONGEST_MEMORY))
        return SaveMemory(text=text)

    return Tool(
        name=takes.tool,
        description=(
            "Remember a fact in later conversations of this chat. Use it when the person asks you to, or tells a "
            "lasting preference, name, place or deadline. Not for what holds only now, for what a file says already, "
            "or for passwords and codes. To change a memory, save the new one and forget the old."
        ),
        input_schema=takes.schema,
        kind=CallKind.ROW,
        effects=frozenset({Effect.CHANGES}),
        needs=Right.MEMORY,
        plan=plan,
    )


def build_forget_tool() -> Tool:
    takes = memory_parameters("memory_forget", ID)

    async def plan(context: ToolContext, arguments: Arguments) -> ForgetMemory:
        return ForgetMemory(memory=memory_id_in(takes, context, arguments))

    return Tool(
        name=takes.tool,
        description=(
            "Delete one memory for good. Use it when the person asks you to forget something, or when a memory is "
            "wrong or replaced by a new one. Find its number with memory_search first."
        ),
        input_schema=takes.schema,
        kind=CallKind.ROW,
        effects=frozenset({Effect.CHANGES}),
        needs=Right.MEMORY,
        plan=plan,
    )


def build_search_tool(read: ReadRows, terms: TermsNow) -> Tool:
    takes = memory_parameters("memory_search", QUERY)

    async def run(context: ToolContext, arguments: Arguments) -> str:
        scope, now = memories.memory_scope_of(context.turn), terms()
        words = list(dict.fromkeys(split_into_words(takes.check_arguments(arguments).get("query", ""))))
        if len(words) > MOST_WORDS:
            raise ToolError(model.SEARCH_HAS_TOO_MANY_WORDS(most=MOST_WORDS, words=len(words)))
        if words:
            found = await read(memories.search_memories, scope, words, now.now)
        else:
            found = await read(memories.newest_memories, scope)
        lines = [memory_in_one_line(memory, now.resolved.zone, LONGEST_LINE) for memory in found.memories]
        if not lines:
            return nothing_found_text(words, of_group=bool(context.turn.group))
        if not found.is_all and words:
            lines.append(model.SOME_MEMORIES_FIT(shown=len(lines)))
        elif not found.is_all:
            lines.append(model.NEWEST_MEMORIES(shown=len(lines)))
        return "\n".join(lines)

    return Tool(
        name=takes.tool,
        description=(
            "Find what this chat's memory holds, by words, or the newest of it. Use it when the person refers to "
            "something from before this conversation, or when a preference of theirs would change your answer. It "
            "compares words and not meanings: try other words before you say that nothing is known. Long memories "
            "are shortened; memory_get gives one whole."
        ),
        input_schema=takes.schema,
        kind=CallKind.READ,
        effects=frozenset({Effect.READS_PRIVATE, Effect.READS_UNTRUSTED}),
        needs=Right.MEMORY,
        run=run,
    )


def nothing_found_text(words: Sequence[str], *, of_group: bool) -> str:
    """Say that a search found nothing; if it had no words, that nothing is remembered yet."""
    if not words:
        return model.NO_GROUP_MEMORY_YET if of_group else model.NO_CHAT_MEMORY_YET
    sought = first_words(", ".join(words), LONGEST_LINE)
    return model.NOT_IN_GROUP_MEMORY(words=sought) if of_group else model.NOT_IN_CHAT_MEMORY(words=sought)


def build_get_tool(read: ReadRows, terms: TermsNow) -> Tool:
    takes = memory_parameters("memory_get", ID)

    async def run(context: ToolContext, arguments: Arguments) -> str:
        id = memory_id_in(takes, context, arguments)
        memory = await read(memories.get_memory, memories.memory_scope_of(context.turn), id)
        if memory is None:
            raise ToolError(unknown_memory_text(context.turn, id))
        return f"{memory_heading(memory, terms().resolved.zone)}:\n{memory.text}"

    return Tool(
        name=takes.tool,
        description=(
            "Read one memory whole, with its date and who saved it. Use it where memory_search shows a memory cut "
            "short. Memories are what was once said: for facts that may have changed, look again."
        ),
        input_schema=takes.schema,
        kind=CallKind.READ,
        effects=frozenset({Effect.READS_PRIVATE, Effect.READS_UNTRUSTED}),
        needs=Right.MEMORY,
        run=run,
    )


def memory_parameters(tool: str, *parameters: Parameter) -> Parameters:
    return Parameters(tool=tool, by_name={parameter.name: parameter for parameter in parameters})


def memory_id_in(takes: Parameters, context: ToolContext, arguments: Arguments) -> int:
    """The number that a call names; raises ToolError if it cannot be one."""
    id: int = takes.check_arguments(arguments)["id"]
    if not 0 < id <= LARGEST_ID:
        raise ToolError(model.NO_SUCH_NUMBER_IN_GROUP if context.turn.group else model.NO_SUCH_NUMBER_IN_CHAT)
    return id
