"""Gather what a new tenant is made of: prepared settings, secrets, roles and groups, and the operator's answers.

Secrets are never taken from arguments or the environment: others can read both while the command runs. The operator
is asked for missing settings as in `retinue setup`, and then for the allowed people, budget, time zone and roles.
"""

import json
import math
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

import click
from pydantic import TypeAdapter

from bot.cli.setup_wizard import model_step
from bot.cli.setup_wizard.plan import SetupPlan
from bot.cli.setup_wizard.platform_step import PlatformStep
from bot.cli.setup_wizard.prompts import MAX_PERSON_ID, ask_line
from bot.config import Config, config_from_layers
from bot.config.config_file import object_with_unique_keys, read_config_file_layer
from bot.config.layers import Layer
from bot.config.paths import DefaultFolders
from bot.core.errors import ConfigError
from bot.core.picture_types import PICTURE_SUFFIXES
from bot.core.setting_types import Dollars, validate_time_zone
from bot.tenants import making_texts
from bot.tenants.commands import texts
from bot.tenants.creation import Blueprint
from bot.tenants.image import is_engine_podman
from bot.tenants.root import TenantsRoot
from bot.tenants.secret_names import describe_secret_names, key_of_secret_file
from bot.tenants.tenant import GROUP_INSTRUCTIONS, SHELL_BY_ENGINE, SHELL_BY_PROFILE, WORKSPACE, FileContent
from channels.registry import platforms

Answer = TypeVar("Answer")
STDIN_PATH = Path("-")
MAX_ROLE_OR_GROUP_FILE_BYTES = 1_000_000
MAX_WORKSPACE_FILES, MAX_WORKSPACE_BYTES = 500, 5_000_000  # per workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class AddTenantOptions:
    name: str
    target: str
    root: TenantsRoot
    config_file: Path | None
    secrets: Path | None
    ask: bool = False
    roles: Path | None
    groups: Path | None = None
    budget: float | None = None
    time_zone: str | None = None
    public: bool
    image: str | None
    disk: str | None
    shell: bool = False
    anyway: bool
    dry_run: bool = False


def gather_blueprint(wishes: AddTenantOptions, folder: Path) -> Blueprint:
    """Return the plan of a new tenant, from the prepared input and the operator's answers."""
    blueprint = Blueprint(
        name=wishes.name,
        target=wishes.target,
        config_values=read_prepared_settings(wishes.config_file),
        secrets=read_prepared_secrets(wishes.secrets),
        role_files=read_prepared_roles(wishes.roles) if wishes.roles else {},
        group_texts=read_group_texts(wishes.groups) if wishes.groups else {},
        release=wishes.image or "",
        retinue_version=version("retinue"),
        disk_size=wishes.disk or "",
        shell=choose_what_opens_shell(wishes.target) if wishes.shell else "",
        is_public=wishes.public,
    )
    blueprint.move_secrets_out_of_values()
    settings_before_questions(blueprint, folder)  # raises if a section is malformed that we change below
    if wishes.budget is not None:
        if not (math.isfinite(wishes.budget) and wishes.budget > 0):
            raise ConfigError(texts.BUDGET_IMPOSSIBLE)
        blueprint.config_values.setdefault("limits", {})["day_usd"] = wishes.budget
    if wishes.time_zone:
        blueprint.config_values["time_zone"] = wishes.time_zone
    if wishes.ask or wishes.config_file is None:
        click.echo(f"{texts.NEW_TENANT(folder=folder)}\n")
        fill_blueprint_by_asking(blueprint, settings_before_questions(blueprint, folder), folder)
    if wishes.shell:
        blueprint.enable_shell()
    blueprint.add_default_swarm_section()
    return blueprint


def choose_what_opens_shell(target: str) -> str:
    """Return what lets bubblewrap start on that target: files of ours, or what this machine's engine allows anyway."""
    return SHELL_BY_ENGINE if target == "compose" and is_engine_podman() else SHELL_BY_PROFILE


def settings_before_questions(blueprint: Blueprint, folder: Path) -> Config:
    """Return the settings known before any question is asked. They need not be enough for a bot."""
    folders = DefaultFolders.for_config_file(folder / "config.json")
    return config_from_layers([Layer(values=blueprint.config_values, origins={(): "--config"})], folders)


