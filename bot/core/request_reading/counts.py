"""For how many acts a part of a sentence speaks."""

# ruff: noqa: RUF001  # an apostrophe and a dash of people

import re
from collections.abc import Iterable, Iterator, Sequence

from bot.core.request_reading.clauses import NamedAct
from bot.core.request_reading.lexicon import Lexicon, Thing
from bot.core.request_reading.sentence import blank_out

NAME = r"(?:[\w.+-]+@[\w.-]+|'[^']+'|\"[^\"]+\"|„[^“]+“|“[^”]+”|[@#]?\b[A-ZÄÖÜ][^\W\d_]['\w-]*)(?: \([^)]*\))?"
MAX_NAMED = 50  # a larger number is rather an amount
WORD_PATTERN = re.compile(r"[\w'’-]+")


def count_things(act: NamedAct, things: Iterable[Thing], lexicons: Sequence[Lexicon]) -> int | None:
    """Return for how many acts the words of an act speak. None: they set no bound."""
    counts = [1, *count_joined_names(act.clause, lexicons), *numbers_of_times(act.clause, lexicons)]
    for thing in things:
        for plural in thing.many.finditer(act.clause):
            if (number := number_before(act.clause[: plural.start()], lexicons)) is None:
                return None
            counts.append(number)
    return None if has_no_bound(act.part, lexicons) else max(counts)


def count_joined_names(clause: str, lexicons: Sequence[Lexicon]) -> Iterator[int]:
    """Yield how many names are joined: “Ann, Ben and Max” are three."""
    ends = "|".join(sorted({join for lexicon in lexicons for join in lexicon.grammar.joins if join.isalpha()}))
    join = rf"(?:, (?:{ends}) |, | (?:{ends}) )"
    reasons = "|".join(sorted({word for lexicon in lexicons for word in lexicon.grammar.reasons})) or "(?!)"
    for run in re.finditer(rf"(?P<reason>\b(?:{reasons})\s)?{NAME}(?:{join}{NAME})+", clause):
        if not run["reason"]:  # “for Pizza and Beer” is one payment
            yield 1 + len(re.findall(join, run[0]))


def numbers_of_times(clause: str, lexicons: Sequence[Lexicon]) -> Iterator[int]:
    """Yield the numbers in “twice” and “three times”."""
    words = [each[0].lower() for each in WORD_PATTERN.finditer(clause)]
    for at, word in enumerate(words):
        for lexicon in lexicons:
            if word in lexicon.grammar.once_more:
                yield lexicon.grammar.once_more[word]
            elif at and word in lexicon.grammar.times and (number := read_count(words[at - 1], lexicons)):
                yield number


def number_before(before: str, lexicons: Sequence[Lexicon]) -> int | None:
    """Return the number of a plural, such as “the two old files”. `before` is what stands before the plural."""
    for word in reversed([each[0].lower() for each in WORD_PATTERN.finditer(before)][-3:]):
        if any(word in lexicon.grammar.pair for lexicon in lexicons):
            return 2
        if number := read_count(word, lexicons):
            return number
    return None


def read_count(word: str, lexicons: Sequence[Lexicon]) -> int | None:
    if word.isdecimal() and word.isascii() and len(word) < 4:
        return int(word) if 1 <= int(word) <= MAX_NAMED else None
    return next((each.grammar.numbers[word] for each in lexicons if word in each.grammar.numbers), None)


def has_no_bound(clause: str, lexicons: Sequence[Lexicon]) -> bool:
    """Return True for “all” and “each”, but not for “each Friday” or “many thanks”."""
    plain = blank_out(clause, [phrase for lexicon in lexicons for phrase in lexicon.grammar.not_many])
    words = [each[0].lower() for each in WORD_PATTERN.finditer(plain)]
    for word, following in zip(words, [*words[1:], ""], strict=True):
        for lexicon in lexicons:
            if word in lexicon.grammar.many and following not in lexicon.words_of_time:
                return True
    return False
