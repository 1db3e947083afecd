"""Check the cache marks of a request: their places, their number, and the order of their times to live."""

from collections.abc import Iterator

from tests.stand_ins.claude.asked import Asked
from tests.stand_ins.claude.canonical import Json, blocks_of, positions
from tests.stand_ins.claude.errors import ApiError

MOST = 4
UNMARKABLE = ("thinking", "redacted_thinking", "fallback")


def check(asked: Asked) -> None:
    marks = list(marked(asked))
    for where, block in marks:
        check_mark(where, block)
    automatic = asked.body.get("cache_control")
    if automatic is not None:
        check_mark("cache_control", {"type": "request", "cache_control": automatic})
        check_automatic(asked, automatic)
    if (count := len(marks) + (automatic is not None)) > MOST:
        raise ApiError(f"A maximum of {MOST} blocks with cache_control may be provided. Found {count}.")
    lives = [ttl(block["cache_control"]) for _, block in marks] + ([ttl(automatic)] if automatic else [])
    if "1h" in lives[lives.index("5m") :] if "5m" in lives else False:
        raise ApiError(
            "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block."
            " Note that blocks are processed in the following order: `tools`, `system`, `messages`."
        )


def marked(asked: Asked) -> Iterator[tuple[str, Json]]:
    """Yield each block with its own mark, in the prompt's order."""
    for place, tool in enumerate(asked.tools):
        if tool.get("cache_control") is not None:
            yield f"tools.{place}", tool
    for place, block in enumerate(blocks_of(asked.body.get("system"))):
        if block.get("cache_control") is not None:
            yield f"system.{place}", block
    for number, place, _, block in positions(asked.messages):
        if block.get("cache_control") is not None:
            yield f"messages.{number}.content.{place}", block


def check_mark(where: str, block: Json) -> None:
    mark = block["cache_control"]
    if not isinstance(mark, dict) or mark.get("type") != "ephemeral" or mark.get("ttl", "5m") not in ("5m", "1h"):
        raise ApiError(f"{where}.cache_control: Input should be {{'type': 'ephemeral', 'ttl': '5m' or '1h'}}")
    if block["type"] in UNMARKABLE if "type" in block else False:
        raise ApiError(f"{where}.{block['type']}.cache_control: Extra inputs are not permitted")


def check_automatic(asked: Asked, automatic: Json) -> None:
    *_, (_, _, _, last) = positions(asked.messages)
    own = last.get("cache_control")
    if own is not None and ttl(own) != ttl(automatic):
        raise ApiError("cache_control: the last block has a cache_control with another ttl")


def ttl(mark: Json) -> str:
    return str(mark.get("ttl", "5m"))
