"""A reply as the service streams it, one step after another."""

import asyncio
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import reduce
from typing import Any

from tests.stand_ins.claude.asked import Asked
from tests.stand_ins.claude.canonical import CHARACTERS_PER_TOKEN, Json, digest, tokens
from tests.stand_ins.claude.handing_over import OtherPrompt, Writing, declined, frames_of, kept, unstreamed
from tests.stand_ins.claude.models import ModelCard, card_of
from tests.stand_ins.claude.records import Billed, Request
from tests.stand_ins.claude.replies import Cited, HandOver, Hold, Part, Raw, Reply, ServerUse, Text, Thinking, ToolUse
from tests.stand_ins.claude.signing import context_of, sign
from tests.stand_ins.claude.web import RESULTS, Served, citation


class End(StrEnum):
    """How a stream ends."""

    CLEAN = "clean"
    MID_CHUNK = "mid-chunk"
    NO_TERMINATOR = "no terminator"
    RESET = "reset"
    STALL = "stall"
    PINGS = "pings"


@dataclass(frozen=True, slots=True)
class Frame:
    body: Json
    named: bool = True  # whether it has its event line
    bills: Billed | None = None  # what the request bills up to this frame, without output

    def wire(self) -> bytes:
        event = f"event: {self.body['type']}\n" if self.named else ""
        return f"{event}data: {json.dumps(self.body, ensure_ascii=False, separators=(',', ':'))}\n\n".encode()

    @property
    def delta(self) -> str:
        """Return the type of the frame's delta, or "" if it has none."""
        return str(self.body["delta"].get("type", "")) if self.body["type"] == "content_block_delta" else ""

    @property
    def output(self) -> int:
        """Return the number of characters that the model wrote in this frame."""
        delta = self.body["delta"] if self.delta else {}
        return sum(len(str(delta.get(name, ""))) for name in ("text", "partial_json", "thinking"))


@dataclass(frozen=True, slots=True)
class Wait:
    until: asyncio.Event | None = None
    seconds: float = 0


