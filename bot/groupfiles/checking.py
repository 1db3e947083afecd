"""What is wrong with groups among themselves and beside the rest: each file is right, and all of them together are not.

Whoever has a fault already is still looked at: where two want the same, both are off, whatever else is wrong with one.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from bot.groupfiles import texts
from bot.groupfiles.address import written
from bot.groupfiles.file import GroupFile
from bot.messages import Address, RoleName
from bot.role import LEAD
from bot.rolefiles import KNOWN
from bot.rolefiles.file import NAME, nearest
from bot.tools.telling import shown

Fault = tuple[Path, str]  # the file, and what is wrong with it


def faults(files: Sequence[GroupFile], roles: Collection[RoleName], owners_at: Sequence[Address]) -> Iterator[Fault]:
    """Of groups that are registered; `files` are all there are. (What is wrong with workspaces stands in `walls`.)"""
    groups = [file for file in files if file.is_registered]
    yield from of_names(groups, roles)
    yield from of_main(groups)
    yield from of_addresses(groups, owners_at)
    known = {file.name.casefold(): file for file in files}
    for group in groups:
        yield from of_tools(group)
        yield from of_leave(group, known)


def of_names(groups: Sequence[GroupFile], roles: Collection[RoleName]) -> Iterator[Fault]:
    called = {str(role).casefold(): str(role) for role in roles}
    alike: Mapping[str, list[GroupFile]] = defaultdict(list)
    for group in groups:
        alike[group.name.casefold()].append(group)
    for group in groups:
        if not NAME.fullmatch(group.name):
            yield group.path, texts.NAME_NOT_VALID(name=shown(group.name))
        if group.front.name is not None and group.front.name != group.name:
            yield group.path, texts.NAME_NOT_THE_FOLDERS(name=shown(group.name))
        key = group.name.casefold()
        if key == LEAD:
            yield group.path, texts.NAME_IS_LEAD
        elif key in called:
            yield group.path, texts.NAME_IS_A_ROLES(role=called[key])
        for other in others(group, alike[key]):
            yield group.path, texts.NAMES_ALIKE(other=shown(other.name))


def of_main(groups: Sequence[GroupFile]) -> Iterator[Fault]:
    mains = [group for group in groups if group.is_main]
    for group in mains:
        for other in others(group, mains):
            yield group.path, texts.TWO_MAINS(other=shown(other.name))


def of_addresses(groups: Sequence[GroupFile], owners_at: Sequence[Address]) -> Iterator[Fault]:
    there: Mapping[Address, list[GroupFile]] = defaultdict(list)
    for group in groups:
        for address in addresses_of(group, owners_at):
            there[address].append(group)
    for address, sharing in there.items():
        for group in sharing:
            for other in others(group, sharing):
                if group.front.address:
                    yield group.path, texts.ADDRESS_TAKEN(other=shown(other.name), address=written(address))
                else:
                    yield group.path, texts.OWNERS_CHAT_TAKEN(other=shown(other.name), address=written(address))


def addresses_of(group: GroupFile, owners_at: Sequence[Address]) -> tuple[Address, ...]:
    """Where it lives: what its file says, or as main each owner's private chat."""
    if group.front.address:
        return (group.front.address,)
    return tuple(dict.fromkeys(owners_at)) if group.is_main else ()


def of_tools(group: GroupFile) -> Iterator[Fault]:
    for tool in group.front.tools or ():
        if tool not in KNOWN:
            near = nearest(tool, KNOWN)
            yield group.path, texts.NO_SUCH_TOOL(tool=shown(tool), nearest=near)


def of_leave(group: GroupFile, known: Mapping[str, GroupFile]) -> Iterator[Fault]:
    """Whether whom it may ask is there. One that is not registered may still become a group."""
    for name in group.front.allow_delegation:
        other = known.get(name.casefold())
        if other is None:
            among = {file.name for file in known.values() if file.name != group.name and not file.is_main}
            if among:
                yield group.path, texts.NO_SUCH_GROUP(group=shown(name), nearest=shown(nearest(name, among)))
            else:
                yield group.path, texts.NO_OTHER_GROUP(group=shown(name))
        elif other.is_main:
            yield group.path, texts.MAY_NOT_ASK_MAIN(group=shown(name))


def others(group: GroupFile, groups: Iterable[GroupFile]) -> Iterator[GroupFile]:
    return (other for other in groups if other.path != group.path)
