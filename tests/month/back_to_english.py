"""German sentences of the bot read as the English ones, so that a German month is judged by the same situations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import import_module
from string import Formatter

from bot.core.languages.language_file import (
    BUILT_IN_LANGUAGES,
    english_templates,
    german_catalogues,
    sentences_of_catalogue,
)

SHORTEST = 6  # letters: what has fewer outside its placeholders is looked for as a whole line only
MONEY = re.compile(r"([\d.]*\d(?:,\d+)?) \$")
DAYS = dict(
    zip(
        ("Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag"),
        ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
        strict=True,
    )
)
A_DAY = re.compile("|".join(DAYS))
SHORT_DAYS = {short[:2]: day[:3] for short, day in DAYS.items()}
QUOTES = re.compile("„([^“]*)“")
DATE = re.compile(r"\b(\d\d)\.(\d\d)\.(\d{4}), (\d\d:\d\d)(?: Uhr)?")
DAY = re.compile(r"\b(\d\d)\.(\d\d)\.(\d{4})\b")
A_SHORT_DAY = re.compile(rf"\b({'|'.join(SHORT_DAYS)}),?(?= \d{{4}}-)")


@dataclass(frozen=True)
class Pattern:
    """One form of a German sentence."""

    literal: str  # its longest part without a placeholder
    pattern: re.Pattern[str]
    english: tuple[str, ...]  # for one, and for other numbers
    letters: int
    characters: int

    def put_back(self, text: str) -> str:
        if not self.letters or self.literal not in text:
            return text
        return self.pattern.sub(lambda found: fill(self.form(found.groupdict()), found.groupdict()), text)

    def form(self, values: dict[str, str]) -> str:
        return self.english[0] if values.get("count", "1") == "1" else self.english[-1]


def fill(form: str, values: dict[str, str]) -> str:
    return "".join(
        literal + (values.get(name) or "" if name is not None else "")
        for literal, name, _, _ in Formatter().parse(form)
    )


@lru_cache(maxsize=20_000)
def back_to_english(text: str) -> str:
    """Return a text of the bot with each German sentence in it as the English one with the same values."""
    for each in patterns():
        text = each.put_back(text)
    text = DAY.sub(r"\3-\2-\1", DATE.sub(r"\3-\2-\1 \4", QUOTES.sub(r"“\1”", text)))
    text = MONEY.sub(lambda found: "$" + found[1].replace(".", "").replace(",", "."), text)
    text = A_SHORT_DAY.sub(lambda found: SHORT_DAYS[found[1]], text)
    return A_DAY.sub(lambda found: DAYS[found[0]], text)


@cache
def patterns() -> tuple[Pattern, ...]:
    """Return the forms of all German sentences, the longest first."""
    return tuple(sorted(read_patterns(), key=lambda each: (-each.letters, -each.characters)))


def read_patterns() -> Iterator[Pattern]:
    german = BUILT_IN_LANGUAGES.get("de")
    assert german
    for catalogue in sorted(german_catalogues()):
        import_module(catalogue)
        for sentence in sentences_of_catalogue(catalogue).values():
            forms, english = german.forms.get(sentence, ()), english_templates(sentence)
            for number, form in enumerate(forms):
                counts = "{count" in form
                yield pattern_of(form, english if counts else english[min(number, len(english) - 1) :][:1])


def pattern_of(form: str, english: tuple[str, ...]) -> Pattern:
    pieces = list(Formatter().parse(form))
    literals = [literal for literal, _, _, _ in pieces]
    whole = "".join(literals)
    letters = sum(map(str.isalpha, whole))
    regex = "".join(regex_of(pieces))
    pattern = re.compile(regex if letters >= SHORTEST else f"(?m:^{regex}$)")
    return Pattern(max(literals, key=len), pattern, english, letters, len(whole))


def regex_of(pieces: Iterable[tuple[str, str | None, str | None, str | None]]) -> Iterator[str]:
    seen = set[str]()
    parts = list(pieces)
    for place, (literal, name, _, _) in enumerate(parts):
        yield re.escape(literal)
        if name is None:
            continue
        is_last = place == len(parts) - 1
        yield f"(?P={name})" if name in seen else f"(?P<{name}>{'.*' if is_last else '.+?'})"
        seen.add(name)
