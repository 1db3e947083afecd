"""How hard Claude works at each reply of a chat. Entries between the messages set the effort and keep the cache."""

from __future__ import annotations

from collections.abc import Sequence

from bot.core.content_blocks import Block

EFFORT_BETA = "mid-conversation-output-config-2026-07-01"
RECENT_REPLIES = 3
CALLS = ("tool_use", "server_tool_use")


def with_efforts(messages: Sequence[Block], usual: str, light: str) -> list[Block]:
    """Return the messages, with the effort of each reply in an entry before the reply.

    A reply has the usual effort if one of the last `RECENT_REPLIES` replies called a tool, else the light one. Only
    earlier messages decide, so an entry never changes. The API does not say whether an effort lasts beyond its own
    turn. So each light effort is named, and the usual one after a light one.
    """
    found: list[Block] = []
    calls: list[bool] = []  # of each reply so far
    last = usual
    for message, following in zip(messages, [*messages[1:], {"role": "assistant"}], strict=True):
        if message["role"] == "assistant":
            calls.append(any(block["type"] in CALLS for block in message["content"]))
            found.append(message)
        elif following["role"] == "assistant":
            effort = usual if any(calls[-RECENT_REPLIES:]) else light
            found += with_effort(message, effort) if light in (effort, last) else [message]
            last = effort
        else:
            found.append(message)
    return found


def with_effort(message: Block, effort: str) -> list[Block]:
    """Return a message and the effort of the reply to it. A system message holds the effort itself."""
    config = {"output_config": {"effort": effort}}
    if message["role"] == "system":
        return [message | config]
    return [message, {"role": "system", "content": [], **config}]
