"""How texts are ordered: rare words tell more, and in a conversation so do the words around a text."""

from bot.store.text_search import ranking
from bot.store.text_search.ranking import CONVERSATION_BITS, WeighedWord
from bot.store.text_search.word_index import WordHits
from bot.store.text_search.words import query_as_words
from tests.support.search import LANGUAGES

FIRST, SECOND = 1 << CONVERSATION_BITS, 2 << CONVERSATION_BITS  # the ids before the first texts of two conversations


def weigh(query: str, *hits: set[int]) -> list[WeighedWord]:
    words = query_as_words(query.split(), LANGUAGES)
    return ranking.weigh_words(
        words, [WordHits(word_matches=frozenset(each), prefix_matches=frozenset()) for each in hits]
    )


def test_a_rare_word_weighs_more() -> None:
    usual, rare = weigh("number passport", set(range(10)), {3})
    assert rare.rarity > usual.rarity > 0


def test_a_whole_word_counts_more_than_the_beginning_of_one() -> None:
    weighed = weigh("cat", {1})
    assert ranking.score_stems(" cat ", weighed) > ranking.score_stems(" catalogu ", weighed) > 0
    assert ranking.score_stems(" dog ", weighed) == 0


def test_what_is_fresh_counts_up_to_twice() -> None:
    assert ranking.freshness_factor(0) == 2
    assert 1 < ranking.freshness_factor(1_000) < ranking.freshness_factor(10) < 2


def test_words_said_around_a_text_count_for_it_the_less_the_farther() -> None:
    scores = ranking.score_neighbourhood(weigh("passport", {FIRST + 10}))
    assert scores[FIRST + 10] > scores[FIRST + 11] > scores[FIRST + 12] > scores[FIRST + 13] > 0
    assert FIRST + 14 not in scores


def test_a_conversation_in_which_more_of_the_words_are_said_comes_first() -> None:
    scores = ranking.score_neighbourhood(weigh("passport drawer", {FIRST + 1, SECOND + 1}, {SECOND + 90}))
    assert scores[SECOND + 1] > scores[FIRST + 1]


def test_a_word_counts_once_where_it_is_said_nearest() -> None:
    once, often = weigh("passport", {FIRST + 10}), weigh("passport", {FIRST + 10, FIRST + 11, FIRST + 12})
    at, beside = FIRST + 10, FIRST + 11
    assert ranking.score_coverage(once, [at])[at] == once[0].rarity > ranking.score_coverage(once, [beside])[beside]
    assert ranking.score_coverage(often, [at])[at] == often[0].rarity


def test_a_text_high_in_both_lists_comes_before_the_first_of_one() -> None:
    first = {1: 9.0, 2: 8.0, **{n: 7.0 - n / 100 for n in range(3, 50)}}
    second = {2: 9.0, **dict.fromkeys(range(3, 50), 8.0), 1: 0.1}
    assert ranking.fuse(first, second)[0] == 2


def test_of_two_that_fit_equally_well_the_newer_comes_first() -> None:
    assert ranking.shortlist({1: 2.0, 3: 2.0, 2: 2.0}, 2) == [3, 2]


def test_a_named_speaker_counts_more_and_a_question_less() -> None:
    plain = ranking.factor_for_text(is_named=False, asks=False)
    assert (
        ranking.factor_for_text(is_named=True, asks=False) > plain > ranking.factor_for_text(is_named=False, asks=True)
    )
