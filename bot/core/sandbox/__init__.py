"""The sandbox: a command that runs a program in bubblewrap, which sees one folder, and nothing else of this machine.

Inside are: the folder as /work; the system's programs, read only; a /tmp of its own; no network; no other processes; no
privilege, and no way to a new one. It ends when the process that started it ends."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from bot.core.sandbox import control_groups
from bot.core.sandbox.listener import command_that_opens_listener, listener_fault, proxy_environment
from bot.core.sandbox.seccomp import open_seccomp_filter
from bot.core.texts import operators

FOLDER_INSIDE = Path("/work")  # where a sandboxed program finds the folder
SYSTEM_FOLDERS = ("bin", "sbin", "lib", "lib32", "lib64")  # folders of their own, or links into /usr
SHOWN_OF_ETC = (
    *("alternatives", "ca-certificates", "chromium.d", "fonts", "ld.so.cache", "localtime"),
    *("ssl/certs", "ssl/openssl.cnf"),
)
SHOWN_OF_PROC = frozenset(
    ("cpuinfo", "filesystems", "loadavg", "meminfo", "mounts", "net", "self", "stat", "sys", "thread-self", "uptime")
)
OWN_ETC = Path(__file__).parent / "etc"  # a list of users, and what else libraries look for
USER_ID = "1000"  # inside: the bot's own user has this number there, so files of the folder seem to be the program's
PACKAGE_OF_PROGRAM = {"bwrap": "bubblewrap", "bash": "bash", "prlimit": "util-linux", "timeout": "coreutils"}
BASE_ENVIRONMENT = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "HOME": str(FOLDER_INSIDE),
    "USER": "sandbox",
    "LANG": "C.UTF-8",
    "TMPDIR": "/tmp",
}
TRIAL_SECONDS = 20.0
NOT_INSIDE = 77  # exit status of a trial that finds itself outside
MEGABYTE = 2**20
FILTER_DESCRIPTOR = 9  # of the filter, in the process that becomes bubblewrap
OPEN_FILTER = f'exec {FILTER_DESCRIPTOR}<"$0"; '
BECOME_REST = 'exec "$@"'
# Fails if it is not in a sandbox: a program called bwrap may be something else
LOOK_AROUND = f'[ "$PWD" = {FOLDER_INSIDE} ] && [ $$ -le 20 ] && ! [ -e /var ] && ! [ -w / ] || exit {NOT_INSIDE}'
# Fails where a limit of 8 processes binds
START_TWENTY_PROCESSES = "for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do sleep 5 & done"
# So that the machine ends the sandbox, and not the bot, if it runs out of memory
BE_FIRST_TO_BE_KILLED = '{ echo 1000 >/proc/self/oom_score_adj; } 2>/dev/null; exec "$@"'


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxLimits:
    """Limits that the kernel keeps. `seconds` and the memory of one process are unlimited if they are 0."""

    seconds: float = 0  # of wall time: a second line, since the one who starts it also counts
    cpu_seconds: int = 0  # of each process
    processes: int = 256  # and threads
    memory_megabytes: int = 2_048  # of each process; of all of them, if the bot is root
    file_megabytes: int = 256  # of each file
    temporary_megabytes: int = 256  # in /tmp, which is memory
    open_files: int = 1_024


@dataclass(frozen=True, slots=True)
class SandboxForm:
    """What this machine lets a sandbox have. In containers, /proc and /sys are often kept from it."""

    has_own_proc: bool  # it sees its own processes, and only these
    kernel_forbids_namespaces: bool  # else only the filter of system calls does
    has_own_hostname: bool = True  # else it sees the machine's name
    needs_control_group: bool = False  # root's processes are not counted otherwise


# In this order; all but the first need the filter of system calls
FORMS = (
    SandboxForm(True, True),
    SandboxForm(True, False),
    SandboxForm(False, False),
    SandboxForm(False, False, has_own_hostname=False),
)


def sandbox_fault() -> str | None:
    """Return why no sandbox can start here, for the operator; None if it can. The first call starts one."""
    return try_sandbox(os.environ.get("PATH", ""))[1]


def has_proc_in_sandbox() -> bool:
    form, _ = try_sandbox(os.environ.get("PATH", ""))
    return form is not None and form.has_own_proc


def sandboxed_command(
    command: Sequence[str],
    *,
    folder: Path,
    env: Mapping[str, str],
    network: bool = False,
    keeps_environment: bool = False,
    read_only: Sequence[Path] = (),
    read_only_inside: Sequence[str] = (),
    hidden: Sequence[Path] = (),
    limits: SandboxLimits = SandboxLimits(),
    info_descriptor: int | None = None,
    listener_descriptor: int | None = None,
) -> Sequence[str]:
    """Return the command that runs `command` in a sandbox, in `folder`, which it may write.

    Its environment is BASE_ENVIRONMENT with `env`. Other users of this machine can read `env`, as they can read all
    command lines. For secrets use `keeps_environment`: then the program also has the environment in which this command
    is started, which should hold nothing else. With `network` it shares the machine's network, with all that listens on
    127.0.0.1. `read_only` are other paths that it sees. `read_only_inside` are paths in the folder that it cannot
    write. `hidden` are paths that it does not see, even if they are in the folder or among the programs. On
    `info_descriptor`, bubblewrap writes JSON with `child-pid`, the number of the first process in the sandbox. On
    `listener_descriptor`, a socket that listens on the sandbox's loopback is handed out (`listener.ListenerChannel`).

    Raise RuntimeError if no sandbox can start here."""
    form, fault = try_sandbox(os.environ.get("PATH", ""))
    if listener_descriptor is not None:
        fault = fault or listener_fault(BASE_ENVIRONMENT["PATH"])
        env = {**proxy_environment(), **env}
    if form is None or fault:
        raise RuntimeError(fault)
    return bubblewrap_command(
        form,
        command,
        folder=folder.resolve(),
        environment={**BASE_ENVIRONMENT, **env},
        network=network,
        keeps_environment=keeps_environment,
        read_only=read_only,
        read_only_inside=read_only_inside,
        hidden=hidden,
        limits=limits,
        info_descriptor=info_descriptor,
        listener_descriptor=listener_descriptor,
    )


@cache
def try_sandbox(path: str) -> tuple[SandboxForm | None, str | None]:
    """Return the best form of a sandbox that starts here; or None, and why none does. `path` is the PATH to search."""
    if sys.platform != "linux":
        return None, operators.SANDBOX_NOT_LINUX(system=sys.platform)
    for program, package in PACKAGE_OF_PROGRAM.items():
        if shutil.which(program, path=path) is None:
            return None, operators.SANDBOX_WITHOUT_PROGRAM(program=program, package=package)
    reasons = []
    for form in FORMS if open_seccomp_filter() else FORMS[:1]:
        reason = reason_for_no_start(form)
        if reason is None:
            return limit_processes(form)
        reasons.append(reason)
    return None, operators.SANDBOX_REFUSED(reason=reasons[0].rstrip("."))


def limit_processes(form: SandboxForm) -> tuple[SandboxForm | None, str | None]:
    """Return the form in which the number of processes is limited; or None, and why there is none."""
    if os.geteuid() or is_number_of_processes_limited(form):
        return form, None
    form = replace(form, needs_control_group=True)
    if control_groups.find_folders(1, MEGABYTE) and is_number_of_processes_limited(form):
        return form, None
    return None, operators.SANDBOX_WITHOUT_LIMIT


def is_number_of_processes_limited(form: SandboxForm) -> bool:
    return reason_for_no_start(form, ["sh", "-c", START_TWENTY_PROCESSES], SandboxLimits(processes=8)) is not None


def reason_for_no_start(
    form: SandboxForm, command: Sequence[str] = ("sh", "-c", LOOK_AROUND), limits: SandboxLimits = SandboxLimits()
) -> str | None:
    """Start a sandbox. Return why it does not start or its command fails, in the program's own words."""
    command = bubblewrap_command(form, command, folder=OWN_ETC, environment=BASE_ENVIRONMENT, limits=limits)
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env={"PATH": os.environ.get("PATH", "")},
            timeout=TRIAL_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return operators.SANDBOX_TOO_SLOW(seconds=TRIAL_SECONDS)
    except OSError as error:
        return str(error)
    if done.returncode == 0:
        return None
    if done.returncode == NOT_INSIDE:
        return operators.SANDBOX_IS_NONE
    said = done.stderr.decode(errors="replace").strip().splitlines()
    return said[-1] if said else operators.SANDBOX_SAID_NOTHING(status=done.returncode)


