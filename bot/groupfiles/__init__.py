"""The groups that there are: a folder each in `swarm.groups_dir`, of which the operator's files are the only registry.

A folder is registered if its file says where it lives (`address`), or that it is main. One that is in fault is off, and
nobody answers at its address; the others go on.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bot import guidance
from bot.config import Config, Loaded
from bot.config.engine_settings import turn_limits
from bot.config.settings import Preset, PresetLimits
from bot.errors import ConfigError
from bot.group import Group, Groups
from bot.groupfiles import checking, texts, walls
from bot.groupfiles.checking import addresses_of
from bot.groupfiles.file import FILE, GroupFile
from bot.groupfiles.file import read as read_file
from bot.limits import Limits
from bot.messages import Address, GroupName, RoleName
from bot.role import Role
from bot.rolefiles import delegation_limits, given, model_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """`folders` are all there are, by name: groups in order, groups in fault, and those that are not registered."""

    groups: Groups
    folders: tuple[GroupFile, ...]

    @property
    def faults(self) -> tuple[str, ...]:
        """A line each, which names the file, the key, and what to do."""
        return tuple(folder.fault for folder in self.folders if folder.fault)

    def named(self, name: str) -> GroupFile | None:
        """The folder of that name, in any case."""
        same = [folder for folder in self.folders if folder.name.casefold() == name.strip().casefold()]
        return next((folder for folder in same if folder.name == name.strip()), same[0] if same else None)


def read(loaded: Loaded, roles: Collection[RoleName], owners_at: Sequence[Address], *, may_make: bool = False) -> Found:
    """All groups as their files are now. `owners_at` are the owners' private chats, where main lives by default.

    `may_make`: the workspaces that are not there are made. Raises ConfigError where the folder of all cannot be read.
    """
    files = [read_file(folder / FILE) for folder in folders_in(loaded.config.swarm.groups_dir)]
    return examined(files, loaded, roles, owners_at, may_make=may_make)


def examined(
    files: Sequence[GroupFile],
    loaded: Loaded,
    roles: Collection[RoleName],
    owners_at: Sequence[Address],
    *,
    may_make: bool = False,
) -> Found:
    """What these files make together, each as it was read alone."""
    config = loaded.config
    files = judged(files, [*checking.faults(files, roles, owners_at), *of_walls(files, loaded)])
    if may_make:
        files = [with_workspace(file) if file.is_registered and not file.fault else file for file in files]
    known = {file.name.casefold(): GroupName(file.name) for file in files}
    on = [made(file, config, known, owners_at) for file in files if file.is_registered and not file.fault]
    broken = {
        address: GroupName(file.name) for file in files if file.fault for address in addresses_of(file, owners_at)
    }
    off = [GroupName(file.name) for file in files if file.fault]
    return Found(groups=Groups(on, broken, off), folders=tuple(files))


def folders_in(place: Path) -> list[Path]:
    """The folders of all that may be groups; none if there is no such place. Raises ConfigError."""
    try:
        return sorted(path for path in place.iterdir() if not path.name.startswith(".") and path.is_dir())
    except FileNotFoundError:
        return []
    except OSError as error:
        raise ConfigError(texts.GROUPS_FOLDER_NOT_READABLE(path=place, reason=error.strerror)) from None


def of_walls(files: Sequence[GroupFile], loaded: Loaded) -> list[checking.Fault]:
    registered = [file for file in files if file.is_registered]
    return list(walls.faults(registered, loaded))


def judged(files: Sequence[GroupFile], faults: Sequence[checking.Fault]) -> list[GroupFile]:
    """Each with the first of its own faults: one is mended after the other."""
    first: dict[Path, str] = {}
    for path, what in faults:
        first.setdefault(path, what)
    with_text = [file.wrong(first[file.path]) if file.path in first else file for file in files]
    return [without_words(file) if file.is_registered else file for file in with_text]


def without_words(file: GroupFile) -> GroupFile:
    return file if file.prompt else file.wrong(texts.NO_PROMPT)


def with_workspace(file: GroupFile) -> GroupFile:
    try:
        file.workspace.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        return file.wrong(texts.WORKSPACE_NOT_MADE(path=file.workspace, reason=error.strerror))
    return file


def made(file: GroupFile, config: Config, known: Mapping[str, GroupName], owners_at: Sequence[Address]) -> Group:
    """`known` are the names of all folders, by how they are looked up."""
    front, name = file.front, GroupName(file.name)
    agent = Role(
        name=RoleName(name),
        prompt=guidance.in_a_chat(file.prompt),
        description=front.description,
        model=model_of(Preset(model=front.model), config) or config.model.lead,
        tools=frozenset(front.tools) if front.tools else None,  # an empty list is no list: all of them
        limits=limited(delegation_limits(config), front.limits),
    )
    return Group(
        name=name,
        agent=agent,
        limits=limited(turn_limits(config), front.limits),
        addresses=addresses_of(file, owners_at),
        may_ask=frozenset(known[other.casefold()] for other in front.allow_delegation) - {name},
        workspace=file.workspace,
        is_main=front.main,
    )


def limited(usual: Limits, said: PresetLimits) -> Limits:
    return replace(usual, **given(said))
