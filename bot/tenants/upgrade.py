"""Bring a tenant to another release: stop, back up, migrate with nobody polling, and only then start; or go back.

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

from bot.config import load
from bot.core.errors import ConfigError
from bot.core.program_names import script_command
from bot.tenants import backups, texts, upgrade_record
from bot.tenants.creation import SettingsCheck, rewrite_outdated_files
from bot.tenants.deployment import ASK_SECONDS, START_SECONDS, Deployment
from bot.tenants.long_commands import explain_failure
from bot.tenants.rollback import Rollback, choose_rollback, read_row_marks, roll_back
from bot.tenants.root import TenantsRoot
from bot.tenants.targets.programs import run_program
from bot.tenants.tenant import CONFIG, Tenant
from bot.tenants.upgrade_record import Upgrade, UpgradeStep, write_upgrade

VERSION = re.compile(r"(?:\S+ )?([0-9][\w.+-]{0,40})\s*", re.ASCII)
NO_DATABASE = 0  # the migration step if there is no database


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
        try:
            step()
        except ConfigError as error:
            self.tell(texts.FAILED(error=error))
            self.write_step(step=UpgradeStep.UNDOING, why=str(error))

    def stop(self) -> None:
        """Stop the bot and back it up. The bot stops first, so that no message comes in after the back-up."""
        try:
            self.deployment.stop()
            marks = self.deployment.ask_health().marks
            backup = ""
            if marks is None or marks.step != NO_DATABASE:
                path = backups.next_backup_path(self.root, self.deployment.tenant.name)
                backup = str(backups.save_backup(self.deployment, path).path)
        except ConfigError:
            self.tell(texts.OLD_RELEASE_GOES_ON)
            if self.upgrade.was_running:
                self.deployment.start()
            upgrade_record.remove_upgrade_record(self.deployment.tenant)
            raise
        self.write_step(step=UpgradeStep.MIGRATING, marks=marks, backup=backup)

    def migrate(self) -> None:
        self.switch_release(self.upgrade.release)
        deployment = self.deployment
        self.tell(texts.MIGRATING(release=self.upgrade.release))
        self.switch_release(self.upgrade.release, ask_release_version(deployment))
        self.deployment.run_long_command("migrate")
        self.write_step(step=UpgradeStep.STARTING)

    def start(self) -> None:
        if not self.upgrade.was_running:
            self.tell(texts.STAYS_STOPPED(name=self.deployment.tenant.name))
            return
        self.write_step(was_started=True)
        self.deployment.start_and_wait(must_be_well=self.upgrade.was_well)

    def undo(self) -> None:
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
            roll_back(self.deployment, self.upgrade, way)

    def stay_with_new_release(self) -> None:
        name = self.deployment.tenant.name
        self.tell(texts.NEW_RELEASE_STAYS(name=name))
        if self.upgrade.was_running:
            self.deployment.start()
        why = self.upgrade.why
        self.tell(texts.REPAIR_REASON_OR_GO_BACK(reason=why) if why else texts.REPAIR_OR_GO_BACK)
        old = "--release" if self.deployment.target.name == "systemd" else "--image"
        self.tell(f"  {script_command('restore-tenant')} {name} {self.upgrade.backup} {old} {self.upgrade.former}")

    def switch_release(self, release: str, version: str = "") -> None:
        """Make the tenant's files name that release."""
        write_release_files(self.deployment, release, version or self.deployment.tenant.version, self.look)
        tenant = with_release(self.deployment.tenant, release, version or self.deployment.tenant.version)
        self.deployment = self.deployment.with_tenant(tenant)

    def write_step(self, **changes: object) -> None:
        self.upgrade = replace(self.upgrade, **changes)  # type: ignore[arg-type] # its own fields
        write_upgrade(self.deployment.tenant, self.upgrade)

    def tell(self, text: str) -> None:
        self.deployment.tell(text)


def write_release_files(deployment: Deployment, release: str, version: str, look: SettingsCheck) -> None:
    tenant = with_release(deployment.tenant, release, version)
    loaded = load(tenant.folder / CONFIG, variables={})
    look(loaded)
    if changed := rewrite_outdated_files(tenant, deployment.target, loaded)[0]:
        deployment.tell(texts.REWRITTEN(paths=", ".join(changed)))


def ask_release_version(deployment: Deployment) -> str:
    """Return the version that the release reports, while the bot is stopped. Raise ConfigError if it does not run."""
    outcome = run_program(
        deployment.target.command_while_stopped(deployment.tenant, ["--version"]), seconds=ASK_SECONDS
    )
    if outcome.status or not (found := VERSION.fullmatch(outcome.out)):
        raise ConfigError(texts.RELEASE_DOES_NOT_RUN(reason=explain_failure(outcome.output.splitlines())))
    return found[1]


def with_release(tenant: Tenant, release: str, version: str) -> Tenant:
    return replace(tenant, release=release, version=version)


def run_upgrade(
    root: TenantsRoot, deployment: Deployment, release: str | None, look: SettingsCheck, *, is_undo: bool = False
) -> bool:
    """Upgrade to `release`, continue an interrupted upgrade (None), or undo one.

    Return True if the upgrade is done. Return False if the old release runs again, or if the operator was told what to
    do.
    """
    with root.hold_lock(deployment.tell):
        current = deployment.with_tenant(root.read_tenant(deployment.tenant.name))
        found = upgrade_record.read_upgrade(current.tenant)
        if found is None:
            found = begin_upgrade(current, release, is_undo=is_undo)
            write_upgrade(current.tenant, found)
        elif release not in (None, found.release):
            raise ConfigError(
                texts.UPGRADE_TO_ANOTHER(
                    interrupted=upgrade_record.describe_upgrade(current.tenant), release=found.release
                )
            )
        else:
            current.tell(texts.UPGRADE_RESUMED(release=found.release, step=found.step))
        if is_undo and found.step is not UpgradeStep.UNDOING:
            found = replace(found, step=UpgradeStep.UNDOING, why=found.why)
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
