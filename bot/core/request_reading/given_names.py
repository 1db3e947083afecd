"""The names that a person gives to something new: “an event called 'Lunch'”, “a file named plan.md”."""

import re
from collections.abc import Iterable, Sequence

from bot.core.acts import ActKind
from bot.core.request_reading.lexicon import Lexicon, Verb
from bot.core.request_reading.own_words import QUOTATION_PATTERN
from bot.core.request_reading.paths import list_file_names
from bot.core.request_reading.values import fold, stands_in

PLACEHOLDER_PATTERN = re.compile(r"\{[^{}]*\}|<[^<>]*>|\[[^\[\]]*\]")  # in a name that is to be completed
MAX_WORDS_BEFORE_NAME = 3  # “the title should be 'Lunch'”
WORD_PATTERN = re.compile(r"[\w'’-]+")  # noqa: RUF001 -- an apostrophe of people


def is_name_given(name: str, words: str, lexicons: Sequence[Lexicon], *, is_file: bool = True) -> bool:
    """Return True if something new may be called so: if the words give names, it has one of them. Names of files that
    the words hold are given only to files."""
    files = list(list_given_files(words, lexicons)) if is_file else []
    quoted = list(list_quoted_names(words, lexicons))
    is_quoted = any(name_pattern(each).fullmatch(fold(name)) for each in quoted)
    return is_quoted or any(stands_in(each, name) for each in files) or not (files or quoted)


def list_given_files(words: str, lexicons: Sequence[Lexicon]) -> Iterable[str]:
    """Return the names of files behind a word such as “as” or “called”, one for a file, or a verb that makes it."""
    naming = {word for lexicon in lexicons for word in (*lexicon.grammar.naming, *lexicon.grammar.called)}
    naming |= {word for lexicon in lexicons for word in lexicon.grammar.file_words}
    makers = {form for lexicon in lexicons for form, verbs in lexicon.verbs.items() if makes_something(verbs)}
    for name in list_file_names(words):
        for found in re.finditer(rf"(\w*)\W*\s\S*?(?<!\w){re.escape(name)}", words):
            if found[1].lower() in naming | makers:
                yield name


def makes_something(verbs: Iterable[Verb]) -> bool:
    return any(ActKind.MAKE in verb.kinds for verb in verbs)


def list_quoted_names(words: str, lexicons: Sequence[Lexicon]) -> Iterable[str]:
    """Return what stands in quotation marks soon behind a word such as “called”."""
    called = {word for lexicon in lexicons for word in lexicon.grammar.called}
    for quoted in QUOTATION_PATTERN.finditer(words):
        before = WORD_PATTERN.findall(words[: quoted.start()].lower())[-1 - MAX_WORDS_BEFORE_NAME :]
        if called & {*before}:
            yield quoted[0][1:-1]


def name_pattern(given: str) -> re.Pattern[str]:
    """Return a pattern for a given name. Something stands in the place of “{hotel}”, and a file may have an ending."""
    parts = (re.escape(fold(each)) for each in PLACEHOLDER_PATTERN.split(given))
    return re.compile(r"\s*\S.*".join(parts).strip() + r"(?:\.\w{1,5})?")
