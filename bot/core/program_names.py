"""The names of this program's commands, in a form that an operator can paste into a shell."""

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

PROGRAM_NAME = "retinue"
TENANTS_PROGRAM_NAME = "retinue-tenants"
PROJECT_FOLDER = Path(__file__).resolve().parents[2]  # a checkout of the project, or the folder of installed packages
SCRIPTS_FOLDER = PROJECT_FOLDER / "scripts"
IS_CHECKOUT = (SCRIPTS_FOLDER / "run").is_file()


def retinue_command(words: str = "") -> str:
    """Return `retinue WORDS` if our own `retinue` is on PATH, else the same command by a name that works here."""
    return f"{retinue_program_to_call()} {words}".rstrip()


def retinue_program_to_call() -> str:
    """Return `retinue` if our own is on PATH, else the script of a checkout, else how this process was called."""
    if is_own_program_on_path(PROGRAM_NAME):
        return PROGRAM_NAME
    if IS_CHECKOUT:
        return script_command("run")
    called_by = Path(sys.argv[0])
    if called_by.name == "__main__.py":
        return f"{shlex.quote(sys.executable)} -m {called_by.parent.name}"
    if called_by.name == PROGRAM_NAME and called_by.exists():
        return shlex.quote(str(called_by.absolute()))
    return shlex.quote(str(path_beside_python(PROGRAM_NAME)))


def script_command(word: str, folder: Path = SCRIPTS_FOLDER) -> str:
    """Return how to call a script of the checkout from here, or the same command of an installed package."""
    if IS_CHECKOUT:
        path = folder / word
        is_beside = Path.cwd() == PROJECT_FOLDER
        return shlex.quote(str(path.relative_to(PROJECT_FOLDER) if is_beside else path))
    if is_own_program_on_path(TENANTS_PROGRAM_NAME):
        return f"{TENANTS_PROGRAM_NAME} {word}"
    return f"{shlex.quote(str(path_beside_python(TENANTS_PROGRAM_NAME)))} {word}"


def is_own_program_on_path(word: str) -> bool:
    """Return True if that word starts this installation, and not another one."""
    found = shutil.which(word)
    ours = path_beside_python(word)
    return found is not None and ours.exists() and os.path.samefile(found, ours)


def path_beside_python(word: str) -> Path:
    return Path(sys.executable).parent / word


def git_revision(checkout: Path) -> str:
    """Return the commit, with "-changed" if files differ from it; empty if git cannot tell."""
    git = ["git", "-C", str(checkout)]
    try:
        head = subprocess.run([*git, "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True, check=True)
        changed = subprocess.run([*git, "status", "--porcelain"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return head.stdout.strip() + ("-changed" if changed.stdout.strip() else "")
