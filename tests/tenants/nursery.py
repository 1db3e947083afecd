"""A root with one tenant, whose bot is a doll: what its operator's commands do to it, without their words."""

import os
import signal
from collections.abc import Callable
from pathlib import Path

from bot.tenants import upgrade_record
from bot.tenants.creation import make_tenant
from bot.tenants.deployment import Deployment
from bot.tenants.root import TenantsRoot
from bot.tenants.upgrade import start_resume_or_undo_upgrade
from tests.tenants.dolls import Dolls, state_of
from tests.tenants.papers import blueprint, content

OLD, NEW = "1", "2"
CANNOT_COPY = "it cannot be copied"  # what a doll says that is "secretive"


class Nursery:
    """A tenant of the old release, which has taken in three messages."""

    def __init__(self, folder: Path) -> None:
        self.root, self.told = TenantsRoot(folder), list[str]()
        self.tenant, _ = make_tenant(self.root, blueprint(release=OLD), Dolls(), content)
        for name, text in (("step", OLD), ("received", "3"), ("state", f"running by {OLD}")):
            (self.tenant.folder / "data" / name).write_text(text)

    def deployment(self, killed_at: int = 0) -> Deployment:
        target = Dolls(killed_at=killed_at)
        tenant = self.root.read_tenant(self.tenant.name)
        return Deployment(tenant=tenant, target=target, tell=self.told.append, wait_seconds=0.3, poll_seconds=0.02)

    def upgrade(self, release: str | None = NEW, killed_at: int = 0, *, is_undo: bool = False) -> bool:
        return start_resume_or_undo_upgrade(self.deployment(killed_at), release, content, is_undo=is_undo)

    def is_killed(self, work: Callable[[], object]) -> bool:
        """Whether that, in a process of its own, came so far as to be killed."""
        child = os.fork()
        if not child:
            try:
                work()
            finally:
                os._exit(0)
        _, status = os.waitpid(child, 0)
        return os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL

    def at(self, name: str) -> str:
        path = self.tenant.folder / "data" / name
        return path.read_text().strip() if path.exists() else ""

    @property
    def said(self) -> str:
        return "\n".join(self.told)

    @property
    def release(self) -> str:
        return self.root.read_tenant(self.tenant.name).release

    def check(self, release: str) -> None:
        """It runs that release, with all it had, and nothing is left of the upgrade."""
        assert state_of(self.tenant) == f"running by {release[0]}"
        assert (self.release, self.at("step")) == (release, release[0])
        assert self.at("received") == "3"
        assert not (self.tenant.folder / "data/told").exists(), "nobody was told of a restore"
        assert not (self.tenant.folder / upgrade_record.UPGRADE_FILE).exists()
        assert f" {release} " in (self.tenant.folder / "paper.txt").read_text()
