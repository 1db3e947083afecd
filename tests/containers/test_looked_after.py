"""What an operator does with a tenant after it was made, with a real engine below: the pipes hold there too.

By hand, with RETINUE_WITH_ENGINE=1: Podman 4's socket now and then does not tell Compose that a container has ended, or
leaves ended ones behind, and it must not be Podman that the suite judges. Elsewhere the same commands run real bots.
"""

import asyncio
import json
import os
import sys
from functools import partial
from pathlib import Path

import pytest

from tests.containers.engine import Engine
from tests.containers.tenants import Deployed, deployed

pytestmark = pytest.mark.skipif(
    not os.environ.get("RETINUE_WITH_ENGINE"),
    reason="Podman's socket loses the end of a command now and then; run it by hand, with RETINUE_WITH_ENGINE=1",
)
UNKNOWN = "sha256:" + "9" * 64


async def run(there: Deployed, command: str, *words: str, status: int = 0) -> str:
    """What it printed."""
    root = there.tenant.folder.parent
    line = [sys.executable, "-m", "bot.cli.tenants", command, *words, "--root", str(root)]
    said = await asyncio.to_thread(partial(there.engine.run, line, seconds=240))
    assert said.returncode == status, said.stdout + said.stderr
    return said.stdout


async def another_image(there: Deployed) -> str:
    """The same with an id of its own."""
    said = await asyncio.to_thread(there.engine.podman, "commit", "--quiet", there.container)
    assert said.returncode == 0, said.stderr
    return f"sha256:{said.stdout.strip().removeprefix('sha256:')}"


async def test_it_is_backed_up_restored_upgraded_rolled_back_and_removed(
    engine: Engine, image: str, tmp_path: Path, table: list[str]
) -> None:
    root = tmp_path / "srv"
    async with deployed(engine, image, root, "acorn") as there:
        await there.start()
        await there.answers("telegram")
        await run(there, "backup-tenant", "acorn")
        (archive,) = (root / ".backups").iterdir()
        said = await run(there, "restore-tenant", "acorn", str(archive))
        table += ["", *said.splitlines()]
        await there.answers("telegram")

        newer = await another_image(there)
        said = await run(there, "upgrade-tenant", "acorn", "--image", newer)
        table += ["", *said.splitlines()]
        await there.answers("telegram")
        said = await run(there, "upgrade-tenant", "acorn", "--image", UNKNOWN, status=1)
        table += ["", *said.splitlines()]
        assert "acorn has its old release again, and lost nothing" in said
        await there.answers("telegram")
        (line,) = (await run(there, "list-tenants", "--json")).splitlines()
        assert (json.loads(line)["healthy"], json.loads(line)["release"]) == (True, newer)

        said = await run(there, "remove-tenant", "acorn", "--yes")
        table += ["", *said.splitlines()]
        names = await asyncio.to_thread(engine.podman, "ps", "--all", "--format", "{{.Names}}")
        assert "acorn" not in names.stdout
        (folder,) = [path for path in (root / ".archive").iterdir() if path.is_dir()]
        folder.rename(there.tenant.folder)  # as an operator takes it back
        await there.start()
        await there.answers("telegram")
