"""An engine for containers that is a test's own: podman in a cell, with all that it stores below one folder."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.containers import needs
from tests.containers.cell import MEMORY, OWN, Cell, cell
from tests.support.patience import PATIENCE
from tests.support.shell import REPOSITORY

BASE = "localhost/base:1"
BUILD_SECONDS = 400.0
ENGINE = """
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
lock_type = "file"
tmp_dir = "{folder}/tmp"
[network]
network_backend = "cni"
network_config_dir = "{folder}/networks"
[containers]
default_ulimits = ["nofile=1024:1024", "nproc=4096:4096"]
"""
STORAGE = '[storage]\ndriver = "{driver}"\ngraphroot = "{folder}/images"\nrunroot = "{runs}"\n'
TRIES = 3  # of what podman has lost
# A short path: what Podman has conmon call when a container has ended refuses more than 50 characters, though Podman
# itself does not. Then nothing is cleaned up, and Compose is not told of the end, nor removes what has ended.
RUNS = f"{MEMORY}/runs"
ALONE = f'mount -t tmpfs tmpfs {MEMORY} && exec "$@"'


@dataclass(frozen=True, slots=True)
class Engine:
    """It answers at a socket, as Docker does; `variables` have every client find it, and Compose on PATH."""

    cell: Cell
    variables: dict[str, str]

    def podman(self, *words: str, seconds: float = PATIENCE) -> "subprocess.CompletedProcess[str]":
        """What prints something: over a socket, a busy podman sometimes loses all of that, and then it runs again. It
        has no stdin for what runs inside, since podman sometimes loses its end, and waits for ever."""
        for _ in range(TRIES):
            ended = self.run(["podman", "--url", self.variables["DOCKER_HOST"], *words], seconds=seconds)
            if ended.returncode or ended.stdout or ended.stderr:
                break
        return ended

    def run(
        self, command: Sequence[str], *, stdin: str = "", seconds: float = PATIENCE
    ) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            command, input=stdin, capture_output=True, text=True, env=self.variables, timeout=seconds, cwd=REPOSITORY
        )

    def done(self, command: Sequence[str], *, stdin: str = "", seconds: float = 3 * PATIENCE) -> str:
        """What it printed; it must end well."""
        said = self.run(command, stdin=stdin, seconds=seconds)
        assert said.returncode == 0, f"{command}: {said.stdout} {said.stderr}"
        return said.stdout


@dataclass(frozen=True, slots=True)
class Store:
    """Where an engine keeps its images; commands that work on them run beside no engine, and keep no steps of a build
    for the next one."""

    folder: Path

    @property
    def variables(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("DOCKER_", "CONTAINER"))}
        return kept | {
            "CONTAINERS_CONF": str(self.folder / "engine.conf"),
            "CONTAINERS_STORAGE_CONF": str(self.folder / "storage.conf"),
            "PATH": f"{needs.compose()}:{kept['PATH']}",
        }

    def write(self) -> None:
        text = ENGINE.format(folder=self.folder)
        (self.folder / "engine.conf").write_text(text)
        # While it builds there is no bridge: it reaches the index as the machine does.
        (self.folder / "build.conf").write_text(text + 'netns = "host"\n')
        (self.folder / "storage.conf").write_text(STORAGE.format(folder=self.folder, driver="overlay", runs=RUNS))

    def run(self, *command: str) -> "subprocess.CompletedProcess[str]":
        variables = self.variables | {"CONTAINERS_CONF": str(self.folder / "build.conf"), "BUILDAH_LAYERS": "false"}
        return subprocess.run(
            [*OWN, "sh", "-euc", ALONE, "sh", *command],
            capture_output=True,
            text=True,
            env=variables,
            timeout=BUILD_SECONDS,
            stdin=subprocess.DEVNULL,
            cwd=REPOSITORY,
        )

    def image(self) -> str:
        """The id of the image of this checkout, built as an operator builds it, on a base of our own."""
        imported = self.run("podman", "import", str(needs.base()), BASE)
        assert imported.returncode == 0, imported.stderr
        built = self.run(sys.executable, "-m", "bot.tenants.commands", "build-image", "--base", BASE)
        assert built.returncode == 0, built.stderr
        return built.stdout.strip()


@contextmanager
def running(store: Store) -> Iterator[Engine]:
    socket = store.folder / "socket"
    serve = ["podman", "system", "service", "--time", "0", f"unix://{socket}"]
    with cell(*serve, folder=store.folder, variables=store.variables) as there:
        until = time.monotonic() + PATIENCE
        while not socket.is_socket() and time.monotonic() < until:
            time.sleep(0.02)
        yield Engine(there, store.variables | {"DOCKER_HOST": f"unix://{socket}"})
