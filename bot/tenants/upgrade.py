"""Bring a tenant to another release: stop the bot, back it up, migrate, and start it.

If that fails, go back, but only if nothing is lost by that: docs/decisions/0013.

Each step is recorded before it is taken (see `upgrade_record`), and each may be repeated:

    killed while          state left behind                            the next run
    stopping, backing up  the old release, stopped or not              stops, backs up, and continues
    migrating             the new release recorded, nothing            migrates again: it is one transaction
                          polls; the rows of either release
    starting              the new release, which may have polled       starts it, and waits for it
    undoing               either release                               reads the row marks, and goes back again

If a command is killed, the engine (Docker or another) still completes its request. A second request waits for the
first, or is refused until the first is done.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from bot.config import load
from bot.core.errors import ConfigError
from bot.core.program_names import script_command
from bot.tenants import backups, texts, upgrade_record
from bot.tenants.creation import SettingsCheck, rewrite_and_validate_outdated_files
from bot.tenants.deployment import ASK_TIMEOUT_SECONDS, START_TIMEOUT_SECONDS, Deployment, RowMarks
from bot.tenants.programs import run_program
from bot.tenants.tenant import CONFIG
from bot.tenants.upgrade_record import Upgrade, UpgradeStep, write_upgrade_record

VERSION_OUTPUT_PATTERN = re.compile(r"(?:\S+ )?([0-9][\w.+-]{0,40})\s*", re.ASCII)


@dataclass(slots=True)
class UpgradeRun:
    """One upgrade. `deployment` has the release that the tenant's files name now."""

    deployment: Deployment
    check_settings: SettingsCheck
    record: Upgrade

    def run_remaining_steps(self) -> bool:
        """Run the remaining steps. Return True if the upgrade is done, or False if it failed or was undone.

        After False, the old release is back. If that would lose data, the new release stays, and the operator is told
        what to do. A stopped tenant stays stopped. Raise ConfigError if the back-up fails, or if no release can be run.
        """
        if self.record.step is UpgradeStep.STOPPING:
            self.stop_and_back_up()
        if self.record.step is UpgradeStep.MIGRATING:
            self.run_or_record_undoing(self.migrate_with_new_release)
        if self.record.step is UpgradeStep.STARTING:
            self.run_or_record_undoing(self.start_new_release)
        if not (is_done := self.record.step is not UpgradeStep.UNDOING):
            self.undo_or_stay_with_new_release()
        upgrade_record.remove_upgrade_record(self.deployment.tenant)
        return is_done

    def run_or_record_undoing(self, action: Callable[[], None]) -> None:
        """Run the action. If it fails, record UNDOING as the next step."""
        try:
            action()
        except ConfigError as error:
            self.deployment.tell(texts.FAILED(error=error))
            self.update_record(step=UpgradeStep.UNDOING, why=str(error))

    def stop_and_back_up(self) -> None:
        """Stop the bot and back it up. The bot stops first, so that no message comes in after the back-up."""
        try:
            self.deployment.stop()
            marks = self.deployment.ask_health().row_marks
            backup = ""
            if marks is None or marks.step:
                path = backups.prepare_backup_path(self.deployment.root, self.deployment.tenant.name)
                backups.save_backup(self.deployment, path)
                backup = str(path)
        except ConfigError:
            self.deployment.tell(texts.OLD_RELEASE_GOES_ON)
            if self.record.was_running:
                self.deployment.start()
            upgrade_record.remove_upgrade_record(self.deployment.tenant)
            raise
        self.update_record(step=UpgradeStep.MIGRATING, marks=marks, backup=backup)

    def migrate_with_new_release(self) -> None:
        """Have the new release migrate the rows, and check that it would run."""
        release = self.record.release
        self.rewrite_files_for_release(release, self.deployment.tenant.version)
        self.deployment.tell(texts.MIGRATING(release=release))
        self.rewrite_files_for_release(release, ask_release_version(self.deployment))
        self.deployment.run_retinue("migrate")
        self.update_record(step=UpgradeStep.STARTING)

    def start_new_release(self) -> None:
        """Start the new release if the old one ran."""
        if not self.record.was_running:
            self.deployment.tell(texts.STAYS_STOPPED(name=self.deployment.tenant.name))
            return
        self.update_record(was_started=True)
        self.deployment.start_and_wait_until_well(must_be_well=self.record.was_well)

    def undo_or_stay_with_new_release(self) -> None:
        """Go back to the old release if that loses nothing. Else stay with the new one."""
        self.rewrite_files_for_release(self.record.release, self.deployment.tenant.version)
        self.deployment.stop()
        version, now = self.deployment.tenant.version, ask_row_marks(self.deployment)
        self.rewrite_files_for_release(self.record.former, self.record.former_version)
        if now is None:  # the new release does not run: the old one can at least read the step
            now = ask_row_marks(self.deployment)
        before = self.record.marks
        is_same_step = before is not None and now is not None and now.step == before.step
        if before is not None and now is not None and now.received is not None:
            is_nothing_lost = None not in now.message_marks and now.message_marks == before.message_marks
        else:
            is_nothing_lost = not self.record.was_started
        if is_same_step or is_nothing_lost:
            self.go_back_to_old_release(has_new_rows=not is_same_step)
        else:
            self.rewrite_files_for_release(self.record.release, version)
            self.stay_with_new_release()

    def go_back_to_old_release(self, *, has_new_rows: bool) -> None:
        """Run the old release, which the tenant's files already name. If `has_new_rows`, restore the back-up first."""
        if has_new_rows and self.record.backup:
            self.deployment.tell(texts.PUTTING_ROWS_BACK(path=self.record.backup))
            self.deployment.restore_data(Path(self.record.backup), "--as-is")
        if self.record.was_running:
            self.deployment.start_and_wait_until_well(must_be_well=self.record.was_well)
        name, why = self.deployment.tenant.name, self.record.why
        said = texts.OLD_RELEASE_BACK_AFTER(name=name, reason=why) if why else texts.OLD_RELEASE_BACK(name=name)
        self.deployment.tell(said)

    def stay_with_new_release(self) -> None:
        """Run the new release. Tell the operator how to repair it, or how to go back with a loss."""
        tenant, why, tell = self.deployment.tenant, self.record.why, self.deployment.tell
        tell(texts.NEW_RELEASE_STAYS(name=tenant.name))
        if self.record.was_running:
            self.deployment.start()
        tell(texts.REPAIR_REASON_OR_GO_BACK(reason=why) if why else texts.REPAIR_OR_GO_BACK)
        old = "--release" if tenant.target == "systemd" else "--image"
        tell(f"  {script_command('restore-tenant')} {tenant.name} {self.record.backup} {old} {self.record.former}")

    def rewrite_files_for_release(self, release: str, version: str) -> None:
        self.deployment = rewrite_files_for_release(self.deployment, release, version, self.check_settings)

    def update_record(self, **changes: object) -> None:
        self.record = replace(self.record, **changes)  # type: ignore[arg-type] # its own fields
        write_upgrade_record(self.deployment.tenant, self.record)


