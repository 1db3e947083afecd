"""A lead and a role with the memory tools, and calls of these tools."""

from typing import Any

from bot.assembly import make_workspace_and_web_tools
from bot.core.content_blocks import Block
from bot.core.messages import OutboundKind, RoleName
from bot.core.model import ModelReply, ModelRequest
from bot.core.role import LEAD_ROLE_NAME, Role
from bot.tools.memory import MEMORY_TOOL_NAMES
from tests.support.bench import Bench
from tests.support.fakes import reply, role, uses

REPLY, NOTICE = OutboundKind.REPLY, OutboundKind.NOTICE
RESEARCHER = RoleName("researcher")
ROLES: dict[RoleName, Role] = {
    LEAD_ROLE_NAME: role("lead", "delegate", *MEMORY_TOOL_NAMES, delegates_to=["researcher"]),
    RESEARCHER: role("researcher", "message", *MEMORY_TOOL_NAMES),
}


def saves(*texts: str) -> ModelReply:
    return reply(*(save(text) for text in texts))


def save(text: Any) -> Block:
    return uses("memory_save", text=text)


def search(*words: str) -> Block:
    return uses("memory_search", query=" ".join(words))


def get(id: Any) -> Block:
    return uses("memory_get", id=id)


def forget(id: Any) -> Block:
    return uses("memory_forget", id=id)


def surroundings(request: ModelRequest) -> str:
    """Return the first text that the model is told."""
    return str(request.transcript[0].content[0]["text"])


def run(bench: Bench, **fields: Any) -> Any:
    return bench.run(**{"tools": make_workspace_and_web_tools(bench.data / "desk"), **fields})


async def says(bench: Bench, *replies: ModelReply, text: str = "go", **where: Any) -> None:
    """Write a message. The lead makes these replies, and then answers "done"."""
    bench.model.says("lead", *replies, "done")
    bench.chat.hears(text, **where)
    assert await bench.chat.said(REPLY) == "done"


async def digest(bench: Bench, **where: Any) -> str:
    """Return what a new conversation begins with."""
    bench.chat.hears("/new", **where)
    await bench.chat.said(NOTICE)
    await says(bench, text="hello", **where)
    return surroundings(bench.model.asked("lead")[-1])
