"""Where each command is offered by the menus of the platforms. Typed, a command works or explains itself everywhere."""

from collections.abc import Sequence
from enum import StrEnum, auto


class CommandPlace(StrEnum):
    """A kind of chat, and who looks at the menu there."""

    PRIVATE = auto()  # the private chat of anybody
    OWNER = auto()  # the private chat of the owner
    GROUP = auto()  # a group chat or server, for its members
    GROUP_ADMIN = auto()  # the same for its administrators


PLACES_IN_PRIVATE = frozenset({CommandPlace.PRIVATE, CommandPlace.OWNER})
PLACES_IN_GROUP_CHATS = frozenset({CommandPlace.GROUP, CommandPlace.GROUP_ADMIN})
EVERYWHERE = PLACES_IN_PRIVATE | PLACES_IN_GROUP_CHATS
PLACES_OF_COMMANDS = {  # the other commands are offered everywhere
    "/mode": frozenset({CommandPlace.GROUP_ADMIN}),
    "/link": PLACES_IN_PRIVATE,
    "/unlink": PLACES_IN_PRIVATE,
    "/forget": PLACES_IN_PRIVATE,
    "/people": frozenset({CommandPlace.OWNER}),
    "/pair": frozenset({CommandPlace.OWNER}),
    "/groups": frozenset({CommandPlace.OWNER}),
}


def places_of_command(name: str) -> frozenset[CommandPlace]:
    """Return where a command is offered; its name may begin with a slash."""
    return PLACES_OF_COMMANDS.get(f"/{name.removeprefix('/')}", EVERYWHERE)


def commands_offered_at(place: CommandPlace, commands: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return those of the commands (name, help) that the menu of a place offers, in their order."""
    return [(name, help) for name, help in commands if place in places_of_command(name)]
