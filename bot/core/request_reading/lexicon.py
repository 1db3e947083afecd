"""A lexicon: how people ask for acts in one language. It is read from a file, `bot/core/languages/acts/en.toml`.

Several lexicons may apply at once: a person whose app speaks German may write English.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from bot.core.acts import ActKind
from bot.core.errors import ConfigError
from bot.core.languages import DEFAULT_LANGUAGE_CODE, texts

LEXICON_FOLDER = Path(__file__).parents[1] / "languages" / "acts"
LEXICON_SUFFIX = ".toml"
ANY_WORDS = r"(?:[^\s,.;:!?]+ ){0,4}"  # what "~" stands for in a phrase

Words = frozenset[str]
NO_WORDS: Words = frozenset()


@dataclass(frozen=True, slots=True)
class Verb:
    kinds: frozenset[ActKind]
    particle: str = ""  # that must stand later in the clause: "lade … ein"


@dataclass(frozen=True, slots=True)
class Thing:
    """The words for what an act is about."""

    one: re.Pattern[str]
    many: re.Pattern[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Grammar:
    """The small words that decide whether a verb asks. The English file explains each."""

    verbs_stand_first: bool = False
    decimal: str = "."
    numbers: Mapping[str, int]
    once_more: Mapping[str, int]
    not_negations: tuple[str, ...]
    not_acts: tuple[str, ...]
    other_verbs: Words
    money_verbs: Words
    money: Words
    determiners: Words
    tellers: Words
    adverbs: Words
    modals: Words
    you: Words
    infinitive_marks: Words
    tales: Words
    telling: Words
    told_after: Words
    told_until: Words
    describing: Words
    joins: Words
    openers: Words
    please: Words
    negations: Words
    negations_after: Words
    many: Words
    times: Words
    pair: Words
    asking: Words
    sources: Words
    answers: Words
    percent: Words
    file_words: Words
    called: Words
    wishes: Words = NO_WORDS


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Lexicon:
    code: str  # a language tag, such as de
    verbs: Mapping[str, tuple[Verb, ...]]  # in the form that asks
    infinitives: Mapping[str, tuple[Verb, ...]]  # where it is another: "bitte … löschen"
    asked_of_you: Mapping[str, tuple[Verb, ...]]  # "schickst du …?"
    phrases: Sequence[tuple[re.Pattern[str], ActKind]]
    grammar: Grammar
    things: Mapping[str, Thing]
    time: Mapping[str, Any]  # `time_words.py` reads it
    words_of_time: Words  # days, units and parts of the day: "each Friday" names no number of acts


@dataclass(frozen=True, slots=True)
class Lexicons:
    """The lexicons that there are, by language tag. A file is read when its language is first needed."""

    files: Mapping[str, Path]

    def choose(self, code: str | None) -> tuple[Lexicon, ...]:
        """Return the lexicons for a person's words: that of their language and the English one. If there is none for
        their language, or it is unknown, return all."""
        found = (code or "").replace("_", "-").casefold()
        known = next((each for each in (found, found.partition("-")[0]) if each in self.files), None)
        codes = [known, DEFAULT_LANGUAGE_CODE] if known else [DEFAULT_LANGUAGE_CODE, *self.files]
        return tuple(read_lexicon(self.files[each]) for each in dict.fromkeys(codes))


BUILT_IN_LEXICONS = Lexicons({path.stem: path for path in sorted(LEXICON_FOLDER.glob(f"*{LEXICON_SUFFIX}"))})


def all_built_in_lexicons() -> tuple[Lexicon, ...]:
    return BUILT_IN_LEXICONS.choose(None)


@cache
def read_lexicon(path: Path) -> Lexicon:
    """Raise ConfigError if the file is no lexicon."""
    try:
        tables = tomllib.loads(path.read_text("utf-8"))
        return make_lexicon(path.stem.casefold(), tables)
    except OSError as error:
        raise ConfigError(texts.UNREADABLE(path=path, reason=error.strerror)) from error
    except (ValueError, TypeError, AttributeError, KeyError, re.error) as error:
        raise ConfigError(texts.NOT_A_LANGUAGE(path=path, reason=error)) from error


def make_lexicon(code: str, tables: Mapping[str, Any]) -> Lexicon:
    phrases = [
        (re.compile(rf"\b(?:{written.replace('~ ', ANY_WORDS)})(?!\w)", re.IGNORECASE), ActKind(kind))
        for kind, patterns in tables["phrases"].items()
        for written in patterns
    ]
    return Lexicon(
        code=code,
        verbs=read_verbs(tables["verbs"]),
        infinitives=read_verbs(tables.get("infinitives", {})),
        asked_of_you=read_verbs(tables.get("asked_of_you", {})),
        phrases=phrases,
        grammar=read_grammar(tables["grammar"]),
        things={key: read_thing(*map(str.split, written)) for key, written in tables["things"].items()},
        time=tables["time"],
        words_of_time=words_of_time(tables["time"]),
    )


def words_of_time(table: Mapping[str, Any]) -> Words:
    units = ("minute", "hour", "day", "week", "month", "year", "workday", "weekend")
    days = [word for words in table["weekdays"] for word in words.split()]
    return frozenset([*days, *(word for unit in units for word in table[unit].split()), *table["parts"]])


def read_verbs(tables: Mapping[str, str]) -> dict[str, tuple[Verb, ...]]:
    """Return the verbs by their form, or the form of their first part: "ein|lade" is "lade … ein"."""
    kinds: dict[tuple[str, str], frozenset[ActKind]] = {}
    for kind, written in tables.items():
        for form in written.casefold().split():
            particle, _, rest = form.rpartition("|")
            kinds[rest, particle] = kinds.get((rest, particle), frozenset()) | {ActKind(kind)}
    found: dict[str, tuple[Verb, ...]] = {}
    for (form, particle), named in kinds.items():
        found[form] = (*found.get(form, ()), Verb(named, particle))
    return found


def read_grammar(table: Mapping[str, Any]) -> Grammar:
    given = dict(table)
    stand = given.pop("verbs_stand", "anywhere")
    words = {name: frozenset(value.split()) for name, value in given.items() if isinstance(value, str)}
    lists = {name: tuple(value) for name, value in given.items() if isinstance(value, list)}
    tables = {name: value for name, value in given.items() if isinstance(value, dict)}
    decimal = given["decimal"]
    return Grammar(verbs_stand_first=stand == "first", **{**words, **lists, **tables, "decimal": decimal})


def read_thing(one: Iterable[str], many: Iterable[str]) -> Thing:
    return Thing(one=words_pattern(one), many=words_pattern(many))


def words_pattern(words: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern for any of these words. A dash in a word may also be a space; "-word" may end a longer word, as
    "-erinnerung" does in "Terminerinnerung"."""
    parts = []
    for word in sorted(words, key=len, reverse=True):
        written = re.escape(word.lstrip("-")).replace(r"\-", r"[-\s]?")
        begin = r"(?<!\w)(?:\w{3,}-?)?" if word.startswith("-") else r"(?<!\w)"
        parts.append(f"{begin}{written}" + (r"(?!\w)" if word[-1].isalnum() else ""))
    return re.compile("|".join(parts) or r"(?!)", re.IGNORECASE)


@cache
def plain_thing(word: str) -> Thing:
    """Return the thing of a word that is no key of a lexicon: it stands for itself in any language."""
    begin, end = (r"(?<!\w)" if word[:1].isalnum() else ""), (r"(?!\w)" if word[-1:].isalnum() else "")
    written = re.escape(word).replace(r"\ ", r"\s+")
    return Thing(
        one=re.compile(f"{begin}{written}{end}", re.IGNORECASE),
        many=re.compile(f"{begin}{written}(?:s|es)(?!\\w)", re.IGNORECASE),
    )
