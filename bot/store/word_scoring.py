"""The words that memory is searched by: folded, so that case and accents make no difference, and weighed by BM25."""

import re
import unicodedata
from collections.abc import Collection, Mapping
from math import log

# Thai and Lao, kana, Han: they put no spaces between words, so each character counts as a word.
SINGLE_CHARACTER_WORD_RANGES = "\u0e00-\u0eff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff"
WORD_PATTERN = re.compile(rf"[{SINGLE_CHARACTER_WORD_RANGES}]|[^\W_{SINGLE_CHARACTER_WORD_RANGES}]+")
MIN_WORD_PREFIX_LENGTH = 3  # characters: a word of this many or more is also searched as the beginning of longer ones

BM25_K1, BM25_B = 1.2, 0.75  # BM25's k1 and b, as FTS5 has them
DAYS_TO_HALF_FRESHNESS = 90.0


def split_into_words(text: str) -> list[str]:
    """Return the words of a text in order, each of letters and digits only. Punctuation and emoji are dropped."""
    if text.isascii():
        return WORD_PATTERN.findall(text.lower())
    folded = unicodedata.normalize("NFKD", text).casefold()
    return WORD_PATTERN.findall("".join(sign for sign in folded if not unicodedata.combining(sign)))


def weigh_words_by_rarity(holding: Mapping[str, Collection[int]]) -> dict[str, float]:
    """Return how telling each word is: the fewer memories (in `holding`) have it, the more."""
    everything = len(set().union(*holding.values()))
    return {word: log(1 + (everything - len(ids) + 0.5) / (len(ids) + 0.5)) for word, ids in holding.items()}


def score_text_for_words(text: str, weighed: Mapping[str, float], usual_length: float) -> float:
    """Return how well a text fits the words. The text must have a space before and after each word. A whole word counts
    twice. A longer word that begins with it counts once."""
    length = 1 - BM25_B + BM25_B * text.count(" ") / usual_length
    counted = ((text.count(f" {word}") + text.count(f" {word} "), weight) for word, weight in weighed.items())
    return sum(weight * times * (BM25_K1 + 1) / (times + BM25_K1 * length) for times, weight in counted)


def freshness_factor(days: float) -> float:
    """Return the factor by which a memory of so many days ago is preferred: from 2 for today down to 1."""
    return 1 + DAYS_TO_HALF_FRESHNESS / (DAYS_TO_HALF_FRESHNESS + max(0.0, days))
