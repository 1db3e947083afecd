"""The fault menu: what can go wrong with a request, by name, and for which requests."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum, auto

from tests.stand_ins.claude.asked import Asked
from tests.stand_ins.claude.errors import ApiError


class Fault(StrEnum):
    # Answered with an error, before the stream begins.
    BAD_REQUEST = auto()
    BAD_REQUEST_RETRYABLE = auto()
    PROMPT_TOO_LONG = auto()
    UNAUTHORIZED = auto()
    PAYMENT_REQUIRED = auto()
    CREDIT_TOO_LOW = auto()
    FORBIDDEN = auto()
    NO_SUCH_MODEL = auto()
    TIMED_OUT = auto()
    CONFLICT = auto()
    TOO_LARGE = auto()
    RATE_LIMITED = auto()
    RATE_LIMITED_MILLISECONDS = auto()
    RATE_LIMITED_WITHOUT_HEADER = auto()
    RATE_LIMITED_FOR_AN_HOUR = auto()
    RATE_LIMITED_FOR_GOOD = auto()
    SPEND_LIMIT = auto()
    CONTRACT_SPEND_LIMIT = auto()
    LINKED_SPEND_LIMIT = auto()
    RAMP_LIMIT = auto()
    API_ERROR = auto()
    UNAVAILABLE = auto()
    GATEWAY_TIMEOUT = auto()
    OVERLOADED = auto()
    # The reply never arrives completely.
    STALL_BEFORE_HEAD = auto()
    RESET_BEFORE_HEAD = auto()
    STREAM_OVERLOADED = auto()
    STREAM_RATE_LIMIT = auto()
    STREAM_API_ERROR = auto()
    END_AFTER_DELTA = auto()
    END_IN_TOOL_JSON = auto()
    END_BEFORE_MESSAGE_STOP = auto()
    CUT_AFTER_DELTA = auto()
    RESET_AFTER_DELTA = auto()
    STALL = auto()
    STALL_WITH_PINGS = auto()
    INDEX_GAP = auto()
    UNNAMED_FRAMES = auto()
    # The reply arrives completely, but is odd.
    NO_TERMINATOR = auto()
    UNKNOWN_EVENT = auto()
    UNKNOWN_DELTA = auto()
    DUPLICATE_MESSAGE_DELTA = auto()
    EARLY_PING = auto()
    UNKNOWN_BLOCK = auto()
    UNKNOWN_STOP_REASON = auto()
    TRUNCATED_TOOL_JSON = auto()
    INVALID_TOOL_JSON = auto()
    TWO_JSON_VALUES = auto()
    ARRAY_INPUT = auto()
    UNKNOWN_TOOL = auto()
    WRONG_CASE_TOOL = auto()
    WRONG_INPUT = auto()
    EMPTY = auto()
    THINKING_ONLY = auto()
    MAX_TOKENS = auto()
    MAX_TOKENS_IN_THINKING = auto()
    REFUSAL = auto()
    REFUSAL_AFTER_TEXT = auto()
    WINDOW_EXCEEDED = auto()
    PAUSE_TURN = auto()


LIMIT = "This request would exceed your organization's rate limit. Please try again later."
SPEND = "You have reached your organization's spend limit."
CREDIT = (
    "Your credit balance is too low to access the Anthropic API. "
    "Please go to Plans & Billing to upgrade or purchase credits."
)
ANSWERS: dict[Fault, ApiError] = {
    Fault.BAD_REQUEST: ApiError("messages: something is wrong with this request"),
    Fault.BAD_REQUEST_RETRYABLE: ApiError("try once more", headers={"x-should-retry": "true"}),
    Fault.PROMPT_TOO_LONG: ApiError("prompt is too long: 1000001 tokens > 1000000 maximum"),
    Fault.UNAUTHORIZED: ApiError("invalid x-api-key", status=401),
    Fault.PAYMENT_REQUIRED: ApiError("Your credit balance is too low to access the Anthropic API.", status=402),
    Fault.CREDIT_TOO_LOW: ApiError(CREDIT),
    Fault.FORBIDDEN: ApiError("Your API key does not have permission to use the specified resource.", status=403),
    Fault.NO_SUCH_MODEL: ApiError("model: not-there", status=404),
    Fault.TIMED_OUT: ApiError("Request timed out.", status=408),
    Fault.CONFLICT: ApiError("The request conflicts with another one.", status=409),
    Fault.TOO_LARGE: ApiError("Request exceeds the maximum size", status=413),
    Fault.RATE_LIMITED: ApiError(LIMIT, status=429, headers={"retry-after": "1"}),
    Fault.RATE_LIMITED_MILLISECONDS: ApiError(LIMIT, status=429, headers={"retry-after-ms": "200"}),
    Fault.RATE_LIMITED_WITHOUT_HEADER: ApiError(LIMIT, status=429),
    Fault.RATE_LIMITED_FOR_AN_HOUR: ApiError(LIMIT, status=429, headers={"retry-after": "3600"}),
    Fault.RATE_LIMITED_FOR_GOOD: ApiError(LIMIT, status=429, headers={"x-should-retry": "false"}),
    Fault.SPEND_LIMIT: ApiError(SPEND, status=429, code="enforced_spend_limit_reached"),
    Fault.CONTRACT_SPEND_LIMIT: ApiError(SPEND, status=429, code="contract_spend_limit_reached"),
    Fault.LINKED_SPEND_LIMIT: ApiError(SPEND, status=429, code="linked_organization_spend_limit_reached"),
    Fault.RAMP_LIMIT: ApiError("Your usage grew too fast.", status=429, code="ramp_limit_exceeded"),
    Fault.API_ERROR: ApiError("Internal server error", status=500),
    Fault.UNAVAILABLE: ApiError("Service unavailable", status=503),
    Fault.GATEWAY_TIMEOUT: ApiError("The request took too long.", status=504),
    Fault.OVERLOADED: ApiError("Overloaded", status=529),
}
BREAKS = frozenset(  # nobody got the reply, so it is given again
    {
        *ANSWERS,
        *(Fault.STALL_BEFORE_HEAD, Fault.RESET_BEFORE_HEAD),
        *(Fault.STREAM_OVERLOADED, Fault.STREAM_RATE_LIMIT, Fault.STREAM_API_ERROR),
        *(Fault.END_AFTER_DELTA, Fault.END_IN_TOOL_JSON, Fault.END_BEFORE_MESSAGE_STOP),
        *(Fault.CUT_AFTER_DELTA, Fault.RESET_AFTER_DELTA, Fault.STALL, Fault.STALL_WITH_PINGS),
        *(Fault.INDEX_GAP, Fault.UNNAMED_FRAMES, Fault.NO_TERMINATOR, Fault.TRUNCATED_TOOL_JSON),
        *(Fault.INVALID_TOOL_JSON, Fault.TWO_JSON_VALUES, Fault.ARRAY_INPUT),
    }
)


@dataclass
class Faults:
    """Which request meets which fault: the next ones in order, the k-th one, those that a rule picks, or all."""

    coming: list[Fault | None] = field(default_factory=list)
    numbered: dict[int, Fault] = field(default_factory=dict)
    picked: list[tuple[Callable[[Asked], bool], list[Fault]]] = field(default_factory=list)
    standing: Fault | None = None

    def append(self, *faults: Fault | None) -> None:
        """Set faults for the next requests, one each. None lets one request pass."""
        self.coming += faults

    def at(self, number: int, fault: Fault) -> None:
        """Set the fault of the number-th request since the start, from 1."""
        self.numbered[number] = fault

    def when(self, picks: Callable[[Asked], bool], *faults: Fault) -> None:
        """Set faults for the next requests that `picks` accepts, for example those of one role."""
        self.picked.append((picks, list(faults)))

    def always(self, fault: Fault | None) -> None:
        """Set the fault of every request that meets no other. None ends it."""
        self.standing = fault

    def take(self, number: int, asked: Asked) -> Fault | None:
        if number in self.numbered:
            return self.numbered.pop(number)
        for picks, faults in self.picked:
            if faults and picks(asked):
                return faults.pop(0)
        return self.coming.pop(0) if self.coming else self.standing