def bubblewrap_command(
    form: SandboxForm,
    command: Sequence[str],
    *,
    folder: Path,
    environment: Mapping[str, str],
    network: bool = False,
    keeps_environment: bool = False,
    read_only: Sequence[Path] = (),
    read_only_inside: Sequence[str] = (),
    hidden: Sequence[Path] = (),
    limits: SandboxLimits = SandboxLimits(),
    info_descriptor: int | None = None,
    listener_descriptor: int | None = None,
) -> list[str]:
    """Return the whole command: what opens the filter, bubblewrap, what opens a socket and sets the limits inside, and
    `command`."""
    seccomp_filter = open_seccomp_filter()
    preparing = script_to_join_group(limits) if form.needs_control_group else ""
    preparing += OPEN_FILTER if seccomp_filter else ""
    return [
        *(find_program("sh"), "-c", preparing + BECOME_REST, seccomp_filter or "sh"),
        # Bubblewrap's own environment can be read inside, as that of process 1.
        *([] if keeps_environment else [find_program("env"), "-i"]),
        find_program("bwrap"),
        *("--unshare-all", "--unshare-user", "--uid", USER_ID, "--gid", USER_ID),
        *(["--hostname", "sandbox"] if form.has_own_hostname else []),
        *(["--share-net"] if network else []),
        *(["--disable-userns"] if form.kernel_forbids_namespaces else []),
        *("--die-with-parent", "--new-session", "--cap-drop", "ALL"),
        *([] if keeps_environment else ["--clearenv"]),
        *(word for name, value in environment.items() for word in ("--setenv", name, value)),
        *(["--seccomp", str(FILTER_DESCRIPTOR)] if seccomp_filter else []),
        *(["--info-fd", str(info_descriptor)] if info_descriptor is not None else []),
        *list_mounts(form, folder, network, read_only, read_only_inside, hidden, limits),
        *("--chdir", str(FOLDER_INSIDE), "--"),
        *([] if listener_descriptor is None else command_that_opens_listener(listener_descriptor)),
        *limiting_command(limits),
        *command,
    ]


