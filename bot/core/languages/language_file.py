"""Read the file of a language: TOML with a table `[language]`, and a table for each catalogue.

The German file beside this module is the model for others: its tables name all catalogues that a language may have.
"""

import tomllib
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from gettext import c2py  # reads the plural rules of gettext, such as "n != 1"
from importlib import import_module
from pathlib import Path
from string import Formatter
from typing import Any

from bot.core.errors import ConfigError
from bot.core.languages import ENGLISH, Language, WritingRules, texts
from bot.core.texts import CountedSentence, Sentence, Text

AnySentence = Sentence | CountedSentence | Text
HEADER = "language"  # the table that says what the language is called and how it writes
GERMAN_FILE = Path(__file__).with_name("de.toml")
LANGUAGE_FILE_SUFFIX = ".toml"
COUNT = "count"
NAMES_IN_LIST = {"weekdays": 7, "short_weekdays": 7, "months": 12, "short_months": 12}
SAMPLE_NUMBERS = 1_000  # for which a plural rule is tried
SAMPLE_TIME, SAMPLE_NUMBER, SAMPLE_TEXT = datetime(2026, 1, 2, tzinfo=UTC), 1, ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageFile:
    language: Language | None  # None: the file cannot be used
    faults: tuple[str, ...]  # what is wrong with the file, or with single sentences, which are said in English
    missing: tuple[str, ...] = ()  # the sentences that it does not have, by catalogue and name


@dataclass(frozen=True, slots=True)
class LanguageFiles:
    """English, and the languages of these files. A file is read when its language is first needed."""

    files: Mapping[str, Path]  # by language tag

    def get(self, code: str) -> Language | None:
        """Return the language with this tag. If its file cannot be used, return the built-in one, if there is one."""
        for path in filter(None, (self.files.get(code), BUILT_IN_FILES.get(code))):
            if language := read_language_file_once(path).language:
                return language
        return ENGLISH if code == ENGLISH.code else None

    def has_file(self, code: str) -> bool:
        """Return True if there is a file for this language, whether or not it can be used."""
        return not {code.casefold(), code.casefold().partition("-")[0]}.isdisjoint(self.files)

    def list_all(self) -> list[Language]:
        codes = sorted({ENGLISH.code, *self.files})
        return [language for code in codes if (language := self.get(code))]

    def read_added_files(self) -> dict[Path, LanguageFile]:
        """Return what is in the files that the operator has added."""
        return {path: read_language_file_once(path) for path in self.files.values() if path != GERMAN_FILE}

    def faults_of_added_files(self) -> list[str]:
        """Return what is wrong with the operator's files and with single sentences in them."""
        return [fault for found in self.read_added_files().values() for fault in found.faults]


BUILT_IN_FILES = {"de": GERMAN_FILE}
BUILT_IN_LANGUAGES = LanguageFiles(BUILT_IN_FILES)


def languages_with_folder(folder: Path) -> LanguageFiles:
    """Return the built-in languages and those of a folder. A file there replaces the built-in language of its name."""
    found = folder.glob(f"*{LANGUAGE_FILE_SUFFIX}") if folder.is_dir() else ()
    return LanguageFiles({**BUILT_IN_LANGUAGES.files} | {path.stem.casefold(): path for path in sorted(found)})


@cache
def read_language_file_once(path: Path) -> LanguageFile:
    try:
        return read_language_file(path)
    except ConfigError as error:
        return LanguageFile(language=None, faults=(str(error),))


def read_language_file(path: Path) -> LanguageFile:
    """Raise ConfigError if the file cannot be used."""
    try:
        tables = tomllib.loads(path.read_text("utf-8"))
        header = tables.pop(HEADER, {})
        plural_forms, choose = int(header.pop("plural_forms", 2)), c2py(header.pop("plural", "n != 1"))
        name, aliases = header.pop("name"), tuple(map(str.casefold, header.pop("aliases", ())))
        check_plural_rule(choose, plural_forms)
        check_header({"name": name, **header})
        rules = WritingRules(**header)
    except OSError as error:
        raise ConfigError(texts.UNREADABLE(path=path, reason=error.strerror)) from error
    except KeyError as error:
        raise ConfigError(texts.NO_NAME(path=path)) from error
    except (ValueError, TypeError, AttributeError) as error:
        raise ConfigError(texts.NOT_A_LANGUAGE(path=path, reason=error)) from error
    forms: dict[object, tuple[str, ...]] = {}
    faults: list[str] = []
    tables_of_names = {name: found if isinstance(found, dict) else {} for name, found in tables.items()}
    for name_of_catalogue, found in tables_of_names.items():
        known = sentences_of_catalogue(name_of_catalogue) if is_catalogue(name_of_catalogue, path) else None
        if known is None:
            faults.append(texts.NO_SUCH_CATALOGUE(path=path, name=name_of_catalogue))
            continue
        for key, written in flatten(found):
            if fault := find_fault(known.get(key), written, plural_forms):
                faults.append(texts.SENTENCE_NOT_USED(path=path, catalogue=name_of_catalogue, name=key, fault=fault))
            else:
                forms[known[key]] = (written,) if isinstance(written, str) else tuple(written)
    language = Language(
        code=path.stem.casefold(), name=name, aliases=aliases, rules=rules, forms=forms, form_for_count=choose
    )
    return LanguageFile(language=language, faults=tuple(faults), missing=missing_sentences(path, forms))


