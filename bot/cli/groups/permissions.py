"""`retinue groups allow` and `deny`: set which group may ask which."""

from bot.cli.groups import texts
from bot.cli.groups.registry import GroupRegistry, group_command_error
from bot.config.groups.file import GroupFile
from bot.config.groups.frontmatter_editor import FrontMatterEditor
from bot.core.program_names import retinue_command

ALLOW_KEY = "allow_delegation"


def allow_asking(registry: GroupRegistry, name: str, other: str) -> list[str]:
    """Let one group ask another. Return lines that say what is true now.

    Raise click's error if the groups are the same, `other` is main, or `name` has no file yet.
    """
    with registry.lock():
        asking, asked = registry.find_folder(name), registry.find_folder(other)
        if asking.path == asked.path:
            raise group_command_error(texts.MAY_ASK_ITSELF(group=asking.name))
        if asked.is_main:
            raise group_command_error(texts.NOBODY_ASKS_MAIN(group=asked.name))
        if asking.is_empty:
            raise group_command_error(
                texts.NOTHING_THERE(path=asking.path, command=retinue_command("groups add"), group=asking.name)
            )
        if asking.is_main:
            return [texts.MAIN_MAY_ASK(group=asking.name, other=asked.name)]
        names = registry.read_changeable_file(asking).front.allow_delegation
        if not has_group_name(names, asked.name):
            registry.change_keys(
                asking, lambda front: front.with_item(ALLOW_KEY, asked.name), allow_delegation=(*names, asked.name)
            )
    return [
        texts.MAY_ASK(group=asking.name, other=asked.name),
        *hint_if_unregistered(asking),
        *hint_if_unregistered(asked),
    ]


def deny_asking(registry: GroupRegistry, name: str, other: str) -> list[str]:
    with registry.lock():
        asking = registry.find_folder(name)
        if asking.is_main:
            raise group_command_error(texts.MAIN_MAY_ASK_ALL(group=asking.name))
        names = registry.read_changeable_file(asking).front.allow_delegation
        if not has_group_name(names, other):
            other = registry.find_folder(other).name
            if other == asking.name:
                raise group_command_error(texts.ALWAYS_ASKS_ITSELF(group=asking.name))
        left = tuple(each for each in names if each.casefold() != other.casefold())
        registry.change_keys(asking, lambda front: remove_from_allowed(front, other), allow_delegation=left)
    return [texts.MAY_NOT_ASK(group=asking.name, other=other)]


def has_group_name(names: tuple[str, ...], name: str) -> bool:
    return name.casefold() in {each.casefold() for each in names}


def remove_from_allowed(front: FrontMatterEditor, name: str) -> str:
    return front.without_items(ALLOW_KEY, [name])


def hint_if_unregistered(folder: GroupFile) -> list[str]:
    """Return a line that says how to register the folder, or no line if it is registered."""
    if folder.is_registered:
        return []
    return [texts.NOT_REGISTERED_YET(group=folder.name, command=retinue_command("groups add"))]
