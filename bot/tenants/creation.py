"""Plan, check and make a new tenant, or leave nothing behind. Rewrite the files that run an existing one."""

import json
import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bot.config import Config, LoadedConfig, config_from_layers, load
from bot.config.layers import Layer, key_path_from_name, make_nested_values
from bot.config.paths import DefaultFolders
from bot.core import durable_files
from bot.core.errors import ConfigError
from bot.core.program_names import script_command
from bot.tenants import making_texts as texts
from bot.tenants import tenant as parts
from bot.tenants import upgrade_record
from bot.tenants.operator_files import repair_ownership_and_workspaces, replace_tenant_file
from bot.tenants.root import UNFINISHED_PREFIX, TenantsRoot, bot_ids
from bot.tenants.secret_names import describe_secret_names, iterate_keys_of_secrets, key_of_secret_file
from bot.tenants.targets import Target, ValidatorVerdict, disk
from bot.tenants.tenant import FileContent, Tenant, has_host_user, is_tenant_owned

SettingsCheck = Callable[[LoadedConfig], object]  # raises ConfigError if a bot would not start with these settings
DEFAULT_SWARM_SECTION = {"enabled": True, "max_depth": 1, "max_concurrent": 3, "roles": {}}  # in each new config

SHELL_SECTION = {"enabled": True, "max_processes": 100, "memory_megabytes": 384}  # of a container's 256 and 1,024


@dataclass(slots=True, kw_only=True)
class Blueprint:
    name: str
    target: str
    config_values: dict[str, Any]  # the contents of config.json
    secrets: dict[str, str] = field(default_factory=dict)  # by file name
    role_files: Mapping[str, FileContent] = field(default_factory=dict)  # role files and their pictures, by name
    group_texts: Mapping[str, str] = field(default_factory=dict)  # the text of each group file, by its path: NAME/FILE
    release: str = ""
    retinue_version: str = ""
    disk_size: str = ""
    shell: str = ""  # what lets bubblewrap start there
    is_public: bool = False  # the operator explicitly lets everybody talk to it

    @property
    def role_and_group_files(self) -> dict[str, FileContent]:
        """Return the content of each role file and group file, by its path in the tenant's folder."""
        roles = {f"{parts.ROLES}/{name}": content for name, content in self.role_files.items()}
        return {**roles, **{f"{parts.GROUPS}/{path}": text for path, text in self.group_texts.items()}}

    def move_secrets_out_of_values(self) -> None:
        """Move the secrets in `values` to `secrets`. A secret that is already in `secrets` wins."""
        for key in [*iterate_keys_of_secrets(self.config_values)]:
            *above, last = key
            section: Any = self.config_values
            for name in above:
                section = section.get(name) if isinstance(section, dict) else None
            if isinstance(section, dict) and isinstance(section.get(last), str):
                self.secrets.setdefault("__".join(key).lower(), section.pop(last))

    def build_checked_config(self, folder: Path) -> Config:
        """Return the settings as the bot will read them. Raise ConfigError if no bot can start with them."""
        for name, value in self.secrets.items():
            if key_of_secret_file(name) is None:
                raise ConfigError(texts.NO_SUCH_SECRET(name=name, secrets=describe_secret_names()))
            if not value.strip():
                raise ConfigError(texts.SECRET_EMPTY(name=name))
            if any(letter.isspace() or not letter.isprintable() or letter in "\"'" for letter in value.strip()):
                raise ConfigError(texts.SECRET_WITH_SPACES(name=name))
        secrets = [make_nested_values(key_path_from_name(name), value.strip()) for name, value in self.secrets.items()]
        layers = [Layer(values=each, origins={(): "a secret"}) for each in secrets]
        layers.append(Layer(values=self.config_values, origins={(): "the settings"}))
        folders = DefaultFolders.for_config_file(folder / "config.json")
        config = config_from_layers(layers, folders)
        require_default_folders(config, folder)
        require_usable_channels_and_model(config, is_public=self.is_public)
        inside = next((path for path in self.group_texts if is_tenant_owned(f"{parts.GROUPS}/{path}")), None)
        if inside and self.target == "kubernetes":
            raise ConfigError(texts.WORKSPACE_ON_CLUSTER(path=inside))
        bot_ids(config)  # raises if a token is malformed
        if self.disk_size:
            disk.parse_disk_size(self.disk_size)
        return config

    def enable_shell(self) -> None:
        """Switch the shell on, with limits that leave the bot enough of its container."""
        shell = self.config_values.setdefault("shell", {})
        if isinstance(shell, dict):
            self.config_values["shell"] = {**SHELL_SECTION, **shell}

    def add_default_swarm_section(self) -> None:
        """Add the `swarm` section with its defaults, so that the operator finds it in every tenant's config."""
        swarm = self.config_values.setdefault("swarm", {})
        if isinstance(swarm, dict):
            self.config_values["swarm"] = {**DEFAULT_SWARM_SECTION, **swarm}


