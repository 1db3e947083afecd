"""A folder with everything that a bot has, where the audit finds nothing. Tests break one thing and mend it."""

import io
import json
import os
import shutil
import tarfile
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bot.cli.doctor import fix_finding
from bot.config import load
from bot.core.findings import CheckFinding, CheckState
from bot.ops.audit.check_list import audit
from bot.ops.audit.deployments import TEMPLATES
from bot.ops.audit.subject import AuditedBot
from bot.store.connection import Connection
from tests.support.empty_database import opened_empty_database

REPOSITORY = Path(__file__).parents[3]
ORDINARY_USER = 1000
KEY, TOKEN = "sk-ant-key-of-a-test", "4242:AAHtelegram-token_of_a_test"
SECRETS = {"model__api_key": KEY, "channels__telegram__token": TOKEN}
OWNER = 7
MOUNTS = "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"


class AuditedPlace:
    def __init__(self, folder: Path) -> None:
        self.folder, self.program, self.units = folder / "bot", folder / "program", folder / "units"
        old = os.umask(0o022)  # whatever that of the tests is
        self.make_folders()
        os.umask(old)
        for name, secret in SECRETS.items():
            self.write(f"secrets/{name}", secret)
        self.write("groups/home/instructions.md", "---\naddress: telegram:5\n---\nYou keep house.")
        self.mounts = folder / "mountinfo"
        self.mounts.write_text(MOUNTS)
        self.values: dict[str, Any] = {"channels": {"telegram": {"enabled": True, "owner": OWNER}}}
        self.user = ORDINARY_USER
        self.configure()

    def make_folders(self) -> None:
        for name in ("", "secrets", "data", "workspace", "roles", "groups", "languages", "groups/home"):
            (self.folder / name).mkdir(mode=0o700, parents=True)
        (self.folder / "groups/home/workspace").mkdir(mode=0o700)
        for path in (self.program / "bot", self.program / "roles", self.units):
            path.mkdir(mode=0o755, parents=True)
        shutil.copytree(REPOSITORY / TEMPLATES, self.program / TEMPLATES)

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def workspace(self) -> Path:
        return self.folder / "workspace"

    def write(self, name: str, content: str | bytes = "x", mode: int = 0o600) -> Path:
        """Write a file of the bot's folder, and the folders above it."""
        path = self.folder / name
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        path.chmod(mode)
        return path

    def configure(self, **values: Any) -> None:
        """Write the config with these sections in place of those that it had."""
        self.values |= values
        self.write("config.json", json.dumps(self.values))

    @contextmanager
    def rows(self) -> Iterator[Connection]:
        with opened_empty_database(self.data / "bot.db") as db, db:
            yield db

    def bot(self) -> AuditedBot:
        config = self.folder / "config.json"
        return AuditedBot(
            loaded=load(config if config.exists() else None, variables={}),
            program_folder=self.program,
            units_folder=self.units,
            mounts_file=self.mounts,
            user=self.user,
        )

    def findings(self) -> dict[str, list[CheckFinding]]:
        """Return what the audit finds, by the id of the check."""
        found = defaultdict[str, list[CheckFinding]](list)
        for finding in audit(self.bot()):
            if finding.state is not CheckState.OK:
                found[finding.text.partition(" ")[0]].append(finding)
        return dict(found)

    def reported(self) -> set[str]:
        return set(self.findings())

    def fix(self) -> None:
        for findings in self.findings().values():
            for finding in findings:
                fix_finding(finding)


def backup_archive() -> bytes:
    """Return the beginning of a back-up of a bot."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        archive.addfile(tarfile.TarInfo("manifest.json"))
    return packed.getvalue()