def script_to_join_group(limits: SandboxLimits) -> str:
    """Return the beginning of a script that enters a new control group. Raise RuntimeError if there are none now."""
    folders = control_groups.find_folders(limits.processes, limits.memory_megabytes * MEGABYTE)
    if folders is None:
        raise RuntimeError(operators.SANDBOX_WITHOUT_LIMIT)
    control_groups.remove_empty_groups(folders)
    return control_groups.script_to_join_group(folders)


def find_program(name: str) -> str:
    """Return the whole path of a program. Raise RuntimeError if it is missing."""
    if found := shutil.which(name, path=os.environ.get("PATH", "")) or shutil.which(name, path=os.defpath):
        return found
    raise RuntimeError(operators.SANDBOX_WITHOUT_PROGRAM(program=name, package=PACKAGE_OF_PROGRAM.get(name, name)))


def list_mounts(
    form: SandboxForm,
    folder: Path,
    network: bool,
    read_only: Sequence[Path],
    read_only_inside: Sequence[str],
    hidden: Sequence[Path],
    limits: SandboxLimits,
) -> Iterator[str]:
    """Yield bubblewrap's arguments for all that the program sees. Later ones lie above earlier ones."""
    yield from ("--ro-bind", "/usr", "/usr")
    for name in SYSTEM_FOLDERS:
        path = Path("/", name)
        if path.is_symlink():
            yield from ("--symlink", os.readlink(path), str(path))
        elif path.is_dir():
            yield from ("--ro-bind", str(path), str(path))
    for name in SHOWN_OF_ETC:
        yield from ("--ro-bind-try", f"/etc/{name}", f"/etc/{name}")
    for file in sorted(OWN_ETC.iterdir()):
        yield from ("--ro-bind", str(file), f"/etc/{file.name}")
    if network:
        yield from ("--ro-bind-try", "/etc/resolv.conf", "/etc/resolv.conf")
    yield from list_mounts_of_proc() if form.has_own_proc else ("--dir", "/proc")
    yield from ("--dev", "/dev")
    size = str(limits.temporary_megabytes * MEGABYTE)
    yield from ("--size", size, "--tmpfs", "/dev/shm", "--size", size, "--tmpfs", "/tmp")
    for path in read_only:
        yield from ("--ro-bind", str(path), str(path))
    yield from ("--bind", str(folder), str(FOLDER_INSIDE))
    for inside in read_only_inside:
        yield from ("--ro-bind", str(folder / inside), str(FOLDER_INSIDE / inside))
    for path in hidden:
        yield from hide_path(path.resolve(), folder, read_only)
    # The root and /dev are memory without a limit, which the program could fill.
    yield from ("--remount-ro", "/dev", "--remount-ro", "/")


