"""Where a group's files may lie: nothing may be in reach there that makes it what it is, is another's, or is secret."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bot.config import LoadedConfig
from bot.config.groups import texts
from bot.config.groups.consistency import Fault
from bot.config.groups.file import WORKSPACE_FOLDER, GroupFile
from bot.core.printable import escape_unprintable


@dataclass(frozen=True, slots=True)
class WorkspaceLocation:
    """Where the workspace of a group really is; whether that is a folder of its own, and no link's end."""

    group: GroupFile
    path: str
    is_own: bool

    @classmethod
    def of_group(cls, group: GroupFile) -> "WorkspaceLocation":
        path = real_path(group.workspace)
        return cls(group, path, path == os.path.join(real_path(group.path.parent), WORKSPACE_FOLDER))


def find_workspace_faults(groups: Sequence[GroupFile], loaded: LoadedConfig) -> Iterator[Fault]:
    """Yield the faults of registered groups' workspaces. Links are followed: a workspace may be the operator's."""
    config = loaded.config
    places = [WorkspaceLocation.of_group(group) for group in groups]
    kept = list(list_guarded_paths(groups, loaded))
    workspace, folder = real_path(config.workspace), real_path(config.swarm.groups_dir)
    for place in places:
        group = place.group
        if is_path_within(real_path(group.path), workspace):
            yield group.path, texts.FILE_IN_WORKSPACE
        for what in describe_overlaps(place, places):
            yield group.path, what
        for path, is_inside, holds_it in kept:
            if is_path_within(place.path, path):
                yield group.path, is_inside
            elif is_path_within(path, place.path):
                yield group.path, holds_it
        if not place.is_own and is_path_within(place.path, folder):
            yield group.path, texts.WORKSPACE_ELSEWHERE
        if not os.path.isdir(place.path) and os.path.lexists(group.workspace):
            yield group.path, texts.WORKSPACE_NO_FOLDER(path=group.workspace)


def describe_overlaps(place: WorkspaceLocation, places: Sequence[WorkspaceLocation]) -> Iterator[str]:
    """Yield what overlaps. A group with a folder of its own is not off because another group's link leads there."""
    for other in places:
        if other is place:
            continue
        if place.is_own and not other.is_own:
            continue
        if is_path_within(place.path, other.path):
            yield texts.WORKSPACE_IN_ANOTHER(other=escape_unprintable(other.group.name))
        elif is_path_within(other.path, place.path):
            yield texts.WORKSPACE_HOLDS_ANOTHER(other=escape_unprintable(other.group.name))


def list_guarded_paths(groups: Sequence[GroupFile], loaded: LoadedConfig) -> Iterator[tuple[str, str, str]]:
    """Yield each path that must not be within a group's reach; what is wrong if a workspace lies in it, and if it lies
    in a workspace."""
    config, file = loaded.config, loaded.path
    yield real_path(config.data_dir), texts.WORKSPACE_IN_DATA, texts.WORKSPACE_HOLDS_DATA
    for _, folder in loaded.secret_folders:
        yield real_path(folder), texts.WORKSPACE_IN_SECRETS, texts.WORKSPACE_HOLDS_SECRETS
    if config.metrics.socket:
        yield real_path(config.metrics.socket), texts.WORKSPACE_IN_SOCKET, texts.WORKSPACE_HOLDS_SOCKET
    yield real_path(config.swarm.roles_dir), texts.WORKSPACE_IN_ROLES, texts.WORKSPACE_HOLDS_ROLES
    if file:
        yield real_path(file), texts.WORKSPACE_IN_CONFIG, texts.WORKSPACE_HOLDS_CONFIG
    for group in groups:
        name = escape_unprintable(group.name)
        is_inside = texts.WORKSPACE_IN_GROUP_FILE(group=name)
        yield real_path(group.path), is_inside, texts.WORKSPACE_HOLDS_GROUP_FILE(group=name)


def is_path_within(path: str, folder: str) -> bool:
    """Return True if one real path is the other, or below it. (All groups are compared: with `Path` it would take
    seconds.)"""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def real_path(path: Path) -> str:
    """Return where the path leads. A link in a ring leads to itself."""
    return os.path.realpath(path)
