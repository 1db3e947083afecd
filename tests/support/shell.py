"""Operators' commands as a shell runs them, each in its own process beside the test."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support.forked_command import run_forked

REPOSITORY = Path(__file__).parents[2]
RETINUE = (sys.executable, "-m", "bot")
TENANTS = (sys.executable, "-m", "bot.tenants.commands")
PATIENCE = 120.0  # seconds: an upgrade that is put back takes 19 alone, and six times that on a busy machine


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    status: int | None
    out: str
    err: str


@dataclass(frozen=True, slots=True)
class Shell:
    """A machine without any configuration. Commands run in `folder`."""

    folder: Path
    settings: dict[str, str] = field(default_factory=dict)
    program: tuple[str, ...] = RETINUE

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def environment(self) -> Mapping[str, str]:
        homes = dict.fromkeys(("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"), str(self.folder / "home"))
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # as for an installed retinue
        return {"PATH": path, "PYTHONPATH": str(REPOSITORY), **homes, **self.settings}

    def config(self, **settings: Any) -> Path:
        """Write config.json, and return its path. The data folder is `data` beside it."""
        path = self.folder / "config.json"
        path.write_text(json.dumps(settings))
        return path

    async def retinue(self, *words: str, stdin: str = "") -> Said:
        """Run a command until it ends. If it is of this checkout, its process is forked, which saves its imports."""
        async with asyncio.timeout(PATIENCE):
            if self.program in (RETINUE, TENANTS) and "PYTHONPATH" not in self.settings:
                given = None if "-m" in words else stdin
                status, out, err = await run_forked(self.program[-1], words, self.folder, self.environment, given)
            else:
                async with self.begun(*words) as process:
                    out, err = await process.communicate(stdin.encode() if process.stdin else None)
                status = process.returncode
        return Said(status=status, out=out.decode(), err=err.decode())

    @asynccontextmanager
    async def begun(self, *words: str) -> AsyncIterator[asyncio.subprocess.Process]:
        """Run a command beside the test, with pipes. Kill it at the end if it still runs."""
        process = await asyncio.create_subprocess_exec(
            *(*self.program, *words),
            cwd=self.folder,
            env=self.environment,
            stdin=asyncio.subprocess.DEVNULL if "-m" in words else asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            yield process
        finally:
            if process.returncode is None:
                process.kill()
                await process.communicate()
