"""Every call is answered once, in the next message, before anything else."""

from collections import Counter

from tests.stand_ins.claude.asked import Asked
from tests.stand_ins.claude.canonical import Json, blocks_of, positions
from tests.stand_ins.claude.checks.harsh import Harsh, refuse
from tests.stand_ins.claude.errors import ApiError


def check(asked: Asked, harsh: frozenset[Harsh]) -> None:
    messages = merged(asked.messages)
    check_ids(asked.messages)
    for place, (number, message) in enumerate(messages):
        before = messages[place - 1][1] if place else None
        if message["role"] == "user":
            check_results(number, message, before)
        following = messages[place + 1][1] if place + 1 < len(messages) else None
        if message["role"] == "assistant":
            check_answered(number, message, following)
    has_calls = any(block["type"] in ("tool_use", "tool_result") for _, _, _, block in positions(asked.messages))
    if has_calls and not asked.tools and Harsh.NO_TOOLS in harsh:
        raise refuse(Harsh.NO_TOOLS, "keep `tools` as it was")


def merged(messages: list[Json]) -> list[tuple[int, Json]]:
    """Return the messages as the model sees them: neighbours of one role merged, system messages left out."""
    whole: list[tuple[int, Json]] = []
    for number, message in enumerate(messages):
        if message["role"] == "system":
            continue
        blocks = blocks_of(message["content"])
        if whole and whole[-1][1]["role"] == message["role"]:
            whole[-1][1]["content"] += blocks
        else:
            whole.append((number, {"role": message["role"], "content": list(blocks)}))
    return whole


def check_ids(messages: list[Json]) -> None:
    seen: set[str] = set()
    for number, place, _, block in positions(messages):
        if block["type"] == "tool_use":
            if block["id"] in seen:
                raise ApiError(f"messages.{number}.content.{place}: `tool_use` ids must be unique")
            seen.add(block["id"])


def check_results(number: int, message: Json, before: Json | None) -> None:
    used = used_in(before) if before else []
    results = [
        (place, block["tool_use_id"])
        for place, block in enumerate(message["content"])
        if block["type"] == "tool_result"
    ]
    for place, name in results:
        if name not in used:
            raise ApiError(
                f"messages.{number}.content.{place}: unexpected `tool_use_id` found in `tool_result` blocks: {name}."
                " Each `tool_result` block must have a corresponding `tool_use` block in the previous message."
            )
    for name, times in Counter(name for _, name in results).items():
        if times > 1:
            raise ApiError(
                f"each tool_use must have a single result. Found multiple `tool_result` blocks with id: {name}"
            )


def check_answered(number: int, message: Json, following: Json | None) -> None:
    used = used_in(message)
    first: list[str] = []
    for block in following["content"] if following else ():
        if block["type"] != "tool_result":
            break
        first.append(block["tool_use_id"])
    if missing := [name for name in used if name not in first]:
        raise ApiError(
            f"messages.{number}: `tool_use` ids were found without `tool_result` blocks immediately after:"
            f" {', '.join(missing)}. Each `tool_use` block must have a corresponding `tool_result` block"
            " in the next message."
        )


def used_in(message: Json) -> list[str]:
    return [block["id"] for block in message["content"] if block["type"] == "tool_use"]
