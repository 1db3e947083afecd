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
    STAMP.unlink(missing_ok=True)  # cut off half-way, the next start begins anew
    uv = shutil.which("uv")
    if not uv:
        check_venv()
    tell(f"installing into .venv with Python {sys.version.split()[0]} ({'uv' if uv else 'pip'}); once, under a minute")
    if fresh:
        shutil.rmtree(VENV, ignore_errors=True)
        make(uv)
    command = installer(uv)
    run([*command, "--require-hashes", "-r", str(LOCK)])
    run([*command, "--no-deps", "--no-build-isolation", "-e", str(ROOT)])


def make(uv: str | None) -> None:
    if uv:
        run([uv, "venv", "--quiet", *cache(), "--python", sys.executable, str(VENV)])
    else:
        run([sys.executable, "-m", "venv", str(VENV)])


def check_venv() -> None:
    if not (find_spec("venv") and find_spec("ensurepip")):
        package = f"python{sys.version_info[0]}.{sys.version_info[1]}-venv"
        sys.exit(f"retinue: this Python cannot make a .venv; install {package} (or python3-venv), with apt for example")


def installer(uv: str | None) -> list[str]:
    """The command that installs into .venv, and compiles what it installs: an import without bytecode takes seconds."""
    python = str(VENV / "bin" / "python")
    if uv:
        return [uv, "pip", "install", "--quiet", *cache(), "--compile-bytecode", "--python", python]
    return [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input", "--compile"]


def cache() -> list[str]:
    """For uv, which fails where it cannot write its cache."""
    return [] if os.access(os.path.expanduser("~"), os.W_OK) else ["--no-cache"]


def run(command: list[str]) -> None:
    """Run one step. Its words go to stderr: stdout belongs to the command that follows."""
    if status := subprocess.run(command, stdin=subprocess.DEVNULL, stdout=sys.stderr).returncode:
        sys.exit(f"retinue: could not install (exit status {status}): {' '.join(command)}")


def tell(line: str) -> None:
    sys.stderr.write(f"retinue: {line}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    main()
