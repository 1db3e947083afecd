"""The order of what a search finds: rare words count more, and in a conversation so do the words said around a text.

Only the ids of texts are known at first: which of them have which word. In a conversation the ids of neighbouring texts
are consecutive numbers. So a shortlist is made without reading any text, and only that is read and weighed in full. The
weights were chosen by measuring: `tests/bench/locomo.py`, docs/decisions/0026.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest
from math import log

from bot.store.text_search.word_index import WordHits
from bot.store.text_search.words import SearchedWord

SUPPOSED_TEXTS = 1_000  # texts of a scope, for the rarity of a word: counting them would cost more than it is worth
SHARE_OF_BEGINNING = 0.2  # what a word counts where it only begins a longer one
MAX_SHORTLISTED_TEXTS = 100  # texts, at most, that are read and weighed in full

BM25_K1, BM25_B = 0.45, 0.15  # BM25's k1 and b: in chats a word that is said twice means little more
USUAL_STEMS = 14  # stems of a text of usual length

CONVERSATION_BITS = 20  # of the id of a text that was said: its number in its conversation
# What the words of the text so many places before or after a text of a conversation count for it
SHARE_OF_NEIGHBOUR = {-3: 0.06, -2: 0.38, -1: 0.7, 0: 1.0, 1: 0.21, 2: 0.14, 3: 0.08}
# The same for the second list, in which a word counts once, where it is said nearest
CLOSENESS_OF_NEIGHBOUR = {0: 1.0, 1: 0.75, 2: 0.68, 3: 0.25}
SHARE_OF_CONVERSATION = 0.075  # what a word counts for all texts of a conversation in which it is said
BONUS_FOR_NAMED_SPEAKER = 0.36  # for what somebody has said who is named in the query
MALUS_FOR_QUESTION = 0.21  # for a text that asks: the answer stands in another
FUSION_RANK = 35.0  # reciprocal rank fusion: a text at place n of a list gets 1 / (FUSION_RANK + n)
WEIGHT_OF_SECOND_LIST = 1.25
DAYS_TO_HALF_FRESHNESS = 90.0


@dataclass(frozen=True, slots=True, kw_only=True)
class WeighedWord:
    """A searched word with the texts that it fits, and how telling it is."""

    word: SearchedWord
    hits: WordHits
    rarity: float


def weigh_words(words: Sequence[SearchedWord], hits: Sequence[WordHits]) -> list[WeighedWord]:
    """Return the words that fit any text. The fewer texts have a word, the more telling it is."""
    found = []
    for word, each in zip(words, hits, strict=True):
        if number := len(each.word_matches) + len(each.prefix_matches):
            of = max(SUPPOSED_TEXTS, number)
            rarity = log(1 + (of - number + 0.5) / (number + 0.5))
            found.append(WeighedWord(word=word, hits=each, rarity=rarity))
    return found


def score_own_words(weighed: Sequence[WeighedWord]) -> dict[int, float]:
    """Return how well each text fits by its own words, as far as the index tells."""
    scores: dict[int, float] = defaultdict(float)
    for each in weighed:
        for id in each.hits.word_matches:
            scores[id] += each.rarity
        for id in each.hits.prefix_matches:
            scores[id] += each.rarity * SHARE_OF_BEGINNING
    return scores


def score_neighbourhood(weighed: Sequence[WeighedWord]) -> dict[int, float]:
    """Return how well each text of a conversation fits, by its own words and those around it: shortly before or after,
    and anywhere in its conversation."""
    scores: dict[int, float] = defaultdict(float)
    for id, score in score_own_words(weighed).items():
        for place, share in SHARE_OF_NEIGHBOUR.items():
            scores[id - place] += score * share
    of_conversation: dict[int, float] = defaultdict(float)
    for each in weighed:
        for conversation in {id >> CONVERSATION_BITS for id in each.hits.word_matches}:
            of_conversation[conversation] += each.rarity * SHARE_OF_CONVERSATION
    return {id: score + of_conversation[id >> CONVERSATION_BITS] for id, score in scores.items()}


def score_coverage(weighed: Sequence[WeighedWord], ids: Collection[int]) -> dict[int, float]:
    """Return how many of the words are said in or near each of these texts of a conversation. Each counts once."""
    scores = dict.fromkeys(ids, 0.0)
    for each in weighed:
        said_in = each.hits.word_matches | each.hits.prefix_matches
        for id in ids:
            for distance, closeness in CLOSENESS_OF_NEIGHBOUR.items():  # the nearest first
                if id - distance in said_in or id + distance in said_in:
                    scores[id] += each.rarity * closeness
                    break
    return scores


def fuse(first: Mapping[int, float], second: Mapping[int, float]) -> list[int]:
    """Return the ids of two lists in one order, best first: by reciprocal rank fusion. Of two that fit equally well the
    newer comes first."""
    fused: dict[int, float] = defaultdict(float)
    for scores, weight in ((first, 1.0), (second, WEIGHT_OF_SECOND_LIST)):
        for place, id in enumerate(shortlist(scores, len(scores)), start=1):
            fused[id] += weight / (FUSION_RANK + place)
    return shortlist(fused, len(fused))


def shortlist(scores: Mapping[int, float], most: int = MAX_SHORTLISTED_TEXTS) -> list[int]:
    """Return the ids of the texts that fit best, at most `most`. Of two that fit equally well take the newer."""
    return nlargest(most, scores, key=lambda id: (scores[id], id))


def score_stems(stems: str, weighed: Collection[WeighedWord]) -> float:
    """Return how well a text fits by its own words, by BM25. The stems have a space before and after each."""
    length = 1 - BM25_B + BM25_B * stems.count(" ") / USUAL_STEMS
    score = 0.0
    for each in weighed:
        times = float(max(stems.count(f" {stem} ") for stem in each.word.stems))
        if not times and each.word.beginning:
            times = SHARE_OF_BEGINNING * stems.count(f" {each.word.beginning}")
        if times:
            score += each.rarity * times * (BM25_K1 + 1) / (times + BM25_K1 * length)
    return score


def factor_for_text(*, is_named: bool, asks: bool) -> float:
    """Return the factor for a text of a conversation: more if the query names its speaker, less if it asks."""
    return (1 + BONUS_FOR_NAMED_SPEAKER * is_named) * (1 - MALUS_FOR_QUESTION * asks)


def freshness_factor(days: float) -> float:
    """Return the factor by which a memory of so many days ago is preferred: from 2 for today down to 1."""
    return 1 + DAYS_TO_HALF_FRESHNESS / (DAYS_TO_HALF_FRESHNESS + max(0.0, days))
