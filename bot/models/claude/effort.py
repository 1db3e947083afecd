"""How hard Claude works at each reply of a chat: said by entries between the messages, which leave the cache alone."""

from __future__ import annotations

from collections.abc import Sequence

from bot.core.content_blocks import Block

EFFORT_BETA = "mid-conversation-output-config-2026-07-01"
RECENT_REPLIES = 3
CALLS = ("tool_use", "server_tool_use")


def with_efforts(messages: Sequence[Block], usual: str, light: str) -> list[Block]:
    """The messages, with the effort of each reply before it. What came before decides, so an entry never changes: tools
    are in play where one of the latest replies has called some.

    Whether an effort lasts beyond its own turn the API does not say. So each light one is named, and the usual one
    where a light one came before.
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
    """A message and the effort of the reply to it: in an entry of the harness's own, if it is one."""
    config = {"output_config": {"effort": effort}}
    if message["role"] == "system":
        return [message | config]
    return [message, {"role": "system", "content": [], **config}]
