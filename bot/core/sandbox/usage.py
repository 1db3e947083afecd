"""What a sandbox uses: processes, memory and disk, counted from outside. The kernel's own limits hold for each process;
these hold for all of them together."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from resource import getpagesize

PROC = Path("/proc")
HIGHEST_OOM_SCORE = "1000"  # the machine ends these processes first, if it runs out of memory


@dataclass(frozen=True, slots=True, kw_only=True)
class TotalLimits:
    processes: int
    memory_bytes: int
    written_bytes: int  # to disks; files in memory have limits of their own


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxUsage:
    processes: int
    memory_bytes: int
    written_bytes: int


def measure_usage(process: int, limits: TotalLimits) -> SandboxUsage:
    """Return what all processes below `process` use. Stop to count processes where there are too many. What cannot be
    read, because a process ended meanwhile, counts as nothing."""
    found = list[int]()
    for each in iterate_descendants(process):
        found.append(each)
        if len(found) > limits.processes:
            break
    memory = sum(map(resident_bytes, found))
    if memory > limits.memory_bytes:  # what processes share was counted for each of them
        memory = sum(map(proportional_bytes, found))
    return SandboxUsage(processes=len(found), memory_bytes=memory, written_bytes=sum(map(written_bytes, found)))


def iterate_descendants(process: int) -> Iterator[int]:
    """Yield all processes below one. A sandbox has a first process of its own, which gets all orphans as children."""
    waiting = [process]
    while waiting:
        children = list_children(waiting.pop())
        yield from children
        waiting += children


def list_children(process: int) -> list[int]:
    found = list[int]()
    with suppress(OSError, ValueError):
        for thread in (PROC / str(process) / "task").iterdir():
            found += map(int, (thread / "children").read_text().split())
    return found


def resident_bytes(process: int) -> int:
    with suppress(OSError, ValueError, IndexError):
        return int((PROC / str(process) / "statm").read_text().split()[1]) * getpagesize()
    return 0


def proportional_bytes(process: int) -> int:
    """Return a process's memory, with its share of what it has together with others."""
    with suppress(OSError, ValueError, IndexError):
        for line in (PROC / str(process) / "smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    return 0


def written_bytes(process: int) -> int:
    """Return what a process has written to disks, with its ended children."""
    with suppress(OSError, ValueError, IndexError):
        for line in (PROC / str(process) / "io").read_text().splitlines():
            if line.startswith("write_bytes:"):
                return int(line.split()[1])
    return 0


def offer_to_be_killed_first(process: int) -> None:
    """Mark all processes below one as those to end, if the machine has no memory left."""
    for each in iterate_descendants(process):
        with suppress(OSError):
            (PROC / str(each) / "oom_score_adj").write_text(HIGHEST_OOM_SCORE)
