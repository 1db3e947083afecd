"""A lexicon: how people ask for acts in one language. It is read from a file, `bot/core/languages/acts/en.toml`.

Several lexicons may apply at once: a person whose app speaks German may write English.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import Any

from bot.core.acts import ActKind
from bot.core.errors import ConfigError
from bot.core.languages import DEFAULT_LANGUAGE_CODE, texts

LEXICON_FOLDER_NAME = "acts"  # in the folder of languages
LEXICON_FOLDER = Path(__file__).parents[1] / "languages" / LEXICON_FOLDER_NAME
LEXICON_SUFFIX = ".toml"
ANY_WORDS = r"(?:[^\s,.;:!?]+ ){0,6}"  # what "~" stands for in a phrase
REPLACING_MARK = "="
MIN_LETTERS_AFTER_AGAIN = 6  # “recall” is no second call

NEVER = "(?!)"  # a pattern that never matches
# What a table of time may leave out. The English file explains its keys; those of PATTERNS are patterns.
WORDS = """
weekday_plural workday weekend minute hour day week month year every one next times before_ordinal before_clock
after_clock am pm half_past half_to before_length after_length shifts
other_times
"""
PATTERNS = "single on of and ordinal_ending and_a_half quarter"
LISTS = "weekdays months every_other half_units past to"
TABLES = "first_days adverbs_of_frequency duration_words day_words parts clock_words"

Words = frozenset[str]
NO_WORDS: Words = frozenset()


@dataclass(frozen=True, slots=True)
class Verb:
    kinds: frozenset[ActKind]
    particle: str = ""  # that must stand later in the clause: "lade … ein"


@dataclass(frozen=True, slots=True)
class Phrase:
    pattern: re.Pattern[str]
    kind: ActKind
    replaces_verb: bool  # "drop Ann a line" does not delete anything
    is_infinitive: bool  # it ends with a form that asks only together with others: "Bescheid geben"


@dataclass(frozen=True, slots=True)
class Thing:
    """The words for what an act is about."""

    one: re.Pattern[str]
    many: re.Pattern[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Grammar:
    """The small words that decide whether a verb asks. The English file explains each."""

    verbs_stand_first: bool = False
    nouns_are_capital: bool = False
    told_after_breaks: bool = False  # what follows a comma is told: "sag Anna, sie soll …"
    negation_reaches_breaks: bool = False  # "lösch die Datei bitte nicht"
    decimal: str = "."
    numbers: Mapping[str, int] = field(default_factory=dict)
    once_more: Mapping[str, int] = field(default_factory=dict)
    not_negations: Sequence[str] = ()
    not_acts: Sequence[str] = ()
    not_yet: Sequence[str] = ()
    urging: Sequence[str] = ()
    not_many: Sequence[str] = ()
    reasons: Words = NO_WORDS
    other_verbs: Words = NO_WORDS
    money_verbs: Words = NO_WORDS
    money: Words = NO_WORDS
    determiners: Words = NO_WORDS
    articles: Words = NO_WORDS
    before_things: Words = NO_WORDS
    objects: Words = NO_WORDS
    tellers: Words = NO_WORDS
    adverbs: Words = NO_WORDS
    modals: Words = NO_WORDS
    auxiliaries: Words = NO_WORDS
    you: Words = NO_WORDS
    infinitive_marks: Words = NO_WORDS
    tales: Words = NO_WORDS
    telling: Words = NO_WORDS
    also_nouns: Words = NO_WORDS
    selves: Words = NO_WORDS
    manners: Words = NO_WORDS
    ways: Words = NO_WORDS
    reporting: Words = NO_WORDS
    dictating: Words = NO_WORDS
    told_after: Words = NO_WORDS
    told_until: Words = NO_WORDS
    describing: Words = NO_WORDS
    joins: Words = NO_WORDS
    openers: Words = NO_WORDS
    please: Words = NO_WORDS
    negations: Words = NO_WORDS
    negations_after: Words = NO_WORDS
    exclusions: Words = NO_WORDS
    many: Words = NO_WORDS
    times: Words = NO_WORDS
    pair: Words = NO_WORDS
    asking: Words = NO_WORDS
    sources: Words = NO_WORDS
    answers: Words = NO_WORDS
    answered: Words = NO_WORDS
    percent: Words = NO_WORDS
    currencies: Words = NO_WORDS
    numbered: Words = NO_WORDS
    numbers_of_things: Words = NO_WORDS
    bounds: Words = NO_WORDS
    again: Words = NO_WORDS
    file_words: Words = NO_WORDS
    called: Words = NO_WORDS
    naming: Words = NO_WORDS
    wishes: Words = NO_WORDS
    wishing: Words = NO_WORDS
    using: Words = NO_WORDS
    places: Words = NO_WORDS
    duties: Words = NO_WORDS
    doubting: Words = NO_WORDS
    waiting: Words = NO_WORDS
    familiar: Words = NO_WORDS
    contrasts: Words = NO_WORDS
    alternatives: Words = NO_WORDS
    commanding: Words = NO_WORDS
    headings: Words = NO_WORDS
    asking_how: Words = NO_WORDS
    drafts: Words = NO_WORDS
    writing: Words = NO_WORDS
    wishing_modals: Words = NO_WORDS
    particles_at_end: Words = NO_WORDS  # of verbs, where the word also means something else: "lade … ein"


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Lexicon:
    code: str  # a language tag, such as de
    verbs: Mapping[str, tuple[Verb, ...]]  # in the form that asks
    infinitives: Mapping[str, tuple[Verb, ...]]  # where it is another: "bitte … löschen"
    asked_of_you: Mapping[str, tuple[Verb, ...]]  # "schickst du …?"
    phrases: Sequence[Phrase]
    grammar: Grammar
    money: re.Pattern[str]  # words that speak of money
    respellings: Mapping[str, str]
    small_words: Words  # by which the language of a sentence is known
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
        known = next((each for each in (found, found.partition("-")[0]) if self._get(each)), None)
        codes = [known, DEFAULT_LANGUAGE_CODE] if known else [DEFAULT_LANGUAGE_CODE, *self.files]
        lexicons = (self._get(each) for each in dict.fromkeys(codes))
        return tuple(filter(None, lexicons))

    def faults_of_added_files(self) -> list[str]:
        """Return what is wrong with the operator's files. One that cannot be used is left out, or replaced by the
        built-in one of its language."""
        return [fault for path in self.files.values() if path.parent != LEXICON_FOLDER and (fault := fault_of(path))]

    def _get(self, code: str) -> Lexicon | None:
        paths = filter(None, (self.files.get(code), BUILT_IN_LEXICONS.files.get(code)))
        return next((read_lexicon(path) for path in paths if not fault_of(path)), None)


def lexicons_with_folder(folder: Path) -> Lexicons:
    """Return the built-in lexicons and those of a folder. A file there replaces the built-in one of its name."""
    return Lexicons({**BUILT_IN_LEXICONS.files, **lexicon_files(folder)})


def lexicon_files(folder: Path) -> dict[str, Path]:
    found = folder.glob(f"*{LEXICON_SUFFIX}") if folder.is_dir() else ()
    return {path.stem.casefold(): path for path in sorted(found)}


BUILT_IN_LEXICONS = Lexicons(lexicon_files(LEXICON_FOLDER))


def all_built_in_lexicons() -> tuple[Lexicon, ...]:
    return BUILT_IN_LEXICONS.choose(None)


@cache
def fault_of(path: Path) -> str:
    """Return why the file is no lexicon; nothing if it is one."""
    try:
        read_lexicon(path)
    except ConfigError as error:
        return str(error)
    return ""


@cache
def read_lexicon(path: Path) -> Lexicon:
    """Raise ConfigError if the file is no lexicon."""
    try:
        tables = tomllib.loads(path.read_text("utf-8"))
        return make_lexicon(path.stem.casefold(), tables)
    except OSError as error:
        raise ConfigError(texts.UNREADABLE(path=path, reason=error.strerror)) from error
    except (ValueError, TypeError, AttributeError, LookupError, re.error) as error:
        raise ConfigError(texts.NOT_A_LANGUAGE(path=path, reason=error)) from error


def make_lexicon(code: str, tables: Mapping[str, Any]) -> Lexicon:
    phrases = [
        read_phrase(kind, written, is_infinitive=is_infinitive)
        for name, is_infinitive in (("phrases", False), ("infinitive_phrases", True))
        for kind, patterns in tables.get(name, {}).items()
        for written in patterns
    ]
    written_respellings = dict(tables.get("respellings", {}))
    respellings = str.maketrans(written_respellings)
    grammar = read_grammar(tables.get("grammar", {}))
    time = {**empty_time(), **tables.get("time", {})}
    return Lexicon(
        code=code,
        verbs=read_verbs(tables["verbs"], respellings),
        infinitives=read_verbs(tables.get("infinitives", {}), respellings),
        asked_of_you=read_verbs(tables.get("asked_of_you", {}), respellings),
        money=words_pattern(grammar.money),
        respellings=written_respellings,
        small_words=grammar.determiners | grammar.tellers | grammar.modals | grammar.joins | grammar.describing,
        phrases=phrases,
        grammar=grammar,
        things={
            key: read_thing(one, many, respellings, grammar.again)
            for key, (one, many) in tables.get("things", {}).items()
        },
        time=time,
        words_of_time=words_of_time(time),
    )


def empty_time() -> dict[str, Any]:
    """Return a table of time without any words."""
    words, patterns = dict.fromkeys(WORDS.split(), ""), dict.fromkeys(PATTERNS.split(), NEVER)
    found: dict[str, Any] = {**words, **patterns, "day_first": True}
    return found | {name: [] for name in LISTS.split()} | {name: {} for name in TABLES.split()}


def words_of_time(table: Mapping[str, Any]) -> Words:
    units = ("minute", "hour", "day", "week", "month", "year", "workday", "weekend")
    days = [word for words in table["weekdays"] for word in words.split()]
    units_and_days = [word for unit in units for word in table[unit].split()]
    return frozenset([*days, *units_and_days, *table["parts"], *table["day_words"]])


def read_phrase(kind: str, written: str, *, is_infinitive: bool) -> Phrase:
    """Return the phrase. "~" stands for some words, and "=" at the beginning says that it replaces its verb."""
    pattern = written.removeprefix(REPLACING_MARK).replace("~ ", ANY_WORDS)
    compiled = re.compile(rf"\b(?:{pattern})(?!\w)", re.IGNORECASE)
    return Phrase(compiled, ActKind(kind), written.startswith(REPLACING_MARK), is_infinitive)


def read_verbs(tables: Mapping[str, str], respellings: Mapping[int, str]) -> dict[str, tuple[Verb, ...]]:
    """Return the verbs by their form, or the form of their first part: "ein|lade" is "lade … ein"."""
    kinds: dict[tuple[str, str], frozenset[ActKind]] = {}
    for kind, written in tables.items():
        for form in with_respellings(written.lower().split(), respellings):
            particle, _, rest = form.rpartition("|")
            kinds[rest, particle] = kinds.get((rest, particle), frozenset()) | {ActKind(kind)}
    found: dict[str, tuple[Verb, ...]] = {}
    for (form, particle), named in kinds.items():
        found[form] = (*found.get(form, ()), Verb(named, particle))
    return found


def read_grammar(table: Mapping[str, Any]) -> Grammar:
    """Return the grammar. Raise ValueError for a key that there is not, or a value of another kind."""
    given = dict(table)
    known: dict[str, Any] = {"verbs_stand_first": given.pop("verbs_stand", "anywhere") == "first"}
    kinds = {each.name: each.type for each in fields(Grammar)}
    for name, value in given.items():
        kind = kinds.get(name)
        if kind is None:
            raise ValueError(texts.NO_SUCH_KEY(key=name))
        if kind == Words:
            if not isinstance(value, str):
                raise ValueError(texts.BAD_HEADER(key=name, what=texts.A_TEXT))
            value = frozenset(value.lower().split())
        known[name] = value
    return Grammar(**known)


def with_respellings(words: Iterable[str], respellings: Mapping[int, str]) -> list[str]:
    """Return the words, and those that people spell in another way: "loesche" for "lösche"."""
    return list(dict.fromkeys(each for word in words for each in (word, word.translate(respellings))))


def read_thing(one: str, many: str, respellings: Mapping[int, str], again: Words) -> Thing:
    """Return the thing. Its words of some length may begin with a syllable that says “again”: “reschedule”."""
    words = (with_respellings(each.split(), respellings) for each in (one, many))
    return Thing(*(words_pattern([*each, *words_done_again(each, again)]) for each in words))


def words_done_again(words: Iterable[str], again: Words) -> list[str]:
    long = [each for each in words if len(each) >= MIN_LETTERS_AFTER_AGAIN and each.isalpha()]
    return [f"{syllable}{word}" for syllable in again for word in long]


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
