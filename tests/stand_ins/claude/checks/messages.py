"""The order of the messages and what each may hold."""

from itertools import pairwise

from tests.stand_ins.claude.asked import Asked
from tests.stand_ins.claude.canonical import Json, blocks_of, positions
from tests.stand_ins.claude.checks.harsh import Harsh, refuse
from tests.stand_ins.claude.errors import ApiError
from tests.stand_ins.claude.models import ModelCard

MOST = 100_000
ASSISTANT_ONLY = {"thinking", "redacted_thinking", "tool_use", "server_tool_use", "compaction", "fallback"}
SERVER_RESULTS = ("web_search_tool_result", "web_fetch_tool_result", "code_execution_tool_result")


def check(asked: Asked, card: ModelCard, harsh: frozenset[Harsh]) -> None:
    messages = asked.messages
    if not messages:
        raise ApiError("messages: at least one message is required")
    if len(messages) > MOST:
        raise ApiError(f"messages: at most {MOST} messages are allowed")
    if messages[0]["role"] != "user":
        raise ApiError("messages.0: the first message must have the role 'user'")
    check_contents(messages)
    check_spoken_system(messages, card)
    if Harsh.NULLS in harsh:
        for number, place, _, block in positions(messages):
            if nulls := [name for name, value in block.items() if value is None]:
                raise refuse(Harsh.NULLS, f"messages.{number}.content.{place}.{nulls[0]}")


def check_contents(messages: list[Json]) -> None:
    for number, message in enumerate(messages):
        is_last_word = number == len(messages) - 1 and message["role"] == "assistant"
        if not message["content"] and not is_last_word and "output_config" not in message:
            raise ApiError(
                f"messages.{number}: all messages must have non-empty content"
                " except for the optional final assistant message"
            )
        if message["content"] and isinstance(message["content"], str):
            check_text(message["content"])
    for number, place, role, block in positions(messages):
        check_block(f"messages.{number}.content.{place}", role, block)


def check_block(where: str, role: str, block: Json) -> None:
    kind = block["type"]
    if kind == "text":
        if not block["text"] and "cache_control" in block:
            raise ApiError(f"{where}.text: cache_control cannot be set for empty text blocks")
        check_text(block["text"])
        if role == "user" and block.get("citations"):
            raise ApiError(f"{where}.text.citations: citations are not allowed on a text block of a user message")
    if role == "assistant" and kind in ("document", "tool_result"):
        raise ApiError(f"{where}: `{kind}` blocks are not allowed in assistant messages")
    if role == "user" and kind in ASSISTANT_ONLY:
        raise ApiError(f"{where}: `{kind}` blocks can only be in `assistant` messages")
    for inner in blocks_of(block.get("content")) if kind == "tool_result" else ():
        if inner["type"] == "text":
            check_text(inner["text"])


def check_text(text: str) -> None:
    if not text:
        raise ApiError("messages: text content blocks must be non-empty")
    if not text.strip():
        raise ApiError("messages: text content blocks must contain non-whitespace text")


def check_spoken_system(messages: list[Json], card: ModelCard) -> None:
    for number, message in enumerate(messages):
        if message["role"] != "system":
            continue
        if not card.spoken_system:
            raise ApiError("role 'system' is not supported on this model")
        before = next((one for one in messages[number::-1] if one["role"] != "system"), messages[0])
        ends = [block["type"] for block in blocks_of(before["content"])][-1:]
        if before["role"] == "assistant" and ends not in [[kind] for kind in SERVER_RESULTS]:
            raise ApiError(f"messages.{number}: role 'system' must follow a 'user' message")
        if any(block["type"] != "text" for block in blocks_of(message["content"])):
            raise ApiError(f"messages.{number}: role 'system' messages may hold only text")
        if messages[number + 1 : number + 2] and messages[number + 1]["role"] == "user":
            raise ApiError(f"messages.{number}: role 'system' must precede an 'assistant' message or end the array")


def check_neighbours(messages: list[Json], harsh: frozenset[Harsh], paused: set[int]) -> None:
    """Refuse two kinds of neighbours of one role. The service would merge them, but we should not send them. A message
    after a paused reply is fine."""
    for number, (before, after) in enumerate(pairwise(messages), 1):
        roles = before["role"], after["role"]
        if roles == ("assistant", "assistant") and Harsh.NEIGHBOURS in harsh and number - 1 not in paused:
            raise refuse(Harsh.NEIGHBOURS, f"messages.{number}")
        has_results = any(block["type"] == "tool_result" for block in blocks_of(before["content"]))
        if roles == ("user", "user") and has_results and Harsh.SPLIT_RESULTS in harsh:
            raise refuse(Harsh.SPLIT_RESULTS, f"messages.{number}")


def check_end(asked: Asked, card: ModelCard, is_pause: bool) -> None:
    """Raise unless the conversation ends with the user, or with a reply that is to be continued."""
    last = asked.messages[-1]
    if last["role"] == "assistant" and [block["type"] for block in blocks_of(last["content"])][-1:] == ["thinking"]:
        raise ApiError(
            f"messages.{len(asked.messages) - 1}: The final block in an assistant message cannot be `thinking`."
        )
    pending = last["role"] == "assistant" and ends_open(blocks_of(last["content"]))
    if last["role"] == "assistant" and not (card.prefill or is_pause or pending):
        raise ApiError(
            "This model does not support assistant message prefill. The conversation must end with a user message."
        )


def ends_open(blocks: list[Json]) -> bool:
    """Return True if a server tool has no result yet, or the last block is a summary."""
    used = {block["id"] for block in blocks if block["type"] == "server_tool_use"}
    answered = {block["tool_use_id"] for block in blocks if block["type"].endswith("_tool_result")}
    return bool(used - answered) or [block["type"] for block in blocks[-1:]] == ["compaction"]