def missing_sentences(path: Path, forms: Container[object]) -> tuple[str, ...]:
    """Return the names of the sentences that are not among the forms. The German file is not asked: a test does it."""
    names = german_catalogues() if path != GERMAN_FILE else ()
    known = {f"{name}, {key}": each for name in sorted(names) for key, each in sentences_of_catalogue(name).items()}
    return tuple(name for name, sentence in known.items() if sentence not in forms)


def check_plural_rule(choose: Callable[[int], int], plural_forms: int) -> None:
    """Raise ValueError if a rule chooses a form that a sentence does not have."""
    for number in range(SAMPLE_NUMBERS):
        if not 0 <= (chosen := choose(number)) < plural_forms:
            last = plural_forms - 1
            what = texts.PLURAL_RULE(last=last, count=plural_forms, number=number, chosen=chosen)
            raise ValueError(texts.BAD_HEADER(key="plural", what=what))


def check_header(header: Mapping[str, Any]) -> None:
    """Raise ValueError if one of these values cannot be used: it would fail only when somebody is spoken to."""
    for key, value in header.items():
        if count := NAMES_IN_LIST.get(key):
            if not isinstance(value, list) or len(value) != count or not all(isinstance(each, str) for each in value):
                raise ValueError(texts.BAD_HEADER(key=key, what=texts.LIST_OF_TEXTS(count=count)))
        elif not isinstance(value, str):
            raise ValueError(texts.BAD_HEADER(key=key, what=texts.A_TEXT))
        elif key == "money" and placeholders(value) != {"amount"}:
            raise ValueError(texts.BAD_HEADER(key=key, what=texts.MONEY_FORM()))


def is_catalogue(name: str, path: Path) -> bool:
    """Return True if a file may have a table of this name: the German one has it, which comes with the code."""
    return path == GERMAN_FILE or name in german_catalogues()


def german_catalogues() -> frozenset[str]:
    return frozenset(german_keys())


@cache
def german_keys() -> Mapping[str, frozenset[str]]:
    """Return the names of the German sentences by catalogue."""
    tables = tomllib.loads(GERMAN_FILE.read_text("utf-8"))
    return {name: frozenset(key for key, _ in flatten(table)) for name, table in tables.items() if name != HEADER}


def sentences_of_catalogue(name: str) -> dict[str, AnySentence]:
    """Return the sentences of a catalogue by name; those that stand in a table by the table's name and their key. Of
    texts for operators, return those that German has: people may read them as a reason."""
    known, module = german_keys()[name], import_module(name)
    found: dict[str, AnySentence] = {key: text for key in known if isinstance(text := vars(module).get(key), Text)}
    for key, value in vars(module).items():
        if isinstance(value, Sentence | CountedSentence):
            found[key] = value
        elif isinstance(value, dict) and key.isupper():
            inner = {f"{key}.{each}": text for each, text in value.items()}
            found |= {each: text for each, text in inner.items() if isinstance(text, Sentence | CountedSentence)}
    return found


def flatten(table: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the sentences of a table, and those of the tables in it as `STATES.working`."""
    for key, value in table.items():
        if isinstance(value, dict):
            yield from ((f"{key}.{inner}", each) for inner, each in value.items())
        else:
            yield key, value


def find_fault(sentence: AnySentence | None, written: Any, plural_forms: int) -> str:
    """Return why a translation cannot be used; empty if it can."""
    if sentence is None:
        return texts.NO_SUCH_SENTENCE
    is_counted = isinstance(sentence, CountedSentence)
    if not isinstance(written, list if is_counted else str):
        return texts.MUST_BE_LIST(count=plural_forms) if is_counted else texts.MUST_BE_TEXT
    forms = list(written) if is_counted else [written]
    if is_counted and len(forms) != plural_forms:
        return texts.MUST_BE_LIST(count=plural_forms)
    english = {*placeholders(english_templates(sentence)[-1]), *([COUNT] if is_counted else [])}
    for form in forms:
        try:
            found = placeholders(str(form))
        except (ValueError, TypeError) as error:
            return str(error)
        if found - {COUNT} != english - {COUNT} or not found <= english:
            return texts.OTHER_PLACEHOLDERS(names=", ".join(sorted(english)) or texts.NONE)
        try:
            ENGLISH.fill_in(str(form), sample_values(sentence))
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            return texts.NOT_WRITABLE(reason=error)
    return ""


def english_templates(sentence: AnySentence) -> tuple[str, ...]:
    """Return the English forms of a sentence."""
    return (str(sentence),) if isinstance(sentence, Text) else sentence.templates


def sample_values(sentence: AnySentence) -> dict[str, object]:
    """Return values of the kinds that the English sentence writes: times, numbers, and texts. What a text for operators
    has said is all text."""
    if isinstance(sentence, Text):
        return dict.fromkeys(placeholders(sentence), SAMPLE_TEXT)
    found: dict[str, object] = {COUNT: SAMPLE_NUMBER} if isinstance(sentence, CountedSentence) else {}
    for _, name, form, _ in Formatter().parse(english_templates(sentence)[-1]):
        if name and name not in found:
            found[name] = SAMPLE_TIME if "%" in (form or "") else SAMPLE_NUMBER if form else SAMPLE_TEXT
    return found


def placeholders(form: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(form) if name is not None}
