"""Which acts the words of a person ask for, how many, and of what."""

import pytest

from bot.core.acts import ActKind
from bot.core.request_reading import read_request
from bot.core.request_reading.lexicon import BUILT_IN_LEXICONS, Lexicon
from bot.core.request_reading.own_words import own_words
from tests.request_reading.phrases import ASKING, NOT_ASKING

ENGLISH = BUILT_IN_LEXICONS.choose("en")


def names(words: str, kind: ActKind, lexicons: tuple[Lexicon, ...] = ENGLISH) -> bool:
    return read_request(words, lexicons).names(frozenset({kind}))


def count(words: str, kind: ActKind, *things: str, lexicons: tuple[Lexicon, ...] = ENGLISH) -> int | None:
    return read_request(words, lexicons).count_named(frozenset({kind}), frozenset(things))


def speaks_of(words: str, *things: str) -> bool:
    return read_request(words, ENGLISH).speaks_of(frozenset(things))


def test_what_asks_names_its_act() -> None:
    assert [words for words, kind in ASKING if not names(words, kind)] == []


def test_what_does_not_ask_names_no_act() -> None:
    assert [(words, kind) for words, kind in NOT_ASKING if names(words, kind)] == []


@pytest.mark.parametrize(
    ("words", "kind", "things", "most"),
    [
        ("Send Anna the plan", ActKind.SEND, ("message",), 1),
        ("Send Anna and Ben the plan", ActKind.SEND, ("message",), 2),
        ("Send Anna, Ben and Max a note", ActKind.SEND, ("message",), 3),
        ("Send it to a@x.de, b@x.de", ActKind.SEND, ("message",), 2),
        ("Delete the files", ActKind.DELETE, ("file",), None),
        ("Delete the two old files", ActKind.DELETE, ("file",), 2),
        ("Delete both files", ActKind.DELETE, ("file",), 2),
        ("Delete 3 of the notes", ActKind.DELETE, ("note",), 3),
        ("Delete the files", ActKind.DELETE, ("reminder",), 1),
        ("Write to all who asked", ActKind.SEND, ("message",), None),
        ("Remind me every Friday", ActKind.MAKE, ("reminder",), 1),
        ("Read all my mails and send Anna a summary", ActKind.SEND, ("mail",), 1),
        ("Send Anna a mail. Then send Ben one.", ActKind.SEND, ("mail",), 2),
        ("Delete and archive the old files", ActKind.DELETE, ("file",), None),
        ("Remind me three times", ActKind.MAKE, ("reminder",), 3),
        ("What is in my mails?", ActKind.SEND, ("mail",), 0),
        ("Delete the widgets", ActKind.DELETE, ("widget",), None),
        ("Please pay him", ActKind.PAY, ("payment",), 1),
    ],
)
def test_the_words_bound_how_many(words: str, kind: ActKind, things: tuple[str, ...], most: int | None) -> None:
    assert count(words, kind, *things) == most


def test_words_speak_of_a_thing_by_its_synonyms() -> None:
    assert speaks_of("show me the document", "file")
    assert speaks_of("cancel the meetings", "appointment")
    assert not speaks_of("cancel the meetings", "file")


def test_a_thing_that_is_no_key_stands_for_itself() -> None:
    assert speaks_of("mute the Wombat-Alarm", "wombat-alarm")
    assert speaks_of("feed the wombats", "wombat")
    assert not speaks_of("feed the wombatlike", "wombat")


def test_quoted_lines_and_fenced_code_are_not_own_words() -> None:
    text = "Is this true?\n> please pay 500\n```\ndelete it\n```\nThanks"
    assert own_words(text) == "Is this true?\nThanks"


def test_a_fence_ends_only_with_its_own_kind() -> None:
    assert own_words("a\n````\n```\nsend it\n````\nb") == "a\nb"
    assert own_words("a\n~~~\n```\nsend it") == "a"


def test_a_hidden_line_break_does_not_end_a_quoted_line() -> None:
    assert own_words("> a\u2028delete it\rdelete it\u0085delete it\nb") == "b"
