"""Restore a back-up over a tenant: always its data, and the operator's files on request.

The tenant's own `retinue restore` unpacks the data and swaps it in one step, as the tenant's user. If the restore is
killed, the tenant is stopped, with the old data or the new. The next run repeats every step. Each run keeps the
previous data in a back-up and beside the data.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from bot.core.errors import ConfigError
from bot.tenants import TellOperator, backups, texts
from bot.tenants.creation import SettingsCheck, load_checked_settings, require_default_folders
from bot.tenants.deployment import Deployment
from bot.tenants.operator_files import read_operator_files, replace_operator_files
from bot.tenants.tenant import FileContent
from bot.tenants.upgrade import ask_release_version, rewrite_files_for_release
from bot.tenants.upgrade_record import lock_and_reload_deployment


def restore_tenant(
    deployment: Deployment, path: Path, check: SettingsCheck, *, operator_folder: Path | None = None, release: str = ""
) -> bool:
    """Restore the tenant from the back-up at `path`. Return False if that fails and the former state is back.

    With `operator_folder`, also restore the operator's files that are unpacked there. With `release`, also change the
    release. Raise ConfigError if the former state cannot be restored either.
    """
    with lock_and_reload_deployment(deployment) as this:
        contents = announce_backup(path, this.tell)
        new = read_operator_files(operator_folder) if operator_folder else None
        former = read_operator_files(this.tenant.folder)
        was_running = this.is_running()
        this.stop()
        kept = None
        try:
            backup = backups.prepare_backup_path(this.root, this.tenant.name)
            backups.save_backup(this, backup)
            kept = backup
        except ConfigError as error:  # the data may be broken; the restore keeps the old data beside the new
            this.tell(texts.CANNOT_BE_BACKED_UP(error=error))
        try:
            restore_data_files_and_release(this, path, check, new=new, release=release)
            is_restored = True
        except ConfigError as error:
            this.tell(texts.FAILED(error=error))
            this.tell(texts.PUTTING_BACK)
            replace_operator_files(this.tenant, former)
            rewrite_files_for_release(this, this.tenant.release, this.tenant.version, check)
            if kept:
                this.restore_data(kept, "--as-is")
            is_restored = False
        this = replace(this, tenant=this.root.read_tenant(this.tenant.name))
        if is_restored:
            this.tell(texts.RESTORED(contents=contents))
        if was_running:
            this.start_and_wait_until_well(must_be_well=False)
        else:
            this.tell(texts.NOT_STARTED(name=this.tenant.name))
            with suppress(ConfigError):
                for step in this.target.operator_start_steps(this.tenant):
                    this.tell(f"  {step}")
    return is_restored


def announce_backup(path: Path, tell: TellOperator) -> str:
    """Tell the operator which back-up this is. Return its contents in words. Raise ConfigError if it is not whole."""
    backup = backups.read_backup_summary(path)
    moment, contents = backup.made_at[:16].replace("T", " "), backup.describe()
    tell(texts.BACKUP_OF(path=path, moment=moment, version=backup.retinue_version, contents=contents))
    return contents


def restore_data_files_and_release(
    this: Deployment, path: Path, check: SettingsCheck, *, new: Mapping[str, FileContent] | None, release: str
) -> None:
    """Restore the data, and write `new`, the operator's files. Raise ConfigError on failure, or if no bot would run."""
    if release:
        this.tell(texts.CHANGING_RELEASE(release=release))
        this = rewrite_files_for_release(this, release, this.tenant.version, check)
        this = rewrite_files_for_release(this, release, ask_release_version(this), check)
    this.tell(texts.RESTORING)
    this.restore_data(path)
    if new:
        replace_operator_files(this.tenant, new)
        loaded = load_checked_settings(this.root, this.tenant, check)
        require_default_folders(loaded.config, this.tenant.folder)  # as for a new tenant
        rewrite_files_for_release(this, this.tenant.release, this.tenant.version, check)
        this.tell(texts.OPERATORS_FILES_RESTORED)
    this.tell(texts.TRYING)
    this.run_retinue("migrate")
