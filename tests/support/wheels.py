"""A wheel of the project's tree, built as an installer builds it, and its contents."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
SOURCES = ("bot", "channels", "roles", "docs")
FILES = ("pyproject.toml", "setup.py", "README.md", "CHANGELOG.md", "LICENSE", "NOTICE", "config.json.example")
BUILD = "import sys, setuptools.build_meta as backend; print(backend.build_wheel(sys.argv[1]))"


def build(tree: Path, into: Path) -> Path:
    """Build the wheel of a tree from a copy. The tree's own files do not change."""
    copy = into / "sources"
    copied(tree, copy)
    command = [sys.executable, "-c", BUILD, str(into)]
    said = subprocess.run(command, cwd=copy, capture_output=True, text=True)
    assert said.returncode == 0, said.stderr
    shutil.rmtree(copy)
    [wheel] = into.glob("*.whl")
    return wheel


def copied(tree: Path, place: Path) -> None:
    ignored = shutil.ignore_patterns("__pycache__")
    for name in SOURCES:
        shutil.copytree(tree / name, place / name, ignore=ignored)
    for name in FILES:
        if (tree / name).exists():  # older releases have fewer
            shutil.copy(tree / name, place)


def unpack(wheel: Path, place: Path) -> Path:
    """Unpack a wheel into a folder, as pip does with --target. Its dependencies are those of this Python."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(place)
    return place
