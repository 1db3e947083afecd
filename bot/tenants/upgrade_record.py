"""Record an unfinished upgrade in the tenant's folder, so that a later run can finish or undo it after a kill."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from enum import StrEnum

from bot.core import durable_files
from bot.core.errors import ConfigError
from bot.core.program_names import script_command
from bot.tenants import texts
from bot.tenants.deployment import Deployment, RowMarks
from bot.tenants.tenant import Tenant

UPGRADE_FILE = "upgrade.json"  # only the operator may read it


class UpgradeStep(StrEnum):
    STOPPING = "stopping the old release"  # and backing up: nothing has changed yet
    MIGRATING = "migrating"  # the files name the new release; it has not polled yet
    STARTING = "starting the new release"
    UNDOING = "going back to the old release"


@dataclass(frozen=True, slots=True, kw_only=True)
class Upgrade:
    step: UpgradeStep
    former: str  # the release before the upgrade, and its version
    former_version: str
    release: str  # the release after the upgrade
    was_running: bool
    was_well: bool
    backup: str = ""  # the file; empty: there was no data to back up
    marks: RowMarks | None = None  # positions in the rows when the bot stopped
    was_started: bool = False  # whether the new release was started
    why: str = ""  # the reason why it is being undone


def read_upgrade_record(tenant: Tenant) -> Upgrade | None:
    """Return the unfinished upgrade, or None. Raise ConfigError if its record is unreadable."""
    path = tenant.folder / UPGRADE_FILE
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        marks = values.pop("marks")
        return Upgrade(**{**values, "step": UpgradeStep(values["step"])}, marks=RowMarks(**marks) if marks else None)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ConfigError(texts.CANNOT_READ_RECORD(path=path, error=error.strerror)) from None
    except (ValueError, TypeError, KeyError, AttributeError):
        raise ConfigError(texts.NO_RECORD_OF_UPGRADE(path=path, name=tenant.name)) from None


def write_upgrade_record(tenant: Tenant, upgrade: Upgrade) -> None:
    durable_files.replace_file(tenant.folder / UPGRADE_FILE, json.dumps(asdict(upgrade), indent=2) + "\n", mode=0o600)


def remove_upgrade_record(tenant: Tenant) -> None:
    (tenant.folder / UPGRADE_FILE).unlink(missing_ok=True)
    durable_files.fsync_folder(tenant.folder)


def describe_unfinished_upgrade(tenant: Tenant) -> str:
    """Return what other commands tell about an unfinished upgrade, or an empty string if there is none."""
    found = read_upgrade_record(tenant)
    if found is None:
        return ""
    return texts.UPGRADE_INTERRUPTED(name=tenant.name, step=found.step, command=script_command("upgrade-tenant"))


def refuse_during_upgrade(tenant: Tenant) -> None:
    """Raise ConfigError while an upgrade is unfinished."""
    if said := describe_unfinished_upgrade(tenant):
        raise ConfigError(said)


@contextmanager
def lock_and_reload_deployment(deployment: Deployment) -> Iterator[Deployment]:
    """Hold the root's lock. Yield the deployment with its current record. Raise ConfigError during an upgrade."""
    with deployment.root.hold_lock(deployment.tell):
        tenant = deployment.root.read_tenant(deployment.tenant.name)
        refuse_during_upgrade(tenant)
        yield replace(deployment, tenant=tenant)
