"""Rich messages (Bot API 10.1), read as text with their addresses."""

from typing import Any

import pytest

from bot.core.messages import OverheardMessage
from channels.telegram.rich_messages import RichMessageReader
from tests.channels.telegram.test_reading import ANN, BEN, GROUP, heard, message, read

LINK = {"type": "url", "text": [{"type": "bold", "text": "menu"}], "url": "https://example.org/menu"}


def rich(*blocks: Any) -> dict[str, Any]:
    return {"rich_message": {"blocks": list(blocks)}}


def paragraph(*text: Any) -> dict[str, Any]:
    return {"type": "paragraph", "text": list(text)}


@pytest.mark.parametrize(
    ("block", "words"),
    [
        (paragraph("Here is the ", LINK, "."), "Here is the menu (https://example.org/menu)."),
        (paragraph({"type": "url", "text": "https://a.org", "url": "https://a.org"}), "https://a.org"),
        (
            paragraph({"type": "url", "text": "https://bank.com.evil.io", "url": "https://bank.com"}),
            "https://bank.com.evil.io (https://bank.com)",
        ),
        (paragraph({"type": "email_address", "text": "me", "email_address": "a@b.org"}), "me (a@b.org)"),
        (paragraph({"type": "custom_emoji", "custom_emoji_id": "1", "alternative_text": "👍"}), "👍"),
        ({"type": "heading", "size": 1, "text": "News"}, "# News"),
        ({"type": "pre", "language": "python", "text": "x = 1\ny = 2"}, "```\nx = 1\ny = 2\n```"),
        ({"type": "mathematical_expression", "expression": "a^2"}, "a^2"),
        ({"type": "blockquote", "blocks": [paragraph("To be")], "credit": "W. S."}, "> To be\n> W. S."),
        (
            {"type": "list", "items": [{"label": "•", "blocks": [paragraph("one")]}, {"label": "2.", "blocks": []}]},
            "- one\n2. ",
        ),
        (
            {"type": "list", "items": [{"has_checkbox": True, "is_checked": True, "blocks": [paragraph("milk")]}]},
            "- [x] milk",
        ),
        (
            {"type": "table", "caption": "Prices", "cells": [[{"text": "tea", "is_header": True}, {"text": LINK}]]},
            "Prices\n| tea | menu (https://example.org/menu) |",
        ),
        ({"type": "details", "summary": "More", "blocks": [paragraph("hidden")]}, "More\nhidden"),
        ({"type": "map", "location": {"latitude": 1.5, "longitude": 2}, "caption": {"text": "here"}}, "1.5, 2\nhere"),
        ({"type": "hologram", "text": "still", "blocks": [paragraph("words")]}, "still\nwords"),
    ],
)
def test_each_kind_of_block_is_read(block: dict[str, Any], words: str) -> None:
    assert heard(message(None, **rich(block))).text == words


def test_a_rich_text_takes_precedence_over_its_plain_stand_in() -> None:
    assert heard(message("update your app", **rich(paragraph("hello")))).text == "hello"


def test_a_forwarded_rich_message_is_quoted_with_its_addresses_and_pictures() -> None:
    photo = {"type": "photo", "photo": [{"file_id": "p", "width": 9}], "caption": {"text": "a cat"}}
    forward = {"forward_origin": {"type": "user", "sender_user": BEN}}
    event = heard(message(None, **rich(paragraph("See the ", LINK), photo), **forward))
    assert event.quotes[0].text == "See the menu (https://example.org/menu)\n\na cat"
    assert [(file.reference, file.is_quoted) for file in event.files] == [("p", True)]


def test_a_rich_message_in_a_group_chat_can_name_the_bot() -> None:
    mention = {"type": "mention", "text": "@Retinue_bot", "username": "Retinue_bot"}
    assert heard(message(None, GROUP, **rich(paragraph(mention, " hi")))).text == "@Retinue_bot hi"
    by_id = {"type": "text_mention", "text": "you", "user": {"id": 42}}
    assert heard(message(None, GROUP, **rich(paragraph(by_id)))).text == "you"
    assert isinstance(read(message(None, GROUP, **rich(paragraph("hi, Ben")))), OverheardMessage)
    assert heard(message(None, GROUP, **rich(paragraph("/status@retinue_bot all")))).text == "/status all"


def test_a_bottomless_rich_message_has_an_end() -> None:
    block: Any = paragraph("deep")
    for _ in range(900):
        block = {"type": "details", "summary": "more", "blocks": [block]}
    words = RichMessageReader().read({"blocks": [block, paragraph(*["x"] * 100_000)]})
    assert "deep" not in words
    assert words.count("x") < 20_000


@pytest.mark.parametrize("rubbish", [None, [], "x", 7, {"blocks": 3}, {"blocks": [None, [], [[3]]]}])
def test_a_rich_message_of_rubbish_raises_nothing(rubbish: Any) -> None:
    assert isinstance(RichMessageReader().read(rubbish), str)
    assert heard(message("plain", rich_message=rubbish, **{"from": ANN})).text
