"""The language in which a sentence is said to a person.

Code that speaks to somebody runs inside `speaking(language)`, and every sentence that is called in there is said in it:
`people.NOTHING_TO_STOP()`. The block also holds in the transactions and tasks that are begun in it. Outside of all
blocks a sentence is English; `run_bot` begins with the operator's language.

English stands in the catalogues. Each other language is a file (`language_file.py` reads it).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime
from string import Formatter
from typing import Any, Protocol

DEFAULT_LANGUAGE_CODE = "en"
DATE_NAME_PATTERN = re.compile(r"%[AaBb]")
NUMBER_SIGN_PATTERN = re.compile(r"(?<=\d)[.,](?=\d)")


class Dollars(str):
    """An amount of money as English writes it, such as "$0.25". Other languages write it in their way."""

    __slots__ = ()


class Number(str):
    """A number as English writes it, such as "9.5". Other languages write it in their way."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class WritingRules:
    """How a language writes numbers, money and dates. Where a list of names is empty, the English ones are used."""

    decimal: str = "."
    thousands: str = ","
    money: str = "${amount}"
    weekdays: Sequence[str] = ()  # from Monday on
    short_weekdays: Sequence[str] = ()
    months: Sequence[str] = ()
    short_months: Sequence[str] = ()

    def write_number(self, english: str) -> str:
        """Return a number with this language's signs. `english` has a decimal point, and commas between thousands."""
        signs = {".": self.decimal, ",": self.thousands}
        return NUMBER_SIGN_PATTERN.sub(lambda sign: signs[sign[0]], english)

    def write_money(self, amount: Dollars) -> str:
        return self.money.format(amount=self.write_number(amount.removeprefix("$")))

    def write_time(self, time: datetime, form: str) -> str:
        names = {
            "%A": (self.weekdays, time.weekday()),
            "%a": (self.short_weekdays, time.weekday()),
            "%B": (self.months, time.month - 1),
            "%b": (self.short_months, time.month - 1),
        }

        def name_of(found: re.Match[str]) -> str:
            words, place = names[found[0]]
            return words[place].replace("%", "%%") if words else found[0]

        return time.strftime(DATE_NAME_PATTERN.sub(name_of, form))


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Language:
    code: str  # a language tag, such as de
    name: str  # in the language itself
    aliases: Sequence[str] = ()  # other names that people may type for it
    rules: WritingRules = WritingRules()
    forms: Mapping[object, Sequence[str]] = field(default_factory=dict)  # by sentence; English has none
    form_for_count: Callable[[int], int] = lambda count: int(count != 1)  # which form of a counted sentence is said

    def fill_in(self, template: str, values: Mapping[str, object]) -> str:
        """Return the template with a value for each placeholder. Raise KeyError if one is missing."""
        return LanguageFormatter(self.rules).vformat(template, (), values)


class LanguageFormatter(Formatter):
    """Fill in placeholders as `str.format` does, with numbers, money and dates in the way of a language."""

    def __init__(self, rules: WritingRules) -> None:
        self.rules = rules

    def format_field(self, value: Any, format_spec: str) -> str:
        if isinstance(value, datetime):
            return self.rules.write_time(value, format_spec)
        if isinstance(value, Dollars):
            return self.rules.write_money(value)
        if isinstance(value, Number):
            return self.rules.write_number(value)
        written: str = super().format_field(value, format_spec)
        is_number = isinstance(value, int | float) and format_spec
        return self.rules.write_number(written) if is_number else written


ENGLISH = Language(code=DEFAULT_LANGUAGE_CODE, name="English", aliases=("englisch",))


class Languages(Protocol):
    """The languages that there are."""

    def get(self, code: str) -> Language | None:
        """Return the language with exactly this tag; None: there is none."""

    def list_all(self) -> Sequence[Language]:
        """Return the languages, by their tags."""


_current: ContextVar[Language] = ContextVar("language", default=ENGLISH)


def current_language() -> Language:
    return _current.get()


def set_language(language: Language) -> None:
    """Say everything in this language from now on: in this task and those that it begins, or in this transaction."""
    _current.set(language)


@contextmanager
def speaking(language: Language) -> Iterator[None]:
    """Say in this language what is said inside the block."""
    token = _current.set(language)
    try:
        yield
    finally:
        _current.reset(token)


def match_language(languages: Languages, code: str) -> Language | None:
    """Return the language with this tag, or else the one without its region: `de` for `de-AT`. None: there is none."""
    wanted = code.strip().replace("_", "-").casefold()
    return languages.get(wanted) or languages.get(wanted.partition("-")[0])


def match_language_as_typed(languages: Languages, typed: str) -> Language | None:
    """Return the language that a person means by its tag or its name."""
    wanted = typed.strip().casefold()
    named = (each for each in languages.list_all() if wanted in (each.name.casefold(), *each.aliases))
    return match_language(languages, typed) or next(named, None)
