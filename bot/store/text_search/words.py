"""The words of a text, and their stems: folded, so that case, accents and endings make no difference.

A text may be in any of the operator's languages, so a word has a stem in each of them. The stemmers are Snowball's, by
PyStemmer, which is loaded with the first text that is indexed or searched.
"""

import re
import threading
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from bot.store.text_search.function_words import FUNCTION_WORDS

# Thai and Lao, kana, Han: they put no spaces between words, so each character counts as a word.
SINGLE_CHARACTER_WORD_RANGES = "\u0e00-\u0eff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff"
WORD_PATTERN = re.compile(rf"[{SINGLE_CHARACTER_WORD_RANGES}]|[^\W_{SINGLE_CHARACTER_WORD_RANGES}]+")
MIN_WORD_PREFIX_LENGTH = 3  # characters: a word of this many or more is also searched as the beginning of longer ones
MAX_CACHED_WORDS = 20_000  # words whose stems stay in memory
SPEAKER_MARK = "@"  # before a word of the name of who said a text; no word has this sign
MAX_WORD_CHARACTERS = 60  # characters of a word that are indexed and searched: longer ones are no words

Languages = tuple[str, ...]  # of Snowball's stemmers: "english", "german", …


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchedWord:
    """A word of a query: its stems, and what longer words may begin with to fit it too; empty if it is too short."""

    stems: tuple[str, ...]
    beginning: str


class StemmersOfThread(threading.local):
    """The stemmers of a thread. One stemmer must not work in two threads at once."""

    def __init__(self) -> None:
        self.by_language: dict[str, Any] = {}

    def stem(self, word: str, language: str) -> str:
        stemmer = self.by_language.get(language)
        if stemmer is None:
            from Stemmer import Stemmer

            stemmer = self.by_language[language] = Stemmer(language, 0)  # without a cache of its own
        return str(stemmer.stemWord(word))


stemmers = StemmersOfThread()


@lru_cache(MAX_CACHED_WORDS)
def stems_of_word(word: str, languages: Languages) -> tuple[str, ...]:
    """Return the stems of a folded word in these languages, each once; the word itself if there are no languages."""
    found = (stemmers.stem(word[:MAX_WORD_CHARACTERS], language) for language in languages)
    return tuple(dict.fromkeys(found)) or (word[:MAX_WORD_CHARACTERS],)


def split_into_words(text: str) -> list[str]:
    """Return the words of a text in order, each of letters and digits only. Punctuation and emoji are dropped."""
    if text.isascii():
        return WORD_PATTERN.findall(text.lower())
    folded = unicodedata.normalize("NFKD", text).casefold()
    return WORD_PATTERN.findall("".join(sign for sign in folded if not unicodedata.combining(sign)))


def drop_function_words(words: Sequence[str], languages: Languages) -> list[str]:
    """Return the words without the function words of the language that they are in: the one with the most of them
    here. If there are no other words, return all."""
    lists = [FUNCTION_WORDS[language] for language in languages if language in FUNCTION_WORDS]
    own = max(lists, key=lambda function_words: sum(word in function_words for word in words), default=frozenset())
    return [word for word in words if word not in own] or list(words)


def text_as_stems(text: str, languages: Languages, speaker: str = "") -> str:
    """Return the words of the speaker's name, marked as such, and the stems of a text in order, with a space before and
    after each."""
    words = drop_function_words(split_into_words(text), languages)
    names = (SPEAKER_MARK + name for name in dict.fromkeys(split_into_words(speaker)))
    return f" {' '.join([*names, *(stem for word in words for stem in stems_of_word(word, languages))])} "


def query_as_words(words: Sequence[str], languages: Languages) -> list[SearchedWord]:
    """Return the words of a query (as `split_into_words` returns them), each once."""
    found: dict[tuple[str, ...], SearchedWord] = {}
    for word in drop_function_words(words, languages):
        stems = stems_of_word(word, languages)
        beginning = word[:MAX_WORD_CHARACTERS] if len(word) >= MIN_WORD_PREFIX_LENGTH else ""
        found.setdefault(stems, SearchedWord(stems=stems, beginning=beginning))
    return list(found.values())
