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
from bot.tenants.creation import SettingsCheck, rewrite_outdated_files
from bot.tenants.deployment import ASK_SECONDS, START_SECONDS, Deployment, TenantMarks
from bot.tenants.programs import run_program
from bot.tenants.tenant import CONFIG
from bot.tenants.upgrade_record import Upgrade, UpgradeStep, write_upgrade

VERSION = re.compile(r"(?:\S+ )?([0-9][\w.+-]{0,40})\s*", re.ASCII)


@dataclass(slots=True)
class UpgradeRun:
    """One upgrade. `deployment` has the release that the tenant's files name now."""

    deployment: Deployment
    look: SettingsCheck
    upgrade: Upgrade

    def run(self) -> bool:
        """Run the remaining steps. Return True if the upgrade is done, or False if it failed or was undone.

        After False, the old release is back. If that would lose data, the new release stays, and the operator is told
        what to do. A stopped tenant stays stopped. Raise ConfigError if the back-up fails, or if no release can be run.
        """
        if self.upgrade.step is UpgradeStep.STOPPING:
            self.stop()
        if self.upgrade.step is UpgradeStep.MIGRATING:
            self.attempt_or_undo(self.migrate)
        if self.upgrade.step is UpgradeStep.STARTING:
            self.attempt_or_undo(self.start)
        if not (is_done := self.upgrade.step is not UpgradeStep.UNDOING):
            self.undo()
        upgrade_record.remove_upgrade_record(self.deployment.tenant)
        return is_done

    def attempt_or_undo(self, action: Callable[[], None]) -> None:
        """Run the action. If it fails, record UNDOING as the next step."""
        try:
            action()
        except ConfigError as error:
            self.deployment.tell(texts.FAILED(error=error))
            self.write_step(step=UpgradeStep.UNDOING, why=str(error))

    def stop(self) -> None:
        """Stop the bot and back it up. The bot stops first, so that no message comes in after the back-up."""
        try:
            self.deployment.stop()
            marks = self.deployment.ask_health().marks
            backup = ""
            if marks is None or marks.step:
                path = backups.prepare_backup_path(self.deployment.root, self.deployment.tenant.name)
                backups.save_backup(self.deployment, path)
                backup = str(path)
        except ConfigError:
            self.deployment.tell(texts.OLD_RELEASE_GOES_ON)
            if self.upgrade.was_running:
                self.deployment.start()
            upgrade_record.remove_upgrade_record(self.deployment.tenant)
            raise
        self.write_step(step=UpgradeStep.MIGRATING, marks=marks, backup=backup)

    def migrate(self) -> None:
        """Have the new release migrate the rows, and check that it would run."""
        release = self.upgrade.release
        self.switch_release(release, self.deployment.tenant.version)
        self.deployment.tell(texts.MIGRATING(release=release))
        self.switch_release(release, ask_release_version(self.deployment))
        self.deployment.run("migrate")
        self.write_step(step=UpgradeStep.STARTING)

    def start(self) -> None:
        """Start the new release if the old one ran."""
        if not self.upgrade.was_running:
            self.deployment.tell(texts.STAYS_STOPPED(name=self.deployment.tenant.name))
            return
        self.write_step(was_started=True)
        self.deployment.start_and_wait(must_be_well=self.upgrade.was_well)

    def undo(self) -> None:
        """Go back to the old release if that loses nothing. Else stay with the new one."""
        self.switch_release(self.upgrade.release, self.deployment.tenant.version)
        self.deployment.stop()
        version, now = self.deployment.tenant.version, read_row_marks(self.deployment)
        self.switch_release(self.upgrade.former, self.upgrade.former_version)
        if now is None:  # the new release does not run: the old one can at least read the step
            now = read_row_marks(self.deployment)
        before = self.upgrade.marks
        is_same_step = before is not None and now is not None and now.step == before.step
        if before is not None and now is not None and now.received is not None:
            is_nothing_lost = None not in now.messages and now.messages == before.messages
        else:
            is_nothing_lost = not self.upgrade.was_started
        if is_same_step or is_nothing_lost:
            self.go_back(has_new_rows=not is_same_step)
        else:
            self.switch_release(self.upgrade.release, version)
            self.stay_with_new_release()

    def go_back(self, *, has_new_rows: bool) -> None:
        """Run the old release, which the tenant's files already name. If `has_new_rows`, restore the back-up first."""
        if has_new_rows and self.upgrade.backup:
            self.deployment.tell(texts.PUTTING_ROWS_BACK(path=self.upgrade.backup))
            self.deployment.restore_data(Path(self.upgrade.backup), "--as-is")
        if self.upgrade.was_running:
            self.deployment.start_and_wait(must_be_well=self.upgrade.was_well)
        name, why = self.deployment.tenant.name, self.upgrade.why
        said = texts.OLD_RELEASE_BACK_AFTER(name=name, reason=why) if why else texts.OLD_RELEASE_BACK(name=name)
        self.deployment.tell(said)

    def stay_with_new_release(self) -> None:
        """Run the new release. Tell the operator how to repair it, or how to go back with a loss."""
        tenant, why, tell = self.deployment.tenant, self.upgrade.why, self.deployment.tell
        tell(texts.NEW_RELEASE_STAYS(name=tenant.name))
        if self.upgrade.was_running:
            self.deployment.start()
        tell(texts.REPAIR_REASON_OR_GO_BACK(reason=why) if why else texts.REPAIR_OR_GO_BACK)
        old = "--release" if tenant.target == "systemd" else "--image"
        tell(f"  {script_command('restore-tenant')} {tenant.name} {self.upgrade.backup} {old} {self.upgrade.former}")

    def switch_release(self, release: str, version: str) -> None:
        self.deployment = switch_release(self.deployment, release, version, self.look)

    def write_step(self, **changes: object) -> None:
        self.upgrade = replace(self.upgrade, **changes)  # type: ignore[arg-type] # its own fields
        write_upgrade(self.deployment.tenant, self.upgrade)