def require_default_folders(config: Config, folder: Path) -> None:
    """Raise ConfigError if a folder is not where the target mounts it, or if `secrets_dir` is set."""
    places = {
        "data_dir": (config.data_dir, parts.DATA),
        "workspace": (config.workspace, parts.WORKSPACE),
        "swarm.roles_dir": (config.swarm.roles_dir, parts.ROLES),
        "swarm.groups_dir": (config.swarm.groups_dir, parts.GROUPS),
    }
    for key, (path, name) in places.items():
        if path != folder / name:
            raise ConfigError(texts.FOLDER_ELSEWHERE(key=key, name=name))
    if config.secrets_dir:
        raise ConfigError(texts.SECRETS_DIR_SET)


def require_usable_channels_and_model(config: Config, *, is_public: bool) -> None:
    """Raise ConfigError if the bot could not answer, or if nobody or (without `is_public`) everybody may use it."""
    enabled = {name: settings for name, settings in config.channels.by_name().items() if settings.enabled}
    if not enabled:
        keys = " or ".join(f"channels.{name}.enabled" for name in config.channels.by_name())
        raise ConfigError(texts.NO_CHANNEL(keys=keys))
    if not config.model.api_key and not config.model.base_url:
        raise ConfigError(texts.NO_MODEL_KEY)
    for name, settings in enabled.items():
        if not settings.token:
            raise ConfigError(texts.NO_TOKEN(channel=name))
        if settings.allow_from == "*" and not is_public:
            raise ConfigError(texts.OPEN_TO_EVERYBODY(channel=name))
        if settings.owner is None and not settings.allow_from and not settings.people and not settings.allowed_roles:
            raise ConfigError(texts.OPEN_TO_NOBODY(channel=name))


def plan_tenant(root: TenantsRoot, blueprint: Blueprint) -> Tenant:
    return Tenant(
        name=blueprint.name,
        target=blueprint.target,
        uid=root.next_uid(),
        release=blueprint.release,
        version=blueprint.retinue_version,
        made_at=datetime.now(UTC).isoformat(timespec="seconds"),
        folder=root.path / blueprint.name,
        disk=blueprint.disk_size,
        shell=blueprint.shell,
    )


def plan_tenant_files(blueprint: Blueprint, tenant: Tenant, target: Target) -> dict[str, FileContent | None]:
    """Return the content of each of the tenant's files, by path. A folder is None, and comes before its contents."""
    files = {
        parts.RECORD_FILE: tenant.to_json(),
        parts.CONFIG: json.dumps(blueprint.config_values, indent=2, ensure_ascii=False) + "\n",
        **{f"{parts.SECRETS}/{name}": value.strip() + "\n" for name, value in blueprint.secrets.items()},
        **blueprint.role_and_group_files,
        **target.render_artefacts(tenant, sorted(blueprint.secrets), role_and_group_file_paths(blueprint)),
    }
    names = {path.partition("/")[0] for path in blueprint.group_texts}
    workspaces = {f"{parts.GROUPS}/{name}/{parts.WORKSPACE}" for name in names}  # each group gets one
    folders = {parts.SECRETS, parts.ROLES, parts.GROUPS, parts.WORKSPACE, parts.DATA, *workspaces}
    folders |= {str(above) for path in (*files, *folders) for above in Path(path).parents}
    return dict(sorted({**files, **dict.fromkeys(folders)}.items()))


def role_and_group_file_paths(blueprint: Blueprint) -> list[str]:
    """Return the paths of the role files and the group files, without the groups' workspaces."""
    return sorted(path for path in blueprint.role_and_group_files if not is_tenant_owned(path))


def make_tenant(
    root: TenantsRoot, blueprint: Blueprint, target: Target, check: SettingsCheck
) -> tuple[Tenant, list[ValidatorVerdict]]:
    """Make a tenant and return it with the validators' verdicts. On failure, leave no folder and raise ConfigError."""
    require_root_if_target_needs_it(blueprint.target)
    with root.hold_lock():
        root.check_name_is_free(blueprint.name)
        root.check_bots_are_unique(blueprint.name, blueprint.build_checked_config(root.path / blueprint.name))
        tenant = plan_tenant(root, blueprint)
        staging = root.path / f"{UNFINISHED_PREFIX}{tenant.name}"
        try:
            root.mark_uid_as_used(tenant.uid)
            write_new_tenant_files(staging, plan_tenant_files(blueprint, tenant, target), tenant)
            check(load(staging / parts.CONFIG, variables={}))
            if tenant.disk and has_host_user(tenant.target):
                disk.move_writable_folders_into_image(staging, tenant.disk)
            verdicts = validate_artefacts(target, tenant, staging)
            staging.rename(tenant.folder)
            durable_files.fsync_folder(root.path)
        except ConfigError as error:  # the message names the final folder instead of the staging folder
            raise ConfigError(str(error).replace(str(staging), str(tenant.folder))) from None
        except OSError as error:
            raise ConfigError(texts.CANNOT_MAKE(folder=tenant.folder, error=error.strerror)) from None
        finally:
            shutil.rmtree(staging, ignore_errors=True)
    return tenant, verdicts


