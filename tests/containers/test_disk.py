"""A tenant whose disk is an image, with a real engine below: what it writes ends there, and it goes on afterwards."""

import errno
import json
import os
import shutil
from pathlib import Path

import pytest

from bot.ops.health import MIN_FREE_DISK_BYTES
from tests.containers.engine import Engine
from tests.containers.tenants import deployed

SIZE = 256  # MiB, the least that one may have
FILL = """
import os
with open("/tenant/workspace/large", "wb", buffering=0) as file:
    try:
        while True:
            file.write(b"x" * (1 << 20))
    except OSError as error:
        print(os.fstat(file.fileno()).st_size >> 20, error.strerror, sep="; ")
"""


@pytest.mark.skipif(shutil.which("mkfs.ext4") is None, reason="mkfs.ext4 is not installed: apt install e2fsprogs")
async def test_a_tenants_writes_end_at_its_full_disk_and_go_on_with_new_room(
    engine: Engine, image: str, tmp_path: Path, table: list[str]
) -> None:
    async with deployed(engine, image, tmp_path / "srv", "acorn", disk=f"{SIZE}M") as there:
        await there.start()
        await there.answers("telegram")
        fitted, _, why = (await there.inside("python", "-c", FILL)).strip().partition("; ")
        table.append(f"limit of the disk: {fitted} MiB fit into the workspace, of {SIZE} in all: {why}")
        assert why == os.strerror(errno.ENOSPC)
        assert SIZE * 0.8 < int(fitted) < SIZE
        health = json.loads(await there.inside("sh", "-c", "retinue health --json || true"))
        assert (health["healthy"], health["disk_free_bytes"] < MIN_FREE_DISK_BYTES) == (False, True)
        assert any("/tenant/data" in problem.split() for problem in health["problems"])
        await there.inside("rm", "-f", "/tenant/workspace/large")
        await there.answers("telegram")
