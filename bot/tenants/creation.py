"""Make a tenant's folder in one step, whole and checked, or leave nothing behind."""

import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from bot.config import LoadedConfig, load
from bot.core import durable_files
from bot.core.errors import ConfigError
from bot.core.program_names import script_command
from bot.tenants import group_folders, upgrade_record
from bot.tenants import making_texts as texts
from bot.tenants import tenant as parts
from bot.tenants.blueprint import Blueprint
from bot.tenants.bots import list_bots
from bot.tenants.root import UNFINISHED_PREFIX, TenantsRoot
from bot.tenants.targets import Target, ValidatorVerdict, disk
from bot.tenants.tenant import Tenant

SettingsCheck = Callable[[LoadedConfig], object]  # raises ConfigError if a bot would not start with these settings


@dataclass(frozen=True, slots=True, kw_only=True)
class TenantEntry:
    """A file or folder of a tenant, relative to the tenant's folder."""

    path: str
    text: str | None = None  # None: a folder
    is_own: bool = False  # only the tenant may use it; else it is the operator's, and the tenant may read it
    is_secret: bool = False

    def mode(self, *, is_shared: bool) -> int:
        """Return the file mode.

        With `is_shared`, the tenant is a user of this machine, and its group may read the operator's entries.
        """
        group_may_read = is_shared and not self.is_own
        if self.text is None:
            return 0o750 if group_may_read else 0o700
        return 0o640 if group_may_read else 0o600


def plan_tenant(root: TenantsRoot, blueprint: Blueprint, uid: int) -> Tenant:
    """Return the record of the tenant to be made."""
    return Tenant(
        name=blueprint.name,
        target=blueprint.target,
        uid=uid,
        release=blueprint.release,
        version=blueprint.version,
        made_at=datetime.now(UTC).isoformat(timespec="seconds"),
        folder=root.path / blueprint.name,
        disk=blueprint.disk,
    )


def list_tenant_entries(blueprint: Blueprint, tenant: Tenant, artefacts: Mapping[str, str]) -> Iterator[TenantEntry]:
    """Yield every entry of the tenant's folder, each folder before its contents."""
    yield TenantEntry(path=".")
    yield TenantEntry(path=parts.RECORD_FILE, text=tenant.to_json())
    yield TenantEntry(path=parts.CONFIG, text=json.dumps(blueprint.values, indent=2, ensure_ascii=False) + "\n")
    yield TenantEntry(path=parts.SECRETS)  # root reads it for every command: the tenant adds no file
    for name, value in sorted(blueprint.secrets.items()):
        yield TenantEntry(path=f"{parts.SECRETS}/{name}", text=value.strip() + "\n", is_own=True, is_secret=True)
    yield TenantEntry(path=parts.ROLES)
    for name, text in sorted(blueprint.roles.items()):
        yield TenantEntry(path=f"{parts.ROLES}/{name}", text=text)
    yield TenantEntry(path=parts.GROUPS)
    names = {Path(path).parts[0] for path in blueprint.groups}
    workspaces = {f"{name}/{parts.WORKSPACE}" for name in names}  # each group gets one, even an empty one
    inside = {str(above) for path in blueprint.groups for above in Path(path).parents if len(above.parts) > 2}
    for folder in sorted({*names, *workspaces, *inside}):
        yield TenantEntry(path=f"{parts.GROUPS}/{folder}", is_own=group_folders.is_in_workspace(folder))
    for path, text in sorted(blueprint.groups.items()):
        yield TenantEntry(path=f"{parts.GROUPS}/{path}", text=text, is_own=group_folders.is_in_workspace(path))
    yield TenantEntry(path=parts.WORKSPACE, is_own=True)
    yield TenantEntry(path=parts.DATA, is_own=True)
    for above in sorted({str(above) for path in artefacts for above in Path(path).parents} - {"."}):
        yield TenantEntry(path=above)
    for path, text in sorted(artefacts.items()):
        yield TenantEntry(path=path, text=text)


def operator_file_paths(blueprint: Blueprint) -> list[str]:
    """Return the paths of the role files and the group files, without the groups' workspaces."""
    groups = [path for path in sorted(blueprint.groups) if not group_folders.is_in_workspace(path)]
    return [
        *(f"{parts.ROLES}/{name}" for name in sorted(blueprint.roles)),
        *(f"{parts.GROUPS}/{path}" for path in groups),
    ]