def read_prepared_settings(path: Path | None) -> dict[str, Any]:
    """Return the values of the prepared config, or an empty dict without one."""
    values: dict[str, Any] = json.loads(json.dumps(read_config_file_layer(path.absolute()).values)) if path else {}
    values.pop("$schema", None)  # a relative path would point elsewhere
    return values


def read_prepared_secrets(source: Path | None) -> dict[str, str]:
    """Return the secrets by file name, from a folder or from a JSON object on stdin. Raise ConfigError on failure."""
    if source is None:
        return {}
    if source != STDIN_PATH:
        return read_secrets_from_folder(source)
    try:
        found = json.loads(sys.stdin.read(), object_pairs_hook=object_with_unique_keys)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or not all(isinstance(value, str) for value in found.values()):
        raise ConfigError(texts.SECRETS_NOT_JSON())
    check_secret_names(found, "--secrets -")
    return found


def read_secrets_from_folder(folder: Path) -> dict[str, str]:
    """Return the secrets in the folder's files by name, without hidden files. Raise ConfigError on failure."""
    try:
        paths = sorted(path for path in folder.iterdir() if not path.name.startswith(".") and not path.is_dir())
        check_secret_names((path.name for path in paths), str(folder))
        return {path.name: path.read_text(encoding="utf-8-sig").strip() for path in paths}
    except OSError as error:
        raise ConfigError(texts.CANNOT_READ(path=error.filename or folder, error=error.strerror)) from None
    except UnicodeDecodeError:
        raise ConfigError(texts.SECRET_NOT_TEXT(folder=folder)) from None


def check_secret_names(names: Iterable[str], source: str) -> None:
    """Raise ConfigError if a name is not a secret of a tenant. `source` says where they come from."""
    for name in sorted(set(names)):
        if key_of_secret_file(name) is None:
            raise ConfigError(texts.NO_SUCH_SECRET(source=source, name=name, secrets=describe_secret_names()))


def read_prepared_roles(folder: Path) -> dict[str, FileContent]:
    """Return the role files and pictures in `folder`, by name. Raise ConfigError if one cannot be read."""
    found: dict[str, FileContent] = {}
    try:
        for path in sorted(folder.iterdir()):
            suffix = path.suffix.lower()
            if suffix not in (".md", *PICTURE_SUFFIXES) or path.name.startswith("."):
                continue
            if not path.is_file() or path.stat().st_size > MAX_ROLE_OR_GROUP_FILE_BYTES:
                megabytes = MAX_ROLE_OR_GROUP_FILE_BYTES // 1_000_000
                raise ConfigError(making_texts.ROLE_NO_FILE(path=path, megabytes=megabytes))
            found[path.name] = path.read_text(encoding="utf-8-sig") if suffix == ".md" else path.read_bytes()
    except OSError as error:
        raise ConfigError(making_texts.CANNOT_READ(path=error.filename or folder, error=error.strerror)) from None
    except UnicodeDecodeError:
        raise ConfigError(making_texts.ROLE_NOT_TEXT(folder=folder)) from None
    if not any(isinstance(content, str) for content in found.values()):
        raise ConfigError(making_texts.NO_ROLES(folder=folder))
    return found


def read_group_texts(folder: Path) -> dict[str, str]:
    """Return the texts of a prepared folder of groups, by path. Raise ConfigError if a group cannot be used."""
    try:
        groups = [path for path in sorted(folder.iterdir()) if path.name[0] != "."]
        if not groups:
            raise ConfigError(making_texts.NO_GROUPS(folder=folder, file=GROUP_INSTRUCTIONS))
        found = {}
        for path in (path for group in groups for path in list_checked_group_files(group)):
            if path.stat().st_size > MAX_ROLE_OR_GROUP_FILE_BYTES:
                megabytes = MAX_ROLE_OR_GROUP_FILE_BYTES // 1_000_000
                raise ConfigError(making_texts.FILE_TOO_LARGE(path=path, megabytes=megabytes))
            found[str(path.relative_to(folder))] = path.read_bytes().decode()
        return found
    except OSError as error:
        raise ConfigError(making_texts.CANNOT_READ(path=error.filename or folder, error=error.strerror)) from None
    except UnicodeDecodeError:
        raise ConfigError(making_texts.FILE_NOT_TEXT(path=path)) from None


