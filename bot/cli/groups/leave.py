"""`retinue groups allow` and `deny`: who may ask whom."""

from bot.cli.groups import texts
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
            raise refused(texts.MAY_ASK_ITSELF(group=asking.name))
        if asked.is_main:
            raise refused(texts.NOBODY_ASKS_MAIN(group=asked.name))
        if asking.is_empty:
            raise refused(texts.NOTHING_THERE(path=asking.path, command=command("groups add"), group=asking.name))
        if asking.is_main:
            return [texts.MAIN_MAY_ASK(group=asking.name, other=asked.name)]
        names = registry.written(asking).front.allow_delegation
        if not holds(names, asked.name):
            registry.change(
                asking, lambda front: front.with_item(KEY, asked.name), allow_delegation=(*names, asked.name)
            )
    return [texts.MAY_ASK(group=asking.name, other=asked.name), *not_yet(asking), *not_yet(asked)]


def deny(registry: Registry, name: str, other: str) -> list[str]:
    with registry.held():
        asking = registry.folder(name)
        if asking.is_main:
            raise refused(texts.MAIN_MAY_ASK_ALL(group=asking.name))
        names = registry.written(asking).front.allow_delegation
        if not holds(names, other):
            other = registry.folder(other).name
            if other == asking.name:
                raise refused(texts.ALWAYS_ASKS_ITSELF(group=asking.name))
        left = tuple(each for each in names if each.casefold() != other.casefold())
        registry.change(asking, lambda front: without(front, other), allow_delegation=left)
    return [texts.MAY_NOT_ASK(group=asking.name, other=other)]


def holds(names: tuple[str, ...], name: str) -> bool:
    return name.casefold() in {each.casefold() for each in names}


def without(front: Front, name: str) -> str:
    return front.without_items(KEY, [name])


def not_yet(folder: GroupFile) -> list[str]:
    """A word on a folder that is no group yet."""
    if folder.is_registered:
        return []
    return [texts.NOT_REGISTERED_YET(group=folder.name, command=command("groups add"))]
