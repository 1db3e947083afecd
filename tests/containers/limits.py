"""What a tenant may use, tried to the end inside its container; prints a JSON object of what it got.

Each is tried in a process of its own, and the first to go when memory is short.
"""

import contextlib
import json
import os
import resource
import sys
import time
from pathlib import Path

MIB = 1 << 20


def processes(most: int) -> int:
    """How many could be started at once, of so many and some more."""
    reader, writer = os.pipe()
    children = []
    try:
        for _ in range(most + 100):
            if (child := os.fork()) == 0:
                os.close(writer)
                os.read(reader, 1)  # until all is over
                os._exit(0)
            children.append(child)
    except BlockingIOError:
        pass
    os.close(writer)
    for child in children:
        os.waitpid(child, 0)
    return len(children)


def memory(most: int) -> str:
    """What became of a process that takes twice as many bytes."""
    child = os.fork()
    if child == 0:
        Path("/proc/self/oom_score_adj").write_text("1000")
        taken = [b"x" * MIB for _ in range(2 * most // MIB)]
        os._exit(len(taken) and 7)
    _, status = os.waitpid(child, 0)
    return {7: "all", -9: "killed"}.get(os.waitstatus_to_exitcode(status), "refused")


def room(folder: str, most: int) -> int:
    """How many bytes fit into that folder, up to some more than so many."""
    path, written = Path(folder, "filling"), 0
    with contextlib.suppress(OSError), path.open("wb", buffering=0) as file:
        while written < most + 16 * MIB:
            written += file.write(b"x" * MIB)
    path.unlink()
    return written


def processor(seconds: float) -> float:
    """How many processors' time two processes get that do nothing but count."""
    began, children = time.monotonic(), []
    for _ in range(2):
        if (child := os.fork()) == 0:
            while time.monotonic() - began < seconds:
                pass
            os._exit(0)
        children.append(child)
    before = sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
    for child in children:
        os.waitpid(child, 0)
    return (sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2]) - before) / (time.monotonic() - began)


def main() -> None:
    limit = json.loads(sys.argv[1])
    found = {
        "pids": processes(limit["pids"]),
        "cpus": processor(2.0),
        "tmp": room("/tmp", limit["tmp"]),
        "memory": memory(limit["memory"]),
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
