"""Rules that the real service does not have. It forgives these, but our loop should never do them."""

from enum import StrEnum

from tests.stand_ins.claude.errors import ApiError


class Harsh(StrEnum):
    """The rules. A test can leave some out: ClaudeStandIn(lenient={Harsh.UNCACHED})."""

    USER_ID = "metadata.user_id is a person's address"
    UNSTREAMED = "a long reply without a stream"
    SPLIT_RESULTS = "tool results split over several messages"
    NEIGHBOURS = "two assistant messages in a row"
    NULLS = "a block with fields that are null"
    NO_TOOLS = "tool blocks in the history, and no tools"
    CHURN = "the history is not an extension of what was sent before"
    PREFIX = "tools or system changed within a conversation"
    UNCACHED = "no cache_control on a prompt that could be cached"
    CACHE_MISSED = "a later request of a conversation reads less from the cache than the one before left there"
    PENDING = "tool_choice none while a tool of the service's own owes its result"
    VOLATILE = "the system prompt holds something that changes"


def refuse(rule: Harsh, where: str) -> ApiError:
    return ApiError(f"harsh: {rule.value}: {where}")
