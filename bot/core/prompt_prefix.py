"""The prefix: the part of a request that every turn of a role shares, byte by byte, so that it stays in the cache."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

ToolSchema = dict[str, Any]  # name, description, input_schema: as the Claude API takes it

STRICT = "strict"  # the server is to hold the arguments to the schema
STREAMED = "eager_input_streaming"  # what a call is made with comes while it is written; not every server knows it

CHARACTERS_PER_TOKEN = 3  # on the safe side: English is nearer to four


@dataclass(frozen=True, kw_only=True)
class Prefix:
    """What a chapter was begun with and keeps: what is *shown*; what a turn *may* is checked at each call."""

    model: str
    effort: str
    light_effort: str = ""  # of replies without recent tools; empty: the same
    system: str
    tools: tuple[ToolSchema, ...]  # sorted by name

    @cached_property
    def body(self) -> str:
        """Its canonical form, which is stored."""
        parts = {"model": self.model, "effort": self.effort, "system": self.system, "tools": self.tools}
        light = {"light_effort": self.light_effort} if self.light_effort else {}
        return json.dumps(parts | light, sort_keys=True)

    @cached_property
    def hash(self) -> str:
        return hashlib.sha256(self.body.encode()).hexdigest()

    @property
    def tokens(self) -> int:
        return estimate_tokens(self.body)

    def for_model(self, model: str, effort: str) -> Prefix:
        """The same for another model or effort, where they are named. An effort that is named holds always."""
        if not (model or effort):
            return self
        light = "" if effort else self.light_effort
        return replace(self, model=model or self.model, effort=effort or self.effort, light_effort=light)

    @classmethod
    def parse(cls, body: str) -> Prefix:
        parts = json.loads(body)
        return cls(
            model=parts["model"],
            effort=parts["effort"],
            light_effort=parts.get("light_effort", ""),
            system=parts["system"],
            tools=tuple(parts["tools"]),
        )


def estimate_tokens(text: str) -> int:
    """About how many tokens a text is: rather too many than too few."""
    return tokens_for_characters(len(text))


def tokens_for_characters(characters: int) -> int:
    return -(-characters // CHARACTERS_PER_TOKEN)
