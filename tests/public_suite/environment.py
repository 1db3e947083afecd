"""The suite's own environment in the cache folder. Nothing of it is ever a dependency of the project."""

import os
import subprocess
import venv
from pathlib import Path

SUITE = "agentdojo==0.1.35"
# What its tasks and tools import. It names 170 packages, most of them for models of its own, which are not used here.
NEEDED = ("deepdiff==9.1.0", "docstring-parser==0.18.0", "pydantic[email]==2.14.4", "pyyaml==6.0.4")
INSTALL_SECONDS = 600
SERVER = ("-m", "tests.public_suite.suite_server")  # for its Python


class NotInstalled(Exception):
    """The suite cannot be had here. The text says why."""


def environment_folder() -> Path:
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "retinue-public-suite" / SUITE.replace("==", "-")


def find_suite_python() -> Path | None:
    """Return the Python of the suite's environment, if that is complete."""
    folder = environment_folder()
    return folder / "bin" / "python" if (folder / "complete").exists() else None


def install_suite() -> Path:
    """Return the Python of the suite's environment. It is made once, and stays for the next run."""
    if found := find_suite_python():
        return found
    folder = environment_folder()
    try:
        venv.create(folder, with_pip=True, clear=True)
        pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        for words in (["--no-deps", SUITE], NEEDED):
            subprocess.run([*pip, *words], check=True, capture_output=True, text=True, timeout=INSTALL_SECONDS)
    except subprocess.CalledProcessError as error:
        raise NotInstalled(str(error.stderr or error).strip()) from None
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NotInstalled(str(error)) from None
    (folder / "complete").touch()
    return folder / "bin" / "python"