def rewrite_files_for_release(deployment: Deployment, release: str, version: str, check: SettingsCheck) -> Deployment:
    """Make the tenant's files name that release, and return the deployment with it."""
    tenant = replace(deployment.tenant, release=release, version=version)
    check(load(tenant.folder / CONFIG, variables={}))
    if changed := rewrite_and_validate_outdated_files(tenant, deployment.target)[0]:
        deployment.tell(texts.REWRITTEN(paths=", ".join(changed)))
    return replace(deployment, tenant=tenant)


def ask_row_marks(deployment: Deployment) -> RowMarks | None:
    """Return the row marks that the current release reports while nothing runs. If it fails, say why; return None."""
    try:
        return deployment.ask_health().row_marks
    except ConfigError as error:
        deployment.tell(f"  {error}")
        return None


def ask_release_version(deployment: Deployment) -> str:
    """Return the version that the release reports, while the bot is stopped. Raise ConfigError if it does not run."""
    command = deployment.target.retinue_command_while_stopped(deployment.tenant, ["--version"])
    outcome = run_program(command, seconds=ASK_TIMEOUT_SECONDS)
    if outcome.status or not (found := VERSION_OUTPUT_PATTERN.fullmatch(outcome.out)):
        raise ConfigError(texts.RELEASE_DOES_NOT_RUN(reason=outcome.failure_reason))
    return found[1]


def start_resume_or_undo_upgrade(
    deployment: Deployment, release: str | None, check: SettingsCheck, *, is_undo: bool = False
) -> bool:
    """Upgrade to `release`, continue an interrupted upgrade (None), or undo one. Return True if the upgrade is done."""
    with deployment.root.hold_lock(deployment.tell):
        current = replace(deployment, tenant=deployment.root.read_tenant(deployment.tenant.name))
        found = upgrade_record.read_upgrade_record(current.tenant)
        if found is None:
            found = check_and_plan_upgrade(current, release, is_undo=is_undo)
            write_upgrade_record(current.tenant, found)
        elif release not in (None, found.release):
            interrupted = upgrade_record.describe_unfinished_upgrade(current.tenant)
            raise ConfigError(texts.UPGRADE_TO_ANOTHER(interrupted=interrupted, release=found.release))
        else:
            current.tell(texts.UPGRADE_RESUMED(release=found.release, step=found.step))
        run = UpgradeRun(current, check, found)
        if is_undo:
            run.update_record(step=UpgradeStep.UNDOING)
        return run.run_remaining_steps()


def check_and_plan_upgrade(deployment: Deployment, release: str | None, *, is_undo: bool) -> Upgrade:
    """Return the first record. Raise ConfigError for an undo, without a release, or if the release does not run."""
    if is_undo or release is None:
        raise ConfigError(texts.NO_UPGRADE_UNFINISHED(name=deployment.tenant.name))
    if command := deployment.target.release_version_command(deployment.tenant, release):
        deployment.tell(texts.LOOKING_FOR_RELEASE(release=release))
        outcome = run_program(command, seconds=START_TIMEOUT_SECONDS)
        if outcome.status or not VERSION_OUTPUT_PATTERN.fullmatch(outcome.out):
            raise ConfigError(texts.NO_SUCH_RELEASE(release=release, reason=outcome.failure_reason))
    was_running, was_well = deployment.is_running(), False
    if was_running:
        try:
            was_well = deployment.ask_health().is_well
        except ConfigError as error:
            deployment.tell(texts.NOT_WELL_BEFORE(error=error))
    return Upgrade(
        step=UpgradeStep.STOPPING,
        former=deployment.tenant.release,
        former_version=deployment.tenant.version,
        release=release,
        was_running=was_running,
        was_well=was_well,
    )
