"""Bring a tenant to another release: stop, back up, migrate with nobody polling, and only then start; or go back.

It goes back only if nothing is lost by that: docs/decisions/0013.

Each step is recorded before it is taken (see `upgrade_record`), and each may be repeated:

    killed while          state left behind                            the next run
    stopping, backing up  the old release, stopped or not              stops, backs up, and continues
    migrating             the new release recorded, nothing            migrates again: one transaction, or none
                          polls; the rows of either release
    starting              the new release, which may have polled       starts it, and waits for it
    undoing               either release                               reads the row marks, and goes back again

An engine continues with the request of a killed command. A second request waits for the first, or is refused until
the first is done.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum, auto
from pathlib import Path

from bot.config import load
from bot.core.errors import ConfigError
from bot.core.program_names import script_command
from bot.tenants import backups, texts, upgrade_record
from bot.tenants.creation import SettingsCheck, rewrite_outdated_files
from bot.tenants.deployment import ASK_SECONDS, START_SECONDS, Deployment
from bot.tenants.health import TenantMarks
from bot.tenants.long_commands import explain_failure
from bot.tenants.root import TenantsRoot
from bot.tenants.targets.programs import run_program
from bot.tenants.tenant import CONFIG
from bot.tenants.upgrade_record import Upgrade, UpgradeStep, write_upgrade

VERSION = re.compile(r"(?:\S+ )?([0-9][\w.+-]{0,40})\s*", re.ASCII)
NO_DATABASE = 0  # the migration step if there is no database


class Rollback(Enum):
    AS_IT_IS = auto()  # the old release reads the rows as they are now
    RESTORE = auto()  # nothing came in or went out since the back-up
    NONE = auto()


@dataclass(slots=True)
class UpgradeRun:
    """One upgrade. `deployment` has the release that the tenant's files name now."""

    root: TenantsRoot
    deployment: Deployment
    look: SettingsCheck
    upgrade: Upgrade

    def run(self) -> bool:
        """Run the remaining steps. Return True if the upgrade is done, or False if it was undone.

        Without an undo, the new release runs well, or the tenant stays stopped as before. If no way back is safe, the
        new release stays and the operator is told what to do. Raise ConfigError if neither release could be run.
        """
        if self.upgrade.step is UpgradeStep.STOPPING:
            self.stop()
        if self.upgrade.step is UpgradeStep.MIGRATING:
            self.attempt(self.migrate)
        if self.upgrade.step is UpgradeStep.STARTING:
            self.attempt(self.start)
        if not (is_done := self.upgrade.step is not UpgradeStep.UNDOING):
            self.undo()
        upgrade_record.remove_upgrade_record(self.deployment.tenant)
        return is_done

    def attempt(self, step: Callable[[], None]) -> None:
        """Take a step. If it fails, the next one is to undo the upgrade."""
        try:
            step()
        except ConfigError as error:
            self.deployment.tell(texts.FAILED(error=error))
            self.write_step(step=UpgradeStep.UNDOING, why=str(error))

    def stop(self) -> None:
        """Stop the bot and back it up. The bot stops first, so that no message comes in after the back-up."""
        try:
            self.deployment.stop()
            marks = self.deployment.ask_health().marks
            backup = ""
            if marks is None or marks.step != NO_DATABASE:
                path = backups.next_backup_path(self.root, self.deployment.tenant.name)
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
        self.deployment.run_long_command("migrate")
        self.write_step(step=UpgradeStep.STARTING)

    def start(self) -> None:
        """Start the new release if the old one ran."""
        if not self.upgrade.was_running:
            self.deployment.tell(texts.STAYS_STOPPED(name=self.deployment.tenant.name))
            return
        self.write_step(was_started=True)
        self.deployment.start_and_wait(must_be_well=self.upgrade.was_well)

    def undo(self) -> None:
        """Go back to the old release if nothing is lost by it; else stay with the new one."""
        self.switch_release(self.upgrade.release, self.deployment.tenant.version)
        self.deployment.stop()
        version, now = self.deployment.tenant.version, read_row_marks(self.deployment)
        self.switch_release(self.upgrade.former, self.upgrade.former_version)
        if now is None:  # the new release does not run at all: the old one can at least read the step
            now = read_row_marks(self.deployment)
        way = choose_rollback(self.upgrade, now)
        if way is Rollback.NONE:
            self.switch_release(self.upgrade.release, version)
            self.stay_with_new_release()
        else:
            self.roll_back(way)

    def roll_back(self, way: Rollback) -> None:
        """Run the old release again, which the tenant's files name already."""
        if way is Rollback.RESTORE:
            self.deployment.tell(texts.PUTTING_ROWS_BACK(path=self.upgrade.backup))
            self.deployment.restore_data(Path(self.upgrade.backup), "--as-is")
        if self.upgrade.was_running:
            self.deployment.start_and_wait(must_be_well=self.upgrade.was_well)
        name, why = self.deployment.tenant.name, self.upgrade.why
        self.deployment.tell(
            texts.OLD_RELEASE_BACK_AFTER(name=name, reason=why) if why else texts.OLD_RELEASE_BACK(name=name)
        )

    def stay_with_new_release(self) -> None:
        """Run the new release, and tell the operator how to repair it, or to lose something and go back."""
        name, why, tell = self.deployment.tenant.name, self.upgrade.why, self.deployment.tell
        tell(texts.NEW_RELEASE_STAYS(name=name))
        if self.upgrade.was_running:
            self.deployment.start()
        tell(texts.REPAIR_REASON_OR_GO_BACK(reason=why) if why else texts.REPAIR_OR_GO_BACK)
        old = "--release" if self.deployment.target.name == "systemd" else "--image"
        tell(f"  {script_command('restore-tenant')} {name} {self.upgrade.backup} {old} {self.upgrade.former}")

    def switch_release(self, release: str, version: str) -> None:
        self.deployment = switch_release(self.deployment, release, version, self.look)

    def write_step(self, **changes: object) -> None:
        self.upgrade = replace(self.upgrade, **changes)  # type: ignore[arg-type] # its own fields
        write_upgrade(self.deployment.tenant, self.upgrade)


