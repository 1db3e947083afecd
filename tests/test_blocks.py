"""The blocks of a transcript, as they are read."""

import json

from bot.blocks import answered, kept, valid, weight, words
from bot.prefix import estimate

TORN = [words("a\ud83d b\0 é 😀"), answered("t", "\udc00", is_error=False)]


def test_what_is_read_can_be_sent_whatever_was_kept() -> None:
    text, result = valid(TORN)
    assert text["text"] == "a? b\ufffd é 😀"
    assert result["content"] == "?"


def test_the_same_always_comes_of_it() -> None:
    assert valid(TORN) == valid(TORN) == valid(valid(TORN))


def test_what_is_no_text_weighs_what_it_shows_and_not_what_it_takes() -> None:
    image = answered("t1", "a.png", is_error=False, media=kept("t1/2/0", "image/png", 700))
    source = {"type": "base64", "media_type": "application/pdf", "data": "A" * 400_000}
    page = {"type": "web_fetch_result", "url": "u", "content": {"type": "document", "source": source}}
    fetched = {"type": "web_fetch_tool_result", "tool_use_id": "srvtoolu_1", "content": page}
    assert 700 < weight([image], json.dumps([image])) < 800
    assert 10_000 < weight([fetched], json.dumps([fetched])) < 10_100
    assert weight([words("x" * 300)], json.dumps([words("x" * 300)])) == estimate(json.dumps([words("x" * 300)]))
