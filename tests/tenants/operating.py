"""A machine with tenants whose bots really run, beside stand-ins of all that they speak with; and its operator."""

import json
import os
import shutil
import signal
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.stand_ins.claude import ClaudeStandIn
from tests.stand_ins.telegram import Room, TelegramStandIn
from tests.support.shell import REPOSITORY, TENANTS, Said, Shell

OWNER = 7
THIS, NEXT, DYING = ("sha256:" + digit * 64 for digit in "123")
PARTS = ("bot", "channels", "roles")


@dataclass
class Machine:
    """`docker` on its PATH is tests/tenants/engine.py."""

    folder: Path
    claude: ClaudeStandIn
    telegram: TelegramStandIn

    @property
    def root(self) -> Path:
        return self.folder / "srv"

    @property
    def engine(self) -> Path:
        return self.folder / "engine"

    @property
    def shell(self) -> Shell:
        settings = {"PATH": f"{self.folder / 'bin'}:/usr/bin:/bin"}
        return Shell(self.folder, settings, program=TENANTS)

    def install(self) -> None:
        for folder in (self.engine, self.folder / "bin"):
            folder.mkdir()
        docker = self.folder / "bin" / "docker"
        docker.write_text(f'#!/bin/sh\nexec {sys.executable} -S {Path(__file__).parent}/engine.py {self.engine} "$@"\n')
        docker.chmod(0o755)
        self.release(THIS, REPOSITORY)

    def release(self, image: str, checkout: Path) -> None:
        path = self.engine / "releases.json"
        known = json.loads(path.read_text()) if path.exists() else {}
        path.write_text(json.dumps({**known, image: str(checkout)}))

    def another(self, image: str, **changed: Callable[[str], str]) -> None:
        """A release of its own: this checkout with some modules changed, as bot__store__migrations."""
        checkout = self.folder / f"release-{image[-1]}"
        for part in PARTS:
            shutil.copytree(REPOSITORY / part, checkout / part)  # with what is compiled, since its user may not write
        for module, change in changed.items():
            path = checkout / f"{module.replace('__', '/')}.py"
            was = path.read_text()
            assert change(was) != was
            path.write_text(change(was))
        self.release(image, checkout)

    def settings(self) -> dict[str, Any]:
        telegram = {"enabled": True, "owner": OWNER, "base_url": self.telegram.base_url}
        return {"model": {"base_url": self.claude.base_url}, "channels": {"telegram": telegram}}

    async def run(self, command: str, *words: str, stdin: str = "") -> Said:
        said = await self.shell.retinue(command, *words, "--root", str(self.root), stdin=stdin)
        for secret in (self.telegram.token, self.claude.api_key):
            assert secret not in said.out + said.err
        return said

    async def done(self, command: str, *words: str, stdin: str = "") -> str:
        """What it printed; it went well."""
        said = await self.run(command, *words, stdin=stdin)
        assert said.status == 0, said.out + said.err
        return said.out

    async def add(self, name: str = "acme") -> None:
        """Made, and not started."""
        path = self.folder / f"{name}.json"
        path.write_text(json.dumps(self.settings()))
        secrets = {"channels__telegram__token": self.telegram.token, "model__api_key": self.claude.api_key}
        await self.done(
            *("add-tenant", name, "--image", THIS, "--config", str(path), "--secrets", "-"), stdin=json.dumps(secrets)
        )

    async def compose(self, name: str, *words: str) -> str:
        """As an operator types it: the tenant's own project."""
        folder = self.root / name
        project = ["-p", f"retinue-{name}", "--project-directory", str(folder), "--env-file", "/dev/null"]
        shell = Shell(self.folder, self.shell.settings, program=(str(self.folder / "bin/docker"), "compose"))
        said = await shell.retinue(*project, "-f", str(folder / "compose.yaml"), *words)
        assert said.status == 0, said.err
        return said.out

    async def health(self, name: str = "acme") -> dict[str, Any]:
        found: dict[str, Any] = json.loads(await self.compose(name, "exec", "-T", "bot", "retinue", "health", "--json"))
        return found

    @property
    def room(self) -> Room:
        return self.telegram.private(self.telegram.person(OWNER, "Owner"))

    async def talk(self, text: str, answer: str) -> None:
        """The owner writes, and is answered."""
        self.claude.script.say(answer)
        self.room.say(self.telegram.person(OWNER, "Owner"), text)
        await self.telegram.until(lambda: any(answer in said for said in self.room.texts()))

    def processes(self) -> list[int]:
        return [int(path.read_text().split()[0]) for path in self.engine.glob("*.pid")]

    def end(self) -> None:
        for pid in self.processes():
            with suppress(ProcessLookupError):
                os.killpg(pid, signal.SIGKILL)
        until = time.monotonic() + 10
        while any(Path(f"/proc/{pid}/exe").exists() for pid in self.processes()) and time.monotonic() < until:
            time.sleep(0.02)


def with_step(statement: str) -> Callable[[str], str]:
    """What makes of the migrations those of a later release."""
    step = f'def step_of_a_later_release(db: Connection) -> None:\n    db.execute("{statement}")\n'
    return lambda text: f"{text}\n\n{step}\n\nSTEPS = (*STEPS, step_of_a_later_release)\n"


@asynccontextmanager
async def machine_in(folder: Path) -> AsyncIterator[Machine]:
    async with ClaudeStandIn() as claude, TelegramStandIn() as telegram:
        there = Machine(folder, claude, telegram)
        there.install()
        try:
            yield there
        finally:
            there.end()
