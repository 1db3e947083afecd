"""A lead and a role that can remember, and calls of theirs."""

from typing import Any

from bot.core.content_blocks import Block
from bot.core.messages import RoleName
from bot.core.model import ModelReply, ModelRequest
from bot.core.role import LEAD, Role
from bot.tools.memory import NAMES
from tests.support.fakes import reply, role, uses

RESEARCHER = RoleName("researcher")
ROLES: dict[RoleName, Role] = {
    LEAD: role("lead", "delegate", *NAMES, delegates_to=["researcher"]),
    RESEARCHER: role("researcher", "message", *NAMES),
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
    """The first thing that the model is told."""
    return str(request.transcript[0].content[0]["text"])
