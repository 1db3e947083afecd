"""What a tenant that means harm would try, run inside its container by its own Python, with the standard library alone.

Reads what it is to look for as JSON from the line after this script, and prints what came of each attempt, as JSON:
[what was tried, how it was refused, or "" if it was not].
"""

import ctypes
import errno
import json
import os
import signal
import socket
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

LIBC = ctypes.CDLL(None, use_errno=True)
SECONDS = 2.0
OWN = Path("/tenant")
MARK = b"of-"  # every canary holds it
CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWNET = 0x10000000, 0x20000, 0x40000000
MS_REMOUNT, MS_BIND = 0x20, 0x1000
ATTACH = 16  # of ptrace
# By number, as x86-64 and AArch64 have them: the C library has no function for all of these.
SYSCALLS = {
    "x86_64": {"open_by_handle_at": 304, "process_vm_readv": 310, "bpf": 321, "init_module": 175},
    "aarch64": {"open_by_handle_at": 265, "process_vm_readv": 270, "bpf": 280, "init_module": 105},
}[os.uname().machine]

USER_NAMESPACE = "make a user namespace (unshare)"
Attempt = Callable[[], object]


class Nothing(Exception):
    """There was nothing there; the text says what was looked at."""


def refusal(attempt: Attempt) -> str:
    """How an attempt was refused; empty if it was not."""
    try:
        attempt()
    except Nothing as nothing:
        return str(nothing)
    except TimeoutError:
        return "no answer"
    except OSError as error:
        return errno.errorcode.get(error.errno or 0, str(error))
    return ""


def system(result: int) -> int:
    """What a call of the C library gave; raises OSError where it failed."""
    if result == -1:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def call(name: str, *arguments: Any) -> int:
    whole = [ctypes.c_long(each) if isinstance(each, int) else each for each in arguments]
    return system(LIBC.syscall(ctypes.c_long(SYSCALLS[name]), *whole))


def forked(attempt: Attempt) -> None:
    """In a process of its own, for what would change this one; raises OSError where it is refused there."""
    child = os.fork()
    if child == 0:
        try:
            attempt()
        except OSError as error:
            os._exit(error.errno or 255)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if number := os.waitstatus_to_exitcode(status):
        raise OSError(abs(number), "")


def read(path: str) -> Attempt:

    def attempt() -> object:
        if os.path.isdir(path):
            return os.listdir(path)
        with Path(path).open("rb") as file:
            return file.read(1)

    return attempt


def write(path: Path) -> Attempt:
    """Keeps what is there, and takes away what it has made: another probe shall find it as it was."""

    def attempt() -> None:
        was_there = path.exists()
        with path.open("ab"):
            pass
        if not was_there:
            path.unlink()

    return attempt


def others(wanted: dict[str, Any]) -> Iterator[tuple[str, Attempt]]:
    """What is another's, by every path that could lead there."""
    for path in wanted["paths"]:
        yield f"read {path}", read(path)
    for path in wanted["folders"]:
        for process in sorted(name for name in os.listdir("/proc") if name.isdigit()):
            for way in ("root", "cwd/../.."):
                yield f"read /proc/N/{way}{path}", read(f"/proc/{process}/{way}{path}")
        for way in ("/tenant/..", "/tenant/data/../..", "/tenant/workspace/..", "/tenant/roles/../.."):
            yield f"read {way}/{Path(path).name}", read(f"{way}/{Path(path).name}")
    yield "find another's secret or note in any file here", lambda: search(wanted["canaries"])
    yield "find another's secret in the environment or words of a process", lambda: search_processes(wanted["canaries"])
    yield "find a process that is not its own", strangers
    for number in wanted["processes"]:
        yield f"send a signal to another's process ({number} on the host)", partial(os.kill, number, 0)
        yield f"read the memory of another's process ({number})", partial(memory, number)
        yield f"trace another's process ({number})", partial(traced, number)


