"""The faults of a request to Claude, and the decision what to do about each. All words here are for people."""

from __future__ import annotations

import random
from dataclasses import dataclass
from enum import Enum

from bot.core.errors import ModelFailed, RequestFailed, RequestNotAccepted
from bot.core.model import Outage
from bot.core.texts import people_model_faults as people
from bot.core.texts import reasons

ONE_MINUTE_SECONDS = 60.0


class FaultKind(Enum):
    BUSY = "we ask too often: the server names a time to wait"
    TROUBLE = "the server's own, or the network's"
    CUT = "the reply broke off, or cannot be used"
    UNBOUND = "a thinking block is signed for another conversation: it goes without"
    UNREAD = "an image or a PDF cannot be read: it goes without"
    TOO_LONG = "the conversation is"
    UNACCEPTED = "the server does not take the request: it goes without what is optional"
    FATAL = "made again, it would fail again"


NOT_ACCEPTED = (FaultKind.UNACCEPTED, FaultKind.UNREAD, FaultKind.UNBOUND)  # the server refuses a part of it


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    kind: FaultKind
    words: str  # what happened, as a clause
    advice: str = people.TRY_LATER  # what to do about it
    wait: float | None = None  # seconds, if the server names them
    is_free: bool = False  # whether the server charges nothing for the request
    block: tuple[int, int] | None = None  # the thinking block: the index of its message, and its index there
    complaint: str = ""  # the server's own words about the part that it refuses
    is_operators: bool = False  # whether only the operator can fix it
    is_about_key: bool = False  # whether the API key is the cause
    is_away: bool = False  # whether the server is the cause, though it says that no retry helps
    excuse: str = ""  # the words for people, if they differ from the usual words for this kind

    @property
    def is_passing(self) -> bool:
        """Return True if the fault may pass and waiting makes sense."""
        return self.kind in (FaultKind.BUSY, FaultKind.TROUBLE)

    @property
    def text_for_people(self) -> str:
        """Return the words for people. They cannot fix anything, so the words name no address and no setting."""
        if self.excuse or self.is_operators:
            return self.excuse or reasons.MODEL_AT_FAULT
        return reasons.MODEL_AWAY if self.is_away or self.is_passing else self.words


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestPatience:
    """How long to wait for a request, and how often to repeat it."""

    read_seconds: float = 300  # the longest silence in a stream
    request_seconds: float = 600  # for one request: pings would keep a stalled one alive for ever
    first_wait: float = 1  # at most, before the first retry; later waits are about as long as the server has failed
    longest_wait: float = 60
    cut_attempts: int = 3

    def retry_wait(self, failing: float) -> float:
        """Return how many seconds to wait after `failing` seconds of failure: random, so that requests that failed
        together do not come back together."""
        return random.uniform(0.5, 1) * min(self.longest_wait, max(self.first_wait, failing))


def decide_on_fault(
    fault: Fault, attempt: int, outage: Outage, patience: RequestPatience
) -> RequestFailed | ModelFailed:
    """Return RequestFailed with the seconds until the next attempt, or ModelFailed with words for person and operator.

    The turn waits for a server that is away or too busy as long as its patience lasts. A reply that breaks off costs
    money each time. So it is repeated only a few times, unless the server was failing anyway."""
    named = with_hints(fault.words, fault.advice)
    if fault.is_passing or (fault.kind is FaultKind.CUT and outage.lasted > 0):
        own = min(patience.retry_wait(outage.lasted), outage.left)
        wait = own if fault.wait is None or fault.wait < patience.first_wait else fault.wait
        if outage.left > 0 and wait <= outage.left:
            return RequestFailed(fault.text_for_people, wait, named)
        return ModelFailed(with_hints(fault.text_for_people, retry_time_text(fault.wait)), named, is_passing=True)
    if fault.kind is FaultKind.CUT and attempt < patience.cut_attempts:
        return RequestFailed(fault.text_for_people, patience.retry_wait(0))
    if fault.is_operators:
        return ModelFailed(fault.text_for_people, named)
    if fault.is_away:
        return ModelFailed(with_hints(fault.text_for_people, people.TRY_LATER), named, is_passing=True)
    attempts = people.ATTEMPTS(attempt) if fault.kind is FaultKind.CUT else ""
    words = with_hints(fault.text_for_people, attempts, fault.advice)
    return RequestNotAccepted(words) if fault.kind in (*NOT_ACCEPTED, FaultKind.TOO_LONG) else ModelFailed(words)


def with_hints(words: str, *hints: str) -> str:
    found = "; ".join(filter(None, hints))
    return f"{words} ({found})" if found else words


def retry_time_text(wait: float | None) -> str:
    """Tell the person when to try again, from the seconds that the server names."""
    if wait is None or wait < ONE_MINUTE_SECONDS:
        return people.TRY_LATER
    if wait < 90:
        return people.TRY_IN_SECONDS(seconds=wait)
    return people.TRY_IN_MINUTES(minutes=wait / 60) if wait < 90 * 60 else people.TRY_IN_HOURS(hours=wait / 3600)
