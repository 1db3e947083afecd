"""One spelling for each piece of a request, to hash, compare and count it."""

import hashlib
import json
import math
from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]

CHARACTERS_PER_TOKEN = 3.5
MEDIA_TOKENS = 1_500  # of an image or a PDF; the service counts patches and pages
ENCODE = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode


def canonical(value: Any) -> str:
    """Return JSON in one spelling. Leave out cache marks, because the model does not read them."""
    text = ENCODE(value)
    return ENCODE(unmarked(value)) if '"cache_control"' in text else text  # fast path: most texts have no mark


def unmarked(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: unmarked(item) for key, item in value.items() if key != "cache_control"}
    return [unmarked(item) for item in value] if isinstance(value, list) else value


def digest(*parts: Any) -> str:
    texts = (part if isinstance(part, str) else canonical(part) for part in parts)
    return hashlib.sha256("\x1f".join(texts).encode()).hexdigest()


def tokens(block: Any) -> int:
    """Return the tokens of a block by its length. An image or PDF has a fixed number, whatever its size."""
    text = canonical(block)
    packed = [source["data"] for source in sources(block)] if '"base64"' in text else []
    of_media = sum(MEDIA_TOKENS for _ in packed)
    return max(1, math.ceil((len(text) - sum(map(len, packed))) / CHARACTERS_PER_TOKEN)) + of_media


def sources(value: Any) -> Iterator[Json]:
    """Yield the base64 sources below a block."""
    if isinstance(value, dict):
        if value.get("type") == "base64":
            yield value
        for each in value.values():
            yield from sources(each)
    elif isinstance(value, list):
        for each in value:
            yield from sources(each)


def blocks_of(content: Any) -> list[Json]:
    """Return the blocks of a content. A string is short for one text block."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return list(content or [])


def positions(messages: list[Json]) -> Iterator[tuple[int, int, str, Json]]:
    """Yield every block of the messages as (message number, block number, role, block)."""
    for number, message in enumerate(messages):
        for place, block in enumerate(blocks_of(message["content"])):
            yield number, place, message["role"], block


def prefixes(messages: list[Json]) -> list[str]:
    """Return the digest of all messages before each message, and last the digest of all.

    It depends only on roles and blocks, so two neighbours of one role count the same as one merged message.
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
