"""The blocks of a transcript, as they are read."""

from bot.blocks import answered, valid, words

TORN = [words("a\ud83d b\0 é 😀"), answered("t", "\udc00", is_error=False)]


def test_what_is_read_can_be_sent_whatever_was_kept() -> None:
    text, result = valid(TORN)
    assert text["text"] == "a? b\ufffd é 😀"
    assert result["content"] == "?"


def test_the_same_always_comes_of_it() -> None:
    assert valid(TORN) == valid(TORN) == valid(valid(TORN))
