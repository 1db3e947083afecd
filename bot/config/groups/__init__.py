"""Read the groups: each is a folder in `swarm.groups_dir`. These files are the only registry. A folder is registered if
its file has an `address` or is main. A group with a fault is off: nobody answers at its address. Others continue."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bot.config import Config, LoadedConfig
from bot.config.groups import consistency, texts
from bot.config.groups.consistency import addresses_of_group
from bot.config.groups.file import INSTRUCTIONS_FILE, GroupFile, read_group_file
from bot.config.roles import nonempty_values, resolve_role_model
from bot.core import prompt_guidance
from bot.core.errors import ConfigError
from bot.core.group import Group, Groups
from bot.core.messages import Address, GroupName, RoleName
from bot.core.named_hosts import parse_named_hosts
from bot.core.role import Role
from bot.core.settings import RolePreset


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedGroups:
    """The groups, and all folders by name: working groups, groups with a fault, and unregistered ones."""

    groups: Groups
    group_files: tuple[GroupFile, ...]

    @property
    def faults(self) -> tuple[str, ...]:
        return tuple(folder.fault for folder in self.group_files if folder.fault)

    def find_group_file(self, name: str) -> GroupFile | None:
        same = [folder for folder in self.group_files if folder.name.casefold() == name.strip().casefold()]
        return next((folder for folder in same if folder.name == name.strip()), same[0] if same else None)


def read_groups(
    loaded: LoadedConfig,
    roles: Collection[RoleName],
    owner_chats: Sequence[Address],
    *,
    may_make_workspaces: bool = False,
) -> LoadedGroups:
    """Return all groups from their current files. `owner_chats`, the owners' private chats, are main's default, and
    count as main if no group is.
    If `may_make_workspaces`, make missing workspaces. Raise ConfigError if the folder of all groups cannot be read."""
    place = loaded.config.swarm.groups_dir
    try:
        folders = sorted(path for path in place.iterdir() if not path.name.startswith(".") and path.is_dir())
    except FileNotFoundError:
        folders = []
    except OSError as error:
        raise ConfigError(texts.GROUPS_FOLDER_NOT_READABLE(path=place, reason=error.strerror)) from None
    files = [read_group_file(folder / INSTRUCTIONS_FILE) for folder in folders]
    return build_loaded_groups(files, loaded, roles, owner_chats, may_make_workspaces=may_make_workspaces)


def build_loaded_groups(
    files: Sequence[GroupFile],
    loaded: LoadedConfig,
    roles: Collection[RoleName],
    owner_chats: Sequence[Address],
    *,
    may_make_workspaces: bool = False,
) -> LoadedGroups:
    config = loaded.config
    registered = [file for file in files if file.is_registered]
    faults: dict[Path, str] = {}  # the first of each file; the operator fixes one after the other
    found = consistency.find_group_faults(files, roles, owner_chats, config)
    for path, what in (*found, *consistency.find_workspace_faults(registered, loaded)):
        faults.setdefault(path, what)
    files = [mark_fault_or_make_workspace(file, faults, may_make_workspaces=may_make_workspaces) for file in files]
    known = {file.name.casefold(): GroupName(file.name) for file in files}
    on = [build_group(file, config, known, owner_chats) for file in files if file.is_registered and not file.fault]
    faulty = [file for file in files if file.fault]
    broken = {address: GroupName(file.name) for file in faulty for address in addresses_of_group(file, owner_chats)}
    off = [GroupName(file.name) for file in faulty]
    main_chats = () if any(file.is_main for file in registered) else owner_chats
    return LoadedGroups(groups=Groups(on, broken, off, main_chats), group_files=tuple(files))


def mark_fault_or_make_workspace(
    file: GroupFile, faults: Mapping[Path, str], *, may_make_workspaces: bool
) -> GroupFile:
    """Return a registered group's file with its first fault. `may_make_workspaces` lets it make a missing workspace."""
    if not file.is_registered:
        return file
    if what := faults.get(file.path) or ("" if file.prompt else texts.NO_PROMPT):
        return file.with_fault(what)
    if may_make_workspaces and not file.fault:
        try:
            file.workspace.mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            return file.with_fault(texts.WORKSPACE_NOT_MADE(path=file.workspace, reason=error.strerror))
    return file


def build_group(
    file: GroupFile, config: Config, known: Mapping[str, GroupName], owner_chats: Sequence[Address]
) -> Group:
    """Return the group of a file. `known` are the names of all folders, by casefolded name."""
    front, name, limits = file.keys, GroupName(file.name), nonempty_values(file.keys.limits)
    agent = Role(
        name=RoleName(name),
        prompt=prompt_guidance.chat_prompt(file.prompt),
        description=front.description,
        model=resolve_role_model(RolePreset(model=front.model), config) or config.model.lead,
        tools=frozenset(front.tools) if front.tools else None,  # an empty list means all tools
        hosts=parse_named_hosts(front.hosts),
        limits=replace(config.swarm.default_delegation_limits, **limits),
    )
    return Group(
        name=name,
        agent=agent,
        limits=replace(config.limits.turn_limits, **limits),
        addresses=addresses_of_group(file, owner_chats),
        askable_group_names=frozenset(known[other.casefold()] for other in front.allow_delegation) - {name},
        workspace=file.workspace,
        is_main=front.main,
    )
