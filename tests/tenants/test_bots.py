"""Whose bot a token is."""

import re

import pytest

from bot.errors import ConfigError
from bot.tenants import making_texts as texts
from bot.tenants.bots import of_discord, of_telegram
from tests.tenants.papers import DISCORD, TELEGRAM


def test_a_token_names_its_bot() -> None:
    assert of_telegram(TELEGRAM) == of_telegram("0004242:another-token-of-it") == "4242"
    assert of_discord(DISCORD) == "123456789012345678"


@pytest.mark.parametrize(
    "token", ["", "4242", "4242:", ":abc", "x:abcdef", DISCORD, "4242:ab cd", "4242:abc\nd", "٤٢:abcd"]
)
def test_what_is_no_token_of_telegram_is_refused(token: str) -> None:
    with pytest.raises(ConfigError, match=texts.TELEGRAM_TOKEN_FORM) as refusal:
        of_telegram(token)
    assert not token or token not in str(refusal.value)


@pytest.mark.parametrize(
    "token", ["", "abc", "a.b", TELEGRAM, "bm90LWEtbnVtYmVy.Gabc.def", f"Bot {DISCORD}", "!!!!!!!!!.a.b"]
)
def test_what_is_no_token_of_discord_is_refused(token: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(texts.DISCORD_TOKEN_FORM)) as refusal:
        of_discord(token)
    assert not token or token not in str(refusal.value)
