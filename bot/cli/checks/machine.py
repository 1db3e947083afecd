"""What can be seen on this machine: versions, folders, who may read what."""

import os
import platform
import pwd
import shlex
import shutil
import stat
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

from bot.cli.checks import Finding, State, ok, warning, wrong
from bot.cli.condition import LEAST_BYTES
from bot.config import Config, Loaded, exposure
from bot.store import lock, review
from bot.tools.beneath import best, by_kernel

OTHERS = stat.S_IRWXG | stat.S_IRWXO
PEOPLE = 1_000  # user ids below are services', whose homes are no secret
MOST_NAMES = 5_000  # that are looked at in a workspace
SECRETS = (
    ".ssh .gnupg .aws .azure .kube .docker .netrc .pgpass .npmrc .pypirc .git-credentials .password-store .env"
    " id_rsa id_dsa id_ecdsa id_ed25519 credentials credentials.json secrets secrets.json secrets.yaml secrets.yml"
    " secrets.toml wallet.dat"
)
SECRET_NAMES = frozenset(SECRETS.split())
SECRET_ENDINGS = (".pem", ".key", ".p12", ".pfx", ".jks", ".kdbx", ".keytab", ".ppk")


def versions() -> Iterator[Finding]:
    found = f"python {platform.python_version()}, sqlite {review.sqlite_version()}"
    if review.is_sqlite_too_old():
        yield wrong(f"versions: {found}", "install a Python with SQLite 3.35 or newer")
    else:
        yield ok(f"versions: {found}")


def data_folder(folder: Path) -> Iterator[Finding]:
    name = "data folder"
    faults = [*of_folder(name, "data_dir", folder)]
    yield from faults
    if not folder.is_dir() or any(each.state is State.WRONG for each in faults):
        return
    open_ones = [path for path in (folder, folder / "bot.db") if path.exists() and path.stat().st_mode & OTHERS]
    for path in open_ones:
        mode = 0o700 if path.is_dir() else 0o600
        text = f"{name}: others on this machine may look into {path}"
        yield warning(text, f"chmod {mode:o} {shlex.quote(str(path))}", partial(path.chmod, mode))
    free = shutil.disk_usage(folder).free
    if free < LEAST_BYTES:
        yield wrong(f"{name}: only {free / 1e6:.0f} MB are free there", "make room on that disk")
    elif not open_ones:
        yield ok(f"{name}: {folder}, {free / 1e9:.1f} GB free")


def workspace(folder: Path) -> Iterator[Finding]:
    faults = [*of_folder("workspace", "workspace", folder)]
    yield from faults
    if not faults:
        yield ok(f"workspace: {folder}")


def of_folder(name: str, key: str, folder: Path) -> Iterator[Finding]:
    """Whether the bot can write there, or make it at its first start."""
    if not os.path.lexists(folder):
        above = next(each for each in folder.parents if os.path.lexists(each))
        if above.is_dir() and os.access(above, os.W_OK | os.X_OK):
            text = f"{name}: {folder} is not there yet, and is made at the first start"
            make = partial(folder.mkdir, mode=0o700, parents=True)
            yield Finding(state=State.OK, text=text, mend=make)
        else:
            yield wrong(f"{name}: {above} takes no new folder", f"set {key}, or mend the rights of that folder")
    elif not folder.is_dir():
        yield wrong(f"{name}: {folder} is no folder", f"set {key} to another one, or move that away")
    elif not os.access(folder, os.W_OK | os.X_OK):
        remedy = f"chown it to the user of the bot: {user()}"
        is_ours = folder.stat().st_uid == os.getuid()
        yield wrong(f"{name}: nothing can be written in {folder}", remedy, partial(own, folder) if is_ours else None)


def own(path: Path) -> None:
    path.chmod(path.stat().st_mode | stat.S_IRWXU)


def shut_others_out(path: Path) -> None:
    path.chmod(path.stat().st_mode & ~stat.S_IRWXO)


def holder(folder: Path) -> Iterator[Finding]:
    process = lock.holder(folder)
    yield ok(f"process: {f'the bot runs as process {process}' if process else 'no bot is running here'}")


def secrets(loaded: Loaded) -> Iterator[Finding]:
    """The loading of the settings refuses files that everybody can read."""
    folders = [folder for _, folder in loaded.secrets if folder.is_dir()]
    files = [path for folder in folders for path in folder.iterdir() if path.is_file()]
    shared = [path for path in files if path.stat().st_mode & OTHERS]
    for path in shared:
        remedy = f"chmod 600 {shlex.quote(str(path))}, unless that is meant"
        yield warning(f"secrets: the group may read {path}", remedy, partial(path.chmod, 0o600))
    if loaded.path and exposure.is_shared(loaded):
        remedy = f"chmod 600 {shlex.quote(str(loaded.path))}"
        yield wrong(
            f"secrets: others may read {loaded.path}, which holds one", remedy, partial(loaded.path.chmod, 0o600)
        )
    elif not shared:
        count = f"{len(files)} file{'s' * (len(files) != 1)}, for their owner alone" if files else "in no files"
        yield ok(f"secrets: {count}")


def addresses(config: Config) -> Iterator[Finding]:
    for key, url in exposure.sent_in_clear(config):
        yield warning(f"network: {exposure.in_clear(key, url)}", "or keep it to one machine")


def workspaces(folders: Mapping[str, Path]) -> Iterator[Finding]:
    """Roles read and write there, so it should be a folder for that alone. `folders` by what each is called."""
    for name, folder in folders.items():
        if is_home(folder):
            text = f"{name}: {folder} is a home folder, and whoever may talk to the bot can read what is in it"
            yield warning(text, "set it to a folder of its own")
        elif found := secret_in(folder):
            text = f"{name}: {found} looks like a secret, and whoever may talk to the bot can read it"
            yield warning(text, "move it to a folder outside")


def is_home(folder: Path) -> bool:
    """Whether it is somebody's home folder on this machine, or lies above one."""
    here = folder.resolve()
    homes = {Path.home().resolve(), *(Path(each.pw_dir).resolve() for each in pwd.getpwall() if each.pw_uid >= PEOPLE)}
    return any(home.is_relative_to(here) for home in homes if home != Path("/"))


def secret_in(folder: Path) -> Path | None:
    """The first name that a secret usually has, in the folder or in those right below it."""
    looked = 0
    below = [folder]
    for place in below:
        for path in sorted(place.iterdir()) if place.is_dir() else ():
            looked += 1
            if looked > MOST_NAMES:
                return None
            name = path.name.casefold()
            if name in SECRET_NAMES or name.endswith(SECRET_ENDINGS):
                return path
            if place is folder and path.is_dir() and not path.is_symlink():
                below.append(path)
    return None


def file_tools() -> Iterator[Finding]:
    how = "the kernel" if best() is by_kernel else "walking link by link, for want of openat2"
    searching = "ripgrep" if shutil.which("rg") else "Python, for want of ripgrep"
    yield ok(f"file tools: kept in the workspace by {how}; searched by {searching}")


def user() -> str:
    return str(os.getuid())