def switch_release(deployment: Deployment, release: str, version: str, look: SettingsCheck) -> Deployment:
    """Make the tenant's files name that release, and return the deployment with it."""
    tenant = replace(deployment.tenant, release=release, version=version)
    look(load(tenant.folder / CONFIG, variables={}))
    if changed := rewrite_outdated_files(tenant, deployment.target)[0]:
        deployment.tell(texts.REWRITTEN(paths=", ".join(changed)))
    return replace(deployment, tenant=tenant)


def read_row_marks(deployment: Deployment) -> TenantMarks | None:
    """Return the row marks as the current release reads them while nothing runs, or None on failure."""
    try:
        return deployment.ask_health().marks
    except ConfigError as error:
        deployment.tell(f"  {error}")
        return None


def ask_release_version(deployment: Deployment) -> str:
    """Return the version that the release reports, while the bot is stopped. Raise ConfigError if it does not run."""
    command = deployment.target.command_while_stopped(deployment.tenant, ["--version"])
    outcome = run_program(command, seconds=ASK_SECONDS)
    if outcome.status or not (found := VERSION.fullmatch(outcome.out)):
        raise ConfigError(texts.RELEASE_DOES_NOT_RUN(reason=outcome.reason))
    return found[1]


def run_upgrade(deployment: Deployment, release: str | None, look: SettingsCheck, *, is_undo: bool = False) -> bool:
    """Upgrade to `release`, continue an interrupted upgrade (None), or undo one. Return True if the upgrade is done."""
    with deployment.root.hold_lock(deployment.tell):
        current = replace(deployment, tenant=deployment.root.read_tenant(deployment.tenant.name))
        found = upgrade_record.read_upgrade(current.tenant)
        if found is None:
            found = begin_upgrade(current, release, is_undo=is_undo)
            write_upgrade(current.tenant, found)
        elif release not in (None, found.release):
            interrupted = upgrade_record.describe_upgrade(current.tenant)
            raise ConfigError(texts.UPGRADE_TO_ANOTHER(interrupted=interrupted, release=found.release))
        else:
            current.tell(texts.UPGRADE_RESUMED(release=found.release, step=found.step))
        run = UpgradeRun(current, look, found)
        if is_undo:
            run.write_step(step=UpgradeStep.UNDOING)
        return run.run()


def begin_upgrade(deployment: Deployment, release: str | None, *, is_undo: bool) -> Upgrade:
    """Return the first record. Raise ConfigError for an undo, without a release, or if the release does not run."""
    if is_undo or release is None:
        raise ConfigError(texts.NO_UPGRADE_UNFINISHED(name=deployment.tenant.name))
    if command := deployment.target.version_check_command(deployment.tenant, release):
        deployment.tell(texts.LOOKING_FOR_RELEASE(release=release))
        outcome = run_program(command, seconds=START_SECONDS)
        if outcome.status or not VERSION.fullmatch(outcome.out):
            raise ConfigError(texts.NO_SUCH_RELEASE(release=release, reason=outcome.reason))
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
