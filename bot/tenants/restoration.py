"""Restore a back-up over a tenant: always its data, and the operator's files on request.

The tenant's own `retinue restore` unpacks and swaps the data in one step, as the tenant's user. If the restore is
killed, the tenant is stopped, with the old data or the new. The next run repeats every step. Each run keeps the
previous data in a back-up and beside the data.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from bot.core.errors import ConfigError
from bot.tenants import Tell, backups, texts, upgrade_record
from bot.tenants.archives import ArchiveSummary, read_archive_summary
from bot.tenants.blueprint import check_folders
from bot.tenants.creation import SettingsCheck, load_checked_settings
from bot.tenants.deployment import Deployment
from bot.tenants.operator_files import read_operator_files, write_operator_files
from bot.tenants.root import TenantsRoot
from bot.tenants.upgrade import ask_release_version, switch_release


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreRequest:
    path: Path  # the back-up
    operator_folder: Path | None = None  # the operator's files from it, unpacked; None: the tenant keeps its own
    release: str = ""  # empty: unchanged


def restore_tenant_data(root: TenantsRoot, deployment: Deployment, wishes: RestoreRequest, look: SettingsCheck) -> bool:
    """Restore the tenant. Return True on success, or False if the former state is back.

    Raise ConfigError if neither worked.
    """
    with root.hold_lock(deployment.tell):
        this = replace(deployment, tenant=root.read_tenant(deployment.tenant.name))
        upgrade_record.refuse_during_upgrade(this.tenant)
        archive = announce_archive(wishes.path, this.tell)
        new = read_operator_files(wishes.operator_folder) if wishes.operator_folder else None
        former = read_operator_files(this.tenant.folder)
        was_running = this.is_running()
        this.stop()
        kept = None
        try:
            path = backups.next_backup_path(root, this.tenant.name)
            backups.save_backup(this, path)
            kept = path
        except ConfigError as error:  # the data may be broken; the restore keeps them beside the new ones
            this.tell(texts.CANNOT_BE_BACKED_UP(error=error))
        try:
            replace_data_and_files(root, this, wishes, new, look)
        except ConfigError as error:
            this.tell(texts.FAILED(error=error))
            undo_restore(this, former, kept, look, was_running=was_running)
            return False
        this = replace(deployment, tenant=root.read_tenant(deployment.tenant.name))
        this.tell(texts.RESTORED(contents=archive.describe()))
        restart_if_it_ran(this, was_running=was_running)
    return True


def announce_archive(path: Path, tell: Tell) -> ArchiveSummary:
    """Report what is in the back-up, and return it. Raise ConfigError if the file is no whole back-up."""
    archive = read_archive_summary(path)
    moment = archive.made_at[:16].replace("T", " ")
    tell(texts.BACKUP_OF(path=path, moment=moment, version=archive.version, contents=archive.describe()))
    return archive


def replace_data_and_files(
    root: TenantsRoot, this: Deployment, wishes: RestoreRequest, new: Mapping[str, str] | None, look: SettingsCheck
) -> None:
    """Put the back-up in place of the data, and `new` in place of the operator's files. Check that the bot would run.

    Raise ConfigError if anything fails.
    """
    if wishes.release:
        this.tell(texts.CHANGING_RELEASE(release=wishes.release))
        this = switch_release(this, wishes.release, this.tenant.version, look)
        this = switch_release(this, wishes.release, ask_release_version(this), look)
    this.tell(texts.RESTORING)
    this.restore_data(wishes.path)
    if new:
        write_operator_files(this.tenant, new)
        check_folders(load_checked_settings(root, this.tenant, look).config, this.tenant.folder)  # as for a new tenant
        switch_release(this, this.tenant.release, this.tenant.version, look)
        this.tell(texts.OPERATORS_FILES_RESTORED)
    this.tell(texts.TRYING)
    this.run_long_command("migrate")


def undo_restore(
    this: Deployment, former: Mapping[str, str], kept: Path | None, look: SettingsCheck, *, was_running: bool
) -> None:
    """Put the former files and data back, and start the bot if it ran."""
    this.tell(texts.PUTTING_BACK)
    write_operator_files(this.tenant, former)
    switch_release(this, this.tenant.release, this.tenant.version, look)
    if kept:
        this.restore_data(kept, "--as-is")
    restart_if_it_ran(this, was_running=was_running)


def restart_if_it_ran(this: Deployment, *, was_running: bool) -> None:
    """Start the bot, or report how the operator starts it."""
    if was_running:
        this.start_and_wait(must_be_well=False)
        return
    this.tell(texts.NOT_STARTED(name=this.tenant.name))
    with suppress(ConfigError):
        for step in this.target.next_steps(this.tenant):
            this.tell(f"  {step}")
