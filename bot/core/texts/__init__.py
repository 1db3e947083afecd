"""Texts: every sentence that the program says stands in a catalogue, a module that holds nothing else.

There is a catalogue for each audience: people in chats, operators, and the model. Small packages have their own, named
`texts.py`, or `people_texts.py`, `operator_texts.py` and `model_texts.py` where they speak to several. Code chooses a
text by its name and fills in its placeholders; it never builds a sentence of pieces. So a translation needs only these
modules.

What people read is a `Sentence`, which must be called: `people.NOTHING_TO_STOP()`. It is no `str`, so the type checker
finds each place that would say it without asking for the person's language.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from bot.core.languages import ENGLISH, current_language

Value = str | float | datetime  # of a placeholder of a sentence
MAX_NAME_CHARACTERS = 300  # of a name or path that somebody else made up


class Text(str):
    """A sentence with named placeholders, as in `"Stopped: {messages}."`. Calling it fills them in."""

    __slots__ = ()

    def __call__(self, **values: object) -> str:
        """Return the sentence with a value for each placeholder. Raise KeyError if one is missing."""
        return self.format_map(values)


@dataclass(frozen=True, slots=True)
class Plural:
    """A sentence that depends on a number, which its placeholder `{count}` shows."""

    one: str
    other: str

    def __call__(self, count: int, **values: object) -> str:
        """Return the form for that number with a value for each placeholder. Raise KeyError if one is missing."""
        return (self.one if count == 1 else self.other).format(count=count, **values)


class Sentence:
    """A sentence to people, with named placeholders. Calling it says it in the language that is spoken there."""

    __slots__ = ("english",)

    def __init__(self, english: str) -> None:
        self.english = english

    @property
    def templates(self) -> tuple[str, ...]:
        """Return its English forms."""
        return (self.english,)

    def __call__(self, **values: Value) -> str:
        """Return the sentence with a value for each placeholder. Raise KeyError if one is missing."""
        language = current_language()
        if language is ENGLISH:
            return self.english.format_map(values)
        return language.fill_in(language.forms.get(self, self.templates)[0], values)

    def __format__(self, spec: str) -> str:
        raise TypeError(f"call the sentence: {self.english!r}")


class CountedSentence:
    """A sentence to people that depends on a number, which its placeholder `{count}` shows. Another language may have
    more than two forms."""

    __slots__ = ("one", "other")

    def __init__(self, one: str, other: str) -> None:
        self.one = one
        self.other = other

    @property
    def templates(self) -> tuple[str, ...]:
        """Return its English forms."""
        return self.one, self.other

    def __call__(self, count: int, **values: Value) -> str:
        """Return the form for that number with a value for each placeholder. Raise KeyError if one is missing."""
        language = current_language()
        english = self.one if count == 1 else self.other
        if language is ENGLISH:
            return english.format(count=count, **values)
        forms = language.forms.get(self)
        form = forms[language.form_for_count(count)] if forms else english
        return language.fill_in(form, {"count": count, **values})

    def __format__(self, spec: str) -> str:
        raise TypeError(f"call the sentence: {self.other!r}")


def escape_unprintable(text: str, most: int | None = None) -> str:
    """Return the text on one line, with unprintable characters escaped; of a longer text only `most` characters.

    A path or a key may hold anything; a terminal must not obey it.
    """
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text[:most])