def make_tenant(
    root: TenantsRoot, blueprint: Blueprint, target: Target, look: SettingsCheck
) -> tuple[Tenant, list[ValidatorVerdict]]:
    """Make the tenant. Return it with the validators' verdicts.

    Raise ConfigError on failure; nothing is left of the tenant then.
    """
    require_root(blueprint.target)
    with root.hold_lock():
        root.check_name_is_free(blueprint.name)
        config = blueprint.build_config(root.path / blueprint.name)
        root.check_bots_are_unique(blueprint.name, dict(list_bots(config)))
        tenant = plan_tenant(root, blueprint, root.next_uid())
        staging = root.path / f"{UNFINISHED_PREFIX}{tenant.name}"
        try:
            root.mark_uid_as_used(tenant.uid)
            artefacts = target.artefacts(tenant, config, sorted(blueprint.secrets), operator_file_paths(blueprint))
            write_tenant_entries(staging, list_tenant_entries(blueprint, tenant, artefacts), tenant)
            look(load(staging / parts.CONFIG, variables={}))
            if tenant.disk and is_user_of_host(tenant.target):
                disk.move_into_image(staging, tenant.disk)
            verdicts = validate_artefacts(target, tenant, staging)
            staging.rename(tenant.folder)
            durable_files.sync_folder(root.path)
        except ConfigError as error:  # the message names the final folder instead of the staging folder
            raise ConfigError(str(error).replace(str(staging), str(tenant.folder))) from None
        except OSError as error:
            raise ConfigError(texts.CANNOT_MAKE(folder=tenant.folder, error=error.strerror)) from None
        finally:
            shutil.rmtree(staging, ignore_errors=True)
    return tenant, verdicts


def require_root(target: str) -> None:
    """Raise ConfigError if the target needs root, and we are not."""
    if is_user_of_host(target) and os.geteuid() != 0:
        raise ConfigError(texts.NEEDS_ROOT(target=target))


def is_user_of_host(target: str) -> bool:
    """Return True if the tenant runs as its own user of this machine, apart from the operator."""
    return target != "kubernetes"


def write_tenant_entries(folder: Path, what: Iterator[TenantEntry], tenant: Tenant) -> None:
    """Write the entries into a new folder, with their owners and modes; they are on the disk when this returns."""
    is_on_host = is_user_of_host(tenant.target)
    for entry in what:
        owner = (tenant.uid if entry.is_own else 0, tenant.uid) if is_on_host else None
        mode, path = entry.mode(is_shared=is_on_host), folder / entry.path
        if entry.text is None:
            durable_files.make_folder_with_owner(path, mode=mode, owner=owner)
        else:
            durable_files.write_new_file(path, entry.text, mode=mode, owner=owner)
    for path in (folder, *(each for each in folder.rglob("*") if each.is_dir())):
        durable_files.sync_folder(path)


def validate_artefacts(target: Target, tenant: Tenant, folder: Path) -> list[ValidatorVerdict]:
    """Return the validators' verdicts. Raise ConfigError if one finds a fault, because then our template is wrong."""
    verdicts = list(target.validate(tenant, folder))
    if bad := next((verdict for verdict in verdicts if verdict.is_good is False), None):
        raise ConfigError(texts.VALIDATOR_REFUSES(validator=bad.by, name=tenant.name, reason=bad.text))
    return verdicts


def refresh_artefacts(
    root: TenantsRoot, tenant: Tenant, target: Target, look: SettingsCheck
) -> tuple[list[str], list[ValidatorVerdict]]:
    """Rewrite the files that run the tenant, from its current config and secrets.

    Return the changed paths and the verdicts. Raise ConfigError on failure; everything is as it was then.
    """
    require_root(tenant.target)
    with root.hold_lock():
        current = root.read_tenant(tenant.name)  # another command may have changed its release meanwhile
        upgrade_record.refuse_during_upgrade(current)
        given = restore_ownership(current)
        changed, verdicts = rewrite_outdated_files(current, target, load_checked_settings(root, current, look))
        return sorted([*given, *changed]), verdicts


