"""How texts and queries are split into words, and words become stems."""

import pytest
from Stemmer import algorithms

from bot.core.setting_types import SEARCH_LANGUAGES
from bot.store.text_search.words import query_as_words, split_into_words, text_as_stems
from tests.support.search import LANGUAGES


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


def test_without_languages_a_word_is_its_own_stem() -> None:
    assert text_as_stems("she was baking", ()) == " she was baking "


def test_every_language_of_the_setting_has_a_stemmer() -> None:
    assert set(SEARCH_LANGUAGES) <= set(algorithms())
