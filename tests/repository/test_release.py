"""`scripts/release` on a scratch clone: if anything is not in order, branch and tags stay as they were."""

import hashlib
import json
import re
import runpy
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from bot.tenants import making_texts
from tests.support.wheels import FILES, REPOSITORY, SOURCES
from tests.tenants.test_image import ID

pytestmark = pytest.mark.timeout(120)
RELEASE = SimpleNamespace(**runpy.run_path(str(REPOSITORY / "scripts" / "release.py")))
NOTES = "### Upgrading\n- Nothing has to be done.\n\n### Added\n- Something.\n"
DOCKER = f"""#!/bin/sh
case "$1" in
    info) exit 0 ;;
    save) echo "the image" ; exit 0 ;;
    pull) exit 0 ;;
    image) echo "docker.io/library/python@{ID}" ; exit 0 ;;
esac
while [ $# -gt 1 ]; do
    case "$1" in --iidfile) printf %s {ID} > "$2" ;; esac
    shift
done
"""


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A repository of its own with this tree's files; no engine answers."""
    clone = tmp_path / "clone"
    for name in (*SOURCES, "scripts"):
        shutil.copytree(REPOSITORY / name, clone / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in (*FILES, ".gitignore"):
        shutil.copy(REPOSITORY / name, clone)
    changelog(clone, NOTES)
    for words in (
        ("init", "--quiet", "--initial-branch", "main"),
        ("config", "user.name", "Ann"),
        ("config", "user.email", "ann@example.org"),
        ("add", "--all"),
        ("commit", "--quiet", "--message", "All of it"),
    ):
        git(clone, *words)
    return clone


def changelog(clone: Path, notes: str) -> None:
    (clone / "CHANGELOG.md").write_text(f"# Changelog\n\n{RELEASE.UNRELEASED}\n\n{notes}")


def git(clone: Path, *words: str) -> str:
    said = subprocess.run(["git", "-C", clone, *words], capture_output=True, text=True, check=True)
    return said.stdout.strip()


def make(clone: Path, version: str, programs: Path | None = None) -> "subprocess.CompletedProcess[str]":
    git_itself = clone.parent / "git-alone"
    git_itself.mkdir(exist_ok=True)
    link = git_itself / "git"
    if not link.exists():
        link.symlink_to(shutil.which("git") or "")
    path = f"{programs}:/usr/bin:/bin" if programs else str(git_itself)
    command = [sys.executable, "-P", "scripts/release.py", version]
    return subprocess.run(command, cwd=clone, env={"PATH": path}, capture_output=True, text=True)


def test_a_release_is_a_commit_a_tag_and_files_with_their_sums(clone: Path) -> None:
    said = make(clone, "7.8.9")
    assert said.returncode == 0, said.stderr
    missing = [making_texts.NOT_INSTALLED(program=each) for each in ("docker", "podman")]
    no_engine = making_texts.NO_ENGINE(reasons="; ".join(missing))
    assert RELEASE.NO_IMAGE.format(error=no_engine) in said.stderr
    assert git(clone, "tag", "--list") == "v7.8.9"
    assert git(clone, "rev-parse", "v7.8.9^{commit}") == git(clone, "rev-parse", "main")
    assert "Nothing has to be done" in git(clone, "tag", "--list", "--format=%(contents)")
    text = (clone / "CHANGELOG.md").read_text()
    assert re.search(r"^## Unreleased\n\n## 7\.8\.9, \d{4}-\d\d-\d\d\n\n### Upgrading", text, re.MULTILINE)
    assert git(clone, "status", "--porcelain") == ""
    dist = {path.name: path.read_bytes() for path in (clone / "dist").iterdir()}
    sums = dict(line.split("  ")[::-1] for line in dist.pop("SHA256SUMS").decode().splitlines())
    assert sums == {name: hashlib.sha256(content).hexdigest() for name, content in dist.items()}
    assert sorted(dist) == ["retinue-7.8.9-py3-none-any.whl", "retinue-7.8.9.sbom.json"]
    with zipfile.ZipFile(clone / "dist" / "retinue-7.8.9-py3-none-any.whl") as wheel:
        assert b"Version: 7.8.9\n" in wheel.read("retinue-7.8.9.dist-info/METADATA")


def test_the_list_of_parts_names_every_package_that_is_installed(clone: Path) -> None:
    locks = [clone / each for each in RELEASE.LOCKS]
    listed = RELEASE.parts("7.8.9", locks)
    locked = {each for lock in locks for each in re.findall(r"(?m)^([a-z0-9-]+==[^ ;]+)", lock.read_text())}
    components = json.loads(json.dumps(listed))["components"]
    assert {f"{each['name']}=={each['version']}" for each in components} == locked
    assert all(each["purl"] == f"pkg:pypi/{each['name']}@{each['version']}" for each in components)


def test_the_image_is_part_of_a_release_if_an_engine_answers(clone: Path) -> None:
    programs = clone.parent / "programs"
    programs.mkdir()
    (programs / "docker").write_text(DOCKER)
    (programs / "docker").chmod(0o755)
    said = make(clone, "7.8.9", programs)
    assert said.returncode == 0, said.stderr
    assert (clone / "dist" / "retinue-7.8.9-image.tar.gz").is_file()
    assert "VERSION=7.8.9" in said.stderr
    assert f"BASE=docker.io/library/python@{ID}" in said.stderr


@pytest.mark.parametrize(
    ("version", "spoil", "says"),
    [
        ("7.8", lambda clone: None, RELEASE.NAME_THE_VERSION),
        ("0.0.1", lambda clone: git(clone, "tag", "v0.1.0"), RELEASE.NOT_NEWER.format(version="0.0.1", last="0.1.0")),
        ("7.8.9", lambda clone: (clone / "README.md").write_text("changed"), RELEASE.TREE_NOT_CLEAN),
        (
            "7.8.9",
            lambda clone: recommitted(clone, "### Added\n- Something.\n"),
            RELEASE.NO_UPGRADING.format(upgrading=RELEASE.UPGRADING, heading=RELEASE.UNRELEASED),
        ),
        ("7.8.9", lambda clone: recommitted(clone, ""), RELEASE.NO_NOTES.format(heading=RELEASE.UNRELEASED)),
        ("7.8.9", lambda clone: broken(clone), RELEASE.NO_WHEEL.format(reason="")),
    ],
    ids=["no version", "not newer", "not clean", "no word on upgrading", "no notes", "no wheel"],
)
def test_a_fault_before_a_release_changes_nothing(clone: Path, version: str, spoil: object, says: str) -> None:
    assert callable(spoil)
    spoil(clone)
    before = git(clone, "rev-parse", "main"), git(clone, "tag", "--list"), git(clone, "worktree", "list")
    said = make(clone, version)
    assert said.returncode == 1
    assert says in said.stderr
    assert (git(clone, "rev-parse", "main"), git(clone, "tag", "--list"), git(clone, "worktree", "list")) == before
    assert not [*clone.glob("dist/*")]


def recommitted(clone: Path, notes: str) -> None:
    changelog(clone, notes)
    git(clone, "commit", "--all", "--quiet", "--message", "Other notes")


def broken(clone: Path) -> None:
    (clone / "setup.py").write_text("raise SystemExit('no')\n")
    git(clone, "commit", "--all", "--quiet", "--message", "Broken")
