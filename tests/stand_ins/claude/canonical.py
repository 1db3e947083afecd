"""One spelling for every piece of a request, so that it can be hashed, compared and counted."""

import hashlib
import json
import math
from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]

CHARACTERS_PER_TOKEN = 3.5
MEDIA_TOKENS = 1_500  # of an image, or of a PDF; the service counts patches and pages
ENCODE = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode


def canonical(value: Any) -> str:
    """JSON without its accidents; cache marks are left out, since they change nothing that the model reads."""
    text = ENCODE(value)
    return ENCODE(unmarked(value)) if '"cache_control"' in text else text  # most hold no mark, and long chats are many


def unmarked(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: unmarked(item) for key, item in value.items() if key != "cache_control"}
    return [unmarked(item) for item in value] if isinstance(value, list) else value


def digest(*parts: Any) -> str:
    texts = (part if isinstance(part, str) else canonical(part) for part in parts)
    return hashlib.sha256("\x1f".join(texts).encode()).hexdigest()


def tokens(block: Any) -> int:
    """By its length; but an image or a PDF counts as one, whatever its bytes."""
    text = canonical(block)
    packed = [source["data"] for source in sources(block)] if '"base64"' in text else []
    of_media = sum(MEDIA_TOKENS for _ in packed)
    return max(1, math.ceil((len(text) - sum(map(len, packed))) / CHARACTERS_PER_TOKEN)) + of_media


def sources(value: Any) -> Iterator[Json]:
    """What is sent in base64 below a block."""
    if isinstance(value, dict):
        if value.get("type") == "base64":
            yield value
        for each in value.values():
            yield from sources(each)
    elif isinstance(value, list):
        for each in value:
            yield from sources(each)


def blocks_of(content: Any) -> list[Json]:
    """A string is the short form of one text block."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return list(content or [])


def positions(messages: list[Json]) -> Iterator[tuple[int, int, str, Json]]:
    """Every block of the messages as (message, block, role, block)."""
    for number, message in enumerate(messages):
        for place, block in enumerate(blocks_of(message["content"])):
            yield number, place, message["role"], block


def prefixes(messages: list[Json]) -> list[str]:
    """The digest of what stands before each message, and last that of all of them.

    It goes by role and block, so that two neighbours of one role and the one message that they mean are the same.
    """
    so_far, found = digest("messages"), []
    for message in messages:
        found.append(so_far)
        if "output_config" in message:
            so_far = digest(so_far, message["role"], message["output_config"])
        for block in blocks_of(message["content"]):
            so_far = digest(so_far, message["role"], block)
    return [*found, so_far]


def tool_order(tools: list[Json]) -> list[Json]:
    return sorted(tools, key=lambda tool: str(tool.get("name")))
