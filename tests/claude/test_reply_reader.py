"""The reply that comes of a stream's events, as the server sends them."""

from collections.abc import AsyncIterator, Iterable
from typing import Any

import pytest

from bot.core.model import ModelReply, RequestMeter, StopReason
from bot.models.claude.reply_reader import ReplyReader

Event = dict[str, Any]


async def read(
    *events: Event, usage: Event | None = None, stop: str = "end_turn"
) -> tuple[ModelReply | None, list[str]]:
    """Return the reply of these events between the usual first and last ones, and the texts that were shown."""
    started = {"input_tokens": 10, "output_tokens": 1, "cache_read_input_tokens": 5}
    first = {"type": "message_start", "message": {"model": "claude-sonnet-5-5", "usage": started}}
    ends = {"type": "message_delta", "delta": {"stop_reason": stop}, "usage": usage or {"output_tokens": 7}}
    shown: list[str] = []
    reader = ReplyReader(
        RequestMeter(estimated_prompt_tokens=1),
        lambda text, activity="": shown.append(text or ""),
        *("5m", None),
        shows_notes=False,
    )
    await reader.read_stream(each([first, *events, ends, {"type": "message_stop"}]), lambda: None, lambda seconds: None)
    assert reader.is_whole
    return reader.build_reply(), shown


async def each(events: Iterable[Event]) -> AsyncIterator[Event]:
    for event in events:
        yield event


def block(index: int, begins: Event, *deltas: Event) -> list[Event]:
    pieces = [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
    start = {"type": "content_block_start", "index": index, "content_block": begins}
    return [start, *pieces, {"type": "content_block_stop", "index": index}]


def call(begins_with: Event) -> Event:
    return {"type": "tool_use", "id": "toolu_1", "name": "read", "input": begins_with}


@pytest.mark.fast
async def test_pieces_of_texts_and_thinking_become_whole_blocks() -> None:
    thinking = block(
        *(0, {"type": "thinking", "thinking": "", "signature": ""}),
        *({"type": "thinking_delta", "thinking": "hm"}, {"type": "thinking_delta", "thinking": "m"}),
        {"type": "signature_delta", "signature": "signed"},
    )
    cited = {"type": "web_search_result_location", "url": "https://example.com"}
    text = block(
        *(1, {"type": "text", "text": ""}),
        *({"type": "text_delta", "text": "fi"}, {"type": "citations_delta", "citation": cited}),
        {"type": "text_delta", "text": "ne"},
    )
    reply, shown = await read(*thinking, *text)
    assert reply
    assert reply.content == [
        {"type": "thinking", "thinking": "hmm", "signature": "signed"},
        {"type": "text", "text": "fine", "citations": [cited]},
    ]
    assert shown == ["fi", "fine"]


@pytest.mark.fast
@pytest.mark.parametrize(
    ("begins_with", "pieces", "arguments"),
    [
        ({}, ['{"path"', ': "a"}'], {"path": "a"}),
        ({"path": "a"}, [], {"path": "a"}),  # some servers send it whole
        ({}, [], {}),
        ({}, [""], {}),
    ],
)
async def test_arguments_come_in_pieces_or_with_the_beginning(
    begins_with: Event, pieces: list[str], arguments: Event
) -> None:
    deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]
    reply, _ = await read(*block(0, call(begins_with), *deltas), stop="tool_use")
    assert reply
    assert reply.stop_reason is StopReason.CALLS
    assert reply.content == [call(arguments)]


async def test_pieces_of_unknown_kinds_change_nothing() -> None:
    odd = {"type": "odd", "text": "kept"}
    reply, shown = await read(*block(0, odd, {"type": "text_delta", "text": "!"}, {"type": "odd_delta"}))
    assert reply
    assert (reply.content, shown) == ([odd], [])


async def test_figures_at_the_end_replace_those_of_the_start_where_they_are_given() -> None:
    usage = {"input_tokens": None, "output_tokens": 7, "cache_read_input_tokens": 6}
    reply, _ = await read(*block(0, {"type": "text", "text": "fine"}), usage=usage)
    assert reply
    assert (reply.usage.input, reply.usage.output, reply.usage.cache_read) == (10, 7, 6)
