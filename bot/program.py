"""The names that this program's commands can be typed by: what is printed for an operator can be pasted."""

import os
import shlex
import shutil
import sys
from pathlib import Path

NAME = "retinue"
TENANTS = "retinue-tenants"
HERE = Path(__file__).resolve().parents[1]  # a checkout of the project, or the folder of installed packages
SCRIPTS = HERE / "scripts"
IS_CHECKOUT = (SCRIPTS / "run").is_file()


def command(words: str = "") -> str:
    """Return `retinue WORDS` if our own `retinue` is on PATH, else the same by the name that it can be called by."""
    return f"{name()} {words}".rstrip()


def name() -> str:
    if is_on_path(NAME):
        return NAME
    if IS_CHECKOUT:
        return script("run")
    return called()


def script(word: str, folder: Path = SCRIPTS) -> str:
    """Return how a script of the checkout, or the same command of an installed package, is called from here."""
    if IS_CHECKOUT:
        path = folder / word
        is_beside = Path.cwd() == HERE
        return shlex.quote(str(path.relative_to(HERE) if is_beside else path))
    return f"{TENANTS if is_on_path(TENANTS) else shlex.quote(str(installed(TENANTS)))} {word}"


def called() -> str:
    """Return what this process was called by."""
    path = Path(sys.argv[0])
    if path.name == "__main__.py":
        return f"{shlex.quote(sys.executable)} -m {path.parent.name}"
    if path.name == NAME and path.exists():
        return shlex.quote(str(path.absolute()))
    return shlex.quote(str(installed(NAME)))


def is_on_path(word: str) -> bool:
    """Return True if that word starts this very installation, and no other one."""
    found = shutil.which(word)
    ours = installed(word)
    return found is not None and ours.exists() and os.path.samefile(found, ours)


def installed(word: str) -> Path:
    """Return the path of a command beside the Python that runs this."""
    return Path(sys.executable).parent / word
