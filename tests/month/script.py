"""The scripted model: it reads a request as a situation needs it, and says what it is shown."""

from __future__ import annotations

import io
import re
from base64 import b64decode
from collections.abc import Callable
from functools import cached_property
from typing import Any

from PIL import Image

from tests.stand_ins.claude import Asked, Reply, reply
from tests.stand_ins.claude.asked import text_of
from tests.support.both_platforms import chat_of, role_of

COLOURS = {
    "red": (220, 30, 30),
    "green": (30, 160, 60),
    "blue": (40, 70, 220),
    "yellow": (240, 220, 40),
    "purple": (140, 40, 170),
    "black": (10, 10, 10),
    "white": (245, 245, 245),
}
NOT_WORDS = re.compile(r"^\[.*\]$")  # a line about a message, not of it


def picture(colour: str, width: int = 64, height: int = 48, form: str = "PNG") -> bytes:
    """Return an image of one colour."""
    file = io.BytesIO()
    Image.new("RGB", (width, height), COLOURS[colour]).save(file, form)
    return file.getvalue()


def colour_of(content: bytes) -> str:
    """Return the name of the colour in the middle of an image."""
    with Image.open(io.BytesIO(content)) as found:
        pixel = found.convert("RGB").getpixel((found.width // 2, found.height // 2))
    assert isinstance(pixel, tuple)
    return min(COLOURS, key=lambda name: sum((a - b) ** 2 for a, b in zip(COLOURS[name], pixel, strict=True)))


class View:
    """What the model sees in one request: the newest turn, and what came in it."""

    def __init__(self, asked: Asked) -> None:
        self.asked = asked

    @cached_property
    def place(self) -> str:
        """The chat, as the prompt names it: `telegram -100…, thread 5`."""
        return chat_of(self.asked)

    @property
    def role(self) -> str:
        return role_of(self.asked)

    @property
    def step(self) -> int:
        return self.asked.step

    @property
    def results(self) -> list[str]:
        return self.asked.results

    @cached_property
    def blocks(self) -> list[dict[str, Any]]:
        """The blocks of the turn's messages from people, also of those that came while it was at work."""
        found: list[dict[str, Any]] = []
        for message in self.asked.turn:
            if message["role"] == "user" and isinstance(message["content"], list):
                found += [block for block in message["content"] if block["type"] != "tool_result"]
            elif message["role"] == "user":
                found.append({"type": "text", "text": message["content"]})
        return found

    @cached_property
    def text(self) -> str:
        return "\n".join(block["text"] for block in self.blocks if block["type"] == "text")

    @property
    def colours(self) -> list[str]:
        """The colours of the pictures, in their order."""
        found = [block for block in self.blocks if block["type"] == "image"]
        return [colour_of(b64decode(block["source"]["data"])) for block in found]

    @property
    def pdfs(self) -> list[bytes]:
        found = [block for block in self.blocks if block["type"] == "document"]
        return [b64decode(block["source"]["data"]) for block in found]

    @property
    def all_text(self) -> str:
        """Everything that the request shows, from the first message on."""
        return "\n".join(text_of(message["content"]) for message in self.asked.messages)

    def said(self, *words: str) -> str:
        """Return those of the words that stand in the turn, in the order in which they stand there."""
        places = sorted((self.text.find(each), each) for each in set(words) if each in self.text)
        return ", ".join(each for _, each in places)

    def lines(self, pattern: str) -> list[str]:
        """Return what the pattern finds in the lines of the turn."""
        return [found[0] for line in self.text.splitlines() if (found := re.search(pattern, line))]


Rule = Callable[[View], Reply | str | None]


def as_reply(value: Reply | str) -> Reply:
    return reply(value) if isinstance(value, str) else value