def search(canaries: list[str]) -> None:
    seen = 0
    for folder, below, names in os.walk("/"):
        if folder in ("/proc", "/sys"):
            below.clear()
        for name in names:
            path = Path(folder, name)
            with suppress(OSError):
                if stat.S_ISREG(path.lstat().st_mode):
                    content = path.read_bytes()
                    seen += 1
                    if MARK in content and any(each.encode() in content for each in canaries):
                        return
    raise Nothing(f"not in {seen} files")


def search_processes(canaries: list[str]) -> None:
    files = [*Path("/proc").glob("[0-9]*/environ"), *Path("/proc").glob("[0-9]*/cmdline")]
    files += [*Path("/proc").glob("[0-9]*/mountinfo"), *Path("/proc").glob("[0-9]*/maps")]
    seen = 0
    for path in files:
        with suppress(OSError):
            content = path.read_bytes()
            seen += 1
            if any(each.encode() in content for each in canaries):
                return
    raise Nothing(f"not in {seen} files of /proc")


def strangers() -> None:
    own = os.getuid()
    found = [path for path in Path("/proc").glob("[0-9]*") if path.stat().st_uid != own]
    if not found:
        raise Nothing("all are its own")


def memory(process: int) -> int:
    room = ctypes.create_string_buffer(8)
    local = (ctypes.c_void_p * 2)(ctypes.addressof(room), 8)
    return call("process_vm_readv", process, local, 1, local, 1, 0)


def traced(process: int) -> int:
    return system(LIBC.ptrace(ATTACH, process, 0, 0))


def network(wanted: dict[str, Any]) -> Iterator[tuple[str, Attempt]]:
    for address, port in wanted["ports"]:
        yield f"connect to another's {address}:{port}", partial(connect, address, port)
    for name in wanted["names"]:
        yield f"connect to {name}:{wanted['ports'][0][1]}", partial(connect, name, wanted["ports"][0][1])
    yield "listen to all that passes (AF_PACKET)", lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
    yield "send packets of its own making (SOCK_RAW)", lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)
    for path in (
        "/var/run/docker.sock",
        "/run/podman/podman.sock",
        "/run/containerd/containerd.sock",
        wanted["engine"],
    ):
        yield f"speak to the engine at {path}", partial(unix, path)


def connect(host: str, port: int) -> None:
    try:
        socket.create_connection((host, port), SECONDS).close()
    except socket.gaierror:
        raise Nothing("no such name") from None


def unix(path: str) -> None:
    with socket.socket(socket.AF_UNIX) as there:
        there.connect(path)


def own(wanted: dict[str, Any]) -> Iterator[tuple[str, Attempt]]:
    secrets = [OWN / "secrets" / name for name in os.listdir(OWN / "secrets")]
    fixed = [OWN / "config.json", *secrets, *(OWN / "roles" / name for name in os.listdir(OWN / "roles"))]
    for path in [*fixed, OWN / "new", OWN / "secrets" / "new", OWN / "roles" / "new.md"]:
        yield f"write {path}", write(path)
    for path in fixed:
        yield f"change who may read {path}", partial(path.chmod, 0o777)
        yield f"remove {path}", path.unlink
    for folder in ("/", "/usr/bin", "/opt/retinue/bin", "/etc", "/root", "/home", "/opt/retinue/lib"):
        yield f"write {folder}/new", write(Path(folder, "new"))
    for name in ("/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger", "/proc/sys/net/ipv4/ip_forward"):
        yield f"write {name}", write(Path(name))
    for path in sorted(Path("/sys/fs/cgroup").glob("**/*max*"))[:40] + sorted(
        Path("/sys/fs/cgroup").glob("**/*limit*")
    ):
        yield "write a limit of its own in /sys/fs/cgroup", write(path)
    for folder in ("/tmp", "/var/tmp", "/run", "/dev/shm", "/dev"):
        yield f"run a program from {folder}", partial(program, Path(folder, "program"))


