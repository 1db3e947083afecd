"""A conversation with the stand-in, by hand."""

import json
from typing import Any

from tests.stand_ins.claude import ClaudeStandIn, Harsh, Request, Thinking, ToolUse, reply
from tests.stand_ins.raw import Answer, send

MODEL = "claude-sonnet-5-5"
LONG = "You are the lead. " + "Be kind to people and honest with them. " * 60
HOUR = {"type": "ephemeral", "ttl": "1h"}
TOOLS = [{"name": name, "description": name, "input_schema": {"type": "object"}} for name in ("look", "read")]


class Talk:
    """A conversation by hand: it sends its messages, and adds the replies to them."""

    def __init__(self, server: ClaudeStandIn, **body: Any) -> None:
        self.server = server
        system = [{"type": "text", "text": LONG, "cache_control": HOUR}]
        self.body = {
            "model": MODEL,
            "max_tokens": 1000,
            "system": system,
            "tools": TOOLS,
            "cache_control": HOUR,
            **body,
        }
        self.messages: list[Any] = []

    async def send(self, **changes: Any) -> Answer:
        # A copy through JSON, as if the client had read it from its disk.
        body = json.loads(json.dumps({**self.body, "messages": self.messages, **changes}))
        headers = {"anthropic-beta": changes["betas"]} if (changes := body.pop("headers", {})) else {}
        return await send(self.server, body, headers=headers)

    async def say(self, words: str = "go on", **changes: Any) -> Request:
        """Send a message, or results if the last reply had calls. Return the request."""
        results = [
            {"type": "tool_result", "tool_use_id": block["id"], "content": "seen"}
            for block in (self.messages[-1]["content"] if self.messages else ())
            if block["type"] == "tool_use"
        ]
        self.messages.append({"role": "user", "content": results or [{"type": "text", "text": words}]})
        answer = await self.send(**changes)
        assert answer.status == 200, answer.body
        self.messages.append({"role": "assistant", "content": answer.json["content"]})
        return self.server.requests[-1]

    async def refusal(self, **changes: Any) -> str:
        answer = await self.send(**changes)
        assert answer.status == 400, answer.body
        return str(answer.json["error"]["message"])


async def two_steps(server: ClaudeStandIn, **body: Any) -> Talk:
    """Return a conversation within a turn, with two calls made and the second about to be answered."""
    server.script.say(reply(Thinking(), ToolUse("look")), reply(Thinking(), ToolUse("read")), "Done.")
    talk = Talk(server, **body)
    await talk.say("look")
    await talk.say()
    uses = [block["id"] for block in talk.messages[-1]["content"] if block["type"] == "tool_use"]
    talk.messages.append({"role": "user", "content": [{"type": "tool_result", "tool_use_id": uses[0]}]})
    return talk


def lenient(*rules: Harsh) -> ClaudeStandIn:
    return ClaudeStandIn(lenient={Harsh.CHURN, Harsh.PREFIX, Harsh.CACHE_MISSED, *rules})
