"""Make .venv as requirements.lock says. The standard library alone: this runs before anything is installed."""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
LOCK = ROOT / "requirements.lock"
STAMP = VENV / "made-from"  # two lines: the Python it is for and where; what it was installed from


def main() -> None:
    """Do nothing if .venv is as it should be; its stamp says what it was made from."""
    wanted = stamp()
    if found() == wanted:
        return
    with alone():  # of two at once, the second waits, and finds it done
        if found() != wanted:
            install(fresh=found().partition("\n")[0] != wanted.partition("\n")[0])
            STAMP.write_text(wanted)


def stamp() -> str:
    sources = hashlib.sha256(LOCK.read_bytes() + (ROOT / "pyproject.toml").read_bytes())
    return f"{ROOT} {' '.join(sys.version.split())}\n{sources.hexdigest()}\n"


def found() -> str:
    return STAMP.read_text() if STAMP.is_file() else ""


@contextmanager
def alone() -> Iterator[None]:
    """The kernel frees this lock when its holder dies, so none is ever left behind."""
    with (ROOT / ".venv.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def install(*, fresh: bool) -> None:
    """With uv where there is one, else with pip, or where uv cannot: each has its own configuration."""
    if fresh and VENV.is_symlink():
        sys.exit("retinue: .venv is a link, and what it leads to may be another checkout's; remove the link")
    STAMP.unlink(missing_ok=True)  # cut off half-way, the next start begins anew
    uv = shutil.which("uv")
    if uv is None:
        check_venv()
    tell(f"installing into .venv with Python {sys.version.split()[0]} ({'uv' if uv else 'pip'}); once, under a minute")
    if uv and not failed(with_uv(uv, fresh=fresh)):
        return
    if uv:
        check_venv()
        tell("uv could not; trying pip")
    if broken := failed(with_pip(fresh=fresh or uv is not None)):
        sys.exit(f"retinue: could not install: {' '.join(broken)}")


def check_venv() -> None:
    if not (find_spec("venv") and find_spec("ensurepip")):
        package = f"python{sys.version_info[0]}.{sys.version_info[1]}-venv"
        sys.exit(f"retinue: this Python cannot make a .venv; install {package} (or python3-venv), with apt for example")


def with_uv(uv: str, *, fresh: bool) -> Iterator[list[str]]:
    cache = [] if os.access(os.path.expanduser("~"), os.W_OK) else ["--no-cache"]  # it fails where it cannot write one
    if fresh:
        shutil.rmtree(VENV, ignore_errors=True)
        yield [uv, "venv", "--quiet", *cache, "--python", sys.executable, str(VENV)]
    yield from packages([uv, "pip", "install", "--quiet", *cache, "--compile-bytecode", "--python", str(PYTHON)])


def with_pip(*, fresh: bool) -> Iterator[list[str]]:
    if fresh:
        shutil.rmtree(VENV, ignore_errors=True)
        yield [sys.executable, "-m", "venv", str(VENV)]
    pip = [str(PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input"]
    yield from packages([*pip, "--compile"])  # imports without bytecode take seconds


def packages(installer: list[str]) -> Iterator[list[str]]:
    yield [*installer, "--require-hashes", "-r", str(LOCK)]
    yield [*installer, "--no-deps", "--no-build-isolation", "-e", str(ROOT)]


def failed(commands: Iterator[list[str]]) -> list[str] | None:
    """Run them; the first that failed. Their words go to stderr: stdout belongs to the command that follows."""
    environment = {"UV_SYSTEM_CERTS": "1", **os.environ}  # a company's own certificates; pip looks there anyway
    for command in commands:
        if subprocess.run(command, stdin=subprocess.DEVNULL, stdout=sys.stderr, env=environment).returncode:
            return command
    return None


def tell(line: str) -> None:
    sys.stderr.write(f"retinue: {line}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    main()
