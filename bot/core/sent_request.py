"""What is kept of a request that was sent: how it was built, as far as no other row tells, and digests of its parts."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Literal

from bot.core.web import WebUseLimits

FIRST_PARTS = ("system", "tools", "options")  # of a body, before its messages; `options` is all the rest
BYTES_PER_PART = 3  # of each part's digest: they only tell which part differs

BodyPart = str | int  # one of FIRST_PARTS, or the number of a message, from 1


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyDigest:
    """The digest of a request's body, and the beginnings of those of its parts."""

    whole: str  # SHA-256 over the digests of all parts, as hexadecimal digits
    parts: bytes  # BYTES_PER_PART of each part: those of FIRST_PARTS, then each message

    @classmethod
    def of_parts(cls, parts: Sequence[bytes]) -> BodyDigest:
        """Return the digest of a body whose parts are these bytes."""
        digests = [sha256(part).digest() for part in parts]
        whole = sha256(b"".join(digests)).hexdigest()
        return cls(whole=whole, parts=b"".join(each[:BYTES_PER_PART] for each in digests))

    def as_json(self) -> dict[str, str]:
        return {"digest": self.whole, "parts": b64encode(self.parts).decode()}

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> BodyDigest:
        return cls(whole=kept["digest"], parts=b64decode(kept["parts"]))

    def split_parts(self) -> dict[BodyPart, bytes]:
        starts = range(0, len(self.parts), BYTES_PER_PART)
        pieces = [self.parts[start : start + BYTES_PER_PART] for start in starts]
        return dict(zip([*FIRST_PARTS, *range(1, len(pieces))], pieces, strict=False))

    def differing_parts(self, other: BodyDigest) -> Iterator[BodyPart]:
        """Yield the parts that differ, or that only one of the two bodies has."""
        own, others = self.split_parts(), other.split_parts()
        yield from (part for part in dict.fromkeys([*own, *others]) if own.get(part) != others.get(part))


@dataclass(frozen=True, slots=True, kw_only=True)
class SentRequest:
    """What a request was built from that no other row tells. The names are those of a ModelRequest."""

    last_entry: int  # the number of the newest entry that it held
    cache_lifetime: Literal["5m", "1h"]
    server_tools: frozenset[str]
    withheld_tools: frozenset[str]
    web_use_limits: WebUseLimits
    may_lose_thinking: bool
    pays_for_substitute: bool
    has_form: bool
    layout: Mapping[str, Any]  # how the model's adapter has laid it out, as JSON that only the adapter reads
    digest: BodyDigest | None  # None if it was deleted, because a person was forgotten

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON. What is empty is left out, because every request has a row of it."""
        limits = self.web_use_limits
        whole = {
            "last_entry": self.last_entry,
            "cache_lifetime": self.cache_lifetime,
            "server_tools": sorted(self.server_tools),
            "withheld_tools": sorted(self.withheld_tools),
            "web_use_limits": [limits.uses_per_tool, limits.tokens_per_page] if self.server_tools else [],
            "may_lose_thinking": self.may_lose_thinking,
            "pays_for_substitute": self.pays_for_substitute,
            "has_form": self.has_form,
            "layout": self.layout,
            **(self.digest.as_json() if self.digest else {}),
        }
        return {name: value for name, value in whole.items() if value}

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> SentRequest:
        uses, tokens = kept.get("web_use_limits", (0, 0))
        return cls(
            last_entry=kept.get("last_entry", 0),
            cache_lifetime=kept["cache_lifetime"],
            server_tools=frozenset(kept.get("server_tools", ())),
            withheld_tools=frozenset(kept.get("withheld_tools", ())),
            web_use_limits=WebUseLimits(uses_per_tool=uses, tokens_per_page=tokens),
            may_lose_thinking=kept.get("may_lose_thinking", False),
            pays_for_substitute=kept.get("pays_for_substitute", False),
            has_form=kept.get("has_form", False),
            layout=kept.get("layout", {}),
            digest=BodyDigest.from_json(kept) if "digest" in kept else None,
        )