def list_mounts_of_proc() -> Iterator[str]:
    """Yield the arguments for a /proc of the sandbox's own processes. If the bot is root, leave out what it says of the
    machine: the kernel lets root's user write the files in /proc/sys, and others, without any capability."""
    yield from ("--proc", "/proc", "--ro-bind", "/proc/sys", "/proc/sys")
    if os.geteuid():
        return
    for path in sorted(Path("/proc").iterdir()):
        if path.name.isdecimal() or path.name in SHOWN_OF_PROC:
            continue
        if path.is_dir():
            yield from ("--tmpfs", str(path), "--remount-ro", str(path))
        else:
            yield from ("--ro-bind", "/dev/null", str(path))


def hide_path(path: Path, folder: Path, read_only: Sequence[Path]) -> Iterator[str]:
    """Yield the arguments that lay nothing above a path, wherever the sandbox would show it."""
    shown = [(folder, FOLDER_INSIDE), *((each, each) for each in (Path("/usr"), *read_only))]
    for outside, inside in shown:
        if not path.is_relative_to(outside.resolve()) or path == outside.resolve():
            continue
        place = str(inside / path.relative_to(outside.resolve()))
        if path.is_dir():
            yield from ("--tmpfs", place, "--remount-ro", place)
        elif path.exists():
            yield from ("--ro-bind", "/dev/null", place)


def limiting_command(limits: SandboxLimits) -> Iterator[str]:
    """Yield the beginning of a command that sets the limits and then becomes the rest. It runs inside, because the
    number of processes is counted for each user namespace."""
    yield from ("prlimit", f"--nproc={limits.processes}", f"--fsize={limits.file_megabytes * MEGABYTE}", "--core=0")
    yield f"--nofile={limits.open_files}"
    if limits.memory_megabytes:  # what it may write, and not what it only reserves, as Node.js does
        yield f"--data={limits.memory_megabytes * MEGABYTE}"
    if limits.cpu_seconds:
        yield f"--cpu={limits.cpu_seconds}"
    yield from ("--", "sh", "-c", BE_FIRST_TO_BE_KILLED, "sh")
    if limits.seconds:
        yield from ("timeout", "--signal=KILL", str(limits.seconds))
