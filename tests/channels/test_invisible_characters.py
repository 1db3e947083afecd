"""Characters that do not show are taken out on every channel; what scripts and emoji need of them stays."""

# ruff: noqa: RUF001 -- letters that look alike, of many scripts, are what is tested

from collections.abc import Callable

import pytest

from bot.core.exits import NO_RULES, clean_message
from bot.core.invisible_characters import strip_invisible
from bot.core.messages import Address, OutboundId, OutboundKind, OutboundMessage
from channels.discord.rendering import render_message_texts
from channels.discord.sending import button_rows
from channels.telegram.rendering import button_label, render_message_parts
from channels.terminal.channel import make_terminal_safe

HIDDEN = {
    "overrides": "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069",
    "marks where nothing is written to the left": "\u200e\u200f\u061c",
    "spaces": "\u200b\u2060\ufeff\u00ad\u034f",
    "joiners": "\u200c\u200d",
    "fillers": "\u115f\u1160\u3164\uffa0",
    "operators": "\u2061\u2062\u2063\u2064\u206a\u206f",
    "selectors": "\ufe00\ufe0e\ufe0f\U000e0100\U000e01ef",
    "tags": "\U000e0001\U000e0041\U000e0042\U000e007f",
}
NEEDED = [
    "👨‍👩‍👧‍👦 👩🏽‍🔬 🏳️‍🌈 🏴‍☠️ ❤️ ☎︎ 1️⃣ 🧔🏻‍♂️ ⛹🏿‍♀️",
    "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"
    " 🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
    "می\u200cخواهم",  # Persian
    "क्\u200dष क्\u200cष",  # Hindi
    "ශ්\u200dරී",  # Sinhala
    "ภาษา\u200bไทย",  # Thai
    "שלום\u200f (version 2)\u200e",  # Hebrew
    "葛\U000e0100城",  # a form of a Chinese character
    "ᠰᠠᠶᠢᠨ\u180bᠠ",  # Mongolian
    "plain, résumé, e\u0301, 日本",
]


def message(text: str, **fields: object) -> OutboundMessage:
    """Return a message as it is posted."""
    here = Address(channel="telegram", chat="7")
    made = OutboundMessage(id=OutboundId("t1"), address=here, kind=OutboundKind.REPLY, text=text, **fields)  # type: ignore[arg-type]  # of the test's own
    return clean_message(made, NO_RULES)[0]


def on_telegram(text: str) -> str:
    return "".join(piece.text for piece in render_message_parts(message(text)))


def on_discord(text: str) -> str:
    return "".join(render_message_texts(message(text)))


CHANNELS = [on_telegram, on_discord, make_terminal_safe]


@pytest.mark.parametrize("show", CHANNELS)
@pytest.mark.parametrize("name", HIDDEN)
def test_invisible_characters_are_removed(name: str, show: Callable[[str], str]) -> None:
    for sign in HIDDEN[name]:
        assert show(f"pay{sign}pal {sign}x{sign}{sign}") == "paypal x"


@pytest.mark.parametrize("show", CHANNELS)
@pytest.mark.parametrize("text", NEEDED)
def test_characters_that_scripts_and_emoji_need_stay(text: str, show: Callable[[str], str]) -> None:
    assert show(text) == text


@pytest.mark.parametrize("carrier", ["👍", "葛", "🏴", "क"])
def test_nothing_can_be_hidden_behind_what_may_have_one(carrier: str) -> None:
    secret = "".join(chr(0xE0100 + ord(letter)) for letter in "secret")
    tags = "".join(chr(0xE0000 + ord(letter)) for letter in "secret") + "\U000e007f"
    assert len(strip_invisible(carrier + secret)) <= 2
    assert strip_invisible(carrier + tags) == carrier
    assert len(strip_invisible(carrier + "\ufe0f\u200d\u200c" * 20)) <= 3


@pytest.mark.parametrize("show", CHANNELS)
def test_nor_in_code_or_a_table(show: Callable[[str], str]) -> None:
    for text in ("`a\u202eb`", "```\na\u202eb\n```", "| x |\n|---|\n| a\u202eb |"):
        assert "\u202e" not in show(text)


@pytest.mark.parametrize("reference", ["&#8238;", "&#x202e;", "&zwnj;", "&rlm;"])
def test_nor_as_a_reference_that_telegram_decodes(reference: str) -> None:
    [piece] = render_message_parts(message(f"pay{reference}pal **is** `a{reference}b` {reference}*here*"))
    assert piece.text == f"paypal is a{reference}b here"
    shown = {each.type: piece.text[each.offset : each.offset + each.length] for each in piece.entities}
    assert shown == {"bold": "is", "code": f"a{reference}b", "italic": "here"}


def test_nor_in_an_option() -> None:
    asked = message("Which?", options=("re\u202ed",))
    assert "1. red" in on_discord_with(asked)
    assert "1. red" in render_message_parts(asked)[0].text
    assert button_label(asked.options[0], 1) == "red"
    assert button_rows(asked)[0]["components"][0]["label"] == "red"


def on_discord_with(asked: OutboundMessage) -> str:
    return "".join(render_message_texts(asked))
