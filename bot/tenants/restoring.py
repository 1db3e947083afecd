"""Put a back-up in the place of what a tenant has: its data always, what the operator wrote for it if that is asked.

The tenant's own `retinue restore` unpacks and exchanges, as the tenant and all at once. Killed in between, the tenant
is stopped, with the old data or the new; the next run does all of it again, and what was there before is kept each
time, in a back-up and beside the data.
"""

import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from bot.errors import ConfigError
from bot.tenants import archives, backing_up, texts, unfinished
from bot.tenants.archives import Archive
from bot.tenants.blueprint import check_folders
from bot.tenants.deployment import Deployment
from bot.tenants.making import Look, looked_at
from bot.tenants.operators_files import Written, read, write
from bot.tenants.root import Root
from bot.tenants.streams import Flow, Tell
from bot.tenants.upgrading import of_release, version_of, write_release


@dataclass(frozen=True, slots=True, kw_only=True)
class Restoration:
    path: Path  # the back-up
    written: Path | None = None  # what it holds of the operator's, unpacked; None: the tenant keeps its own
    release: str = ""  # empty: as it is


def restore(root: Root, deployment: Deployment, wishes: Restoration, look: Look) -> bool:
    """Whether it is restored; else all is as it was. Raises ConfigError where neither can be had."""
    with root.held(deployment.tell):
        this = deployment.of(root.tenant(deployment.tenant.name))
        unfinished.check_none(this.tenant)
        archive = described(wishes.path, this.tell)
        new = read(wishes.written) if wishes.written else None
        former = read(this.tenant.folder)
        was_running = this.is_running()
        this.stop()
        kept = saved(root, this)
        try:
            replaced(root, this, wishes, new, look)
        except ConfigError as error:
            this.tell(texts.FAILED(error=error))
            as_before(this, former, kept, look, was_running=was_running)
            return False
        this = deployment.of(root.tenant(deployment.tenant.name))
        this.tell(texts.RESTORED(contents=archive.in_words()))
        started(this, was_running=was_running)
    return True


def described(path: Path, tell: Tell) -> Archive:
    archive = archives.read(path)
    moment = archive.made_at[:16].replace("T", " ")
    tell(texts.BACKUP_OF(path=path, moment=moment, version=archive.version, contents=archive.in_words()))
    return archive


def saved(root: Root, deployment: Deployment) -> Path | None:
    """What is there now; None where there is nothing, or it is too broken for that: it is kept beside the data then."""
    try:
        return backing_up.save(deployment, backing_up.place(root, deployment.tenant.name)).path
    except ConfigError as error:
        deployment.tell(texts.CANNOT_BE_BACKED_UP(error=error))
        return None


def replaced(root: Root, this: Deployment, wishes: Restoration, new: Written | None, look: Look) -> None:
    if wishes.release:
        this.tell(texts.CHANGING_RELEASE(release=wishes.release))
        write_release(this, wishes.release, this.tenant.version, look)
        this = this.of(of_release(this.tenant, wishes.release, this.tenant.version))
        write_release(this, wishes.release, version := version_of(this), look)
        this = this.of(of_release(this.tenant, wishes.release, version))
    this.tell(texts.RESTORING)
    fill(this, wishes.path)
    if new:
        write(this.tenant, new)
        check_folders(looked_at(root, this.tenant, look).config, this.tenant.folder)  # as of a new one
        write_release(this, this.tenant.release, this.tenant.version, look)
        this.tell(texts.OPERATORS_FILES_RESTORED)
    this.tell(texts.TRYING)
    this.flow("migrate")


def fill(deployment: Deployment, path: Path, *words: str) -> None:
    with path.open("rb") as source:
        deployment.flow("restore", "--only-data", *words, "-", source=source)


def as_before(this: Deployment, former: Written, kept: Path | None, look: Look, *, was_running: bool) -> None:
    this.tell(texts.PUTTING_BACK)
    write(this.tenant, former)
    write_release(this, this.tenant.release, this.tenant.version, look)
    if kept:
        fill(this, kept, "--as-is")
    started(this, was_running=was_running)


def started(this: Deployment, *, was_running: bool) -> None:
    if was_running:
        this.begin(must_be_well=False)
        return
    this.tell(texts.NOT_STARTED(name=this.tenant.name))
    with suppress(ConfigError):
        for step in this.target.next_steps(this.tenant):
            this.tell(f"  {step}")


def unpack(path: Path, folder: Path, tell: Tell) -> None:
    """The operator's part of a back-up, as plain files in a new folder."""
    Flow([sys.executable, "-P", "-m", "bot", "restore", "--unpack", str(folder), str(path)], tell).run()
