"""Whether a person has left open when something is to be.

A length alone says nothing about that: “make it 4 hours”. Whatever else speaks of time does, even if it is not
understood, and so does each other number.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple
from datetime import datetime
from difflib import get_close_matches

from bot.core.request_reading.lexicon import Lexicon
from bot.core.request_reading.sentence import tokens_of
from bot.core.request_reading.time_values import CLOCK_PATTERN
from bot.core.request_reading.time_words import MINUTES_OF_UNIT, alternatives, read_times

MIN_STEM_LETTERS = 5  # of a word of time that may stand within another
MISSPELT_SHARE = 0.8  # of the letters of two words that must be alike, if one may be the other


def is_single_time(value: str) -> bool:
    """Return True for a date, a time of the day, or both: no duration, and no rule for several times."""
    written = value.strip()
    try:
        return CLOCK_PATTERN.fullmatch(written) is not None or bool(datetime.fromisoformat(written))
    except ValueError:
        return False


def is_time_left_open(words: str, now: datetime, lexicons: Sequence[Lexicon]) -> bool:
    """Return True if the words name no time at all. `now` is the time on the person's clock when they wrote."""
    rest = without_lengths(words, lexicons)
    said = {token.word for token in tokens_of(rest)}
    of_time = {word for each in lexicons for word in (*each.words_of_time, *each.time["other_times"].split())}
    speaks_of_time = bool(said & of_time) or any(map(str.isdigit, rest)) or has_word_like_time(said, lexicons)
    return not speaks_of_time and not any(astuple(read_times(rest, now.date(), tuple(lexicons))))


def has_word_like_time(said: Iterable[str], lexicons: Sequence[Lexicon]) -> bool:
    """Return True if a word holds the name of a day, a month, or a part of the day, or may be one that is misspelt:
    “Freitagabend”, “noonish”, “tommorow”."""
    days = tuple(each.time["day"].split()[0] for each in lexicons if each.time["day"])
    words = {word for each in lexicons for word in (*each.words_of_time, *" ".join(each.time["months"]).split())}
    stems = [word for word in words if len(word) >= MIN_STEM_LETTERS and not word.startswith(days)]
    small = {word for each in lexicons for word in each.small_words | each.grammar.negations}  # “nichts” is no “nachts”
    telling = {word for word in said if len(word) >= MIN_STEM_LETTERS} - small
    if any(word.endswith(days) or any(stem in word for stem in stems) for word in telling):
        return True
    long = [word for word in stems if len(word) > MIN_STEM_LETTERS]
    return any(get_close_matches(word, long, 1, MISSPELT_SHARE) for word in telling if len(word) > MIN_STEM_LETTERS)


def without_lengths(words: str, lexicons: Sequence[Lexicon]) -> str:
    """Return the words without the hours and minutes that something is to take."""
    for pattern in (each for lexicon in lexicons for each in length_patterns(lexicon)):
        words = re.sub(pattern, " ; ", words, flags=re.IGNORECASE)
    return words


def length_patterns(lexicon: Lexicon) -> Iterator[str]:
    """Yield patterns of “for 4 hours”, “4 hours long” and “4-hour”, but not of “2 hours later”."""
    table = lexicon.time
    before, behind, shifts = (alternatives(table[each].split()) for each in ("before_length", "after_length", "shifts"))
    number = rf"(?:\d{{1,3}}(?:[.,]\d)?|{alternatives({*lexicon.grammar.numbers, *table['one'].split()})})"
    unit = alternatives(word for each in MINUTES_OF_UNIT for word in table[each].split())
    unmoved = rf"(?!\w)(?!\s+(?:{shifts})(?!\w))"
    spelt = alternatives(word for each in MINUTES_OF_UNIT for word in table[each].split() if len(word) > 1)
    yield rf"(?<!\w)(?:{before})\s+{number}[\s-]*(?:{spelt})(?:\s+(?:{behind}))?{unmoved}"  # “für 14h” is a clock time
    yield rf"(?<!\w){number}(?:\s*-\s*(?:{unit})(?:[\s-]+(?:{behind}))?|\s*(?:{unit})[\s-]+(?:{behind})){unmoved}"
