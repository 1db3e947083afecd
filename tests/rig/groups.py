"""The groups of the world: their chats, the groups they may ask, and the secrets that only they know."""

from dataclasses import replace
from pathlib import Path

from bot.core.group import Group, Groups
from bot.core.messages import Address, GroupName, RoleName
from bot.core.prices import Micros
from bot.core.role import Role
from tests.support.engine_options import DELEGATION_LIMITS, limits_with

CHATS = {"alpha": "tg:alpha", "beta": "dc:beta", "main": "wh:main"}
MAY_ASK = {"alpha": ["beta"], "beta": ["alpha"], "main": []}
MAIN = "main"
NOTES = "notes.md"  # in every workspace: a read in the wrong folder then returns the wrong notes
MOST_ASKED = 3  # at one time


def file_of(group: str) -> str:
    """Return the text of a group's notes. Only the group itself may read it."""
    return f"$file-of-{group}"


def memory_of(group: str) -> str:
    return f"$memory-of-{group}"


def at(address: str) -> str:
    """Return the group whose chat this is, or "" if the lead answers there."""
    return next((group for group, chat in CHATS.items() if chat == address), "")


def workspace(folder: Path, group: str) -> Path:
    return folder / "groups" / group / "workspace"


def furnish(folder: Path) -> None:
    """Create each group's workspace with its notes."""
    for group in CHATS:
        workspace(folder, group).mkdir(parents=True)
        (workspace(folder, group) / NOTES).write_text(file_of(group))


def registered(folder: Path, tools: frozenset[str], model: str) -> Groups:
    """Return the groups as the bot gets them. Each agent has these tools, and may delegate to every role."""
    limits = replace(DELEGATION_LIMITS, iterations=10)
    return Groups(
        Group(
            name=GroupName(name),
            agent=Role(name=RoleName(name), prompt=name, tools=tools, limits=limits, model=model),
            limits=limits_with(cost=Micros(10_000_000)),  # five kills lose a dozen requests, at their highest price
            addresses=(Address.parse(chat),),
            askable_group_names=frozenset(map(GroupName, MAY_ASK[name])),
            workspace=workspace(folder, name),
            is_main=name == MAIN,
        )
        for name, chat in CHATS.items()
    )
