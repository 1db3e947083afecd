"""The prefix: the part of a request that every turn of a role shares, byte by byte, so that it stays in the cache."""

import hashlib
import json
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, get_args

Effort = Literal["low", "medium", "high", "xhigh", "max"]  # how much a model thinks
EFFORTS: tuple[Effort, ...] = get_args(Effort)
ToolSchema = dict[str, Any]  # name, description, input_schema: as the Claude API takes it

STRICT_SCHEMA_KEY = "strict"  # the server must enforce the schema on the arguments
STREAMED_INPUT_KEY = "eager_input_streaming"  # arguments arrive while they are written; not every server supports it

CHARACTERS_PER_TOKEN = 3  # a safe estimate: English has nearly four


@dataclass(frozen=True, kw_only=True)
class PromptPrefix:
    """What the model sees in every request of a chapter. What a turn *may* do is checked at each call instead."""

    model: str
    effort: str
    light_effort: str = ""  # for replies without recent tools; empty: `effort`
    system: str
    tools: tuple[ToolSchema, ...]  # sorted by name
    sources: tuple[str, ...] = ()  # whose words its tools' descriptions hold besides; sorted

    @cached_property
    def canonical_json(self) -> str:
        """Return the canonical JSON, which is stored."""
        parts = {"model": self.model, "effort": self.effort, "system": self.system, "tools": self.tools}
        rare = {"light_effort": self.light_effort, "sources": self.sources}
        return json.dumps(parts | {name: value for name, value in rare.items() if value}, sort_keys=True)

    @cached_property
    def hash(self) -> str:
        return hashlib.sha256(self.canonical_json.encode()).hexdigest()

    @property
    def estimated_tokens(self) -> int:
        return estimate_tokens(self.canonical_json)

    def with_model_and_effort(self, model: str, effort: str) -> "PromptPrefix":
        """Return the prefix with this model and effort; empty keeps the old one. A given effort is for all replies."""
        if not (model or effort):
            return self
        light = "" if effort else self.light_effort
        return replace(self, model=model or self.model, effort=effort or self.effort, light_effort=light)

    @classmethod
    def from_json(cls, body: str) -> "PromptPrefix":
        parts = json.loads(body)
        return cls(
            model=parts["model"],
            effort=parts["effort"],
            light_effort=parts.get("light_effort", ""),
            system=parts["system"],
            tools=tuple(parts["tools"]),
            sources=tuple(parts.get("sources", ())),
        )


def estimate_tokens(text: str) -> int:
    """Return the estimated tokens of a text: too many rather than too few."""
    return estimate_tokens_for_characters(len(text))


def estimate_tokens_for_characters(characters: int) -> int:
    return -(-characters // CHARACTERS_PER_TOKEN)
