"""Remove a tenant: stop it, archive it, remove what runs it, and archive or delete its folder.

If the removal is killed before it renames the folder, the tenant still exists and is stopped. The next run repeats
every step. If it is killed while it deletes the renamed folder, the next command that locks the root deletes the rest.
"""

from bot.core import durable_files
from bot.core.errors import ConfigError
from bot.tenants import backups, texts
from bot.tenants.deployment import STOP_TIMEOUT_SECONDS, Deployment
from bot.tenants.programs import run_checked
from bot.tenants.root import DELETING_PREFIX, delete_folder_tree
from bot.tenants.tenant import DISK_FOLDER, has_host_user
from bot.tenants.upgrade_record import lock_and_reload_deployment

FOLDER_DELETION_TIMEOUT_SECONDS = 3_600.0  # a tenant may have millions of files
ARCHIVE_FOLDER = ".archive"  # in the root; only the operator can open it


def remove_tenant(
    deployment: Deployment, *, is_archived: bool = True, with_secrets: bool = False, is_deleted: bool = False
) -> None:
    """Remove the tenant. Move its folder beside its archive, or delete it. Raise ConfigError if that is impossible."""
    with lock_and_reload_deployment(deployment) as this:
        tenant, root = this.tenant, this.root
        this.stop()
        place = backups.prepare_backup_path(root, tenant.name, ARCHIVE_FOLDER)
        try:
            if is_archived and backups.may_have_data(this):
                backups.save_backup(this, place, with_secrets=with_secrets)
            elif is_archived:
                this.tell(texts.NOTHING_TO_ARCHIVE)
        except ConfigError as error:
            if is_deleted or not has_host_user(tenant.target):
                raise ConfigError(texts.CANNOT_ARCHIVE_SO_NOT_DELETED(error=error)) from None
            this.tell(texts.CANNOT_ARCHIVE(error=error))
            this.tell(texts.FOLDER_KEPT)  # with all data
        this.tell(texts.REMOVING_WHAT_RUNS_IT)
        for command in this.target.commands_to_remove_deployment(tenant):
            run_checked(command, seconds=STOP_TIMEOUT_SECONDS)
        if (tenant.folder / DISK_FOLDER).is_mount():
            raise ConfigError(texts.STILL_MOUNTED(folder=tenant.folder / DISK_FOLDER))
        if is_deleted:
            leaving = root.path / f"{DELETING_PREFIX}{tenant.name}"
            delete_folder_tree(leaving, seconds=FOLDER_DELETION_TIMEOUT_SECONDS)
        else:  # only the operator can open the archive's folder, so the files keep their owners
            leaving = place.with_name(place.name.removesuffix(backups.BACKUP_SUFFIX))
        tenant.folder.rename(leaving)
        durable_files.fsync_folder(leaving.parent)
        durable_files.fsync_folder(root.path)
        if is_deleted:
            delete_folder_tree(leaving, seconds=FOLDER_DELETION_TIMEOUT_SECONDS)
            this.tell(texts.DELETED(folder=tenant.folder))
        else:
            this.tell(texts.FOLDER_PUT_AWAY(folder=leaving))
