"""The tool that finds what was said in earlier conversations of the turn's own chat or group, and in no others."""

import unicodedata
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta, tzinfo
from functools import partial

from bot.core.acts import Effect
from bot.core.errors import ToolError
from bot.core.limits import GetCurrentTerms
from bot.core.phrases import first_words
from bot.core.rights import Right
from bot.core.sources import Source
from bot.core.texts import model
from bot.core.turn import CallKind
from bot.journal.clock import read_zone_of_person
from bot.schedules.local_times import moment_of_local_time
from bot.store import conversation_passages
from bot.store.connection import ReadTransactionRunner, fail_on_row_read
from bot.store.conversation_passages import ConversationText, FoundText, Period
from bot.store.text_search.scopes import MemoryScope
from bot.store.text_search.words import split_into_words
from bot.tools import Arguments, Tool, ToolContext
from bot.tools.memory import MAX_QUERY_WORDS
from bot.tools.parameters import Parameter, Parameters

CONVERSATION_TOOL_NAMES = frozenset({"conversation_search"})
MAX_SHOWN_CHARACTERS = 600  # characters of a found text that are shown
MAX_LISTED_TEXTS, MAX_LISTED_CHARACTERS = 20, 300  # of a period: texts, and characters of each
MAX_SHOWN_DATE_CHARACTERS = 40
FIRST_DAY, LAST_DAY = date(1970, 1, 2), date(9000, 1, 1)  # days that every zone has
MAX_SHOWN_CONTEXT_CHARACTERS = 160  # characters of what was said before or after it
MAX_CACHED_SIGNS = 4_096

QUERY_DESCRIPTION = "words that were probably used, and the name of who said it if you know; left out: all of a time"
SINCE_DESCRIPTION = "the first day, on the person's clock: 2026-03-01"
UNTIL_DESCRIPTION = "the last day"
QUERY, SINCE, UNTIL = (
    Parameter(name=name, type=str, description=description, is_required=False)
    for name, description in (("query", QUERY_DESCRIPTION), ("since", SINCE_DESCRIPTION), ("until", UNTIL_DESCRIPTION))
)
SEARCH_PARAMETERS = Parameters(
    tool_name="conversation_search", by_name={"query": QUERY, "since": SINCE, "until": UNTIL}
)


def conversation_tools(terms: GetCurrentTerms, read: ReadTransactionRunner = fail_on_row_read) -> list[Tool]:
    async def conversation_search(context: ToolContext, arguments: Arguments) -> str:
        given = SEARCH_PARAMETERS.validate_and_drop_nulls(arguments)
        words = list(dict.fromkeys(split_into_words(given.get("query", ""))))
        if len(words) > MAX_QUERY_WORDS:
            raise ToolError(model.SEARCH_HAS_TOO_MANY_WORDS(most=MAX_QUERY_WORDS, words=len(words)))
        scope, now, turn = MemoryScope.of_turn(context.turn), terms(), context.turn
        zone = await read(read_zone_of_person, turn.address.channel, turn.person, now)
        period = parse_period(given, zone)
        if period and not words:
            texts = await read(conversation_passages.list_texts_of_period, scope, period, MAX_LISTED_TEXTS + 1)
            return listed_texts(texts, zone)
        if not words and not given.get("query"):
            raise ToolError(model.NEITHER_WORDS_NOR_DATES)
        search = partial(conversation_passages.search_conversation_passages, period=period)
        found = await read(search, scope, words, now.settings.search_languages)
        if not found:
            sought = first_words(", ".join(words), MAX_SHOWN_CONTEXT_CHARACTERS)
            is_group = bool(turn.group)
            return model.NOT_SAID_TO_GROUP(words=sought) if is_group else model.NOT_SAID_IN_CHAT(words=sought)
        return "\n\n".join([model.SAID_EARLIER, *(found_text_lines(each, words, zone) for each in found)])

    return [
        Tool(
            name=SEARCH_PARAMETERS.tool_name,
            description=(
                "Find what people and you have said in earlier conversations of this chat: the ten best passages with "
                "date, speaker and context, or all of some days. It compares words, not meanings: try others if it "
                "finds nothing."
            ),
            input_schema=SEARCH_PARAMETERS.json_schema,
            kind=CallKind.READ,
            effects=frozenset({Effect.READS_PRIVATE, Effect.READS_UNTRUSTED}),
            needed_right=Right.MEMORY,
            untrusted_source=Source.CONVERSATIONS,
            private_source=Source.PRIVATE_CONVERSATIONS,
            run=conversation_search,
        )
    ]


