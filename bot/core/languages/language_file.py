"""Read the file of a language: TOML with a table `[language]`, and a table for each catalogue.

The German file beside this module is the model for others: its tables name all catalogues that a language may have.
"""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from gettext import c2py  # reads the plural rules of gettext, such as "n != 1"
from importlib import import_module
from pathlib import Path
from string import Formatter
from typing import Any

from bot.core.errors import ConfigError
from bot.core.languages import ENGLISH, Language, WritingRules, texts
from bot.core.texts import CountedSentence, Sentence

HEADER = "language"  # the table that says what the language is called and how it writes
GERMAN_FILE = Path(__file__).with_name("de.toml")
LANGUAGE_FILE_SUFFIX = ".toml"
COUNT = "count"


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageFile:
    language: Language
    faults: tuple[str, ...]  # what is wrong with single sentences, which are said in English


@dataclass(frozen=True, slots=True)
class LanguageFiles:
    """English, and the languages of these files. A file is read when its language is first needed."""

    files: Mapping[str, Path]  # by language tag

    def get(self, code: str) -> Language | None:
        if code in self.files:
            return read_language_file_once(self.files[code]).language
        return ENGLISH if code == ENGLISH.code else None

    def list_all(self) -> list[Language]:
        codes = sorted({ENGLISH.code, *self.files})
        return [language for code in codes if (language := self.get(code))]

    def faults_of_added_files(self) -> list[str]:
        """Return what is wrong with single sentences of the operator's files, which people read in English. Raise
        ConfigError if a file cannot be used at all."""
        added = [path for path in self.files.values() if path != GERMAN_FILE]
        return [f"{path}: {fault}" for path in added for fault in read_language_file_once(path).faults]


BUILT_IN_LANGUAGES = LanguageFiles({"de": GERMAN_FILE})


def languages_with_folder(folder: Path) -> LanguageFiles:
    """Return the built-in languages and those of a folder. A file there replaces the built-in language of its name."""
    found = folder.glob(f"*{LANGUAGE_FILE_SUFFIX}") if folder.is_dir() else ()
    return LanguageFiles({**BUILT_IN_LANGUAGES.files} | {path.stem.casefold(): path for path in sorted(found)})


@cache
def read_language_file_once(path: Path) -> LanguageFile:
    return read_language_file(path)


def read_language_file(path: Path) -> LanguageFile:
    """Raise ConfigError if the file cannot be used."""
    try:
        tables = tomllib.loads(path.read_text("utf-8"))
        header = tables.pop(HEADER, {})
        plural_forms, choose = int(header.pop("plural_forms", 2)), c2py(header.pop("plural", "n != 1"))
        name, aliases = header.pop("name"), tuple(map(str.casefold, header.pop("aliases", ())))
        rules = WritingRules(**header)
    except OSError as error:
        raise ConfigError(texts.UNREADABLE(path=path, reason=error.strerror)) from error
    except KeyError as error:
        raise ConfigError(texts.NO_NAME(path=path)) from error
    except (ValueError, TypeError, AttributeError) as error:
        raise ConfigError(texts.NOT_A_LANGUAGE(path=path, reason=error)) from error
    forms: dict[object, tuple[str, ...]] = {}
    faults: list[str] = []
    for name_of_catalogue, found in tables.items():
        known = sentences_of_catalogue(name_of_catalogue) if is_catalogue(name_of_catalogue, path) else None
        if known is None:
            faults.append(texts.NO_SUCH_CATALOGUE(name=name_of_catalogue))
            continue
        for key, written in flatten(found):
            if fault := find_fault(known.get(key), written, plural_forms):
                faults.append(texts.SENTENCE_NOT_USED(catalogue=name_of_catalogue, name=key, fault=fault))
            else:
                forms[known[key]] = (written,) if isinstance(written, str) else tuple(written)
    language = Language(
        code=path.stem.casefold(), name=name, aliases=aliases, rules=rules, forms=forms, form_for_count=choose
    )
    return LanguageFile(language=language, faults=tuple(faults))


def is_catalogue(name: str, path: Path) -> bool:
    """Return True if a file may have a table of this name: the German one has it, which comes with the code."""
    return path == GERMAN_FILE or name in german_catalogues()


@cache
def german_catalogues() -> frozenset[str]:
    return frozenset(tomllib.loads(GERMAN_FILE.read_text("utf-8"))) - {HEADER}


def sentences_of_catalogue(name: str) -> dict[str, Sentence | CountedSentence]:
    """Return the sentences of a catalogue by name; those that stand in a table by the table's name and their key."""
    found: dict[str, Sentence | CountedSentence] = {}
    for key, value in vars(import_module(name)).items():
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


def find_fault(sentence: Sentence | CountedSentence | None, written: Any, plural_forms: int) -> str:
    """Return why a translation cannot be used; empty if it can."""
    if sentence is None:
        return texts.NO_SUCH_SENTENCE
    is_counted = isinstance(sentence, CountedSentence)
    if not isinstance(written, list if is_counted else str):
        return texts.MUST_BE_LIST(count=plural_forms) if is_counted else texts.MUST_BE_TEXT
    forms = list(written) if is_counted else [written]
    if is_counted and len(forms) != plural_forms:
        return texts.MUST_BE_LIST(count=plural_forms)
    english = {*placeholders(sentence.templates[-1]), *([COUNT] if is_counted else [])}
    for form in forms:
        try:
            found = placeholders(str(form))
        except (ValueError, TypeError) as error:
            return str(error)
        if found - {COUNT} != english - {COUNT} or not found <= english:
            return texts.OTHER_PLACEHOLDERS(names=", ".join(sorted(english)) or texts.NONE)
    return ""


def placeholders(form: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(form) if name is not None}
