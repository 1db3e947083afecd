"""The roles that there are: the operator's presets, over role files in `swarm.roles_dir`, over those that are shipped.

A file in `roles_dir` takes the place of the shipped one of its name; a preset changes only the keys that it has. Names
are compared without regard to case.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from bot.config import Config
from bot.config.settings import Preset, Section
from bot.delegation.rules import DELEGATING, SPEAKING
from bot.errors import ConfigError
from bot.limits import A_DELEGATION, Limits
from bot.messages import RoleName
from bot.role import LEAD, Role
from bot.rolefiles.file import NAME, NAME_RULE, RoleFile, nearest, read
from bot.tools import files, finding, web

SHIPPED = Path(__file__).resolve().parents[2] / "roles"
TOOLS = files.NAMES | finding.NAMES | web.NAMES | DELEGATING | {SPEAKING, "ask_person"}  # all there are, on here or not

NOTHING = Preset()

Found = Mapping[str, RoleFile]  # by casefolded name


def shipped_roles() -> Found:
    return roles_in(SHIPPED)


def role_files(config: Config) -> Found:
    """Those that are in effect: a file of the operator's takes the place of the shipped one of its name."""
    return {**shipped_roles(), **roles_in(config.swarm.roles_dir)}


def roles_in(folder: Path) -> Found:
    """The role files of a folder; none if it is not there. Raises ConfigError at the first that is wrong."""
    try:
        paths = sorted(path for path in folder.iterdir() if path.suffix == ".md" and not path.name.startswith("."))
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise ConfigError(f"{folder}: cannot read this folder, which is swarm.roles_dir: {error.strerror}") from None
    found: dict[str, RoleFile] = {}
    for file in map(read, paths):
        if other := found.get(file.name.casefold()):
            raise ConfigError(f"{file.path}: its role has the same name as that of {other.path.name}; rename one")
        found[file.name.casefold()] = file
    return found


def all_roles(config: Config, origin: str) -> dict[RoleName, Role]:
    """Every role there is, the lead among them. `origin` is where the presets stand, for a ConfigError to name."""
    files = role_files(config)
    presets = {name.casefold(): name for name in config.swarm.roles}
    names = {key: file.name for key, file in files.items()} | presets | {LEAD: LEAD}
    for key, name in presets.items():
        check_preset(name, config.swarm.roles[name], f"{origin}: swarm.roles.{name}", has_file=key in files)
        check(name, config.swarm.roles[name], f"{origin}: swarm.roles.{name}.", names)
    for file in files.values():
        check(file.name, file.keys, f"{file.path}: ", names)
    defaults = delegation_limits(config)
    roles = {}
    for key, name in sorted(names.items()):
        found, preset = files.get(key), config.swarm.roles.get(presets.get(key, ""), NOTHING)
        keys = over(preset, found.keys if found else NOTHING)
        roles[RoleName(name)] = made(RoleName(name), keys, found.effort if found else "", defaults, names)
    return roles


def delegation_limits(config: Config) -> Limits:
    """What a delegation may use, unless its role says otherwise. Of money, what the turns above it have."""
    swarm = config.swarm
    return Limits(
        iterations=swarm.max_iterations,
        tokens=swarm.max_tokens,
        seconds=swarm.timeout_seconds,
        cost=A_DELEGATION.cost,
    )


def check_preset(name: str, preset: Preset, where: str, *, has_file: bool) -> None:
    if not NAME.fullmatch(name):
        raise ConfigError(f"{where}: the name of a role {NAME_RULE}")
    if not (preset.system_prompt or has_file):
        raise ConfigError(
            f"{where}.system_prompt is missing, and there is no role file of that name; write one of both"
        )


def check(name: str, keys: Preset, where: str, names: Mapping[str, str]) -> None:
    """Whether what a role names is there. `where` is what to write before a key."""
    for tool in keys.tools or ():
        if tool not in TOOLS:
            raise ConfigError(f"{where}tools of {name}: there is no tool {tool}; the nearest is {nearest(tool, TOOLS)}")
    others = names.keys() - {LEAD}
    for other in keys.delegates_to or ():
        if other.casefold() not in others:
            near = names[nearest(other, others)]
            raise ConfigError(f"{where}delegates_to of {name}: nobody can delegate to {other}; the nearest is {near}")
    if name.casefold() == LEAD and given(keys.limits):
        raise ConfigError(f"{where}limits: the lead's are limits.turn_iterations, turn_tokens, turn_seconds; set those")


def over(upper: Preset, lower: Preset) -> Preset:
    limits = lower.limits.model_copy(update=given(upper.limits))
    return lower.model_copy(update={**given(upper), "limits": limits})


def given(section: Section) -> dict[str, Any]:
    values = {key: getattr(section, key) for key in type(section).model_fields}
    return {key: value for key, value in values.items() if value not in (None, "")}


def made(name: RoleName, keys: Preset, effort: str, defaults: Limits, names: Mapping[str, str]) -> Role:
    below = keys.delegates_to
    return Role(
        name=name,
        prompt=keys.system_prompt or "",
        description=keys.description or "",
        model=keys.model or "",
        effort=effort,
        tools=frozenset(keys.tools) if keys.tools else None,  # an empty list is no list: all of them
        delegates_to=None if below is None else frozenset(RoleName(names[other.casefold()]) for other in below),
        limits=replace(defaults, **given(keys.limits)),
    )
