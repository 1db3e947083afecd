"""What the stand-in for Telegram makes of texts and entities that it takes."""

from itertools import combinations
from random import Random
from typing import Any

import pytest

from tests.stand_ins.telegram.texts import formatted, marks, nested, part, units

Span = tuple[str, int, int]
STYLES = ["bold", "italic", "underline", "strikethrough", "spoiler"]


def entities(*spans: Span) -> list[dict[str, Any]]:
    return [{"type": kind, "offset": offset, "length": length} for kind, offset, length in spans]


def spans(found: list[dict[str, Any]]) -> list[Span]:
    return [(one["type"], one["offset"], one["length"]) for one in found]


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ([("italic", 3, 2), ("bold", 0, 2)], [("bold", 0, 2), ("italic", 3, 2)]),
        ([("bold", 2, 3), ("italic", 0, 9)], [("italic", 0, 9), ("bold", 2, 3)]),
        ([("bold", 0, 5), ("italic", 3, 5)], [("bold", 0, 5), ("italic", 3, 2), ("italic", 5, 3)]),
        ([("bold", 0, 3), ("bold", 2, 4)], [("bold", 0, 6)]),
        ([("bold", 0, 9), ("code", 3, 2)], [("bold", 0, 3), ("code", 3, 2), ("bold", 5, 4)]),
        ([("pre", 0, 9), ("bold", 3, 2)], [("pre", 0, 9)]),
        ([("code", 0, 5), ("code", 3, 5)], [("code", 0, 5)]),
        ([("blockquote", 0, 9), ("blockquote", 3, 2)], [("blockquote", 0, 9)]),
        (
            [("blockquote", 0, 9), ("code", 3, 2), ("bold", 0, 3)],
            [("blockquote", 0, 9), ("bold", 0, 3), ("code", 3, 2)],
        ),
        ([("bold", 3, 5), ("blockquote", 0, 5)], [("blockquote", 0, 5), ("bold", 3, 2), ("bold", 5, 3)]),
        ([("bold", 2, 0), ("mention", 0, 2)], []),
    ],
)
def test_entities_end_up_one_in_the_other_or_apart(given: list[Span], kept: list[Span]) -> None:
    assert spans(formatted("0123456789", entities(*given))[1]) == kept


@pytest.mark.parametrize("seed", range(100))
def test_however_styles_cross_each_character_keeps_its_own(seed: int) -> None:
    random = Random(seed)
    given = [(random.choice(STYLES), start := random.randrange(20), random.randrange(1, 21 - start)) for _ in range(9)]
    kept = nested(entities(*given))
    for place in range(20):
        assert styles_at(place, spans(kept)) == styles_at(place, given)
    for (_, first, length), (_, other, more) in combinations(spans(kept), 2):
        assert other >= first + length or other + more <= first + length, "they cross"


def styles_at(place: int, given: list[Span]) -> set[str]:
    return {kind for kind, start, length in given if start <= place < start + length}


@pytest.mark.parametrize(
    ("text", "given", "shown", "kept"),
    [
        ("  hi  ", [], "hi", []),
        ("\n hi", [("bold", 2, 2)], "hi", [("bold", 0, 2)]),
        ("  hi  ", [("code", 0, 6)], "  hi", [("code", 0, 4)]),
        ("hi   ", [("code", 3, 2)], "hi", []),
        ("a\tb\x00c\nd", [], "a b c\nd", []),
        (" 😀 hi ", [("bold", 4, 2)], "😀 hi", [("bold", 3, 2)]),
    ],
)
def test_spaces_at_the_ends_go_and_entities_follow(text: str, given: list[Span], shown: str, kept: list[Span]) -> None:
    found, left = formatted(text, entities(*given))
    assert (found, spans(left)) == (shown, kept)


def test_an_entitys_fields_stay_with_it() -> None:
    given = [
        {"type": "pre", "offset": 0, "length": 2, "language": "python"},
        {"type": "text_link", "offset": 2, "length": 2, "url": "https://example.org/a_b?c=(d)"},
        {"type": "text_link", "offset": 4, "length": 2, "url": "example.org"},
        {"type": "text_link", "offset": 6, "length": 1, "url": "tg://user?id=7"},
        {"type": "text_mention", "offset": 7, "length": 1, "user": {"id": 7}},
        {"type": "custom_emoji", "offset": 8, "length": 1, "custom_emoji_id": "53"},
    ]
    assert formatted("0123456789", [{**one, "more": "of it"} for one in given])[1] == given


def test_lengths_are_in_utf16_units() -> None:
    assert [units(text) for text in ("a", "ü", "😀", "👩\u200d🚀")] == [1, 1, 2, 5]
    assert part("😀ab", 2, 1) == "a"


def test_a_path_or_an_address_of_mail_is_no_command_and_no_mention() -> None:
    assert marks("see a/b and ann@example.org and </b>") == []
    assert spans(marks("/a /b@bot")) == [("bot_command", 0, 2), ("bot_command", 3, 6)]