def switch_release(deployment: Deployment, release: str, version: str, look: SettingsCheck) -> Deployment:
    """Make the tenant's files name that release, and return the deployment with it."""
    tenant = replace(deployment.tenant, release=release, version=version)
    loaded = load(tenant.folder / CONFIG, variables={})
    look(loaded)
    if changed := rewrite_outdated_files(tenant, deployment.target, loaded)[0]:
        deployment.tell(texts.REWRITTEN(paths=", ".join(changed)))
    return replace(deployment, tenant=tenant)


def choose_rollback(upgrade: Upgrade, now: TenantMarks | None) -> Rollback:
    """Choose the way back by the current positions in the rows. `now` is None if they are unknown."""
    before = upgrade.marks
    if before is not None and now is not None and now.step == before.step:
        return Rollback.AS_IT_IS
    if before is not None and now is not None and now.received is not None:
        is_nothing_lost = now.has_same_messages(before)
    else:
        is_nothing_lost = not upgrade.was_started
    if not is_nothing_lost:
        return Rollback.NONE
    return Rollback.RESTORE if upgrade.backup else Rollback.AS_IT_IS


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
        raise ConfigError(texts.RELEASE_DOES_NOT_RUN(reason=explain_failure(outcome.output.splitlines())))
    return found[1]


def run_upgrade(
    root: TenantsRoot, deployment: Deployment, release: str | None, look: SettingsCheck, *, is_undo: bool = False
) -> bool:
    """Upgrade to `release`, continue an interrupted upgrade (None), or undo one.

    Return True if the upgrade is done. Return False if the old release runs again, or if the operator was told what to
    do.
    """
    with root.hold_lock(deployment.tell):
        current = replace(deployment, tenant=root.read_tenant(deployment.tenant.name))
        found = upgrade_record.read_upgrade(current.tenant)
        if found is None:
            found = begin_upgrade(current, release, is_undo=is_undo)
            write_upgrade(current.tenant, found)
        elif release not in (None, found.release):
            interrupted = upgrade_record.describe_upgrade(current.tenant)
            raise ConfigError(texts.UPGRADE_TO_ANOTHER(interrupted=interrupted, release=found.release))
        else:
            current.tell(texts.UPGRADE_RESUMED(release=found.release, step=found.step))
        if is_undo and found.step is not UpgradeStep.UNDOING:
            found = replace(found, step=UpgradeStep.UNDOING)
            write_upgrade(current.tenant, found)
        return UpgradeRun(root, current, look, found).run()


def probe_release(deployment: Deployment, release: str) -> None:
    """Raise ConfigError if the release is missing or does not run. Nothing is stopped before this check."""
    command = deployment.target.probe_command(deployment.tenant, release)
    if command is None:
        return
    deployment.tell(texts.LOOKING_FOR_RELEASE(release=release))
    outcome = run_program(command, seconds=START_SECONDS)
    if outcome.status or not VERSION.fullmatch(outcome.out):
        said = explain_failure(outcome.output.splitlines()) or texts.EXIT_STATUS(status=outcome.status)
        raise ConfigError(texts.NO_SUCH_RELEASE(release=release, reason=said))


def begin_upgrade(deployment: Deployment, release: str | None, *, is_undo: bool) -> Upgrade:
    """Return the first record of an upgrade. Raise ConfigError if there is none to undo or to continue."""
    if is_undo or release is None:
        raise ConfigError(texts.NO_UPGRADE_UNFINISHED(name=deployment.tenant.name))
    probe_release(deployment, release)
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
