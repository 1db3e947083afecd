"""Run one command of a Compose service to its end, even if Compose does not notice the end.

`python -m bot.tenants.targets.compose_run LOOK RUN`: both are commands as JSON. RUN is `compose run …`, with our
streams. LOOK is `compose ps --format json …` for the containers that RUN starts.

Compose asks the engine to report the end. If the container has already ended, Podman may never answer. So this module
also looks at the container regularly, and exits with the container's status.
"""

import json
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

POLL_SECONDS = 3.0  # between two looks
EXIT_GRACE_SECONDS = 5.0  # for Compose to notice by itself, and to pass on the remaining output
LIST_TIMEOUT_SECONDS = 20.0
EXITED_CONTAINER_STATE = "exited"


def run_until_container_exits(
    look: Sequence[str],
    run: Sequence[str],
    *,
    poll_seconds: float = POLL_SECONDS,
    exit_grace_seconds: float = EXIT_GRACE_SECONDS,
) -> int:
    """Run `run` and return its exit status, or its container's if Compose hangs."""
    former = {each["ID"] for each in list_containers(look)}
    process = subprocess.Popen(run)
    try:
        while True:
            with suppress(subprocess.TimeoutExpired):
                return process.wait(poll_seconds)
            new = [each for each in list_containers(look) if each["ID"] not in former]
            if new and all(each["State"] == EXITED_CONTAINER_STATE for each in new):
                with suppress(subprocess.TimeoutExpired):
                    return process.wait(exit_grace_seconds)
                return int(new[-1]["ExitCode"])
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


def list_containers(look: Sequence[str]) -> list[dict[str, Any]]:
    """Return the containers that `look` lists, or an empty list if it fails."""
    with suppress(OSError, subprocess.TimeoutExpired, ValueError, KeyError, TypeError):
        asked = subprocess.run(
            look, capture_output=True, text=True, timeout=LIST_TIMEOUT_SECONDS, stdin=subprocess.DEVNULL
        )
        found: list[dict[str, Any]] = []
        for line in asked.stdout.splitlines():  # one JSON object per line; older releases print one list
            read = json.loads(line)
            found += read if isinstance(read, list) else [read]
        if all(isinstance(each, dict) and {"ID", "State", "ExitCode"} <= each.keys() for each in found):
            return found
    return []


if __name__ == "__main__":
    sys.exit(run_until_container_exits(json.loads(sys.argv[1]), json.loads(sys.argv[2])))
