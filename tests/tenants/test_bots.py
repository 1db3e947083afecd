"""Whose bot a token is."""

import re

import pytest

from bot.core.errors import ConfigError
from channels.discord import operator_texts as discord_texts
from channels.registry import platforms
from channels.telegram import operator_texts as telegram_texts
from tests.tenants.papers import DISCORD, TELEGRAM


def test_a_token_names_its_bot() -> None:
    telegram = platforms()["telegram"]
    assert telegram.bot_id_of_token(TELEGRAM) == telegram.bot_id_of_token("0004242:another-token-of-it") == "4242"
    assert platforms()["discord"].bot_id_of_token(DISCORD) == "123456789012345678"


@pytest.mark.parametrize(
    "token", ["", "4242", "4242:", ":abc", "x:abcdef", DISCORD, "4242:ab cd", "4242:abc\nd", "٤٢:abcd"]
)
def test_an_invalid_telegram_token_is_refused(token: str) -> None:
    with pytest.raises(ConfigError, match=telegram_texts.TOKEN_NAMES_NO_BOT) as refusal:
        platforms()["telegram"].bot_id_of_token(token)
    assert not token or token not in str(refusal.value)


@pytest.mark.parametrize(
    "token", ["", "abc", "a.b", TELEGRAM, "bm90LWEtbnVtYmVy.Gabc.def", f"Bot {DISCORD}", "!!!!!!!!!.a.b"]
)
def test_an_invalid_discord_token_is_refused(token: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(discord_texts.TOKEN_NAMES_NO_BOT)) as refusal:
        platforms()["discord"].bot_id_of_token(token)
    assert not token or token not in str(refusal.value)