def require_root_if_target_needs_it(target: str) -> None:
    """Raise ConfigError if the target needs root and this process does not run as root."""
    if has_host_user(target) and os.geteuid() != 0:
        raise ConfigError(texts.NEEDS_ROOT(target=target))


def write_new_tenant_files(folder: Path, files: Mapping[str, FileContent | None], tenant: Tenant) -> None:
    """Write a new tenant's files and folders with their owners and modes. All are synced to the disk."""
    for path, content in files.items():
        if content is None:
            durable_files.make_folder_with_owner(folder / path, **tenant.mode_and_owner(path, is_folder=True))
        else:
            durable_files.write_new_file(folder / path, content, **tenant.mode_and_owner(path))
    for path, content in files.items():
        if content is None:
            durable_files.fsync_folder(folder / path)


def validate_artefacts(target: Target, tenant: Tenant, folder: Path) -> list[ValidatorVerdict]:
    """Return the validators' verdicts. Raise ConfigError if a validator finds a fault."""
    verdicts = list(target.run_validators(tenant, folder))
    if bad := next((verdict for verdict in verdicts if verdict.is_good is False), None):
        raise ConfigError(texts.VALIDATOR_REFUSES(validator=bad.validator, name=tenant.name, reason=bad.text))
    return verdicts


def refresh_files_and_owners(
    root: TenantsRoot, tenant: Tenant, target: Target, check: SettingsCheck
) -> tuple[list[str], list[ValidatorVerdict]]:
    """Rewrite the outdated files, or raise ConfigError and keep the old ones. Return the changed paths and verdicts."""
    require_root_if_target_needs_it(tenant.target)
    with root.hold_lock():
        current = root.read_tenant(tenant.name)  # another command may have changed its release meanwhile
        upgrade_record.refuse_during_upgrade(current)
        given = repair_ownership_and_workspaces(current)
        load_checked_settings(root, current, check)
        changed, verdicts = rewrite_and_validate_outdated_files(current, target)
        return sorted([*given, *changed]), verdicts


def load_checked_settings(root: TenantsRoot, tenant: Tenant, check: SettingsCheck) -> LoadedConfig:
    """Return the tenant's settings. Raise ConfigError if they are wrong, or if another tenant has the same bot."""
    loaded = load(tenant.folder / parts.CONFIG, variables={})
    check(loaded)
    root.check_bots_are_unique(tenant.name, loaded.config)
    return loaded


def new_texts_of_outdated_files(tenant: Tenant, target: Target) -> dict[str, str]:
    """Return the new text, by path, of each file that runs the tenant and is missing or outdated."""
    secrets = tenant.folder / parts.SECRETS
    names = sorted(each.name for each in secrets.iterdir() if each.name[0] != ".") if secrets.is_dir() else []
    found = [*tenant.folder.glob(f"{parts.ROLES}/*"), *tenant.folder.glob(f"{parts.GROUPS}/*/*")]
    files = [path for path in found if path.is_file() and not path.name.startswith(".")]
    operators = sorted(str(path.relative_to(tenant.folder)) for path in files)
    wanted = {parts.RECORD_FILE: tenant.to_json(), **target.render_artefacts(tenant, names, operators)}
    return {path: text for path, text in wanted.items() if read_text_or_none(tenant.folder / path) != text}


def rewrite_and_validate_outdated_files(tenant: Tenant, target: Target) -> tuple[list[str], list[ValidatorVerdict]]:
    """Rewrite the outdated files, as `refresh_files_and_owners` does. The caller holds the lock of the root."""
    changed = new_texts_of_outdated_files(tenant, target)
    former = {path: read_text_or_none(tenant.folder / path) for path in changed}
    try:
        for path, text in changed.items():
            replace_tenant_file(tenant, path, text)
        return sorted(changed), validate_artefacts(target, tenant, tenant.folder)
    except (ConfigError, OSError) as error:
        restore_former_texts(tenant.folder, former)
        if isinstance(error, OSError):
            raise ConfigError(texts.CANNOT_REWRITE(folder=tenant.folder, error=error.strerror)) from None
        raise


def restore_former_texts(folder: Path, former: Mapping[str, str | None]) -> None:
    """Restore the former texts. Raise ConfigError if one cannot be restored."""
    for path, before in former.items():
        try:
            if before is None:
                (folder / path).unlink(missing_ok=True)
            elif read_text_or_none(folder / path) != before:  # else write nothing: the disk may be full
                durable_files.replace_file(folder / path, before)
        except OSError as error:
            say = texts.CANNOT_PUT_BACK(path=folder / path, error=error.strerror, command=script_command("add-tenant"))
            raise ConfigError(say) from None


def read_text_or_none(path: Path) -> str | None:
    """Return the file's text, or None if there is no file. Raise ConfigError if it cannot be read or is not text."""
    try:
        return path.read_text(encoding="utf-8") if path.is_file() else None
    except (OSError, UnicodeDecodeError):
        raise ConfigError(texts.NO_TEXT(path=path)) from None
