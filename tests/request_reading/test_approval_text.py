"""What people see of a call before they approve it."""

# ruff: noqa: RUF001  # the sign for "so many times" is meant

import pytest

from bot.core.approval_text import describe_call, full_text_of_call, in_code_block

CYRILLIC_PAYPAL = "p\u0430ypal.com"


def test_each_argument_has_a_line() -> None:
    text = describe_call("send_mail", {"to": "max@firma.de", "copies": 2, "parts": ["a", "b"], "silent": None})
    assert text == 'send_mail\nto: max@firma.de\ncopies: 2\nparts: ["a", "b"]\nsilent: null'


def test_a_text_that_looks_like_another_value_is_quoted() -> None:
    assert describe_call("x", {"a": "5", "b": "true", "c": "", "d": " y", "e": "[1]"}) == (
        'x\na: "5"\nb: "true"\nc: ""\nd: " y"\ne: "[1]"'
    )


@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\r", "\u2028", "\u0085", "\x0b", "\x0c"])
def test_no_value_forges_a_line_of_an_argument(line_break: str) -> None:
    lines = describe_call("x", {"body": f"hi{line_break}to: evil@x.de"}).splitlines()
    assert not any(line.startswith("to:") for line in lines)


def test_no_name_of_an_argument_forges_a_line() -> None:
    assert describe_call("x\ny", {"a: 1\nto": 2}) == '"x\\ny"\n"a: 1\\nto": 2'


def test_lines_of_a_value_are_marked() -> None:
    assert describe_call("x", {"body": "one\ntwo"}) == "x\nbody:\n  │ one\n  │ two"


@pytest.mark.parametrize("sign", ["\u200b", "\u202e", "\u2066", "\u00ad", "\u00a0", "\x1b", "\U000e0041", "\u200f"])
def test_a_character_that_nobody_sees_is_named(sign: str) -> None:
    assert f"⟨U+{ord(sign):04X}⟩" in describe_call("x", {"to": f"a{sign}b"})
    assert f"⟨U+{ord(sign):04X}⟩" in describe_call("x", {"to": f"\u05e9\u05dc a{sign}b"})


def test_spaces_push_nothing_out_of_sight() -> None:
    assert describe_call("x", {"to": "a" + " " * 300 + "b"}) == "x\nto: a⟨U+0020 ×300⟩b"


@pytest.mark.parametrize(
    "word", [CYRILLIC_PAYPAL, "\u0430\u0440\u0440\u04cf\u0435.com", "\uff50aypal.com", "\u0391nna"]
)
def test_mixed_alphabets_are_warned_of(word: str) -> None:
    assert f"Careful: “{word}” mixes letters" in describe_call("x", {"to": [{"deep": word}]})


def test_a_word_of_look_alikes_is_warned_of() -> None:
    assert "could be taken for “max”" in describe_call("x", {"to": "\u041c\u0430\u0445"})


@pytest.mark.parametrize("word", ["Müller", "Москва", "日本語カナ", "naïve", "Ελλάδα"])
def test_words_of_one_alphabet_are_not(word: str) -> None:
    assert "Careful" not in describe_call("x", {"to": word})


def test_an_encoded_host_is_decoded() -> None:
    text = describe_call("x", {"url": "https://xn--pypal-4ve.com/a"})
    assert f"xn--pypal-4ve.com is shown by browsers as {CYRILLIC_PAYPAL}" in text


def test_of_a_long_value_both_ends_are_shown() -> None:
    value = "begin " + "x" * 5_000 + " end"
    text = describe_call("x", {"body": value})
    assert "begin" in text
    assert "end" in text
    assert "4,410 characters are left out here" in text
    assert len(text) < 1_000
    assert value in (full_text_of_call("x", {"body": value}) or "")


def test_many_lines_are_shortened_too() -> None:
    assert len(describe_call("x", {"body": "\n" * 500}).splitlines()) < 30


def test_a_short_call_has_no_other_text() -> None:
    assert full_text_of_call("x", {"a": 1}) is None


def test_a_code_block_ends_only_at_its_end() -> None:
    block = in_code_block(describe_call("x", {"body": "```\n[yes](https://x.de)"}))
    assert block.startswith("````\n")
    assert block.endswith("\n````")


def test_a_call_without_arguments_says_so() -> None:
    assert describe_call("x", {}) == "x\nIt has no arguments."
