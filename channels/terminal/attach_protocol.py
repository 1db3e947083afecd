"""What a running bot and an attached terminal tell each other: a line of JSON each, over the control socket.

The terminal begins: `{"ask": "chat", "version": …, "at": null, "continue": false}`. `at` is its address where it comes
back to a bot that was away. The bot answers `{"at": "terminal:local:3", "title": …}`, or `{"refused": …}`. After that

| from the bot | from the terminal |
|---|---|
| `{"show": part, "number": 1}` | `{"shown": 1}`, or `{"not_shown": 1}` where nobody reads any more |
| `{"draft": draft}` | |
| `{"warn": text, "is_over": false}` | |
| `{"taken": 1}` | `{"publish": [message, …], "number": 1}`, again after the bot was away until it is taken |

So whatever is acknowledged is durable at the other end: in the bot's rows, or on the screen. A field that one end does
not know is ignored there, and one that it is not sent has its default.
"""

import json
from asyncio import StreamReader, StreamWriter
from typing import Any

from pydantic import TypeAdapter

from bot.core.channel import MessagePart
from bot.core.messages import Draft, InboundMessage

PARTS = TypeAdapter(MessagePart)
DRAFTS = TypeAdapter(Draft)
MESSAGES = TypeAdapter(list[InboundMessage])

WireLine = dict[str, Any]


async def read_wire_line(reader: StreamReader) -> WireLine | None:
    """Return the next line; None at the end. Raise ValueError for what is no line of ours."""
    text = await reader.readline()
    if not text.endswith(b"\n"):
        return None
    line = json.loads(text)
    if not isinstance(line, dict):
        raise ValueError("not an object")
    return line


def write_wire_line(writer: StreamWriter, **line: Any) -> None:
    writer.write(json.dumps(line).encode() + b"\n")
