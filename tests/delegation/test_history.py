"""A delegation's history in words, as a model reads it."""

import pytest

from bot.core.content_blocks import Block, text_block
from bot.core.model import TranscriptEntry
from bot.delegation.transcript_text import readable_block_text, transcript_pages
from bot.tools.result_pages import MAX_PAGE_CHARACTERS
from tests.engine.test_citations import cited


@pytest.mark.parametrize(
    ("block", "text"),
    [
        (text_block("hello"), "hello"),
        ({"type": "tool_use", "id": "1", "name": "read", "input": {"path": "ä"}}, 'calls read {"path": "ä"}'),
        ({"type": "server_tool_use", "id": "1", "name": "web_search", "input": {}}, "calls web_search {}"),
        ({"type": "tool_result", "tool_use_id": "1", "content": "found"}, "result: found"),
        ({"type": "tool_result", "tool_use_id": "1", "content": "none", "is_error": True}, "error: none"),
        (
            {"type": "tool_result", "tool_use_id": "1", "content": [text_block("a"), {"type": "image"}]},
            "result: a\n(image)",
        ),
        ({"type": "thinking", "thinking": "hm", "signature": "s"}, ""),
        ({"type": "image", "source": {}}, "(image)"),
        ({"type": "web_search_tool_result", "content": []}, "result: nothing"),
        (
            {"type": "web_search_tool_result", "content": [{"title": "Mats", "url": "https://a.example"}]},
            "result: Mats https://a.example",
        ),
    ],
)
def test_a_block_is_told_as_what_it_is(block: Block, text: str) -> None:
    assert readable_block_text(block) == text


def test_an_answer_that_cites_is_one_text_with_its_links() -> None:
    content = [text_block("It is"), cited(" so", "https://a.example/x"), text_block(".")]
    assert transcript_pages([TranscriptEntry(role="assistant", content=content)]) == [
        "assistant: It is so ([a.example](https://a.example/x)).\n"
    ]


def test_an_empty_history_is_one_empty_page() -> None:
    assert transcript_pages([]) == [""]


@pytest.mark.parametrize(
    "length", [1, MAX_PAGE_CHARACTERS - 7, MAX_PAGE_CHARACTERS - 6, MAX_PAGE_CHARACTERS, 3 * MAX_PAGE_CHARACTERS]
)
def test_pages_add_up_and_none_is_longer_than_may_be_shown(length: int) -> None:
    found = transcript_pages([TranscriptEntry(role="user", content=[text_block("x" * length)])] * 3)
    assert "".join(found) == f"user: {'x' * length}\n" * 3
    assert all(0 < len(page) <= MAX_PAGE_CHARACTERS for page in found)
