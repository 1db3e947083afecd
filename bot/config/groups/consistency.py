"""Find conflicts between groups: each file is right alone, but not together with the others. Groups that already have a
fault are checked too. If two groups want the same thing, both are off."""

import os
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import permutations
from pathlib import Path
from typing import TypeVar

from bot.config import Config, LoadedConfig
from bot.config.groups import texts
from bot.config.groups.file import WORKSPACE_FOLDER, GroupFile
from bot.config.roles import is_known_tool, list_known_tools
from bot.config.roles.file import GROUP_NAME_PATTERN, nearest_name
from bot.core.messages import Address, RoleName
from bot.core.role import LEAD_ROLE_NAME
from bot.core.texts import MAX_NAME_CHARACTERS, escape_unprintable

FileFault = tuple[Path, str]  # the file, and what is wrong with it
SharedKey = TypeVar("SharedKey")


def find_group_faults(
    files: Sequence[GroupFile],
    roles: Collection[RoleName],
    owner_chats: Sequence[Address],
    config: Config,
) -> Iterator[FileFault]:
    """Yield the faults of registered groups, except those of workspaces. `files` are the files of all folders."""
    groups = [file for file in files if file.is_registered]
    yield from find_name_faults(groups, roles)
    for group, other, _ in pairs_sharing_a_key(groups, lambda group: [group.is_main] if group.is_main else []):
        yield group.path, texts.TWO_MAINS(other=escape_unprintable(other.name))
    for group, other, address in pairs_sharing_a_key(groups, lambda group: addresses_of_group(group, owner_chats)):
        name, at = escape_unprintable(other.name), address.as_typed
        of_owner = texts.OWNERS_CHAT_TAKEN(other=name, address=at)
        yield group.path, texts.ADDRESS_TAKEN(other=name, address=at) if group.keys.address else of_owner
    known = {file.name.casefold(): file for file in files}
    for group in groups:
        for tool in group.keys.tools or ():
            if not is_known_tool(tool, config):
                near = nearest_name(tool, list_known_tools(config))
                yield group.path, texts.NO_SUCH_TOOL(tool=escape_unprintable(tool, MAX_NAME_CHARACTERS), nearest=near)
        yield from find_delegation_faults(group, known)


def find_name_faults(groups: Sequence[GroupFile], roles: Collection[RoleName]) -> Iterator[FileFault]:
    called = {str(role).casefold(): str(role) for role in roles}
    for group in groups:
        if not GROUP_NAME_PATTERN.fullmatch(group.name):
            yield group.path, texts.NAME_NOT_VALID(name=escape_unprintable(group.name))
        if group.keys.name is not None and group.keys.name != group.name:
            yield group.path, texts.NAME_NOT_THE_FOLDERS(name=escape_unprintable(group.name))
        key = group.name.casefold()
        if key == LEAD_ROLE_NAME:
            yield group.path, texts.NAME_IS_LEAD
        elif key in called:
            yield group.path, texts.NAME_IS_A_ROLES(role=called[key])
    for group, other, _ in pairs_sharing_a_key(groups, lambda group: [group.name.casefold()]):
        yield group.path, texts.NAMES_ALIKE(other=escape_unprintable(other.name))


def pairs_sharing_a_key(
    groups: Sequence[GroupFile], keys_of: Callable[[GroupFile], Iterable[SharedKey]]
) -> Iterator[tuple[GroupFile, GroupFile, SharedKey]]:
    """Yield each pair of groups that share a key, with the key. Each pair occurs in both orders."""
    sharing: Mapping[SharedKey, list[GroupFile]] = defaultdict(list)
    for group in groups:
        for key in keys_of(group):
            sharing[key].append(group)
    for key, alike in sharing.items():
        for group, other in permutations(alike, 2):
            yield group, other, key


def addresses_of_group(group: GroupFile, owner_chats: Sequence[Address]) -> tuple[Address, ...]:
    """Return the group's addresses: the one in its file, or for main the private chats of the owners."""
    if group.keys.address:
        return (group.keys.address,)
    return tuple(dict.fromkeys(owner_chats)) if group.is_main else ()


def find_delegation_faults(group: GroupFile, known: Mapping[str, GroupFile]) -> Iterator[FileFault]:
    """Yield a fault for each missing group, or main, that it may ask. An unregistered folder counts as a group."""
    for name in group.keys.allow_delegation:
        shown = escape_unprintable(name, MAX_NAME_CHARACTERS)
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


def find_workspace_faults(groups: Sequence[GroupFile], loaded: LoadedConfig) -> Iterator[FileFault]:
    """Yield the faults of registered groups' workspaces. A workspace must not reach files that define groups, another
    group's files, or secrets. Links are followed, since a workspace may link to a folder of the operator."""
    workspace, folder = map(os.path.realpath, (loaded.config.workspace, loaded.config.swarm.groups_dir))
    guarded = list(guarded_paths_with_faults(groups, loaded))
    places = [(group, os.path.realpath(group.workspace)) for group in groups]
    linked = {group.path for group, at in places if at != f"{os.path.realpath(group.path.parent)}/{WORKSPACE_FOLDER}"}
    for group, at in places:
        if is_path_within(os.path.realpath(group.path), workspace):
            yield group.path, texts.FILE_IN_WORKSPACE
        for other, its in places:
            if other is group or (group.path not in linked and other.path in linked):
                continue  # a link of another group into this group's own folder is only the other group's fault
            if is_path_within(at, its):
                yield group.path, texts.WORKSPACE_IN_ANOTHER(other=escape_unprintable(other.name))
            elif is_path_within(its, at):
                yield group.path, texts.WORKSPACE_HOLDS_ANOTHER(other=escape_unprintable(other.name))
        for path, is_inside, holds_it in guarded:
            if is_path_within(at, path):
                yield group.path, is_inside
            elif is_path_within(path, at):
                yield group.path, holds_it
        if group.path in linked and is_path_within(at, folder):
            yield group.path, texts.WORKSPACE_ELSEWHERE
        if not os.path.isdir(at) and os.path.lexists(group.workspace):
            yield group.path, texts.WORKSPACE_NO_FOLDER(path=group.workspace)


def guarded_paths_with_faults(groups: Sequence[GroupFile], loaded: LoadedConfig) -> Iterator[tuple[str, str, str]]:
    """Yield each path that groups must not reach, the fault of a workspace in it, and of a workspace around it."""
    config = loaded.config
    yield os.path.realpath(config.data_dir), texts.WORKSPACE_IN_DATA, texts.WORKSPACE_HOLDS_DATA
    for _, folder in loaded.secret_folders:
        yield os.path.realpath(folder), texts.WORKSPACE_IN_SECRETS, texts.WORKSPACE_HOLDS_SECRETS
    if config.metrics.socket:
        yield os.path.realpath(config.metrics.socket), texts.WORKSPACE_IN_SOCKET, texts.WORKSPACE_HOLDS_SOCKET
    yield os.path.realpath(config.swarm.roles_dir), texts.WORKSPACE_IN_ROLES, texts.WORKSPACE_HOLDS_ROLES
    if loaded.path:
        yield os.path.realpath(loaded.path), texts.WORKSPACE_IN_CONFIG, texts.WORKSPACE_HOLDS_CONFIG
    for group in groups:
        name = escape_unprintable(group.name)
        is_inside = texts.WORKSPACE_IN_GROUP_FILE(group=name)
        yield os.path.realpath(group.path), is_inside, texts.WORKSPACE_HOLDS_GROUP_FILE(group=name)


def is_path_within(path: str, folder: str) -> bool:
    """Return True if one real path is the other, or below it. `Path` would take seconds for many groups."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")
