"""A stand-in for `docker compose`: it reads a tenant's compose.yaml, and runs the bot as the tenant's user.

`python engine.py FOLDER compose -p … WORDS`, as the `docker` on a test's PATH calls it. FOLDER holds releases.json
(which checkout an image is), two files per tenant that runs, and what was asked (calls). It is no container: only the
tenant's folder is where a container has it. Of Compose it knows what the target says.
"""

import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

STOP_SECONDS = 45.0
INSIDE = "/mnt"  # in a mount namespace of its own


class Project:
    """A tenant as Compose sees it."""

    def __init__(self, engine: Path, words: list[str]) -> None:
        options = dict(zip(words[::2], words[1::2], strict=True))
        self.engine, self.name = engine, options["-p"]
        self.folder, self.text = Path(options["--project-directory"]), Path(options["-f"]).read_text()
        self.pid_file, self.log = engine / f"{self.name}.pid", engine / f"{self.name}.log"

    def found(self, pattern: str) -> str:
        match = re.search(pattern, self.text)
        assert match, pattern
        return match[1]

    @property
    def image(self) -> str:
        return self.found(r'image: "([^"]+)"')

    def pid(self) -> int:
        """0: it does not run."""
        with suppress(OSError, ValueError):
            pid = int(self.pid_file.read_text().split()[0])
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
            return 0 if state == "Z" else pid
        return 0

    def command(self, words: list[str]) -> list[str]:
        uid = self.found(r'user: "(\d+):')
        checkout = json.loads((self.engine / "releases.json").read_text()).get(self.image)
        if checkout is None:
            sys.exit(f"Error: no such image: {self.image}")
        # As in a container its folder is found in one place, no matter who may go into those above it. It may read the
        # checkout, wherever that lies; what it writes, it writes as itself.
        through = ["--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search", "--clear-groups"]
        settings = [f"RETINUE_CONFIG={INSIDE}/config.json", "HOME=/tmp", f"PYTHONPATH={checkout}", "PATH=/usr/bin"]
        as_tenant = ["env", "-i", *settings, "setpriv", f"--reuid={uid}", f"--regid={uid}", *through]
        mounted = f'mount --bind "$0" {INSIDE} && exec "$@"'
        bot = [*as_tenant, sys.executable, "-m", "bot", *words]
        return ["unshare", "--mount", "sh", "-c", mounted, str(self.folder), *bot]

    def up(self) -> None:
        running = self.pid_file.read_text().split()[1:] if self.pid() else []
        if running == [self.image]:
            return
        self.stop()
        with self.log.open("ab") as log:
            process = subprocess.Popen(
                self.command(["run"]), stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/", start_new_session=True
            )
        self.pid_file.write_text(f"{process.pid} {self.image}")

    def stop(self) -> None:
        if pid := self.pid():
            os.kill(pid, signal.SIGTERM)
            until = time.monotonic() + STOP_SECONDS
            while self.pid() and time.monotonic() < until:
                time.sleep(0.02)
            if self.pid():
                os.kill(pid, signal.SIGKILL)
        self.pid_file.unlink(missing_ok=True)

    def obey(self, words: list[str]) -> None:
        match words:
            case ["up", "--detach", *_]:
                self.up()
            case ["stop"] | ["--profile", "once", "down", "--remove-orphans"]:
                self.stop()
            case ["ps", "--quiet", "--status", "running", "bot"]:
                print("0123abcd" if self.pid() else "")  # noqa: T201 -- that is its answer
            case ["exec", "-T", "bot", "retinue", *inside]:
                if not self.pid():
                    sys.exit('service "bot" is not running')
                self.become(inside)
            case ["ps", "--all", "--format", "json", "once"]:
                pass  # none has been forgotten
            case ["run", "-T", "--no-deps", "--remove-orphans", "once", *once]:
                self.become(once)
            case ["logs", "--no-log-prefix", "--tail", lines, *rest]:
                follow = ["-f"] if rest[0] == "--follow" else []
                os.execvp("tail", ["tail", "-n", lines, *follow, str(self.log)])
            case ["config", "--format", "json"]:
                print(json.dumps({"services": {"bot": {"volumes": []}}}))  # noqa: T201
            case _:
                sys.exit(f"unknown: {words}")

    def become(self, words: list[str]) -> None:
        os.chdir("/")
        command = self.command(words)
        os.execvp(command[0], command)


def alone(engine: Path, words: list[str]) -> None:
    """`docker run --rm … IMAGE WORDS`, without a network, a folder or a right."""
    assert words[:3] == ["run", "--rm", "--pull"]
    *_, image, word = words
    checkout = json.loads((engine / "releases.json").read_text()).get(image)
    if checkout is None:
        sys.exit(f"Error: no such image: {image}")
    os.chdir("/")
    os.execvp("env", ["env", "-i", f"PYTHONPATH={checkout}", "PATH=/usr/bin", sys.executable, "-m", "bot", word])


def main(engine: Path, words: list[str]) -> None:
    if words[0] == "version":
        return
    project = Project(engine, words[:8])
    with (engine / "calls").open("a") as calls:
        calls.write(f"{project.name} {words[8]} {' '.join(words[-3:])}\n")
    project.obey(words[8:])


if __name__ == "__main__":
    if sys.argv[2] == "compose":
        main(Path(sys.argv[1]), sys.argv[3:])
    elif sys.argv[2] != "info":
        alone(Path(sys.argv[1]), sys.argv[2:])
