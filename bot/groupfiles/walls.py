"""Where a group's files may lie: nothing may be in reach there that makes it what it is, is another's, or is secret."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bot.config import Loaded
from bot.groupfiles.checking import Fault
from bot.groupfiles.file import WORKSPACE, GroupFile
from bot.tools.telling import shown

ELSEWHERE = "lead its link to another folder"


@dataclass(frozen=True, slots=True)
class Place:
    """Where the workspace of a group really is; whether that is a folder of its own, and no link's end."""

    group: GroupFile
    path: str
    is_own: bool

    @classmethod
    def of(cls, group: GroupFile) -> "Place":
        path = real(group.workspace)
        return cls(group, path, path == os.path.join(real(group.path.parent), WORKSPACE))


def faults(groups: Sequence[GroupFile], loaded: Loaded) -> Iterator[Fault]:
    """Of the groups that are registered. Links are followed: a workspace may be one of the operator's."""
    config = loaded.config
    places = [Place.of(group) for group in groups]
    kept = list(kept_out(groups, loaded))
    workspace, folder = real(config.workspace), real(config.swarm.groups_dir)
    for place in places:
        group = place.group
        if is_in(real(group.path), workspace):
            why = "is a link into the workspace, where a role could write itself a group"
            yield group.path, f"{why}; put the file itself here"
        for what in [*of_others(place, places), *of_kept(place, kept)]:
            yield group.path, f"workspace: {what}; {ELSEWHERE}"
        if not place.is_own and is_in(place.path, folder):
            yield group.path, f"workspace: leads to another place in swarm.groups_dir; {ELSEWHERE}"
        if not os.path.isdir(place.path) and os.path.lexists(group.workspace):
            yield group.path, f"workspace: {group.workspace} is no folder, and leads to none; put one in its place"


def of_others(place: Place, places: Sequence[Place]) -> Iterator[str]:
    """Who has a folder of its own is not off because another's link leads there."""
    for other in places:
        if other is place:
            continue
        if place.is_own and not other.is_own:
            continue
        if is_in(place.path, other.path):
            yield f"lies in that of {shown(other.group.name)}"
        elif is_in(other.path, place.path):
            yield f"that of {shown(other.group.name)} lies in it"


def of_kept(place: Place, kept: Sequence[tuple[str, str, str]]) -> Iterator[str]:
    for what, path, why in kept:
        if is_in(place.path, path):
            yield f"lies in {what}, {why}"
        elif is_in(path, place.path):
            yield f"{what} lies in it, {why}"


def kept_out(groups: Sequence[GroupFile], loaded: Loaded) -> Iterator[tuple[str, str, str]]:
    """What it is, where, and why it must not be within a group's reach."""
    config, file = loaded.config, loaded.path
    yield "data_dir", real(config.data_dir), "where it could read every chat"
    for _, folder in loaded.secrets:
        yield "the folder of secrets", real(folder), "which it could read"
    if config.metrics.socket:
        yield "metrics.socket", real(config.metrics.socket), "which it could replace"
    yield "swarm.roles_dir", real(config.swarm.roles_dir), "where it could write itself a role"
    if file:
        yield "the config file", real(file), "which it could read and change"
    for group in groups:
        yield f"the file of {shown(group.name)}", real(group.path), "which it could change"


def is_in(path: str, folder: str) -> bool:
    """Whether one real path is the other, or below it. (All groups are compared: with `Path` it would take seconds.)"""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def real(path: Path) -> str:
    """Where it leads; a link that leads round in a ring is where it is."""
    return os.path.realpath(path)
