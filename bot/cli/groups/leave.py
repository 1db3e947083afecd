"""`retinue groups allow` and `deny`: who may ask whom."""

from bot.cli.groups.registry import Registry, refused
from bot.groupfiles.editing import Front
from bot.groupfiles.file import GroupFile
from bot.program import command

KEY = "allow_delegation"


def allow(registry: Registry, name: str, other: str) -> list[str]:
    """Gives what is so now."""
    with registry.held():
        asking, asked = registry.folder(name), registry.folder(other)
        if asking.path == asked.path:
            raise refused(f"{asking.name} may ask itself as it is: that needs no leave")
        if asked.is_main:
            raise refused(f"{asked.name} is main, which nobody may ask")
        if asking.is_empty:
            raise refused(f"{asking.path}: nothing stands there yet; {command('groups add')} {asking.name} makes it")
        if asking.is_main:
            return [f"{asking.name} is main, and may ask {asked.name} as every group: that needs no leave"]
        names = registry.written(asking).front.allow_delegation
        if not holds(names, asked.name):
            registry.change(
                asking, lambda front: front.with_item(KEY, asked.name), allow_delegation=(*names, asked.name)
            )
    return [f"{asking.name} may ask {asked.name}", *not_yet(asking), *not_yet(asked)]


def deny(registry: Registry, name: str, other: str) -> list[str]:
    with registry.held():
        asking = registry.folder(name)
        if asking.is_main:
            raise refused(f"{asking.name} is main, and may ask every group; nothing is changed")
        names = registry.written(asking).front.allow_delegation
        if not holds(names, other):
            other = registry.folder(other).name
            if other == asking.name:
                raise refused(f"{asking.name} may always ask itself; nothing is changed")
        left = tuple(each for each in names if each.casefold() != other.casefold())
        registry.change(asking, lambda front: without(front, other), allow_delegation=left)
    return [f"{asking.name} may not ask {other}"]


def holds(names: tuple[str, ...], name: str) -> bool:
    return name.casefold() in {each.casefold() for each in names}


def without(front: Front, name: str) -> str:
    return front.without_items(KEY, [name])


def not_yet(folder: GroupFile) -> list[str]:
    """A word on a folder that is no group yet."""
    if folder.is_registered:
        return []
    return [f"{folder.name} is not registered yet: {command('groups add')} {folder.name} --channel C --chat ID"]