def restore_ownership(tenant: Tenant) -> list[str]:
    """Set the owner and mode of the tenant's settings, roles, groups and secrets. Return the changed paths.

    Files that the operator puts there belong to root. The bot could not read them, or everybody could.
    """
    if not is_user_of_host(tenant.target):
        return []
    operators = [tenant.folder / parts.CONFIG, *group_folders.list_plain_files(tenant.folder / parts.ROLES)]
    secrets = group_folders.list_plain_files(tenant.folder / parts.SECRETS)
    wanted = [(path, 0, 0o640) for path in operators] + [(path, tenant.uid, 0o600) for path in secrets]
    try:
        given = [
            path
            for path, uid, mode in wanted
            if durable_files.set_mode_and_owner(path, mode=mode, owner=(uid, tenant.uid))
        ]
        given += group_folders.restore_group_ownership(tenant)
    except OSError as error:
        raise ConfigError(texts.CANNOT_GIVE(path=error.filename, error=error.strerror)) from None
    return [str(path.relative_to(tenant.folder)) for path in given]


def load_checked_settings(root: TenantsRoot, tenant: Tenant, look: SettingsCheck) -> LoadedConfig:
    """Return the tenant's settings. Raise ConfigError if they are wrong, or if another tenant has the same bot."""
    loaded = load(tenant.folder / parts.CONFIG, variables={})
    look(loaded)
    root.check_bots_are_unique(tenant.name, dict(list_bots(loaded.config)))
    return loaded


def find_outdated_files(tenant: Tenant, target: Target, loaded: LoadedConfig) -> dict[str, str]:
    """Return the new texts, by path, of the files that run the tenant and are missing or outdated."""
    secrets = tenant.folder / parts.SECRETS
    names = sorted(each.name for each in secrets.iterdir() if each.name[0] != ".") if secrets.is_dir() else []
    found = [*tenant.folder.glob(f"{parts.ROLES}/*"), *tenant.folder.glob(f"{parts.GROUPS}/*/*")]
    files = [path for path in found if path.is_file() and not path.name.startswith(".")]
    operators = sorted(str(path.relative_to(tenant.folder)) for path in files)
    wanted = {
        parts.RECORD_FILE: tenant.to_json(),
        **target.artefacts(tenant, loaded.config, names, operators),
    }
    return {path: text for path, text in wanted.items() if current_text(tenant.folder / path) != text}


def rewrite_outdated_files(
    tenant: Tenant, target: Target, loaded: LoadedConfig
) -> tuple[list[str], list[ValidatorVerdict]]:
    """Rewrite the outdated files, as `refresh_artefacts` does. The caller holds the lock of the root."""
    changed = find_outdated_files(tenant, target, loaded)
    former = {path: current_text(tenant.folder / path) for path in changed}
    owner = (0, tenant.uid) if is_user_of_host(tenant.target) else None
    try:
        for path, text in changed.items():
            place = tenant.folder / path
            for above in reversed([each for each in place.parents if not each.is_dir()]):
                durable_files.make_folder_with_owner(above, mode=0o750 if owner else 0o700, owner=owner)
            durable_files.replace_file(place, text, mode=0o640 if owner else 0o600, owner=owner)
        return sorted(changed), validate_artefacts(target, tenant, tenant.folder)
    except (ConfigError, OSError) as error:
        undo_rewrite(tenant.folder, former)
        if isinstance(error, OSError):
            raise ConfigError(texts.CANNOT_REWRITE(folder=tenant.folder, error=error.strerror)) from None
        raise


def undo_rewrite(folder: Path, former: Mapping[str, str | None]) -> None:
    """Restore the former texts. Skip unchanged files: on a full disk nothing can be written.

    Raise ConfigError if a file cannot be restored.
    """
    for path, before in former.items():
        try:
            if before is None:
                (folder / path).unlink(missing_ok=True)
            elif current_text(folder / path) != before:
                durable_files.replace_file(folder / path, before)
        except OSError as error:
            say = texts.CANNOT_PUT_BACK(path=folder / path, error=error.strerror, command=script_command("add-tenant"))
            raise ConfigError(say) from None


def current_text(path: Path) -> str | None:
    """Return the file's text, or None if there is no file. Raise ConfigError if it cannot be read."""
    try:
        return path.read_text(encoding="utf-8") if path.is_file() else None
    except (OSError, UnicodeDecodeError):
        raise ConfigError(texts.NO_TEXT(path=path)) from None
