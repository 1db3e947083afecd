"""The protocol between a running bot and an attached terminal: lines of JSON over the control socket.

The terminal begins: `{"ask": "chat", "version": …, "at": null, "continue": false}`. `at` is its earlier address if it
reconnects to a bot that was away. The bot answers `{"at": "terminal:local:3", "title": …}`, or `{"refused": …}`. Then:

| from the bot | from the terminal |
|---|---|
| `{"show": part, "number": 1}` | `{"shown": 1}`, or `{"not_shown": 1}` if nobody reads any more |
| `{"draft": draft}` | |
| `{"warn": text, "is_over": false}` | |
| `{"taken": 1}` | `{"publish": [message, …], "number": 1}`, sent again after the bot was away until it is taken |

So an acknowledged line is durable at the other end: in the bot's rows, or on the screen. Each end ignores fields that
it does not know, and uses the default of a field that was not sent.
"""

import json
from asyncio import StreamReader, StreamWriter
from typing import Any

from pydantic import TypeAdapter

from bot.core.channel import MessagePart
from bot.core.messages import Draft, InboundMessage

PART_ADAPTER = TypeAdapter(MessagePart)
DRAFT_ADAPTER = TypeAdapter(Draft)
INBOUND_MESSAGES_ADAPTER = TypeAdapter(list[InboundMessage])

WireLine = dict[str, Any]


async def read_wire_line(reader: StreamReader) -> WireLine | None:
    """Return the next line, or None at the end. Raise ValueError if it is not a line of this protocol."""
    text = await reader.readline()
    if not text.endswith(b"\n"):
        return None
    line = json.loads(text)
    if not isinstance(line, dict):
        raise ValueError("not an object")
    return line


def write_wire_line(writer: StreamWriter, **line: Any) -> None:
    writer.write(json.dumps(line).encode() + b"\n")
