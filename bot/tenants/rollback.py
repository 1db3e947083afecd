"""Choose the way back from a failed upgrade, only if nothing is lost by it: docs/decisions/0013."""

from enum import Enum, auto
from pathlib import Path

from bot.core.errors import ConfigError
from bot.tenants import texts
from bot.tenants.deployment import Deployment
from bot.tenants.health import TenantMarks
from bot.tenants.upgrade_record import Upgrade


class Rollback(Enum):
    AS_IT_IS = auto()  # the old release reads the rows as they are now
    RESTORE = auto()  # nothing came in or went out since the back-up
    NONE = auto()


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


def roll_back(deployment: Deployment, upgrade: Upgrade, way: Rollback) -> None:
    """Return to the old release. `deployment` already names the old release, and is stopped."""
    name = deployment.tenant.name
    if way is Rollback.RESTORE:
        deployment.tell(texts.PUTTING_ROWS_BACK(path=upgrade.backup))
        with Path(upgrade.backup).open("rb") as source:
            deployment.run_long_command("restore", "--only-data", "--as-is", "-", source=source)
    if upgrade.was_running:
        deployment.start_and_wait(must_be_well=upgrade.was_well)
    if upgrade.why:
        deployment.tell(texts.OLD_RELEASE_BACK_AFTER(name=name, reason=upgrade.why))
    else:
        deployment.tell(texts.OLD_RELEASE_BACK(name=name))
