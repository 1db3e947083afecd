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
VISIBLE = ("/usr/", "/lib", "/bin", "/sbin", "/etc/", "/proc", "/sys/", "/dev", "/tmp", "/work")
WRITABLE_OF_OWN = re.compile(r"/proc/\d+/(oom_score_adj|mem|fd/\d+|comm|timerslack_ns|clear_refs|attr/.*)|\d+")
OTHERS = "openat open creat connect sendto socket clone execve chmod fchmod fchmodat link linkat rename renameat2 kill"
TRACED = ",".join(sorted({*FORBIDDEN, *OTHERS.split()}))
BEGUN = re.compile(r'execve\("[^"]*/prlimit"')
LINE = re.compile(r"^(?P<process>\d+) +(?P<call>\w+)\((?P<arguments>.*)\) += (?P<result>-?\d+|\?)")
UNFINISHED = re.compile(r"^(?P<process>\d+) +(?P<begin>.*) <unfinished \.\.\.>$")
RESUMED = re.compile(r"^(?P<process>\d+) +<\.\.\. \w+ resumed>(?P<rest>.*)$")
PATH = re.compile(r'"([^"]*)"')
ADDRESS = re.compile(r'sin6?_port=htons\((?P<port>\d+)\).*?(?:inet_addr\(|inet_pton\(AF_INET6, )"(?P<host>[^"]+)"')
LOOPBACK = ("127.", "::1", "::ffff:127.")
NAMESPACES = re.compile("CLONE_NEW[A-Z]+")
SET_ID_MODE = re.compile(r"\b0[2467]\d{3}\b")


def watched(command: Sequence[str], log: Path) -> Sequence[str]:
    """Return the command under strace. The calls of all its processes are written to `log`."""
    return ["strace", "-f", "-qq", "-s", "200", "-e", f"trace={TRACED}", "-o", str(log), *command]


def find_successful_attempts(log: Path) -> Iterator[str]:
    """Yield what programs in the sandbox succeeded with that they should not."""
    return (line for call, line, result in calls_inside(log) if result >= 0 and is_bad(call, line))


def find_foreign_reads(log: Path, readable: Sequence[str]) -> Iterator[str]:
    """Yield the files that programs in the sandbox opened, except those that every sandbox shows and `readable`."""
    shown = (*VISIBLE, *readable)
    for call, line, result in calls_inside(log):
        path = path_in(line) if call in ("open", "openat") else ""
        if result >= 0 and path.startswith("/") and path != "/" and not path.startswith(shown):
            yield line


def list_refused_addresses(log: Path) -> list[str]:
    """Return the addresses that programs in the sandbox failed to reach, each once."""
    lines = [line for call, line, result in calls_inside(log) if call in ("connect", "sendto") and result < 0]
    return sorted({f"{found['host']}:{found['port']}" for line in lines if (found := ADDRESS.search(line))})


def calls_inside(log: Path) -> Iterator[tuple[str, str, int]]:
    """Yield the calls of the programs in the sandbox: their names, their lines and their results."""
    is_inside = False
    for line in whole_lines(log):
        if not is_inside:
            is_inside = bool(BEGUN.search(line))
        elif (found := LINE.match(line)) and found["result"] != "?":
            yield found["call"], line, int(found["result"])


def whole_lines(log: Path) -> Iterator[str]:
    """Yield the lines of a log. A call that was interrupted by other threads' calls stands in two, which are joined."""
    begun: dict[str, str] = {}  # by process
    with log.open(errors="replace") as lines:
        for line in map(str.rstrip, lines):
            if found := UNFINISHED.match(line):
                begun[found["process"]] = found["begin"]
            elif found := RESUMED.match(line):
                yield f"{found['process']} {begun.pop(found['process'], '')}{found['rest']}"
            else:
                yield line


def path_in(line: str) -> str:
    found = PATH.search(line)
    return found[1] if found else ""


def is_loopback(line: str) -> bool:
    found = ADDRESS.search(line)
    return bool(found and found["host"].startswith(LOOPBACK))


def is_bad(call: str, line: str) -> bool:
    """Return True if a call that succeeded reaches out of the sandbox."""
    if call in FORBIDDEN:
        return True
    if call == "clone":
        return bool(NAMESPACES.search(line))
    if call in ("chmod", "fchmod", "fchmodat"):
        return bool(SET_ID_MODE.search(line))
    if call in ("connect", "sendto"):
        return "AF_INET" in line and not is_loopback(line)
    if call in ("open", "openat", "creat") and re.search(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|^\d+ +creat", line):
        path = path_in(line)
        is_relative = not path.startswith("/")
        return not (is_relative or path.startswith(WRITABLE) or WRITABLE_OF_OWN.fullmatch(path))
    return False
