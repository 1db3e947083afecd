"""Codes that people read in one chat and type in another."""

from bot.journal.codes import CODE_ALPHABET, make_code, normalize_code
from tests.people.accounts import CODE


def test_a_code_has_no_characters_that_look_like_others() -> None:
    assert not set("0O1IL") & set(CODE_ALPHABET)


def test_no_two_codes_are_the_same() -> None:
    codes = {make_code() for _ in range(1000)}
    assert len(codes) == 1000
    assert all(CODE.fullmatch(code) for code in codes)


def test_case_spaces_and_dashes_of_a_typed_code_do_not_matter() -> None:
    assert normalize_code(" k7mw 3qxa\n") == normalize_code("K7MW-3QXA") == "K7MW3QXA"
