"""Check what surrounds the messages: sizes, sampling, and who asks."""

import re

from tests.stand_ins.claude.asked import Asked
from tests.stand_ins.claude.canonical import blocks_of
from tests.stand_ins.claude.checks.harsh import Harsh, refuse
from tests.stand_ins.claude.errors import ApiError
from tests.stand_ins.claude.models import ModelCard

ADDRESS = re.compile(r"[^@\s]+@[^@\s]+\.\w+|\+?\d[\d\s()-]{6,}\d")
MOST_UNSTREAMED = 21_333
VOLATILE = {
    "a clock time": re.compile(r"\b([01]?\d|2[0-3]):[0-5]\d\b"),
    "a date with its time": re.compile(r"\b\d{4}-\d\d-\d\d[T ]\d\d:"),
    "a UUID": re.compile(r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", re.IGNORECASE),
}


def check(asked: Asked, card: ModelCard, harsh: frozenset[Harsh]) -> None:
    for name in ("temperature", "top_p", "top_k"):
        if name in asked.body:
            raise ApiError(f"{name}: this parameter was removed in API version 2026-10-21")
    check_length(asked, card, harsh)
    check_user(asked, harsh)
    check_system(asked, harsh)


def check_length(asked: Asked, card: ModelCard, harsh: frozenset[Harsh]) -> None:
    most = asked.body["max_tokens"]
    if most < 0:
        raise ApiError("max_tokens: Input should be greater than or equal to 0")
    if most > card.most_output:
        raise ApiError(
            f"max_tokens: {most} > {card.most_output}, which is the maximum allowed number of output tokens"
            f" for {card.id}"
        )
    if most == 0 and (
        asked.streamed
        or asked.thinking.get("type") in ("enabled", "between_tools")
        or "format" in asked.output_config
        or asked.choice in ("any", "tool")
    ):
        raise ApiError(
            "max_tokens: 0 is not allowed with stream, thinking, output_config.format or a forced tool_choice"
        )
    if most > MOST_UNSTREAMED and not asked.streamed and Harsh.UNSTREAMED in harsh:
        raise refuse(Harsh.UNSTREAMED, f"max_tokens is {most}")


def check_user(asked: Asked, harsh: frozenset[Harsh]) -> None:
    user = str(asked.body.get("metadata", {}).get("user_id") or "")
    if len(user) > 256:
        raise ApiError("metadata.user_id: String should have at most 256 characters")
    if Harsh.USER_ID in harsh and ADDRESS.fullmatch(user):
        raise refuse(Harsh.USER_ID, "send an opaque hash")


def check_system(asked: Asked, harsh: frozenset[Harsh]) -> None:
    blocks = blocks_of(asked.body.get("system"))
    for place, block in enumerate(blocks):
        if block["type"] != "text":
            raise ApiError(f"system.{place}.type: Input should be 'text'")
        if not block["text"]:
            raise ApiError("system: text content blocks must be non-empty")
    if Harsh.VOLATILE in harsh:
        for what, pattern in VOLATILE.items():
            if found := pattern.search(asked.system):
                raise refuse(Harsh.VOLATILE, f"{what}, {found[0]!r}")
