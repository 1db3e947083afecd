"""Whose a token is, and how many wrong ones are looked at."""

import pytest

from bot.ops.client_tokens import MAX_WRONG_TOKENS, WRONG_TOKEN_SECONDS, ClientTokens, WrongTokenLimit

ONE, OTHER = "1" * 32, "2" * 32


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER"])
def test_a_token_is_found_by_its_client(scheme: str) -> None:
    tokens = ClientTokens({"one": ONE, "other": OTHER})
    assert tokens.find_client(f"{scheme} {OTHER}") == "other"


@pytest.mark.parametrize(
    "given", ["", ONE, f"Basic {ONE}", f"Bearer {ONE[:-1]}", f"Bearer {ONE}1", "Bearer", "Bearer é"]
)
def test_what_is_no_token_of_a_client_is_nobodys(given: str) -> None:
    assert ClientTokens({"one": ONE}).find_client(given) is None


def test_wrong_tokens_are_forgotten_after_a_while() -> None:
    now = 0.0
    limit = WrongTokenLimit(lambda: now)
    for _ in range(MAX_WRONG_TOKENS):
        limit.count("one")
    assert limit.is_reached("one")
    assert not limit.is_reached("another")
    now = WRONG_TOKEN_SECONDS
    assert not limit.is_reached("one")


def test_a_missing_token_is_no_wrong_one() -> None:
    tokens = ClientTokens({"one": ONE}, most_wrong=1)
    assert not tokens.is_wrong_too_often("peer", "")
    assert [tokens.is_wrong_too_often("peer", "Bearer wrong") for _ in range(2)] == [False, True]
