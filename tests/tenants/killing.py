"""Make a tenant again and again, each time killed one system call later; run by strace, which does the killing.

`python -m tests.tenants.killing FOLDER CALLS DISK`, under `strace -f -e inject=CALLS:signal=SIGKILL:when=KILLED_AT`.
strace counts each kind of call of each process for itself: a child that is to die at its n-th first makes all others in
vain.
"""

import json
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from bot.tenants.creation import make_tenant
from bot.tenants.root import TenantsRoot
from tests.tenants.papers import Paper, blueprint, content

NO_FILE, NOWHERE = 999, ""
IN_VAIN: Mapping[str, Callable[[], object]] = {  # every system call that writes, and how to make one that does nothing
    "openat": lambda: os.open(NOWHERE, os.O_RDONLY),
    "mkdir": lambda: os.mkdir(NOWHERE),
    "write": lambda: os.write(NO_FILE, b""),
    "fchown": lambda: os.fchown(NO_FILE, 0, 0),
    "chown": lambda: os.chown(NOWHERE, 0, 0),
    "fchmod": lambda: os.fchmod(NO_FILE, 0),
    "chmod": lambda: os.chmod(NOWHERE, 0),
    "fsync": lambda: os.fsync(NO_FILE),
    "rename": lambda: os.rename(NOWHERE, NOWHERE),
    "unlink": lambda: os.unlink(NOWHERE),
    "symlink": lambda: os.symlink(NOWHERE, NOWHERE),
    "fallocate": lambda: os.posix_fallocate(NO_FILE, 0, 1),
}
KILLED_AT = 1_000  # more than the imports need


def one(folder: Path, call: str, nth: int, disk: str) -> None:
    """Made, unless killed at the n-th of those calls, counted from 1."""
    for _ in range(KILLED_AT - nth):
        with suppress(OSError):
            IN_VAIN[call]()
    make_tenant(TenantsRoot(folder), blueprint(disk_size=disk), Paper(extra={"below/more.txt": "more\n"}), content)


def main(folder: Path, calls: list[str], disk: str) -> dict[str, int]:
    """How often it was killed at each kind of call."""
    make_tenant(TenantsRoot(folder / "first"), blueprint(), Paper(), content)  # so that all is imported
    kills = {}
    for call in calls:
        nth = 0
        while is_killed(folder, call, nth + 1, disk):
            nth += 1
        kills[call] = nth
    return kills


def is_killed(folder: Path, call: str, nth: int, disk: str) -> bool:
    child = os.fork()
    if not child:
        one(folder / f"{call}-{nth}", call, nth, disk)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(Path(sys.argv[1]), sys.argv[2].split(","), sys.argv[3])))