def list_checked_group_files(group: Path) -> Iterator[Path]:
    """Yield the files of a prepared group. Raise ConfigError for anything that a group cannot have."""
    if group.is_symlink() or not group.is_dir():
        raise ConfigError(making_texts.ONLY_FOLDERS(path=group, file=GROUP_INSTRUCTIONS))
    if not (group / GROUP_INSTRUCTIONS).exists():
        raise ConfigError(making_texts.NO_INSTRUCTIONS(folder=group, file=GROUP_INSTRUCTIONS))
    for path in sorted(group.iterdir()):
        if path.name[0] == ".":
            continue
        if path.is_symlink() or not (path.is_file() or path.is_dir()):
            later, never = making_texts.WORKSPACE_NO_FOLDER(path=path), making_texts.ONLY_FILES(path=path)
            raise ConfigError(later if path.name == WORKSPACE else never)
        if path.is_file():
            yield path
        elif path.name == WORKSPACE:
            yield from list_checked_workspace_files(path)
        else:
            raise ConfigError(making_texts.ONLY_WORKSPACE(path=path, folder=WORKSPACE))


def list_checked_workspace_files(folder: Path) -> list[Path]:
    """Return the files of a prepared workspace. Raise ConfigError if they are too many, too large or not plain."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_symlink() or not path.is_dir()]
    if odd := next((path for path in files if path.is_symlink() or not path.is_file()), None):
        raise ConfigError(making_texts.ONLY_PLAIN_FILES(path=odd))
    if len(files) > MAX_WORKSPACE_FILES or sum(path.stat().st_size for path in files) > MAX_WORKSPACE_BYTES:
        most = MAX_WORKSPACE_BYTES // 1_000_000
        raise ConfigError(making_texts.WORKSPACE_TOO_LARGE(folder=folder, files=MAX_WORKSPACE_FILES, megabytes=most))
    return files


def fill_blueprint_by_asking(blueprint: Blueprint, config: Config, folder: Path) -> None:
    """Ask for the settings that the blueprint and `config` lack. Raise ConfigError if the answers end early."""
    plan = SetupPlan(
        config_path=folder / "config.json",
        is_new_config=True,
        current_config=config,
        new_values=blueprint.config_values,
        secrets_by_file_name=blueprint.secrets,
    )
    model_step.ask_for_model_key(plan)
    click.echo()
    for platform in platforms().values():
        PlatformStep(plan, platform).ask_for_settings()
        click.echo()
    for name, platform in platforms().items():
        if plan.is_platform_enabled(name):
            question = texts.WHO_ELSE(channel=platform.title)
            people = "*" if blueprint.is_public else ask_until_valid(question, parse_person_ids, texts.NUMBERS_PLEASE)
            if people is not None:
                plan.set_value(people, "channels", name, "allow_from")
    question = texts.HOW_MUCH(usual=plan.current_config.limits.day_usd)
    if dollars := ask_until_valid(question, parse_dollars, texts.AMOUNT_PLEASE):
        plan.set_value(dollars, "limits", "day_usd")
    if zone := ask_until_valid(texts.WHICH_ZONE, validate_time_zone, texts.NO_SUCH_ZONE):
        plan.set_value(zone, "time_zone")
    plan.new_values.setdefault("time_zone", "UTC")
    while not blueprint.role_files and (said := ask_line(texts.WHICH_ROLES)):
        try:
            blueprint.role_files = read_prepared_roles(Path(said).expanduser())
        except ConfigError as error:
            click.echo(f"  {error}")


def ask_until_valid(question: str, read: Callable[[str], Answer], hint: str) -> Answer | None:
    """Ask until `read` raises no ValueError. Return what it returns, or None if the answer is empty."""
    while said := ask_line(question):
        try:
            return read(said)
        except ValueError:
            click.echo(hint)
    return None


def parse_person_ids(said: str) -> list[int]:
    words = said.replace(",", " ").split()
    if not all(word.isascii() and word.isdigit() and 0 < int(word) < MAX_PERSON_ID for word in words):
        raise ValueError
    return [int(word) for word in words]


def parse_dollars(said: str) -> float:
    return TypeAdapter(Dollars).validate_python(said.removeprefix("$"))
