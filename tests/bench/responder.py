"""A lean Messages API, in a process of its own: every request is answered alike after a fixed time, and none is judged.

The strict stand-in (tests/stand_ins/claude) takes 4 ms and more to judge a request, more with each that it has seen: on
a machine with two cores that would be measured, and not the bot. This one takes a tenth of that.
"""

import argparse
import asyncio
import json
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from tests.bench.processes import child

SECONDS = 0.05  # as long as the anchors' own server takes
PIECE_SECONDS = 0.004  # between two pieces of an answer that does not come at once
PIECES = ("You ", "said ", "something, ", "and ", "this ", "is ", "the ", "answer.")
ANSWER = "".join(PIECES)
SPLIT = "Split this into parts: "  # a message that begins so is answered with as many delegations
STREAMED = re.compile(rb'"stream": *true')
ASKED_TO_SPLIT = re.compile(SPLIT + r"(\d+)$")
HEAD = (
    "HTTP/1.1 200 OK\r\ncontent-type: {}\r\ncontent-length: {}\r\n"
    "request-id: req_bench\r\nconnection: keep-alive\r\n\r\n"
)


def usage(output: int) -> dict[str, Any]:
    split = {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0}
    cached = {"cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "cache_creation": split}
    return {"input_tokens": 100, "output_tokens": output, "service_tier": "standard", **cached}


def stream(blocks: list[dict[str, Any]], stop: str) -> bytes:
    """A reply as events, in one answer; of a block, `pieces` are its deltas and the rest is how it starts."""
    return answer("text/event-stream", "".join(events_of(blocks, stop)))


def events_of(blocks: list[dict[str, Any]], stop: str) -> list[str]:
    start = {"id": "msg_bench", "type": "message", "role": "assistant", "model": "bench", "content": []}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {**start, "stop_reason": None, "stop_sequence": None, "usage": usage(1)}}
    ]
    for at, block in enumerate(blocks):
        begun = {name: value for name, value in block.items() if name != "pieces"}
        events.append({"type": "content_block_start", "index": at, "content_block": begun})
        events += [{"type": "content_block_delta", "index": at, "delta": piece} for piece in block["pieces"]]
        events.append({"type": "content_block_stop", "index": at})
    counted = {name: value for name, value in usage(20).items() if name.endswith("_tokens")}
    events.append({"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None}, "usage": counted})
    events.append({"type": "message_stop"})
    return [f"event: {each['type']}\ndata: {json.dumps(each)}\n\n" for each in events]


def answer(kind: str, body: str) -> bytes:
    return HEAD.format(kind, len(body.encode())).encode() + body.encode()


def delegations(count: int) -> bytes:
    return stream(
        [
            {
                "type": "tool_use",
                "id": f"toolu_{number}",
                "name": "delegate",
                "input": {},
                "pieces": [arguments(number)],
            }
            for number in range(count)
        ],
        "tool_use",
    )


def arguments(number: int) -> dict[str, str]:
    task = {"role": "researcher", "task": f"Do part {number}.", "context": "There is none."}
    return {"type": "input_json_delta", "partial_json": json.dumps(task)}


def text_of(pieces: Sequence[str]) -> dict[str, Any]:
    return {"type": "text", "text": "", "pieces": [{"type": "text_delta", "text": piece} for piece in pieces]}


PLAIN = stream([text_of(PIECES)], "end_turn")
AT_ONCE = {"id": "msg_bench", "type": "message", "role": "assistant", "model": "bench", "stop_sequence": None}
WHOLE = answer(  # for who asks for no stream
    "application/json",
    json.dumps(
        {
            **AT_ONCE,
            "content": [{"type": "text", "text": ANSWER}],
            "stop_reason": "end_turn",
            "usage": usage(20),
        }
    ),
)
STREAM_HEAD = HEAD.replace("content-length: {}", "transfer-encoding: chunked").format("text/event-stream").encode()
KNOWN = answer("application/json", json.dumps({"id": "bench", "type": "model", "display_name": "B", "created_at": ""}))


class Answering(asyncio.Protocol):
    """One connection. A whole answer goes out in one piece: what the network does is not measured."""

    seconds = SECONDS
    pieces = 0  # of an answer that comes piece by piece; 0: all at once
    at_once = most_at_once = 0  # of all connections

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.heard = bytearray()

    def data_received(self, data: bytes) -> None:
        self.heard += data
        head, end, rest = self.heard.partition(b"\r\n\r\n")
        length = re.search(rb"content-length: *(\d+)", head.lower())
        if not end or len(rest) < (size := int(length[1]) if length else 0):
            return
        body, self.heard = bytes(rest[:size]), rest[size:]
        if head.startswith(b"POST"):
            Answering.at_once += 1
            Answering.most_at_once = max(Answering.most_at_once, Answering.at_once)
            asyncio.get_running_loop().call_later(self.seconds, self.reply, body)
        elif head.startswith(b"GET /most"):
            self.transport.write(answer("application/json", str(Answering.most_at_once)))
            Answering.most_at_once = 0
        else:
            self.transport.write(KNOWN)

    def reply(self, body: bytes) -> None:
        Answering.at_once -= 1
        parts = parts_asked_for(body) if SPLIT.encode() in body else 0
        if not STREAMED.search(body):
            self.transport.write(WHOLE)
        elif self.pieces and not parts:
            said = events_of([text_of([PIECES[at % len(PIECES)] for at in range(self.pieces)])], "end_turn")
            self.transport.write(STREAM_HEAD)
            self.send_piece([*(f"{len(each):x}\r\n{each}\r\n".encode() for each in said), b"0\r\n\r\n"], 0)
        else:
            self.transport.write(delegations(parts) if parts else PLAIN)

    def send_piece(self, chunks: Sequence[bytes], at: int) -> None:
        if self.transport.is_closing():  # whoever asked has gone
            return
        self.transport.write(chunks[at])
        if at + 1 < len(chunks):
            asyncio.get_running_loop().call_later(PIECE_SECONDS, self.send_piece, chunks, at + 1)


def parts_asked_for(body: bytes) -> int:
    """Into how many parts the newest message wants its work split; results of tools do not ask."""
    newest = next(message["content"] for message in reversed(json.loads(body)["messages"]) if message["content"])
    found = [ASKED_TO_SPLIT.search(block.get("text", "")) for block in newest]
    return next((int(each[1]) for each in found if each), 0)


@asynccontextmanager
async def responder(seconds: float = SECONDS, pieces: int = 0) -> AsyncIterator[str]:
    """A responder of its own; return its address."""
    async with child("tests.bench.responder", "--seconds", str(seconds), "--pieces", str(pieces)) as process:
        assert process.stdout
        yield (await process.stdout.readline()).decode().strip()


async def run(seconds: float, pieces: int) -> None:
    Answering.seconds, Answering.pieces = seconds, pieces
    server = await asyncio.get_running_loop().create_server(Answering, "127.0.0.1", 0, backlog=1024)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--pieces", type=int, default=0)
    given = parser.parse_args()
    asyncio.run(run(given.seconds, given.pieces))
