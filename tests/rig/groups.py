"""The groups of the world: where each has its chat, whom it may ask, and what it alone knows."""

from dataclasses import replace
from pathlib import Path

from bot.core.group import Group, Groups
from bot.core.messages import Address, GroupName, RoleName
from bot.core.role import Role
from tests.support.engine_options import DELEGATION_LIMITS, TURN_LIMITS

CHATS = {"alpha": "tg:alpha", "beta": "dc:beta", "main": "wh:main"}
MAY_ASK = {"alpha": ["beta"], "beta": ["alpha"], "main": []}
MAIN = "main"
NOTES = "notes.md"  # a file of that name is in every workspace, so that a wrong folder is not seen by its lack
MOST_ASKED = 3  # at one time


def file_of(group: str) -> str:
    """What stands in a group's notes, and may be read within its walls alone."""
    return f"$file-of-{group}"


def memory_of(group: str) -> str:
    return f"$memory-of-{group}"


def at(address: str) -> str:
    """Whose chat it is; empty where the lead answers."""
    return next((group for group, chat in CHATS.items() if chat == address), "")


def workspace(folder: Path, group: str) -> Path:
    return folder / "groups" / group / "workspace"


def furnish(folder: Path) -> None:
    """Give each group its files."""
    for group in CHATS:
        workspace(folder, group).mkdir(parents=True)
        (workspace(folder, group) / NOTES).write_text(file_of(group))


def registered(folder: Path, tools: frozenset[str], model: str) -> Groups:
    """As the bot knows them: each agent has these tools, and may delegate to every role."""
    limits = replace(DELEGATION_LIMITS, iterations=10)
    return Groups(
        Group(
            name=GroupName(name),
            agent=Role(name=RoleName(name), prompt=name, tools=tools, limits=limits, model=model),
            limits=TURN_LIMITS,
            addresses=(Address.parse(chat),),
            may_ask=frozenset(map(GroupName, MAY_ASK[name])),
            workspace=workspace(folder, name),
            is_main=name == MAIN,
        )
        for name, chat in CHATS.items()
    )
