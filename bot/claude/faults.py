"""What may become of a request to Claude instead of a reply, and what is done then. No words here but for people."""

from __future__ import annotations

import random
from dataclasses import dataclass
from enum import Enum

from bot import phrases
from bot.errors import ModelFailed, RequestFailed, Unaccepted

LATER = "try again in a few minutes"


class Kind(Enum):
    BUSY = "we ask too often: the server names a time to wait"
    TROUBLE = "the server's own, or the network's"
    CUT = "the reply broke off, or cannot be used"
    UNBOUND = "a thinking block is signed for another conversation: it goes without"
    UNREAD = "an image or a PDF cannot be read: it goes without"
    TOO_LONG = "the conversation is"
    UNACCEPTED = "the server does not take the request: it goes without what is optional"
    FATAL = "made again, it would fail again"


NOT_ACCEPTED = (Kind.UNACCEPTED, Kind.UNREAD, Kind.UNBOUND)  # a request without something may be


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    kind: Kind
    words: str  # what happened, as a clause
    advice: str = LATER  # what to do about it
    wait: float | None = None  # seconds, where the server names them
    is_free: bool = False  # whether the server took nothing for it
    block: tuple[int, int] | None = None  # the thinking block: its message, and its place in that
    complaint: str = ""  # of what is not accepted: the server's own words
    is_operators: bool = False  # whether only the operator can mend it
    is_away: bool = False  # whether it is the server's own, though it says that no retry helps
    excuse: str = ""  # the same for people, where it is not what the kind says of itself

    @property
    def is_servers(self) -> bool:
        return self.is_away or self.kind in (Kind.BUSY, Kind.TROUBLE)

    @property
    def told(self) -> str:
        """What people read, who can mend nothing: no address, no setting."""
        usual = phrases.MODEL_AT_FAULT if self.is_operators else phrases.MODEL_AWAY if self.is_servers else self.words
        return self.excuse or usual


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long, and how often."""

    read_seconds: float = 300  # without a byte
    request_seconds: float = 600  # for one request: pings keep a stalled one alive for ever
    longest_wait: float = 30  # a person waits: what asks for more is told instead
    waits: tuple[tuple[float, float], ...] = ((0.5, 1), (1, 2), (5, 15))  # before each further attempt: from, to
    busy_attempts: int = 8
    trouble_attempts: int = 4
    cut_attempts: int = 3

    def attempts(self, kind: Kind) -> int:
        match kind:
            case Kind.BUSY:
                return self.busy_attempts
            case Kind.TROUBLE:
                return self.trouble_attempts
            case Kind.CUT:
                return self.cut_attempts
            case _:
                return 1

    def wait(self, attempt: int) -> float:
        """So long that those who failed together do not come back together."""
        return random.uniform(*self.waits[min(attempt, len(self.waits)) - 1])


def verdict(fault: Fault, attempt: int, patience: Patience) -> RequestFailed | ModelFailed:
    """Whether a request is to be made again, and when; or what to tell the person, and what the operator."""
    if fault.wait is not None and fault.wait > patience.longest_wait:
        advice = f"try again in {in_words(fault.wait)}"
        return ModelFailed(with_hints(fault.told, advice), with_hints(fault.words, advice))
    most = patience.attempts(fault.kind)
    if attempt < most:
        wait = patience.wait(attempt) if fault.wait is None else max(0.0, fault.wait)
        return RequestFailed(fault.told, wait)
    if fault.is_operators:
        return ModelFailed(fault.told, with_hints(fault.words, fault.advice))
    if fault.is_servers:
        return ModelFailed(with_hints(fault.told, LATER), with_hints(fault.words, f"{most} attempts", fault.advice))
    words = with_hints(fault.told, f"{most} attempts" if most > 1 else "", fault.advice)
    return Unaccepted(words) if fault.kind in (*NOT_ACCEPTED, Kind.TOO_LONG) else ModelFailed(words)


def with_hints(words: str, *hints: str) -> str:
    found = "; ".join(filter(None, hints))
    return f"{words} ({found})" if found else words


def in_words(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 90 * 60 else f"{seconds / 3600:.0f} h"
