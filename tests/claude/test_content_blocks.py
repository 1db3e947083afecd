"""The blocks of a transcript, as they are read."""

import json

from bot.core.content_blocks import (
    estimate_content_tokens,
    media_reference_block,
    replace_unsendable_characters,
    text_block,
    tool_result_block,
)
from bot.core.prompt_prefix import estimate_tokens

TORN = [text_block("a\ud83d b\0 é 😀"), tool_result_block("t", "\udc00", is_error=False)]


def test_a_read_block_can_be_sent_whatever_was_stored() -> None:
    text, result = replace_unsendable_characters(TORN)
    assert text["text"] == "a? b\ufffd é 😀"
    assert result["content"] == "?"


def test_the_same_always_comes_of_it() -> None:
    assert (
        replace_unsendable_characters(TORN)
        == replace_unsendable_characters(TORN)
        == replace_unsendable_characters(replace_unsendable_characters(TORN))
    )


def test_media_weighs_by_its_content_and_not_by_its_bytes() -> None:
    image = tool_result_block("t1", "a.png", is_error=False, media=media_reference_block("t1/2/0", "image/png", 700))
    source = {"type": "base64", "media_type": "application/pdf", "data": "A" * 400_000}
    page = {"type": "web_fetch_result", "url": "u", "content": {"type": "document", "source": source}}
    fetched = {"type": "web_fetch_tool_result", "tool_use_id": "srvtoolu_1", "content": page}
    assert 700 < estimate_content_tokens([image], json.dumps([image])) < 800
    assert 10_000 < estimate_content_tokens([fetched], json.dumps([fetched])) < 10_100
    assert estimate_content_tokens([text_block("x" * 300)], json.dumps([text_block("x" * 300)])) == estimate_tokens(
        json.dumps([text_block("x" * 300)])
    )
