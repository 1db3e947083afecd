"""What is wrong with groups among themselves and beside the rest: each file is right, and all of them together are not.

Whoever has a fault already is still looked at: where two want the same, both are off, whatever else is wrong with one.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from bot.groupfiles.address import written
from bot.groupfiles.file import GroupFile
from bot.messages import Address, RoleName
from bot.role import LEAD
from bot.rolefiles import KNOWN
from bot.rolefiles.file import NAME, NAME_RULE, nearest
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
            yield group.path, f"the name of a group's folder {NAME_RULE}; rename the folder {shown(group.name)}"
        if group.front.name is not None and group.front.name != group.name:
            yield group.path, f"name must be that of its folder, {shown(group.name)}; leave it out"
        key = group.name.casefold()
        if key == LEAD:
            yield group.path, "no group can be called lead, as whoever answers elsewhere is; rename its folder"
        elif key in called:
            yield group.path, f"there is a role {called[key]}, and a group needs a name of its own; rename its folder"
        for other in others(group, alike[key]):
            yield group.path, f"its name is but for case that of the group {shown(other.name)}; rename one folder"


def of_main(groups: Sequence[GroupFile]) -> Iterator[Fault]:
    mains = [group for group in groups if group.is_main]
    for group in mains:
        for other in others(group, mains):
            yield group.path, f"main: {shown(other.name)} is main too, and only one can be; take main out of one"


def of_addresses(groups: Sequence[GroupFile], owners_at: Sequence[Address]) -> Iterator[Fault]:
    there: Mapping[Address, list[GroupFile]] = defaultdict(list)
    for group in groups:
        for address in addresses_of(group, owners_at):
            there[address].append(group)
    for address, sharing in there.items():
        for group in sharing:
            for other in others(group, sharing):
                why = f"{shown(other.name)} is at {written(address)} too, and one chat has one group"
                mend = "change the address of one" if group.front.address else "give main an address of its own"
                yield group.path, f"address: {why}; {mend}"


def addresses_of(group: GroupFile, owners_at: Sequence[Address]) -> tuple[Address, ...]:
    """Where it lives: what its file says, or as main each owner's private chat."""
    if group.front.address:
        return (group.front.address,)
    return tuple(dict.fromkeys(owners_at)) if group.is_main else ()


def of_tools(group: GroupFile) -> Iterator[Fault]:
    for tool in group.front.tools or ():
        if tool not in KNOWN:
            near = nearest(tool, KNOWN)
            yield group.path, f"tools: there is no tool {shown(tool)}; the nearest is {near}"


def of_leave(group: GroupFile, known: Mapping[str, GroupFile]) -> Iterator[Fault]:
    """Whether whom it may ask is there. One that is not registered may still become a group."""
    for name in group.front.allow_delegation:
        other = known.get(name.casefold())
        if other is None:
            among = {file.name for file in known.values() if file.name != group.name and not file.is_main}
            near = f"the nearest is {shown(nearest(name, among))}" if among else "there is no other group yet"
            yield group.path, f"allow_delegation: there is no group {shown(name)}; {near}"
        elif other.is_main:
            yield group.path, f"allow_delegation: {shown(name)} is main, which nobody may ask; take it out of the list"


def others(group: GroupFile, groups: Iterable[GroupFile]) -> Iterator[GroupFile]:
    return (other for other in groups if other.path != group.path)
