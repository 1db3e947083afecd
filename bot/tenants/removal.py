"""Remove a tenant: stop it, archive it, remove what runs it, and archive or delete its folder.

If the removal is killed before the folder is renamed, the tenant still exists, stopped. The next run repeats every
step. If it is killed while the folder is deleted, the rest has a hidden name. The next command that locks the root
deletes it.
"""

from dataclasses import dataclass, replace
from pathlib import Path

from bot.core import durable_files
from bot.core.errors import ConfigError
from bot.tenants import backups, texts, upgrade_record
from bot.tenants.creation import is_user_of_host
from bot.tenants.deployment import STOP_SECONDS, Deployment, run_commands
from bot.tenants.root import DELETING_PREFIX, TenantsRoot, delete_folder_tree
from bot.tenants.tenant import DISK

DELETE_SECONDS = 3_600.0  # a tenant may have millions of files
ARCHIVE_FOLDER = ".archive"  # in the root; only the operator can open it


@dataclass(frozen=True, slots=True, kw_only=True)
class RemovalOptions:
    is_archived: bool = True
    with_secrets: bool = False
    is_deleted: bool = False  # else its folder stays, unchanged, beside its archive


def remove_tenant(root: TenantsRoot, deployment: Deployment, wishes: RemovalOptions) -> None:
    """Remove the tenant. Raise ConfigError on failure; the tenant still exists then, but may be stopped."""
    with root.hold_lock(deployment.tell):
        tenant = root.read_tenant(deployment.tenant.name)
        this = replace(deployment, tenant=tenant)
        upgrade_record.refuse_during_upgrade(tenant)
        this.stop()
        place = backups.next_backup_path(root, tenant.name, ARCHIVE_FOLDER)
        if wishes.is_archived:
            archive_tenant(this, place, wishes)
        this.tell(texts.REMOVING_WHAT_RUNS_IT)
        run_commands(this.target.remove_commands(tenant), STOP_SECONDS)
        if (tenant.folder / DISK).is_mount():
            raise ConfigError(texts.STILL_MOUNTED(folder=tenant.folder / DISK))
        if wishes.is_deleted:
            leaving = root.path / f"{DELETING_PREFIX}{tenant.name}"
            delete_folder_tree(leaving, seconds=DELETE_SECONDS)
            tenant.folder.rename(leaving)
            durable_files.sync_folder(root.path)
            delete_folder_tree(leaving, seconds=DELETE_SECONDS)
            this.tell(texts.DELETED(folder=tenant.folder))
        else:  # only the operator can open the archive's folder, so the files keep their owners
            kept = place.with_name(place.name.removesuffix(backups.SUFFIX))
            tenant.folder.rename(kept)
            durable_files.sync_folder(place.parent)
            durable_files.sync_folder(root.path)
            this.tell(texts.FOLDER_PUT_AWAY(folder=kept))


def archive_tenant(deployment: Deployment, place: Path, wishes: RemovalOptions) -> None:
    """Back up the tenant before its removal.

    If the back-up fails and the folder with all data is kept, continue without an archive. Else raise ConfigError.
    """
    try:
        if backups.has_rows(deployment):
            backups.save_backup(deployment, place, with_secrets=wishes.with_secrets)
        else:
            deployment.tell(texts.NOTHING_TO_ARCHIVE)
    except ConfigError as error:
        if wishes.is_deleted or not is_user_of_host(deployment.tenant.target):
            raise ConfigError(texts.CANNOT_ARCHIVE_SO_NOT_DELETED(error=error)) from None
        deployment.tell(texts.CANNOT_ARCHIVE(error=error))
        deployment.tell(texts.FOLDER_KEPT)
