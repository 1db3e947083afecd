"""Make .venv with the libraries that the bot needs, and with `--tools` also the developers' tools.

This script uses only the standard library, because it runs before anything is installed.
"""

import fcntl
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
USED = VENV / "pyvenv.cfg"  # a bot that runs in .venv holds a shared lock on this file: see bot/cli/startup.py
RUNNING = [ROOT / "scripts" / "deploy" / name for name in ("requirements.lock", "build.lock")]
DEVELOPING = [ROOT / "requirements.lock"]  # the libraries in RUNNING, at the same versions, and the tools
BASE = getattr(sys, "_base_executable", "") or sys.executable  # not .venv's Python, which `install` may delete
STAMP = VENV / "made-from"  # three lines: the folder and the Python; a hash of what was installed; TOOLS or nothing
TOOLS = "with the developers' tools"
MACHINES = {"Linux": ("x86_64", "aarch64", "arm64"), "Darwin": ("x86_64", "arm64")}

# Messages. `bot.core.texts` cannot be imported here, because only the standard library is available.
OTHER_MACHINE = (
    "runs on Linux or macOS, on x86-64 or arm64, and this is {system} on {machine}; on Windows use WSL 2 or the image"
)
BOT_LACKS_TOOLS = "a bot runs in .venv, which lacks what this needs; stop the bot, or use another checkout"
BOT_IS_OLDER = "a bot runs in .venv, which is older than this checkout; stop it, run this again, and start it"
VENV_IS_A_LINK = ".venv is a link, and what it leads to may be another checkout's; remove the link"
INSTALLING = "installing the libraries into .venv (Python {version}, {installer}): once, and it takes about a minute"
INSTALLED = "installed in {seconds:.0f} s"
UV_FAILED = "uv could not; trying pip"
INSTALL_FAILED = "could not install: {command}"
NO_VENV = "this Python cannot make a .venv; install {package} (or python3-venv), with apt for example"


def main(wants_tools: bool) -> None:
    """Make .venv, or do nothing if its stamp is current."""
    if is_made(wants_tools):
        return
    check_machine(platform.system(), platform.machine())
    with alone():  # of two processes, the second waits, and then finds .venv made
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
    """End the process with a message if the libraries are not made for this machine."""
    if machine not in MACHINES.get(system, ()):
        fail(OTHER_MACHINE.format(system=system, machine=machine))


@contextmanager
def unused() -> Iterator[bool]:
    """Yield True if no running bot holds the lock on .venv. If there is a .venv, hold that lock meanwhile."""
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
    """Keep .venv, because a change would end the bot that runs in it. End the process if it lacks the wanted tools."""
    if wants_tools:
        fail(BOT_LACKS_TOOLS)
    tell(BOT_IS_OLDER)


@contextmanager
def alone() -> Iterator[None]:
    """Hold a lock so that only one process makes .venv. The kernel frees it when its holder dies."""
    with (ROOT / ".venv.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def install(*, fresh: bool, locks: list[Path]) -> None:
    """Install with uv. Use pip if uv is missing or fails: each has its own configuration. `fresh` makes a new .venv."""
    if fresh and VENV.is_symlink():
        fail(VENV_IS_A_LINK)
    STAMP.unlink(missing_ok=True)  # if this is cut off half-way, the next start begins again
    uv = shutil.which("uv")
    if uv is None:
        check_venv()
    tell(INSTALLING.format(version=sys.version.split()[0], installer="uv" if uv else "pip"))
    began = time.monotonic()
    if uv is None or failed(with_uv(uv, locks, fresh=fresh)):
        if uv:
            check_venv()
            tell(UV_FAILED)
        if broken := failed(with_pip(locks, fresh=fresh or uv is not None)):
            fail(INSTALL_FAILED.format(command=" ".join(broken)))
    tell(INSTALLED.format(seconds=time.monotonic() - began))


def check_venv() -> None:
    if not (find_spec("venv") and find_spec("ensurepip")):
        package = f"python{sys.version_info[0]}.{sys.version_info[1]}-venv"
        fail(NO_VENV.format(package=package))


def with_uv(uv: str, locks: list[Path], *, fresh: bool) -> Iterator[list[str]]:
    cache = [] if os.access(os.path.expanduser("~"), os.W_OK) else ["--no-cache"]  # uv fails if it cannot write one
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
    """Run the commands. Return the first that fails, or None. Output goes to stderr: the caller uses stdout."""
    environment = {"UV_SYSTEM_CERTS": "1", **os.environ}  # for a company's own certificates, as pip does by default
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
