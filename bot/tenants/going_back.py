"""The way back from a failed upgrade, taken only where nothing is lost by it: docs/decisions/0013."""

from enum import Enum, auto
from pathlib import Path

from bot.errors import ConfigError
from bot.tenants.deployment import Deployment
from bot.tenants.health import Marks
from bot.tenants.tenant import Tenant
from bot.tenants.unfinished import Upgrade


class Way(Enum):
    AS_IT_IS = auto()  # the old release reads the rows as they are now
    RESTORE = auto()  # nothing came in or went out since the back-up
    NONE = auto()


def way_back(deployment: Deployment, former: Tenant, upgrade: Upgrade) -> Way:
    """`deployment` is of the new release, and stopped."""
    now, before = rows_now(deployment, former), upgrade.marks
    if before is not None and now is not None and now.step == before.step:
        return Way.AS_IT_IS
    if before is not None and now is not None and now.received is not None:
        is_nothing_lost = now.is_same_talk(before)
    else:
        is_nothing_lost = not upgrade.was_started
    if not is_nothing_lost:
        return Way.NONE
    return Way.RESTORE if upgrade.backup else Way.AS_IT_IS


def rows_now(deployment: Deployment, former: Tenant) -> Marks | None:
    """As the new release reads them; or, where it does not run at all, the old one, which knows at least the step."""
    for each in (deployment, deployment.of(former)):
        try:
            if marks := each.health().marks:
                return marks
        except ConfigError as error:
            deployment.tell(f"  {error}")
    return None


def back(deployment: Deployment, upgrade: Upgrade, way: Way) -> None:
    """`deployment` is of the old release, and stopped."""
    name = deployment.tenant.name
    if way is Way.RESTORE:
        deployment.tell(f"puts back the rows that were there before: {upgrade.backup}")
        with Path(upgrade.backup).open("rb") as source:
            deployment.flow("restore", "--only-data", "--as-is", "-", source=source)
    if upgrade.was_running:
        deployment.begin(must_be_well=upgrade.was_well)
    why = f"; what was wrong with the new one: {upgrade.why}" if upgrade.why else ""
    deployment.tell(f"{name} has its old release again, and lost nothing{why}")
