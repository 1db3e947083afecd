"""Words without content are neither indexed nor searched, in the language that a text is in."""

from bot.core.setting_types import SEARCH_LANGUAGES
from bot.store.text_search.function_words import FUNCTION_WORDS
from bot.store.text_search.words import split_into_words, text_as_stems
from tests.support.search import LANGUAGES


def test_the_lists_are_of_folded_words_in_known_languages() -> None:
    assert FUNCTION_WORDS.keys() <= set(SEARCH_LANGUAGES)
    for words in FUNCTION_WORDS.values():
        assert all(split_into_words(word) == [word] for word in words)


def test_function_words_are_those_of_the_texts_own_language() -> None:
    assert text_as_stems("the war was in a museum", ("english",)) == " war museum "
    assert text_as_stems("das war in einem Museum", LANGUAGES).split() == ["museum"]


def test_a_text_of_function_words_alone_keeps_them() -> None:
    assert text_as_stems("to be or not to be", ("english",)) == " to be or not to be "
