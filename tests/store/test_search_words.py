"""How the words of texts and queries are split, stemmed and weighed: the fewer texts hold a word, the more it tells."""

import pytest
from Stemmer import algorithms

from bot.core.setting_types import SEARCH_LANGUAGES
from bot.store.text_search import ranking
from bot.store.text_search.ranking import WeighedWord
from bot.store.text_search.word_index import WordHits
from bot.store.text_search.words import query_as_words, split_into_words, text_as_stems
from tests.support.search import LANGUAGES


def weigh(query: str, *hits: set[int]) -> list[WeighedWord]:
    words = query_as_words(query.split(), LANGUAGES)
    return ranking.weigh_words(words, [WordHits(whole=frozenset(each), begun=frozenset()) for each in hits])


def test_words_are_folded_and_signs_are_none() -> None:
    assert split_into_words("Zoë's Café, 東京! 🎉") == ["zoe", "s", "cafe", "東", "京"]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("she was baking cakes", "bake cake"),
        ("die Häuser der Kinder", "Haus"),
        ("zwei Termine beim Zahnarzt", "Termin"),
        ("her allergies", "allergy"),
    ],
)
def test_the_forms_of_a_word_have_one_stem(text: str, query: str) -> None:
    stems = text_as_stems(text, LANGUAGES)
    for word in query_as_words(split_into_words(query), LANGUAGES):
        assert any(f" {stem} " in stems for stem in word.stems)


def test_function_words_are_those_of_the_texts_own_language() -> None:
    assert text_as_stems("the war was in a museum", ("english",)) == " war museum "
    assert text_as_stems("das war in einem Museum", LANGUAGES).split() == ["museum"]


def test_a_text_of_function_words_alone_keeps_them() -> None:
    assert text_as_stems("to be or not to be", ("english",)) == " to be or not to be "


def test_without_languages_a_word_is_its_own_stem() -> None:
    assert text_as_stems("she was baking", ()) == " she was baking "


def test_every_language_of_the_setting_has_a_stemmer() -> None:
    assert set(SEARCH_LANGUAGES) <= set(algorithms())


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
