"""Find faults of groups among themselves: each file is right alone, but not together with the others.

A group that already has a fault is still checked: if two groups want the same thing, both are off.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from bot.config.groups import texts
from bot.config.groups.file import GroupFile
from bot.config.roles import KNOWN_TOOLS
from bot.config.roles.file import NAME_PATTERN, nearest_name
from bot.core.messages import Address, RoleName
from bot.core.printable import MOST_NAME_CHARACTERS, escape_unprintable
from bot.core.role import LEAD

Fault = tuple[Path, str]  # the file, and what is wrong with it


def find_group_faults(
    files: Sequence[GroupFile], roles: Collection[RoleName], owners_at: Sequence[Address]
) -> Iterator[Fault]:
    """Yield the faults of registered groups, except those of workspaces. `files` are all folders."""
    groups = [file for file in files if file.is_registered]
    yield from check_group_names(groups, roles)
    mains = [group for group in groups if group.is_main]
    for group in mains:
        for other in other_groups(group, mains):
            yield group.path, texts.TWO_MAINS(other=escape_unprintable(other.name))
    yield from check_group_addresses(groups, owners_at)
    known = {file.name.casefold(): file for file in files}
    for group in groups:
        for tool in group.front.tools or ():
            if tool not in KNOWN_TOOLS:
                near = nearest_name(tool, KNOWN_TOOLS)
                yield group.path, texts.NO_SUCH_TOOL(tool=escape_unprintable(tool, MOST_NAME_CHARACTERS), nearest=near)
        yield from check_delegation_targets(group, known)


def check_group_names(groups: Sequence[GroupFile], roles: Collection[RoleName]) -> Iterator[Fault]:
    called = {str(role).casefold(): str(role) for role in roles}
    alike: Mapping[str, list[GroupFile]] = defaultdict(list)
    for group in groups:
        alike[group.name.casefold()].append(group)
    for group in groups:
        if not NAME_PATTERN.fullmatch(group.name):
            yield group.path, texts.NAME_NOT_VALID(name=escape_unprintable(group.name))
        if group.front.name is not None and group.front.name != group.name:
            yield group.path, texts.NAME_NOT_THE_FOLDERS(name=escape_unprintable(group.name))
        key = group.name.casefold()
        if key == LEAD:
            yield group.path, texts.NAME_IS_LEAD
        elif key in called:
            yield group.path, texts.NAME_IS_A_ROLES(role=called[key])
        for other in other_groups(group, alike[key]):
            yield group.path, texts.NAMES_ALIKE(other=escape_unprintable(other.name))


def check_group_addresses(groups: Sequence[GroupFile], owners_at: Sequence[Address]) -> Iterator[Fault]:
    there: Mapping[Address, list[GroupFile]] = defaultdict(list)
    for group in groups:
        for address in addresses_of_group(group, owners_at):
            there[address].append(group)
    for address, sharing in there.items():
        for group in sharing:
            for other in other_groups(group, sharing):
                name = escape_unprintable(other.name)
                if group.front.address:
                    yield group.path, texts.ADDRESS_TAKEN(other=name, address=address.as_typed)
                else:
                    yield group.path, texts.OWNERS_CHAT_TAKEN(other=name, address=address.as_typed)


def addresses_of_group(group: GroupFile, owners_at: Sequence[Address]) -> tuple[Address, ...]:
    """Return where the group lives: the address in its file, or for main each owner's private chat."""
    if group.front.address:
        return (group.front.address,)
    return tuple(dict.fromkeys(owners_at)) if group.is_main else ()


def check_delegation_targets(group: GroupFile, known: Mapping[str, GroupFile]) -> Iterator[Fault]:
    """Check that the groups it may ask exist. A folder that is not registered may still become a group."""
    for name in group.front.allow_delegation:
        shown = escape_unprintable(name, MOST_NAME_CHARACTERS)
        other = known.get(name.casefold())
        if other is None:
            among = {file.name for file in known.values() if file.name != group.name and not file.is_main}
            if among:
                near = escape_unprintable(nearest_name(name, among))
                yield group.path, texts.NO_SUCH_GROUP(group=shown, nearest=near)
            else:
                yield group.path, texts.NO_OTHER_GROUP(group=shown)
        elif other.is_main:
            yield group.path, texts.MAY_NOT_ASK_MAIN(group=shown)


def other_groups(group: GroupFile, groups: Iterable[GroupFile]) -> Iterator[GroupFile]:
    return (other for other in groups if other.path != group.path)