def parse_period(given: Arguments, zone: tzinfo) -> Period | None:
    """Return the period that a call names, by days on the clock of the zone; None if it names none. Raise ToolError."""
    since, until = (parse_date(given, name) for name in ("since", "until"))
    if since is None and until is None:
        return None
    first, last = since or FIRST_DAY, until or LAST_DAY
    if first > last:
        raise ToolError(model.DATES_REVERSED)
    begin, end = (datetime.combine(day, time.min) for day in (first, last + timedelta(days=1)))
    return Period(since=moment_of_local_time(begin, zone), until=moment_of_local_time(end, zone))


def parse_date(given: Arguments, name: str) -> date | None:
    if name not in given:
        return None
    try:
        found = date.fromisoformat(given[name].strip())
    except ValueError:
        raise ToolError(model.NOT_A_DATE(argument=name, value=given[name][:MAX_SHOWN_DATE_CHARACTERS])) from None
    return min(max(found, FIRST_DAY), LAST_DAY)


def listed_texts(texts: Sequence[ConversationText], zone: tzinfo) -> str:
    """Return what was said in a period, a line each."""
    shown = texts[-MAX_LISTED_TEXTS:]
    if not shown:
        return model.NOTHING_SAID_THEN
    is_cut = len(shown) < len(texts)
    heading = model.SAID_THEN_CUT(shown=len(shown)) if is_cut else model.SAID_THEN
    shortened = (first_words(as_one_line(each.text), MAX_LISTED_CHARACTERS) for each in shown)
    return "\n".join([heading, *(text_line(each, text, zone) for each, text in zip(shown, shortened, strict=True))])


def text_line(said: ConversationText, text: str, zone: tzinfo) -> str:
    return model.SAID_TEXT(date=said.said_at.astimezone(zone), speaker=speaker_text(said), text=text)


def found_text_lines(found: FoundText, words: list[str], zone: tzinfo) -> str:
    """Return a found text with its date and speaker, between what was said before and after it."""
    before = [model.SAID_BEFORE(speaker=speaker_text(each), text=context_text(each)) for each in found.before]
    after = [model.SAID_AFTER(speaker=speaker_text(each), text=context_text(each)) for each in found.after]
    text = passage_with_words(found.said.text, words, MAX_SHOWN_CHARACTERS)
    return "\n".join([text_line(found.said, text, zone), *before, *after])


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
    folded = line.translate(FOLDED_SIGNS)
    places = [place for word in words if len(word) > 3 and (place := folded.find(word)) >= 0]
    start = max(0, min(min(places, default=0) - most // 4, len(line) - most))
    start = line.find(" ", start) + 1 if start else 0
    return ("… " if start else "") + first_words(line[start:], most)


class FoldedSigns(dict[int, str]):
    """For `str.translate`: each sign that was met as `split_into_words` folds it, or as it is if that is not one sign,
    so that places in a text stay the same."""

    def __missing__(self, code: int) -> str:
        sign = chr(code)
        decomposed = unicodedata.normalize("NFKD", sign).casefold()
        folded = "".join(each for each in decomposed if not unicodedata.combining(each))
        result = folded if len(folded) == 1 else sign
        if len(self) < MAX_CACHED_SIGNS:
            self[code] = result
        return result


FOLDED_SIGNS = FoldedSigns()


def as_one_line(text: str) -> str:
    """Return a text without line breaks and signs of markup, which could imitate the lines of this result."""
    return " ".join(text.split()).replace("<", "(").replace(">", ")")
