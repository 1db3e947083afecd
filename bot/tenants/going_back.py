"""The way back from a failed upgrade, taken only where nothing is lost by it: docs/decisions/0013."""

from enum import Enum, auto
from pathlib import Path

from bot.errors import ConfigError
from bot.tenants import texts
from bot.tenants.deployment import Deployment
from bot.tenants.health import Marks
from bot.tenants.unfinished import Upgrade


class Way(Enum):
    AS_IT_IS = auto()  # the old release reads the rows as they are now
    RESTORE = auto()  # nothing came in or went out since the back-up
    NONE = auto()


def way_back(upgrade: Upgrade, now: Marks | None) -> Way:
    """By how far the rows are now; None: that is not known."""
    before = upgrade.marks
    if before is not None and now is not None and now.step == before.step:
        return Way.AS_IT_IS
    if before is not None and now is not None and now.received is not None:
        is_nothing_lost = now.is_same_talk(before)
    else:
        is_nothing_lost = not upgrade.was_started
    if not is_nothing_lost:
        return Way.NONE
    return Way.RESTORE if upgrade.backup else Way.AS_IT_IS


def marks_of(deployment: Deployment) -> Marks | None:
    """As the release that its files name reads them, while nothing runs."""
    try:
        return deployment.health().marks
    except ConfigError as error:
        deployment.tell(f"  {error}")
        return None


def back(deployment: Deployment, upgrade: Upgrade, way: Way) -> None:
    """`deployment` is of the old release, and stopped."""
    name = deployment.tenant.name
    if way is Way.RESTORE:
        deployment.tell(texts.PUTTING_ROWS_BACK(path=upgrade.backup))
        with Path(upgrade.backup).open("rb") as source:
            deployment.flow("restore", "--only-data", "--as-is", "-", source=source)
    if upgrade.was_running:
        deployment.begin(must_be_well=upgrade.was_well)
    if upgrade.why:
        deployment.tell(texts.OLD_RELEASE_BACK_AFTER(name=name, reason=upgrade.why))
    else:
        deployment.tell(texts.OLD_RELEASE_BACK(name=name))