def program(path: Path) -> None:
    path.write_text("#!/bin/sh\n")
    try:
        path.chmod(0o755)
        forked(lambda: os.execv(path, [str(path)]))
    finally:
        path.unlink()


def rights(wanted: dict[str, Any]) -> Iterator[tuple[str, Attempt]]:
    own_status = Path("/proc/self/status").read_text()
    status = dict(line.split(":\t", 1) for line in own_status.splitlines() if ":\t" in line)
    for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
        yield f"have a capability ({name})", partial(none_of, int(status[name], 16) == 0, "none")
    yield (
        "gain rights by a set-user-id program (NoNewPrivs)",
        lambda: none_of(status["NoNewPrivs"].strip() == "1", "on"),
    )
    yield "call the kernel unfiltered (Seccomp)", lambda: none_of(status["Seccomp"].strip() == "2", "filtered")
    yield "become root (setuid)", lambda: forked(lambda: os.setuid(0))
    yield "join root's group (setgid)", lambda: forked(lambda: os.setgid(0))
    yield "join other groups (setgroups)", lambda: forked(lambda: os.setgroups([0]))
    yield "mount", lambda: system(LIBC.mount(b"none", b"/tmp", b"tmpfs", 0, None))
    yield "unmount", lambda: system(LIBC.umount2(b"/tenant/secrets", 2))
    yield USER_NAMESPACE, lambda: forked(lambda: system(LIBC.unshare(CLONE_NEWUSER)))
    yield "be root of the machine in a user namespace", lambda: forked(as_root)
    yield "make its root writable in a user namespace", lambda: forked(uncovered)
    yield "unshare: mounts", lambda: forked(lambda: system(LIBC.unshare(CLONE_NEWNS)))
    yield "unshare: a network", lambda: forked(lambda: system(LIBC.unshare(CLONE_NEWNET)))
    yield "chroot", lambda: forked(lambda: os.chroot("/tmp"))
    yield "make a device (mknod)", lambda: os.mknod("/tmp/disk", 0o666 | stat.S_IFBLK, os.makedev(*wanted["disk"]))
    yield "open a file by its handle (open_by_handle_at)", handle
    devices = ("mem", "kmsg", "sda", "vda", "nvme0n1", "loop0", "fuse")
    for path in (*(f"/dev/{name}" for name in devices), "/proc/kcore"):
        yield f"read {path}", read(path)
    yield "name the machine", lambda: socket.sethostname("mine")
    yield "load a program into the kernel (bpf)", lambda: call("bpf", 5, None, 0)
    yield "load a module", lambda: call("init_module", None, 0, b"")


def as_root() -> None:
    system(LIBC.unshare(CLONE_NEWUSER))
    Path("/proc/self/uid_map").write_text("0 0 1")


def uncovered() -> None:
    system(LIBC.unshare(CLONE_NEWUSER | CLONE_NEWNS))
    system(LIBC.mount(None, b"/", None, MS_REMOUNT | MS_BIND, None))


def none_of(holds: bool, why: str) -> None:
    if holds:
        raise Nothing(why)


def handle() -> int:
    """Shocker: the root of a file system by the number that it has on all of them."""
    raw = (ctypes.c_uint32 * 4)(8, 1, 2, 0)
    return call("open_by_handle_at", os.open("/tenant/config.json", os.O_RDONLY), raw, os.O_RDONLY)


def main() -> None:
    signal.alarm(50)  # seconds, for all of it
    os.environ["RES_OPTIONS"] = "timeout:1 attempts:1"  # a name that nobody knows is soon given up
    wanted = json.loads(sys.argv[1])
    wanted["canaries"] = [
        each[::-1] for each in wanted["canaries"]
    ]  # written backwards: this process's own words count
    groups = {group.__name__: group for group in (others, network, own, rights) if group.__name__ in wanted["groups"]}
    tried = [[name, what, refusal(attempt)] for name, group in groups.items() for what, attempt in group(wanted)]
    print(json.dumps(tried))


if __name__ == "__main__":
    main()
