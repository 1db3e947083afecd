"""Refuse what a request for a summary may not have, and all threads: the stand-in has none."""

from tests.stand_ins.claude.asked import Asked
from tests.stand_ins.claude.canonical import blocks_of
from tests.stand_ins.claude.errors import ApiError


def check(asked: Asked) -> None:
    thread = asked.body.get("thread")
    if isinstance(thread, dict) and thread.get("type") == "continue":
        raise ApiError("thread: the thread was not found", status=404, code="thread_not_found")
    if asked.body.get("compaction") is None:
        return
    for name in ("context_management", "stop_sequences"):
        if asked.body.get(name):
            raise ApiError(f"compaction: {name} cannot be used together with compaction")
    if "format" in asked.output_config or asked.choice in ("any", "tool"):
        raise ApiError("compaction: output_config.format and a forced tool_choice cannot be used with compaction")
    last = asked.messages[-1]
    if last["role"] == "assistant" and any(block["type"] == "tool_use" for block in blocks_of(last["content"])):
        raise ApiError("compaction: the last turn has tool calls without results", code="compaction_incomplete_turn")
    if not any(message["role"] == "assistant" for message in asked.messages):
        raise ApiError("compaction: there is nothing to summarize", code="compaction_nothing_to_summarize")
