"""Keep how a request's body was laid out, and lay it out again in the same way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from bot.core.model import ModelRequest
from bot.core.sent_request import FIRST_PARTS, BodyDigest, SentRequest
from bot.models.claude.message_layout import MessageCache, encode_json
from bot.models.claude.refused_content import ThinkingGap
from bot.models.claude.request_body import build_request_body, encode_messages
from bot.models.claude.traits import ModelTraits

NAMES_OF_TRAITS = sorted(ModelTraits.__dataclass_fields__.keys() - {"efforts", "default_effort"})  # yes or no


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """What decides about a body besides its request."""

    user: str  # a name of the chat that tells the server nothing
    traits: ModelTraits  # without what the server has refused
    gaps: Sequence[ThinkingGap] = ()
    unread: frozenset[int] = frozenset()  # the messages whose media the server cannot read

    def build_body(self, request: ModelRequest, cache: MessageCache | None = None) -> dict[str, Any]:
        return build_request_body(request, self.user, self.traits, self.gaps, self.unread, cache)

    def as_json(self) -> dict[str, Any]:
        whole = {
            "user": self.user,
            **traits_as_json(self.traits),
            "gaps": [[gap.first_message, gap.first_block, gap.end_message] for gap in self.gaps],
            "unread": sorted(self.unread),
        }
        return {name: value for name, value in whole.items() if value}

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> Layout:
        """Return a layout that was kept, perhaps by an earlier version: it has none of the traits that came later."""
        had = {name: name in kept.get("traits", ()) for name in NAMES_OF_TRAITS}
        efforts, usual = frozenset(kept.get("efforts", ())), kept.get("default_effort", "")
        gaps = [ThinkingGap(first_message=a, first_block=b, end_message=c) for a, b, c in kept.get("gaps", ())]
        return cls(
            user=kept["user"],
            traits=ModelTraits(**had, efforts=efforts, default_effort=usual),
            gaps=gaps,
            unread=frozenset(kept.get("unread", ())),
        )


@lru_cache
def traits_as_json(traits: ModelTraits) -> dict[str, Any]:
    return {
        "traits": [name for name in NAMES_OF_TRAITS if getattr(traits, name)],
        "efforts": sorted(traits.efforts),
        "default_effort": traits.default_effort,
    }


def digest_body(body: Mapping[str, Any]) -> BodyDigest:
    """Return the digest of a body, over the bytes in which its parts are sent."""
    messages = encode_messages(body)["messages"]
    *first, _ = FIRST_PARTS
    options = {name: value for name, value in body.items() if name not in (*first, "messages")}
    return BodyDigest.of_parts([*(encode_json(body.get(name)) for name in first), encode_json(options), *messages])


def describe_sent_request(request: ModelRequest, layout: Layout, body: Mapping[str, Any]) -> SentRequest:
    """Return what is kept of a request whose body was built with this layout."""
    return SentRequest(
        last_entry=request.last_entry,
        cache_lifetime=request.cache_lifetime,
        server_tools=request.server_tools,
        withheld_tools=request.withheld_tools,
        web_use_limits=request.web_use_limits,
        may_lose_thinking=request.may_lose_thinking,
        pays_for_substitute=request.pays_for_substitute,
        has_form=bool(request.form),
        layout=layout.as_json(),
        digest=digest_body(body),
    )
