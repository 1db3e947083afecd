"""Make .venv: what the bot runs on, and with `--tools` what it is developed with too.

The standard library alone: this runs before anything is installed.
"""

import fcntl
import hashlib
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
USED = VENV / "pyvenv.cfg"  # whoever runs a bot in it holds a shared lock on this file: see bot/cli/environment_lock.py
RUNNING = [ROOT / "scripts" / "deploy" / name for name in ("requirements.lock", "build.lock")]
DEVELOPING = [ROOT / "requirements.lock"]  # all of the others, at the same versions, and the tools
BASE = getattr(sys, "_base_executable", "") or sys.executable  # this may be run by what it will take away
STAMP = VENV / "made-from"  # three lines: the Python it is for and where; what it was installed from; TOOLS or nothing
TOOLS = "with the developers' tools"
MACHINES = {"Linux": ("x86_64", "aarch64", "arm64"), "Darwin": ("x86_64", "arm64")}

# What it says. `bot.core.texts` cannot be imported here: the standard library alone.
OTHER_MACHINE = (
    "runs on Linux or macOS, on x86-64 or arm64, and this is {system} on {machine}; on Windows use WSL 2 or the image"
)
BOT_LACKS_TOOLS = "a bot runs in .venv, which lacks what this needs; stop the bot, or use another checkout"
BOT_IS_OLDER = "a bot runs in .venv, which is older than this checkout; stop it, run this again, and start it"
VENV_IS_A_LINK = ".venv is a link, and what it leads to may be another checkout's; remove the link"
INSTALLING = "installing into .venv with Python {version} ({installer}); once, under a minute"
UV_FAILED = "uv could not; trying pip"
INSTALL_FAILED = "could not install: {command}"
NO_VENV = "this Python cannot make a .venv; install {package} (or python3-venv), with apt for example"


def main(wants_tools: bool) -> None:
    """Do nothing if .venv is as it should be; its stamp says what it was made from."""
    if is_made(wants_tools):
        return
    check_machine(platform.system(), platform.machine())
    with alone():  # of two at once, the second waits, and finds it done
        if is_made(wants_tools):
            return
        with unused() as is_free:
            if not is_free:
                leave_as_it_is(wants_tools)
                return
            has_tools = wants_tools or TOOLS in found()[2:]
            install(fresh=found()[:1] != stamp()[:1], locks=DEVELOPING if has_tools else RUNNING)
            STAMP.write_text("\n".join([*stamp(), TOOLS if has_tools else "", ""]))


def is_made(wants_tools: bool) -> bool:
    return found()[:2] == stamp() and (TOOLS in found()[2:] or not wants_tools)


def stamp() -> list[str]:
    read = b"".join(path.read_bytes() for path in [*RUNNING, *DEVELOPING, ROOT / "pyproject.toml"])
    return [f"{ROOT} {' '.join(sys.version.split())}", hashlib.sha256(read).hexdigest()]


def found() -> list[str]:
    return STAMP.read_text().splitlines() if STAMP.is_file() else []


def check_machine(system: str, machine: str) -> None:
    """Say in one line where the libraries are not made for this machine."""
    if machine not in MACHINES.get(system, ()):
        fail(OTHER_MACHINE.format(system=system, machine=machine))


@contextmanager
def unused() -> Iterator[bool]:
    """Whether no bot runs in .venv; none can begin to while this is entered."""
    if not USED.is_file():
        yield True
        return
    with USED.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True


def leave_as_it_is(wants_tools: bool) -> None:
    """Another environment under its feet would end a running bot: it goes on, and so does what runs beside it."""
    if wants_tools:
        fail(BOT_LACKS_TOOLS)
    tell(BOT_IS_OLDER)


@contextmanager
def alone() -> Iterator[None]:
    """The kernel frees this lock when its holder dies, so none is ever left behind."""
    with (ROOT / ".venv.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def install(*, fresh: bool, locks: list[Path]) -> None:
    """With uv where there is one, else with pip, or where uv cannot: each has its own configuration."""
    if fresh and VENV.is_symlink():
        fail(VENV_IS_A_LINK)
    STAMP.unlink(missing_ok=True)  # cut off half-way, the next start begins anew
    uv = shutil.which("uv")
    if uv is None:
        check_venv()
    tell(INSTALLING.format(version=sys.version.split()[0], installer="uv" if uv else "pip"))
    if uv and not failed(with_uv(uv, locks, fresh=fresh)):
        return
    if uv:
        check_venv()
        tell(UV_FAILED)
    if broken := failed(with_pip(locks, fresh=fresh or uv is not None)):
        fail(INSTALL_FAILED.format(command=" ".join(broken)))


def check_venv() -> None:
    if not (find_spec("venv") and find_spec("ensurepip")):
        package = f"python{sys.version_info[0]}.{sys.version_info[1]}-venv"
        fail(NO_VENV.format(package=package))


def with_uv(uv: str, locks: list[Path], *, fresh: bool) -> Iterator[list[str]]:
    cache = [] if os.access(os.path.expanduser("~"), os.W_OK) else ["--no-cache"]  # it fails where it cannot write one
    if fresh:
        shutil.rmtree(VENV, ignore_errors=True)
        yield [uv, "venv", "--quiet", *cache, "--python", BASE, str(VENV)]
    yield from packages([uv, "pip", "install", "--quiet", *cache, "--compile-bytecode", "--python", str(PYTHON)], locks)


def with_pip(locks: list[Path], *, fresh: bool) -> Iterator[list[str]]:
    if fresh:
        shutil.rmtree(VENV, ignore_errors=True)
        yield [BASE, "-m", "venv", str(VENV)]
    pip = [str(PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input"]
    yield from packages([*pip, "--compile"], locks)  # imports without bytecode take seconds


def packages(installer: list[str], locks: list[Path]) -> Iterator[list[str]]:
    yield [*installer, "--require-hashes", *(word for lock in locks for word in ("-r", str(lock)))]
    yield [*installer, "--no-deps", "--no-build-isolation", "-e", str(ROOT)]


def failed(commands: Iterator[list[str]]) -> list[str] | None:
    """Run them; the first that failed. Their words go to stderr: stdout belongs to the command that follows."""
    environment = {"UV_SYSTEM_CERTS": "1", **os.environ}  # a company's own certificates; pip looks there anyway
    for command in commands:
        if subprocess.run(command, stdin=subprocess.DEVNULL, stdout=sys.stderr, env=environment).returncode:
            return command
    return None


def fail(line: str) -> NoReturn:
    sys.exit(f"retinue: {line}")


def tell(line: str) -> None:
    sys.stderr.write(f"retinue: {line}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    main(sys.argv[1:] == ["--tools"])
