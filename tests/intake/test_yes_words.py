"""The words with which people agree or refuse, in the languages that have stop words."""

from bot.core.stop_words import STOP_WORDS_BY_LANGUAGE
from bot.core.yes_words import ALL_NO_WORDS, ALL_YES_WORDS, NO_WORDS_BY_LANGUAGE, YES_WORDS_BY_LANGUAGE, says_yes


def test_no_word_both_agrees_and_refuses() -> None:
    assert not ALL_YES_WORDS & ALL_NO_WORDS
    assert YES_WORDS_BY_LANGUAGE.keys() == NO_WORDS_BY_LANGUAGE.keys() == STOP_WORDS_BY_LANGUAGE.keys()
    every = [word for words in YES_WORDS_BY_LANGUAGE.values() for word in words]
    assert all(says_yes(f" {word.capitalize()}! ") for word in every)
    assert says_yes("yes and no") is None
