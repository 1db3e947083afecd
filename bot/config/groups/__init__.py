"""The groups that there are: a folder each in `swarm.groups_dir`, of which the operator's files are the only registry.

A folder is registered if its file says where it lives (`address`), or that it is main. One that is in fault is off, and
nobody answers at its address; the others go on.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bot.config import Config, LoadedConfig
from bot.config.groups import consistency, texts, workspace_checks
from bot.config.groups.consistency import addresses_of_group
from bot.config.groups.file import INSTRUCTIONS_FILE, GroupFile
from bot.config.groups.file import read_group_file as read_file
from bot.config.roles import nonempty_values, role_model
from bot.core import prompt_guidance
from bot.core.errors import ConfigError
from bot.core.group import Group, Groups
from bot.core.messages import Address, GroupName, RoleName
from bot.core.role import Role
from bot.core.settings import Preset


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedGroups:
    """`folders` are all there are, by name: groups in order, groups in fault, and those that are not registered."""

    groups: Groups
    folders: tuple[GroupFile, ...]

    @property
    def faults(self) -> tuple[str, ...]:
        """A line each, which names the file, the key, and what to do."""
        return tuple(folder.fault for folder in self.folders if folder.fault)

    def find_folder(self, name: str) -> GroupFile | None:
        """Return the folder of that name, in any case; None if there is none."""
        same = [folder for folder in self.folders if folder.name.casefold() == name.strip().casefold()]
        return next((folder for folder in same if folder.name == name.strip()), same[0] if same else None)


def read_groups(
    loaded: LoadedConfig, roles: Collection[RoleName], owners_at: Sequence[Address], *, may_make: bool = False
) -> LoadedGroups:
    """Return all groups as their files are now. `owners_at` are the owners' private chats, where main lives by default.

    If `may_make`, make the workspaces that are not there. Raise ConfigError if the folder of all cannot be read.
    """
    files = [read_file(folder / INSTRUCTIONS_FILE) for folder in list_group_folders(loaded.config.swarm.groups_dir)]
    return assemble_groups(files, loaded, roles, owners_at, may_make=may_make)


def assemble_groups(
    files: Sequence[GroupFile],
    loaded: LoadedConfig,
    roles: Collection[RoleName],
    owners_at: Sequence[Address],
    *,
    may_make: bool = False,
) -> LoadedGroups:
    """Return the groups that these files make together, each as it was read alone."""
    config = loaded.config
    registered = [file for file in files if file.is_registered]
    faults = [
        *consistency.find_group_faults(files, roles, owners_at),
        *workspace_checks.find_workspace_faults(registered, loaded),
    ]
    files = mark_faults(files, faults)
    if may_make:
        files = [make_missing_workspace(file) if file.is_registered and not file.fault else file for file in files]
    known = {file.name.casefold(): GroupName(file.name) for file in files}
    on = [build_group(file, config, known, owners_at) for file in files if file.is_registered and not file.fault]
    broken = {
        address: GroupName(file.name) for file in files if file.fault for address in addresses_of_group(file, owners_at)
    }
    off = [GroupName(file.name) for file in files if file.fault]
    return LoadedGroups(groups=Groups(on, broken, off), folders=tuple(files))


def list_group_folders(place: Path) -> list[Path]:
    """Return the folders that may be groups; none if there is no such place. Raise ConfigError if it is unreadable."""
    try:
        return sorted(path for path in place.iterdir() if not path.name.startswith(".") and path.is_dir())
    except FileNotFoundError:
        return []
    except OSError as error:
        raise ConfigError(texts.GROUPS_FOLDER_NOT_READABLE(path=place, reason=error.strerror)) from None


def mark_faults(files: Sequence[GroupFile], faults: Sequence[consistency.Fault]) -> list[GroupFile]:
    """Return the files, each with the first of its own faults: the operator mends one after the other."""
    first: dict[Path, str] = {}
    for path, what in faults:
        first.setdefault(path, what)
    with_text = [file.with_fault(first[file.path]) if file.path in first else file for file in files]
    return [file.with_fault(texts.NO_PROMPT) if file.is_registered and not file.prompt else file for file in with_text]


def make_missing_workspace(file: GroupFile) -> GroupFile:
    try:
        file.workspace.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        return file.with_fault(texts.WORKSPACE_NOT_MADE(path=file.workspace, reason=error.strerror))
    return file


def build_group(file: GroupFile, config: Config, known: Mapping[str, GroupName], owners_at: Sequence[Address]) -> Group:
    """Return the group of a file. `known` are the names of all folders, by casefolded name."""
    front, name, limits = file.front, GroupName(file.name), nonempty_values(file.front.limits)
    agent = Role(
        name=RoleName(name),
        prompt=prompt_guidance.chat_prompt(file.prompt),
        description=front.description,
        model=role_model(Preset(model=front.model), config) or config.model.lead,
        tools=frozenset(front.tools) if front.tools else None,  # an empty list is no list: all of them
        limits=replace(config.swarm.delegation, **limits),
    )
    return Group(
        name=name,
        agent=agent,
        limits=replace(config.limits.turn, **limits),
        addresses=addresses_of_group(file, owners_at),
        may_ask=frozenset(known[other.casefold()] for other in front.allow_delegation) - {name},
        workspace=file.workspace,
        is_main=front.main,
    )
