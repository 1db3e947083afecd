"""Make a release of what is checked out: `scripts/release X.Y.Z`.

1. Look: the tree is clean, the version is newer than every tag, and the changelog has notes, also on upgrading.
2. Write, in a tree beside this one: the version, the changelog's heading, and a commit with both.
3. Build from that commit into dist/: the wheel, the list of its parts (SBOM), the image if an engine answers, and
   SHA256SUMS over them all.
4. Only then move the branch to that commit, and tag it. A failure before that leaves the branch and tags as they were.

Nothing is pushed or uploaded. The last line says how to push.
"""

import gzip
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # Python's `-P` leaves it out
from bot.core.errors import ConfigError  # noqa: E402
from bot.tenants import image  # noqa: E402

VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+)", re.ASCII)
UNRELEASED, UPGRADING = "## Unreleased", "### Upgrading"
BUILD = "import sys, setuptools.build_meta as backend; backend.build_wheel(sys.argv[1])"
LOCKS = [Path("scripts/deploy/requirements.lock"), Path("scripts/deploy/image.lock")]

# Messages

NAME_THE_VERSION = "name the version: scripts/release X.Y.Z"
TREE_NOT_CLEAN = "the tree is not clean; commit or stash first"
NOT_NEWER = "{version} is not newer than the last release, {last}"
NO_NOTES = "CHANGELOG.md has nothing under {heading!r}"
NO_UPGRADING = (
    "CHANGELOG.md has no {upgrading!r} under {heading!r}: say what an operator has to do, or that it is nothing"
)
NOT_ONCE = "{name}: {pattern} stands there {count} times, not once"
NO_WHEEL = "the wheel could not be built: {reason}"
NO_IMAGE = "no image is part of this release: {error}"
IMAGE_NOT_SAVED = "the image could not be saved"
NO_DIGEST = "the base {image} has no digest here: {reason}"
NOTHING_PULLED = "nothing was pulled"
GIT_FAILED = "git {command}: {reason}"
TAGGED = "Tagged v{version}. Look at it, then: git push --follow-tags"


def main(words: list[str]) -> None:
    if words in (["--help"], ["-h"]):
        print(__doc__)
        return
    if len(words) != 1 or not VERSION.fullmatch(words[0]):
        fail(NAME_THE_VERSION)
    version = words[0]
    notes = look(version)
    with tree() as place:
        commit = write(place, version, notes)
        dist = ROOT / "dist"
        dist.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=dist, prefix=".making-") as folder:
            made = Path(folder)
            build(place, made, commit)
            (made / f"retinue-{version}.sbom.json").write_text(
                json.dumps(parts(version, [place / each for each in LOCKS]), indent=1) + "\n"
            )
            save_image(place, made, version)
            write_sums(made)
            for path in sorted(made.iterdir()):
                path.replace(dist / path.name)
                print(dist / path.name)
    git("merge", "--quiet", "--ff-only", commit)
    git("tag", "--annotate", "--message", f"Retinue {version}\n\n{notes}", f"v{version}", commit)
    print(TAGGED.format(version=version))


def look(version: str) -> str:
    """Return the changelog's notes on this release. End the process if the tree, version or changelog is not ready."""
    if git("status", "--porcelain"):
        fail(TREE_NOT_CLEAN)
    tags = git("tag", "--list", "v*").split()
    newest = max((numbers(tag[1:]) for tag in tags if VERSION.fullmatch(tag[1:])), default=(0, 0, 0))
    if numbers(version) <= newest:
        fail(NOT_NEWER.format(version=version, last=".".join(map(str, newest))))
    notes = between((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), UNRELEASED, "\n## ").strip()
    if not notes:
        fail(NO_NOTES.format(heading=UNRELEASED))
    if not between(f"{notes}\n", UPGRADING, "\n### ").strip():
        fail(NO_UPGRADING.format(upgrading=UPGRADING, heading=UNRELEASED))
    return notes


def numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def between(text: str, heading: str, end: str) -> str:
    """Return the text between the heading's line and the next `end`."""
    return text.partition(f"{heading}\n")[2].partition(end)[0]


@contextmanager
def tree() -> Iterator[Path]:
    """Yield a temporary worktree at the commit that is checked out."""
    with tempfile.TemporaryDirectory(prefix="retinue-release-") as folder:
        place = Path(folder) / "tree"
        git("worktree", "add", "--quiet", "--detach", str(place), "HEAD")
        try:
            yield place
        finally:
            git("worktree", "remove", "--force", str(place))


