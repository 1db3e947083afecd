"""Take a tenant out of service: stop it, archive it, take away what runs it, and put its folder away or delete it.

Killed before its folder has another name it is still a tenant, stopped, and the next run does all of it again. Killed
while the folder is deleted, the rest has a hidden name, and goes when the next command holds the root.
"""

from dataclasses import dataclass
from pathlib import Path

from bot.errors import ConfigError
from bot.tenants import backing_up, texts, unfinished, writing
from bot.tenants.deleting import delete
from bot.tenants.deployment import STOP_SECONDS, Deployment, obey
from bot.tenants.making import is_shared
from bot.tenants.root import LEAVING, Root
from bot.tenants.tenant import DISK

DELETE_SECONDS = 3_600.0  # a tenant may have millions of files
FOLDER = ".archive"  # in the root; its folder is the operator's alone


@dataclass(frozen=True, slots=True, kw_only=True)
class Removal:
    is_archived: bool = True
    with_secrets: bool = False
    is_deleted: bool = False  # else its folder lies beside its archive, as it was


def remove(root: Root, deployment: Deployment, wishes: Removal) -> None:
    """Raises ConfigError; then it is still there, though it may be stopped."""
    with root.held(deployment.tell):
        tenant = root.tenant(deployment.tenant.name)
        this = deployment.of(tenant)
        unfinished.check_none(tenant)
        this.stop()
        place = backing_up.place(root, tenant.name, FOLDER)
        if wishes.is_archived:
            archive(this, place, wishes)
        this.tell(texts.REMOVING_WHAT_RUNS_IT)
        obey(this.target.remove(tenant), STOP_SECONDS)
        if (tenant.folder / DISK).is_mount():
            raise ConfigError(texts.STILL_MOUNTED(folder=tenant.folder / DISK))
        if wishes.is_deleted:
            take_away(root, tenant.folder)
            this.tell(texts.DELETED(folder=tenant.folder))
        else:
            kept = put_away(root, tenant.folder, place)
            this.tell(texts.FOLDER_PUT_AWAY(folder=kept))


def archive(deployment: Deployment, place: Path, wishes: Removal) -> None:
    """Where the folder stays, and holds all there is, a tenant that is too broken for a back-up can go too."""
    try:
        if backing_up.has_rows(deployment):
            backing_up.save(deployment, place, with_secrets=wishes.with_secrets)
        else:
            deployment.tell(texts.NOTHING_TO_ARCHIVE)
    except ConfigError as error:
        if wishes.is_deleted or not is_shared(deployment.tenant.target):
            raise ConfigError(texts.CANNOT_ARCHIVE_SO_NOT_DELETED(error=error)) from None
        deployment.tell(texts.CANNOT_ARCHIVE(error=error))
        deployment.tell(texts.FOLDER_KEPT)


def take_away(root: Root, folder: Path) -> None:
    leaving = root.path / f"{LEAVING}{folder.name}"
    delete(leaving, seconds=DELETE_SECONDS)
    folder.rename(leaving)
    writing.settle(root.path)
    delete(leaving, seconds=DELETE_SECONDS)


def put_away(root: Root, folder: Path, place: Path) -> Path:
    """For the operator alone, whoever its files belong to: nobody else can go into the folder that it is in."""
    kept = place.with_name(place.name.removesuffix(backing_up.SUFFIX))
    folder.rename(kept)
    writing.settle(place.parent)
    writing.settle(root.path)
    return kept
