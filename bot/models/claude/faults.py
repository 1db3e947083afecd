"""The faults of a request to Claude, and the decision what to do about each. All words here are for people."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from enum import Enum

from bot.core.errors import ModelFailed, RequestNotAccepted, RetryableModelFailure
from bot.core.model import Outage
from bot.core.texts import people_model_faults as people
from bot.core.texts import reasons

SHORTEST_WAIT_TOLD_SECONDS = 60.0


class FaultKind(Enum):
    RATE_LIMITED = "rate limited"  # we ask too often: the server names a time to wait
    UNAVAILABLE = "unavailable"  # the fault is the server's own, or the network's
    BROKEN_REPLY = "broken reply"  # it broke off, or cannot be used
    THINKING_REFUSED = "thinking refused"  # a block is signed for another conversation: it goes without
    MEDIA_REFUSED = "media refused"  # an image or a PDF cannot be read: it goes without
    PROMPT_TOO_LONG = "prompt too long"
    REQUEST_REFUSED = "request refused"  # it goes without what is optional
    NOT_RETRYABLE = "not retryable"  # made again, it would fail again


PART_REFUSED_KINDS = (FaultKind.REQUEST_REFUSED, FaultKind.MEDIA_REFUSED, FaultKind.THINKING_REFUSED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    kind: FaultKind
    problem: str  # what happened, as a clause
    advice: str = field(default_factory=people.TRY_LATER)  # what to do about it
    retry_after_seconds: float | None = None  # if the server names them
    is_unbilled: bool = False  # whether the server charges nothing for the request
    thinking_block: tuple[int, int] | None = None  # the index of its message, and its index there
    complaint: str = ""  # the server's own words about the part that it refuses
    is_operator_problem: bool = False  # whether only the operator can fix it
    is_about_key: bool = False  # whether the API key is the cause
    is_server_at_fault: bool = False  # whether the server is the cause, though it says that no retry helps
    people_text: str = ""  # the words for people, if they differ from the usual words for this kind

    @property
    def is_transient(self) -> bool:
        """Return True if the fault may pass and waiting makes sense."""
        return self.kind in (FaultKind.RATE_LIMITED, FaultKind.UNAVAILABLE)

    @property
    def text_for_people(self) -> str:
        """Return the words for people. They cannot fix anything, so the words name no address and no setting."""
        if self.people_text or self.is_operator_problem:
            return self.people_text or reasons.MODEL_AT_FAULT()
        return reasons.MODEL_AWAY() if self.is_server_at_fault or self.is_transient else self.problem


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestPatience:
    """How long to wait for a request, and how often to repeat it."""

    read_timeout_seconds: float = 330  # the longest silence; a reply that has begun is stopped earlier
    timeout_seconds: float = 600  # for one request: pings would keep a stalled one alive for ever
    first_retry_seconds: float = 1  # at most; later waits are about as long as the server has failed
    longest_retry_seconds: float = 60
    max_broken_reply_attempts: int = 3

    def random_retry_seconds(self, failing: float) -> float:
        """Return how many seconds to wait after `failing` seconds of failure: random, so that requests that failed
        together do not come back together."""
        return random.uniform(0.5, 1) * min(self.longest_retry_seconds, max(self.first_retry_seconds, failing))


def convert_fault_to_error(
    fault: Fault, attempt: int, outage: Outage, patience: RequestPatience
) -> RetryableModelFailure | ModelFailed:
    """Return RetryableModelFailure with the seconds until the next attempt, or ModelFailed with words for people and
    the operator.

    The turn waits for a server that is away or too busy as long as its patience lasts. A reply that breaks off costs
    money each time. So it is repeated only a few times, unless the server was failing anyway."""
    named = append_hints(fault.problem, fault.advice)
    if fault.is_transient or (fault.kind is FaultKind.BROKEN_REPLY and outage.lasted_seconds > 0):
        own = min(patience.random_retry_seconds(outage.lasted_seconds), outage.patience_left_seconds)
        asked = fault.retry_after_seconds
        wait = own if asked is None or asked < patience.first_retry_seconds else asked
        if outage.patience_left_seconds > 0 and wait <= outage.patience_left_seconds:
            return RetryableModelFailure(fault.text_for_people, wait, named)
        return ModelFailed(append_hints(fault.text_for_people, retry_time_text(asked)), named, is_transient=True)
    if fault.kind is FaultKind.BROKEN_REPLY and attempt < patience.max_broken_reply_attempts:
        return RetryableModelFailure(fault.text_for_people, patience.random_retry_seconds(0))
    if fault.is_operator_problem:
        return ModelFailed(fault.text_for_people, named)
    if fault.is_server_at_fault:
        return ModelFailed(append_hints(fault.text_for_people, people.TRY_LATER()), named, is_transient=True)
    attempts = people.ATTEMPTS(attempt) if fault.kind is FaultKind.BROKEN_REPLY else ""
    words = append_hints(fault.text_for_people, attempts, fault.advice)
    is_refused = fault.kind in (*PART_REFUSED_KINDS, FaultKind.PROMPT_TOO_LONG)
    return RequestNotAccepted(words) if is_refused else ModelFailed(words)


def append_hints(words: str, *hints: str) -> str:
    found = "; ".join(filter(None, hints))
    return f"{words} ({found})" if found else words


def retry_time_text(wait: float | None) -> str:
    """Tell the person when to try again, from the seconds that the server names."""
    if wait is None or wait < SHORTEST_WAIT_TOLD_SECONDS:
        return people.TRY_LATER()
    if wait < 90:
        return people.TRY_IN_SECONDS(seconds=wait)
    return people.TRY_IN_MINUTES(minutes=wait / 60) if wait < 90 * 60 else people.TRY_IN_HOURS(hours=wait / 3600)