def write(place: Path, version: str, notes: str) -> str:
    """Commit the version and the changelog's heading in `place`. Return the hash of the commit."""
    replace(place / "pyproject.toml", r'(?m)^version = ".*"$', f'version = "{version}"')
    heading = f"{UNRELEASED}\n\n## {version}, {datetime.now(UTC):%Y-%m-%d}"
    replace(place / "CHANGELOG.md", f"(?m)^{UNRELEASED}$", heading)
    git("add", "pyproject.toml", "CHANGELOG.md", place=place)
    git("commit", "--quiet", "--message", f"Release {version}", place=place)
    return git("rev-parse", "HEAD", place=place)


def replace(path: Path, pattern: str, text: str) -> None:
    changed, count = re.subn(pattern, lambda _: text, path.read_text(encoding="utf-8"))
    if count != 1:
        fail(NOT_ONCE.format(name=path.name, pattern=pattern, count=count))
    path.write_text(changed, encoding="utf-8")


def build(place: Path, into: Path, commit: str) -> None:
    """Build the wheel. Its files have the commit's time, so that a second build makes the same bytes."""
    environment = {**os.environ, "SOURCE_DATE_EPOCH": git("show", "--no-patch", "--format=%ct", commit)}
    command = [sys.executable, "-c", BUILD, str(into)]
    said = subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True)
    if said.returncode:
        fail(NO_WHEEL.format(reason=said.stderr.strip().splitlines()[-1]))
    shutil.rmtree(place / "build", ignore_errors=True)


def parts(version: str, locks: list[Path]) -> dict[str, object]:
    """Return the packages of the image and of the users' environment, as a CycloneDX document."""
    text = "\n".join(lock.read_text(encoding="utf-8") for lock in locks)
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": component("retinue", version, "application")},
        "components": [component(*each) for each in re.findall(r"^([a-z0-9-]+)==([^ ;]+)", text, re.MULTILINE)],
    }


def component(name: str, version: str, kind: str = "library") -> dict[str, str]:
    place = f"pkg:pypi/{name}@{version}"
    return {"type": kind, "bom-ref": place, "name": name, "version": version, "purl": place}


def save_image(place: Path, into: Path, version: str) -> None:
    try:
        program = image.find_container_engine()
    except ConfigError as error:
        print(NO_IMAGE.format(error=error), file=sys.stderr)
        return
    try:
        base = by_digest(program, usual_base(place))
        made = image.build_image(place, lambda line: print(line, file=sys.stderr), base=base)
    except ConfigError as error:
        fail(str(error))
    with (
        gzip.open(into / f"retinue-{version}-image.tar.gz", "wb") as file,
        subprocess.Popen([*program, "save", made], stdout=subprocess.PIPE) as saving,
    ):
        assert saving.stdout is not None
        shutil.copyfileobj(saving.stdout, file)
    if saving.returncode:
        fail(IMAGE_NOT_SAVED)


def usual_base(place: Path) -> str:
    [name] = re.findall(r"(?m)^ARG BASE=(\S+)$", (place / image.CONTAINERFILE).read_text(encoding="utf-8"))
    return str(name)


def by_digest(program: list[str], name: str) -> str:
    """Pull the image. Return its name with its digest, because a tag may change. Raise ConfigError on failure."""
    pulled = subprocess.run([*program, "pull", "--quiet", name], capture_output=True, text=True)
    look = [*program, "image", "inspect", "--format", "{{index .RepoDigests 0}}", name]
    found = subprocess.run(look, capture_output=True, text=True).stdout.strip()
    if pulled.returncode or not re.fullmatch(r"\S+@sha256:[0-9a-f]{64}", found):
        said = pulled.stderr.strip() or found or NOTHING_PULLED
        raise ConfigError(NO_DIGEST.format(image=name, reason=said))
    return found


def write_sums(folder: Path) -> None:
    """Write SHA256SUMS for the files in the folder, as `sha256sum --check` reads it."""
    sums = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in sorted(folder.iterdir())]
    (folder / "SHA256SUMS").write_text("".join(sums))


def git(*words: str, place: Path = ROOT) -> str:
    said = subprocess.run(["git", "-C", str(place), *words], capture_output=True, text=True)
    if said.returncode:
        fail(GIT_FAILED.format(command=words[0], reason=said.stderr.strip()))
    return said.stdout.strip()


def fail(text: str) -> NoReturn:
    sys.exit(f"release: {text}")


if __name__ == "__main__":
    main(sys.argv[1:])
