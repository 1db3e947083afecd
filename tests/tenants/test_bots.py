"""Whose bot a token is."""

import re

import pytest

from bot.core.errors import ConfigError
from bot.tenants import making_texts as texts
from bot.tenants.bots import discord_bot_id, telegram_bot_id
from tests.tenants.papers import DISCORD, TELEGRAM


def test_a_token_names_its_bot() -> None:
    assert telegram_bot_id(TELEGRAM) == telegram_bot_id("0004242:another-token-of-it") == "4242"
    assert discord_bot_id(DISCORD) == "123456789012345678"


@pytest.mark.parametrize(
    "token", ["", "4242", "4242:", ":abc", "x:abcdef", DISCORD, "4242:ab cd", "4242:abc\nd", "٤٢:abcd"]
)
def test_an_invalid_telegram_token_is_refused(token: str) -> None:
    with pytest.raises(ConfigError, match=texts.TELEGRAM_TOKEN_FORM) as refusal:
        telegram_bot_id(token)
    assert not token or token not in str(refusal.value)


@pytest.mark.parametrize(
    "token", ["", "abc", "a.b", TELEGRAM, "bm90LWEtbnVtYmVy.Gabc.def", f"Bot {DISCORD}", "!!!!!!!!!.a.b"]
)
def test_an_invalid_discord_token_is_refused(token: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(texts.DISCORD_TOKEN_FORM)) as refusal:
        discord_bot_id(token)
    assert not token or token not in str(refusal.value)
