"""A request as the scripted model reads it."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from tests.stand_ins.claude.canonical import Json, blocks_of, prefixes


@dataclass
class Asked:
    """The parsed body, and what a rule usually needs of it."""

    body: Json
    headers: dict[str, str] = field(default_factory=dict)

    @cached_property
    def before(self) -> list[str]:
        """Return the digest of all messages before each message, and last the digest of all."""
        return prefixes(self.messages)

    @property
    def model(self) -> str:
        return str(self.body["model"])

    @property
    def messages(self) -> list[Json]:
        return list(self.body["messages"])

    @property
    def said(self) -> list[Json]:
        """Return the messages without those that only set the effort."""
        return [message for message in self.messages if message["content"] or "output_config" not in message]

    @property
    def tools(self) -> list[Json]:
        return list(self.body.get("tools") or [])

    @cached_property
    def betas(self) -> frozenset[str]:
        named = self.headers.get("anthropic-beta", "").split(",")
        return frozenset(name.strip() for name in named if name.strip())

    @cached_property
    def system(self) -> str:
        return "\n".join(block["text"] for block in blocks_of(self.body.get("system")))

    @property
    def choice(self) -> str:
        return str((self.body.get("tool_choice") or {}).get("type", "auto"))

    @property
    def thinking(self) -> Json:
        return dict(self.body.get("thinking") or {})

    @property
    def output_config(self) -> Json:
        return dict(self.body.get("output_config") or {})

    @property
    def streamed(self) -> bool:
        return self.body.get("stream") is True

    @property
    def last(self) -> list[Json]:
        """Return the blocks of the user's newest message."""
        spoken = [message for message in self.messages if message["role"] == "user"]
        return blocks_of(spoken[-1]["content"]) if spoken else []

    @property
    def last_text(self) -> str:
        return "\n".join(block["text"] for block in self.last if block["type"] == "text")

    @property
    def results(self) -> list[str]:
        """Return the newest results of tools, in order."""
        return [text_of(block.get("content")) for block in self.last if block["type"] == "tool_result"]

    @property
    def turn(self) -> list[Json]:
        """Return the person's newest message and all messages after it."""
        starts = [
            number
            for number, message in enumerate(self.messages)
            if message["role"] == "user" and not any(b["type"] == "tool_result" for b in blocks_of(message["content"]))
        ]
        return self.messages[starts[-1] :] if starts else self.messages

    @property
    def step(self) -> int:
        """Return the number of the model's replies in this turn."""
        return sum(message["role"] == "assistant" for message in self.turn)

    @property
    def turn_text(self) -> str:
        """Return what the person said at the start of this turn."""
        blocks: list[Any] = blocks_of(self.turn[0]["content"]) if self.turn else []
        return "\n".join(block["text"] for block in blocks if block["type"] == "text")


def text_of(content: Any) -> str:
    return "\n".join(str(block.get("text", "")) for block in blocks_of(content))
