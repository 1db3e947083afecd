"""The tool that finds what was said in earlier conversations of the turn's own chat or group, and in no others."""

from datetime import tzinfo

from bot.core.errors import ToolError
from bot.core.limits import GetCurrentTerms
from bot.core.phrases import first_words
from bot.core.rights import Right
from bot.core.sources import Source
from bot.core.texts import model
from bot.core.turn import CallKind
from bot.store import conversation_texts
from bot.store.connection import ReadTransactionRunner, fail_on_row_read
from bot.store.conversation_texts import ConversationText, FoundText
from bot.store.text_search.scopes import MemoryScope
from bot.store.text_search.words import split_into_words
from bot.tools import Arguments, Effect, Tool, ToolContext
from bot.tools.memory import MAX_QUERY_WORDS
from bot.tools.parameters import Parameter, Parameters

CONVERSATION_TOOL_NAMES = frozenset({"conversation_search"})
MAX_SHOWN_CHARACTERS = 600  # characters of a found text that are shown
MAX_SHOWN_CONTEXT_CHARACTERS = 160  # characters of what was said before or after it

QUERY_DESCRIPTION = "words that were probably used, and the name of who said it if you know"
QUERY_PARAMETER = Parameter(name="query", type=str, description=QUERY_DESCRIPTION, is_required=True)
SEARCH_PARAMETERS = Parameters(tool_name="conversation_search", by_name={"query": QUERY_PARAMETER})


def conversation_tools(terms: GetCurrentTerms, read: ReadTransactionRunner = fail_on_row_read) -> list[Tool]:
    async def conversation_search(context: ToolContext, arguments: Arguments) -> str:
        query = SEARCH_PARAMETERS.validate_and_drop_nulls(arguments)["query"]
        words = list(dict.fromkeys(split_into_words(query)))
        if len(words) > MAX_QUERY_WORDS:
            raise ToolError(model.SEARCH_HAS_TOO_MANY_WORDS(most=MAX_QUERY_WORDS, words=len(words)))
        scope, now = MemoryScope.of_turn(context.turn), terms()
        found = await read(conversation_texts.search_conversation_texts, scope, words, now.settings.search_languages)
        if not found:
            sought = first_words(", ".join(words), MAX_SHOWN_CONTEXT_CHARACTERS)
            is_group = bool(context.turn.group)
            return model.NOT_SAID_TO_GROUP(words=sought) if is_group else model.NOT_SAID_IN_CHAT(words=sought)
        zone = now.resolved_settings.operator_time_zone
        return "\n\n".join([model.SAID_EARLIER, *(found_text_lines(each, words, zone) for each in found)])

    return [
        Tool(
            name=SEARCH_PARAMETERS.tool_name,
            description=(
                "Find what people and you have said in earlier conversations of this chat: the ten best passages with "
                "date, speaker and context. It compares words, not meanings: try others if it finds nothing."
            ),
            input_schema=SEARCH_PARAMETERS.json_schema,
            kind=CallKind.READ,
            effects=frozenset({Effect.READS_PRIVATE, Effect.READS_UNTRUSTED}),
            needed_right=Right.MEMORY,
            untrusted_source=Source.CONVERSATIONS,
            run=conversation_search,
        )
    ]


def found_text_lines(found: FoundText, words: list[str], zone: tzinfo) -> str:
    """Return a found text with its date and speaker, between what was said before and after it."""
    before = [model.SAID_BEFORE(speaker=speaker_text(each), text=context_text(each)) for each in found.before]
    after = [model.SAID_AFTER(speaker=speaker_text(each), text=context_text(each)) for each in found.after]
    date = found.said.said_at.astimezone(zone)
    text = passage_with_words(found.said.text, words, MAX_SHOWN_CHARACTERS)
    return "\n".join([model.SAID_TEXT(date=date, speaker=speaker_text(found.said), text=text), *before, *after])


def context_text(said: ConversationText) -> str:
    return first_words(as_one_line(said.text), MAX_SHOWN_CONTEXT_CHARACTERS)


def speaker_text(said: ConversationText) -> str:
    """Return who said a text. The id comes first, since names can be chosen freely."""
    return model.SAID_BY_PERSON(id=said.person, person=said.name) if said.person else model.SAID_BY_YOU


def passage_with_words(text: str, words: list[str], most: int) -> str:
    """Return a text on one line. Of a longer one return the passage around the first of the words."""
    line = as_one_line(text)
    if len(line) <= most:
        return line
    folded = line.casefold()
    places = [place for word in words if len(word) > 3 and (place := folded.find(word)) >= 0]
    start = max(0, min(min(places, default=0) - most // 4, len(line) - most))
    start = line.find(" ", start) + 1 if start else 0
    return ("… " if start else "") + first_words(line[start:], most)


def as_one_line(text: str) -> str:
    """Return a text without line breaks and signs of markup, which could imitate the lines of this result."""
    return " ".join(text.split()).replace("<", "(").replace(">", ")")
