"""Groups for the tests. Each has the chat and the script of its name."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bot.core.group import Group, Groups
from bot.core.messages import Address, GroupName
from bot.core.model import ModelReply
from tests.support.engine_options import DELEGATION_LIMITS, TURN_LIMITS
from tests.support.fakes import reply, role, uses

TOOLS = ("delegate", "message", "ask_person", "read", "change")


def at(chat: str, thread: str | None = None) -> Address:
    return Address(channel="fake", chat=chat, thread=thread)


def group(
    name: str,
    *may_ask: str,
    is_main: bool = False,
    tools: Sequence[str] = TOOLS,
    addresses: Sequence[Address] = (),
    workspace: Path = Path("nowhere"),
    **fields: Any,
) -> Group:
    """Return a group. Its agent has the tools of a test's lead, and may delegate to every role."""
    fields = {"limits": DELEGATION_LIMITS, "description": f"knows of {name}", **fields}
    return Group(
        name=GroupName(name),
        agent=role(name, *tools, delegates_to=None, **fields),
        limits=TURN_LIMITS,
        addresses=tuple(addresses) or (at(name),),
        askable_group_names=frozenset(map(GroupName, may_ask)),
        workspace=workspace,
        is_main=is_main,
    )


class Registry:
    """The groups as a bot asks for them. A test changes them as an operator would."""

    def __init__(
        self, *groups: Group, broken: dict[Address, GroupName] | None = None, main_chats: Sequence[Address] = ()
    ) -> None:
        self.groups = Groups(groups, broken or {}, main_chats=main_chats)

    def __call__(self) -> Groups:
        return self.groups


def asks(*groups: str, **arguments: Any) -> ModelReply:
    """Return a reply that asks each of these groups its question."""
    return reply(*(uses("delegate", group=name, task=f"{name}'s question", **arguments) for name in groups))
