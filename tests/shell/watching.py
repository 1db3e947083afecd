"""Watch a sandbox from outside by strace: which calls of the kernel the programs in it succeeded with."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

# Calls that only bubblewrap itself may succeed with, before it starts the program
FORBIDDEN = frozenset(
    [
        "mount",
        "umount2",
        "pivot_root",
        "setns",
        "unshare",
        "chroot",
        "ptrace",
        "bpf",
        "keyctl",
        "add_key",
        "init_module",
        "finit_module",
        "kexec_load",
        "io_uring_setup",
        "perf_event_open",
        "userfaultfd",
        "open_by_handle_at",
        "mknod",
        "mknodat",
        "reboot",
        "settimeofday",
        "fsopen",
        "move_mount",
        "syslog",
    ]
)
WRITABLE = (
    "/work",
    "/tmp",
    "/dev/shm",
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/tty",
    "/dev/pts",
    "/dev/std",
    "/dev/fd",
    "/proc/self",
)
WRITABLE_OF_OWN = re.compile(r"/proc/\d+/(oom_score_adj|mem|fd/\d+|comm|timerslack_ns|clear_refs|attr/.*)|\d+")
OTHERS = "openat open creat connect sendto socket clone execve chmod fchmod fchmodat link linkat rename renameat2 kill"
TRACED = ",".join(sorted({*FORBIDDEN, *OTHERS.split()}))
BEGUN = re.compile(r'execve\("[^"]*/prlimit"')
LINE = re.compile(r"^(?P<process>\d+) +(?P<call>\w+)\((?P<arguments>.*)\) += (?P<result>-?\d+|\?)")
NAMESPACES = re.compile("CLONE_NEW[A-Z]+")
SET_ID_MODE = re.compile(r"\b0[2467]\d{3}\b")


def watched(command: Sequence[str], log: Path) -> Sequence[str]:
    """Return the command under strace. The calls of all its processes are written to `log`."""
    return ["strace", "-f", "-qq", "-s", "200", "-e", f"trace={TRACED}", "-o", str(log), *command]


def find_successful_attempts(log: Path) -> Iterator[str]:
    """Yield what programs in the sandbox succeeded with that they should not."""
    is_inside = False
    for line in log.read_text(errors="replace").splitlines():
        if not is_inside:
            is_inside = bool(BEGUN.search(line))
            continue
        found = LINE.match(line)
        if found and found["result"] not in ("?",) and int(found["result"]) >= 0 and is_bad(found["call"], line):
            yield line


def is_bad(call: str, line: str) -> bool:
    """Return True if a call that succeeded reaches out of the sandbox."""
    if call in FORBIDDEN:
        return True
    if call == "clone":
        return bool(NAMESPACES.search(line))
    if call in ("chmod", "fchmod", "fchmodat"):
        return bool(SET_ID_MODE.search(line))
    if call in ("connect", "sendto"):
        return "AF_INET" in line and "127.0.0.1" not in line
    if call in ("open", "openat", "creat") and re.search(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|^\d+ +creat", line):
        path = (re.search(r'"([^"]*)"', line) or [line, ""])[1]
        is_relative = not path.startswith("/")
        return not (is_relative or path.startswith(WRITABLE) or WRITABLE_OF_OWN.fullmatch(path))
    return False
