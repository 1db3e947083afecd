"""add-tenant killed at every system call that writes: there is a whole tenant or none, and the next try makes it."""

import asyncio
import json
import os
import shutil
import sys
from pathlib import Path

import pytest

from bot.config import load
from bot.tenants.creation import make_tenant, refresh_files_and_owners
from bot.tenants.root import TenantsRoot
from bot.tenants.targets.disk import IMAGE_FILE
from bot.tenants.tenant import WRITABLE_FOLDERS
from tests.support.shell import REPOSITORY
from tests.tenants.killing import IN_VAIN, KILLED_AT
from tests.tenants.papers import Paper, blueprint, content, tenants_in

pytestmark = [
    pytest.mark.skipif(not shutil.which("strace"), reason="strace, which does the killing, is not installed"),
    pytest.mark.skipif(os.geteuid() != 0, reason="each tenant gets a user of its own, which takes root"),
    pytest.mark.timeout(180),
]
WHOLE = {"below/more.txt", "config.json", "paper.txt", "tenant.json"}
WHOLE |= {"secrets/channels__telegram__token", "secrets/model__api_key"}
EXTRA = {"below/more.txt": "more\n"}
OF_A_DISK = ["symlink", "fallocate"]


async def test_killed_at_any_call_that_writes_it_leaves_a_whole_tenant_or_none(tmp_path: Path) -> None:
    kills = await killed(tmp_path, [call for call in IN_VAIN if call not in OF_A_DISK])
    assert kills["fsync"] > len(WHOLE), "every file is brought to the disk, and was killed while it was"
    assert min(kills[call] for call in kills if call != "unlink") >= 2
    assert {is_made(tmp_path / f"{call}-{nth}") for call in kills for nth in range(1, kills[call] + 1)} == {True, False}


@pytest.mark.fast
@pytest.mark.skipif(not shutil.which("mkfs.ext4"), reason="mkfs.ext4 is not installed")
async def test_killed_while_its_disk_is_made_it_leaves_a_whole_tenant_or_none(tmp_path: Path) -> None:
    kills = await killed(tmp_path, ["rename", *OF_A_DISK], disk="256M")
    assert kills["rename"] == len(WRITABLE_FOLDERS) + 2, "each folder into it; the next number; the whole tenant"
    assert kills["symlink"] == len(WRITABLE_FOLDERS)
    assert kills["fallocate"] == 1
    for call, times in kills.items():
        for nth in range(1, times + 1):
            is_made(tmp_path / f"{call}-{nth}", disk="256M")
            shutil.rmtree(tmp_path / f"{call}-{nth}")


async def killed(folder: Path, calls: list[str], disk: str = "") -> dict[str, int]:
    """How often it was killed at each of these calls."""
    listed = ",".join(calls)
    inject = f"inject={listed}:signal=SIGKILL:when={KILLED_AT}"
    command = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={listed}", "-e", inject]
    process = await asyncio.create_subprocess_exec(
        *(*command, sys.executable, "-m", "tests.tenants.killing", str(folder), listed, disk),
        cwd=REPOSITORY,
        stdout=asyncio.subprocess.PIPE,
    )
    out, _ = await process.communicate()
    kills: dict[str, int] = json.loads(out)
    return kills


def is_made(folder: Path, disk: str = "") -> bool:
    """Whether the killed command had made the tenant; then all of it is there, and if not, the next one makes it."""
    root = TenantsRoot(folder)
    if there := tenants_in(root):
        assert files(there[0].folder) == WHOLE | ({IMAGE_FILE} if disk else set())
        refresh_files_and_owners(root, there[0], Paper(extra=EXTRA), content)
        assert len(list(root.path.glob(".new-*"))) == 0
        return True
    assert not (root.path / "acme").exists()
    tenant, _ = make_tenant(root, blueprint(disk_size=disk), Paper(extra=EXTRA), content)
    assert files(tenant.folder) == WHOLE | ({IMAGE_FILE} if disk else set())
    assert load(tenant.folder / "config.json", variables={}).config.channels.telegram.token
    assert len(list(root.path.glob(".*"))) == 1, "the lock alone"
    return False


def files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
