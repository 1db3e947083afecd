"""What an operator does with a tenant after it was made, with a real engine below: the pipes hold there too."""

import asyncio
import json
import sys
from functools import partial
from pathlib import Path

from bot.tenants.targets.compose import compose_project_name
from tests.containers.engine import Engine
from tests.containers.tenants import Deployed, deployed

UNKNOWN = "sha256:" + "9" * 64


async def run(there: Deployed, command: str, *words: str, status: int = 0) -> str:
    """What it printed."""
    root = there.tenant.folder.parent
    line = [sys.executable, "-m", "bot.tenants.commands", command, *words, "--root", str(root)]
    said = await asyncio.to_thread(partial(there.engine.run, line, seconds=240))
    assert said.returncode == status, said.stdout + said.stderr
    return said.stdout


async def another_image(there: Deployed) -> str:
    """The same with an id of its own."""
    said = await asyncio.to_thread(there.engine.podman, "commit", "--quiet", there.container)
    assert said.returncode == 0, said.stderr
    return f"sha256:{said.stdout.strip().removeprefix('sha256:')}"


async def names(there: Deployed) -> list[str]:
    """Of its containers, whether they run or not."""
    every = ["podman", "--url", there.engine.variables["DOCKER_HOST"], "ps", "--all", "--format", "{{.Names}}"]
    said = await asyncio.to_thread(there.engine.done, every)
    return [name for name in said.split() if name.startswith(f"{compose_project_name(there.tenant)}-")]


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
        said = await run(there, "upgrade-tenant", "acorn", "--image", UNKNOWN, status=2)  # before anything is stopped
        table += ["", *said.splitlines()]
        await there.answers("telegram")
        (line,) = (await run(there, "list-tenants", "--json")).splitlines()
        assert (json.loads(line)["healthy"], json.loads(line)["release"]) == (True, newer)

        # Somebody killed a command, and what it had begun runs on.
        await there.compose("run", "--detach", "--no-deps", "--entrypoint", "sleep", "once", "1000")
        assert len(await names(there)) > 1
        said = await run(there, "remove-tenant", "acorn", "--yes")
        table += ["", *said.splitlines()]
        assert await names(there) == []
        (folder,) = [path for path in (root / ".archive").iterdir() if path.is_dir()]
        folder.rename(there.tenant.folder)  # as an operator takes it back
        await there.start()
        await there.answers("telegram")