Step = Frame | Wait | End
PING = Frame({"type": "ping"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A finished reply: its blocks as a client must send them back, its steps, and its bill."""

    blocks: list[Json]
    steps: list[Step]
    billed: Billed
    stop_reason: str
    message: Json  # the complete message, for a request without a stream
    others: dict[str, Billed]  # by model: the bills of models that continued after another declined


def tell(
    request: Request,
    reply: Reply,
    billed: Billed,
    new_id: Callable[[str], str],
    pace: float = 0,
    other: OtherPrompt = lambda model, text: Billed(),
) -> Told:
    asked = request.asked
    blocks, sent, steps, thought = list[Json](), list[Json](), list[Step](), 0
    before, context, begun = asked.before[-1], context_of(asked), billed
    writing = Writing(asked, billed)
    streamed = {tool["name"] for tool in asked.tools if tool.get("eager_input_streaming")}
    for part in Served(asked, new_id).expanded(hidden(reply.parts, card_of(asked.model))):
        if isinstance(part, Hold):
            steps.append(Wait(until=part.until))
            continue
        if isinstance(part, HandOver):
            if "fallbacks" not in asked.body:
                reply = declined(reply, part)
                break
            writing.billed = replace(billed, output=max(billed.output, 1))
            seam = writing.hand_over(part, blocks, other)
            billed, begun, thought = writing.billed, writing.billed, 0
            if seam:
                steps += [Frame(body) for body in frames_of(len(sent), seam)]
                sent.append(seam)
                blocks = [*kept(blocks), seam]
                before = reduce(lambda so_far, block: digest(so_far, "assistant", block), blocks, asked.before[-1])
            continue
        writing.has_written = True
        block, cost = block_of(part, asked, sign(writing.model, context, before, shown(part, asked)), new_id)
        before = digest(before, "assistant", block)
        thought += cost if isinstance(part, Thinking) else 0
        is_result = block["type"] in RESULTS
        billed = looked(billed, begun, block) if is_result else replace(billed, output=billed.output + cost)
        billed = replace(billed, thinking=thought)
        frames = [Frame(body, bills=billed if is_result else None) for body in block_frames(len(sent), part, block)]
        steps += written(frames, pace, is_held=block["name"] not in streamed) if isinstance(part, ToolUse) else frames
        blocks.append(block)
        sent.append(block)
    billed = writing.billed = replace(billed, output=max(billed.output, 1))
    message = start_message(request, *writing.opened, new_id("msg"))
    final = billed.at_end() | ({"iterations": writing.iterations} if "fallbacks" in asked.body else {})
    bills = writing.bills
    whole: list[Step] = [Frame({"type": "message_start", "message": message}), *steps]
    ends: Json = {"stop_reason": reply.ends_by, "stop_sequence": None}
    ends |= {"stop_details": reply.stop_details} if reply.stop_details else {}
    whole += [
        Frame({"type": "message_delta", "delta": ends, "usage": final}),
        Frame({"type": "message_stop"}),
    ]
    whole.insert(2 if len(whole) > 3 else 1, PING)
    if reply.seconds:
        whole = [step for one in whole for step in (Wait(seconds=reply.seconds), one)]
    finished = {**message, "content": unstreamed(sent), **ends, "usage": {**billed.as_json(), **final}}
    return Told(
        blocks=blocks,
        steps=[*whole, End.CLEAN],
        billed=bills.pop(asked.model),
        stop_reason=reply.ends_by,
        message=finished,
        others=bills,
    )


def hidden(parts: tuple[Part, ...], card: ModelCard) -> tuple[Part, ...]:
    """Turn text before a call into notes of thinking, as newer models do. Some do so only with long text."""
    last_call = max((at for at, part in enumerate(parts) if isinstance(part, ToolUse)), default=0)
    return tuple(
        Thinking(part.text, is_note=True)
        if isinstance(part, Text) and at < last_call and card.hides(part.text)
        else part
        for at, part in enumerate(parts)
    )


def written(frames: list[Frame], pace: float, *, is_held: bool) -> list[Step]:
    """Return the steps of a call written at `pace` seconds a token. If the call is held, its arguments come at the end,
    with no ping before. Otherwise they come in pieces."""
    if not pace:
        return list(frames)
    begin, *deltas, end = frames
    whole = [frame for frame in deltas if frame.output]
    if is_held:
        seconds = pace * sum(frame.output for frame in whole) / CHARACTERS_PER_TOKEN
        return [begin, Wait(seconds=seconds), *deltas, end]
    pieces = [piece for frame in whole for piece in in_pieces(frame)]
    return [begin, *(step for each in pieces for step in (Wait(seconds=pace * TOKENS), each)), end]


TOKENS = 20  # in each piece


def in_pieces(frame: Frame) -> Iterator[Frame]:
    text, size = frame.body["delta"]["partial_json"], round(TOKENS * CHARACTERS_PER_TOKEN)
    for start in range(0, len(text), size):
        yield Frame({**frame.body, "delta": {**frame.body["delta"], "partial_json": text[start : start + size]}})


def looked(billed: Billed, begun: Billed, result: Json) -> Billed:
    """Return the bill after a result of the service's own tools. The model reads the prompt again to continue."""
    error = isinstance(result["content"], dict) and "error_code" in result["content"]
    is_search = result["type"] == "web_search_tool_result"
    return replace(
        billed,
        read=billed.read + begun.prompt,
        write_5m=billed.write_5m + tokens(result),
        searches=billed.searches + (is_search and not error),
        fetches=billed.fetches + (not is_search and not error),
    )


def start_message(request: Request, model: str, billed: Billed, name: str) -> Json:
    message: Json = {
        "id": name,
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": replace(billed, output=1).as_json(),
    }
    if "thinking-binding-controls-2026-08-01" in request.asked.betas:
        message["input_transformations"] = request.transformations
    return message


def shown(part: Any, asked: Asked) -> str:
    """Return the visible text of thinking: "" unless the request asks for it. "updates" asks only for notes."""
    seen_by = ("summarized", "updates") if isinstance(part, Thinking) and part.is_note else ("summarized",)
    is_seen = asked.thinking.get("display") in seen_by
    return part.text if isinstance(part, Thinking) and is_seen else ""


def block_of(part: Any, asked: Asked, signature: str, new_id: Callable[[str], str]) -> tuple[Json, int]:
    """Return the block as it must come back, and its tokens."""
    match part:
        case Thinking():
            block: Json = {"type": "thinking", "thinking": shown(part, asked), "signature": signature}
            return block, tokens(part.text)
        case Text():
            block = {"type": "text", "text": part.text}
        case ToolUse():
            block = {"type": "tool_use", "id": part.id or new_id("toolu"), "name": part.name}
            block |= {"input": part.input, "caller": {"type": "direct"}}
        case ServerUse():
            block = {"type": "server_tool_use", "id": part.id, "name": part.name, "input": part.input}
            block |= {"caller": {"type": "direct"}}
        case Cited():
            block = {"type": "text", "text": part.text, "citations": [citation(page) for page in part.pages]}
        case Raw():
            block = part.block
    return block, tokens(block)


def block_frames(index: int, part: Any, block: Json) -> Iterator[Json]:
    empty: dict[str, Json] = {
        "thinking": {"thinking": "", "signature": ""},
        "text": {"text": "", **({"citations": []} if isinstance(part, Cited) else {})},
        "tool_use": {"input": {}},
        "server_tool_use": {"input": {}},
    }
    begun = block if isinstance(part, Raw) else {**block, **empty[block["type"]]}
    yield {"type": "content_block_start", "index": index, "content_block": begun}
    for delta in deltas(part, block):
        yield {"type": "content_block_delta", "index": index, "delta": delta}
    yield {"type": "content_block_stop", "index": index}


def deltas(part: Any, block: Json) -> Iterator[Json]:
    match part:
        case Thinking():
            if block["thinking"]:
                yield {"type": "thinking_delta", "thinking": block["thinking"]}
            yield {"type": "signature_delta", "signature": block["signature"]}
        case Text():
            for piece in cut(part.text, part.pieces):
                yield {"type": "text_delta", "text": piece}
        case ToolUse():
            for piece in ["", *cut(part.wire, 2)] if part.wire else [""]:
                yield {"type": "input_json_delta", "partial_json": piece}
        case ServerUse():
            for piece in ["", *cut(json.dumps(part.input), 2)]:
                yield {"type": "input_json_delta", "partial_json": piece}
        case Cited():
            for cited in block["citations"]:
                yield {"type": "citations_delta", "citation": cited}
            for piece in cut(part.text, 2):
                yield {"type": "text_delta", "text": piece}


def cut(text: str, pieces: int) -> list[str]:
    size = max(1, -(-len(text) // max(1, pieces)))
    return [text[start : start + size] for start in range(0, len(text), size)]
