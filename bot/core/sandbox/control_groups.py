"""Control groups, for a bot that is root: the kernel's limit on a user's processes does not bind root. The limits of a
control group do, and root may make one. It stays until somebody removes it, so old empty ones are removed here."""

from __future__ import annotations

import secrets
import shlex
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

CONTROL_GROUPS = Path("/sys/fs/cgroup")
NAME_PREFIX = "retinue-sandbox-"
SECONDS_UNTIL_SWEPT = 10.0  # a group that was just made may still get its first process
SPARE_PROCESSES = 8  # of bubblewrap, and of what sets the limits

LimitFiles = Mapping[str, str]  # the value by the file's name


def find_folders(processes: int, memory_bytes: int, top: Path = CONTROL_GROUPS) -> Mapping[Path, LimitFiles] | None:
    """Return the folders in which groups can be made, with what limits them; None if there are none."""
    most = str(processes + SPARE_PROCESSES)
    with suppress(OSError):
        if {"pids", "memory"} <= set((top / "cgroup.subtree_control").read_text().split()):
            return {top: {"pids.max": most, "memory.max": str(memory_bytes)}}
    if (top / "pids").is_dir() and (top / "memory").is_dir():  # the first version has a tree for each kind of limit
        return {
            top / "pids": {"pids.max": most},
            top / "memory": {"memory.limit_in_bytes": str(memory_bytes)},
        }
    return None


def script_to_join_group(folders: Mapping[Path, LimitFiles]) -> str:
    """Return the beginning of a shell script that makes a group and enters it. The script ends if that fails."""
    return "set -e; " + "".join(f"{line}; " for line in list_script_lines(folders))


def list_script_lines(folders: Mapping[Path, LimitFiles]) -> Iterator[str]:
    name = NAME_PREFIX + secrets.token_hex(8)
    for folder, limits in folders.items():
        group = folder / name
        yield f"mkdir {shlex.quote(str(group))}"
        for file, value in limits.items():
            yield f"echo {value} >{shlex.quote(str(group / file))}"
        yield f"echo $$ >{shlex.quote(str(group / 'cgroup.procs'))}"


def remove_empty_groups(folders: Mapping[Path, LimitFiles]) -> None:
    """Remove the groups in which nothing runs any more."""
    for folder in folders:
        for group in folder.glob(f"{NAME_PREFIX}*"):
            with suppress(OSError):  # something runs in it
                if time.time() - group.stat().st_mtime > SECONDS_UNTIL_SWEPT:
                    group.rmdir()
