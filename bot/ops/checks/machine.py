"""Check this machine: versions, folders, and which files other users may read."""

import os
import platform
import pwd
import shlex
import shutil
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from bot.config import Config, LoadedConfig, exposure
from bot.core.findings import CheckFinding, CheckState, ok_finding, warning_finding, wrong_finding
from bot.ops.audit.ownership import may_be_mended, set_mode
from bot.ops.checks import texts
from bot.ops.folder_holder import find_folder_of_running_bot
from bot.ops.health import MIN_FREE_DISK_BYTES
from bot.store import chat_reader, folder_lock
from bot.tools.path_sandbox import best_folder_opener, open_folder_by_kernel

GROUP_AND_OTHERS_PERMISSIONS = stat.S_IRWXG | stat.S_IRWXO
FIRST_HUMAN_UID = 1_000  # smaller user ids belong to services, whose homes are not secret
MAX_CHECKED_PATHS_PER_WORKSPACE = 5_000
SPACE_SEPARATED_SECRET_FILE_NAMES = (
    ".ssh .gnupg .aws .azure .kube .docker .netrc .pgpass .npmrc .pypirc .git-credentials .password-store .env"
    " id_rsa id_dsa id_ecdsa id_ed25519 credentials credentials.json secrets secrets.json secrets.yaml secrets.yml"
    " secrets.toml wallet.dat"
)
SECRET_FILE_NAMES = frozenset(SPACE_SEPARATED_SECRET_FILE_NAMES.split())
SECRET_FILE_ENDINGS = (".pem", ".key", ".p12", ".pfx", ".jks", ".kdbx", ".keytab", ".ppk")


def check_python_and_sqlite() -> Iterator[CheckFinding]:
    found = texts.VERSIONS(python=platform.python_version(), sqlite=chat_reader.SQLITE_VERSION)
    yield wrong_finding(found, texts.NEWER_SQLITE) if chat_reader.IS_SQLITE_TOO_OLD else ok_finding(found)


def check_data_folder(folder: Path) -> Iterator[CheckFinding]:
    faults = [*check_folder_is_writable("data folder", "data_dir", folder)]
    yield from faults
    if not folder.is_dir() or any(each.state is CheckState.WRONG for each in faults):
        return
    modes = {folder: 0o700, folder / "bot.db": 0o600}
    open_ones = [path for path in modes if path.exists() and path.stat().st_mode & GROUP_AND_OTHERS_PERMISSIONS]
    for path in open_ones:
        remedy = texts.CHANGE_MODE(mode=modes[path], path=shlex.quote(str(path)))
        yield warning_finding(texts.DATA_FOLDER_SHARED(path=path), remedy, fix_of_mode(path, modes[path]))
    free = shutil.disk_usage(folder).free
    if free < MIN_FREE_DISK_BYTES:
        yield wrong_finding(texts.LITTLE_ROOM(megabytes=free / 1e6), texts.MAKE_ROOM)
    elif not open_ones:
        yield ok_finding(texts.DATA_FOLDER(folder=folder, gigabytes=free / 1e9))


def fix_of_mode(path: Path, mode: int) -> Callable[[], None] | None:
    """Return what sets the mode of a path; None for a link, which may lead to a file elsewhere."""
    seen = path.stat()
    return partial(set_mode, path, mode, seen) if may_be_mended(path, seen) else None


def check_workspace_folder(folder: Path) -> Iterator[CheckFinding]:
    faults = [*check_folder_is_writable("workspace", "workspace", folder)]
    yield from faults
    if not faults:
        yield ok_finding(texts.WORKSPACE(folder=folder))


def check_folder_is_writable(name: str, key: str, folder: Path) -> Iterator[CheckFinding]:
    if not os.path.lexists(folder):
        above = next(each for each in folder.parents if os.path.lexists(each))
        if above.is_dir() and os.access(above, os.W_OK | os.X_OK):
            make = partial(folder.mkdir, mode=0o700, parents=True)
            yield replace(ok_finding(texts.FOLDER_NOT_YET(name=name, folder=folder)), apply_fix=make)
        else:
            yield wrong_finding(texts.NO_NEW_FOLDER(name=name, folder=above), texts.SET_OR_MEND(key=key))
    elif not folder.is_dir():
        yield wrong_finding(texts.NO_FOLDER(name=name, folder=folder), texts.SET_OR_MOVE(key=key))
    elif not os.access(folder, os.W_OK | os.X_OK):
        found, us = folder.stat(), os.getuid()
        apply_fix = partial(folder.chmod, found.st_mode | stat.S_IRWXU) if found.st_uid == us else None
        yield wrong_finding(texts.FOLDER_NOT_WRITABLE(name=name, folder=folder), texts.CHANGE_OWNER(user=us), apply_fix)


def check_running_process(folder: Path) -> Iterator[CheckFinding]:
    process = folder_lock.find_lock_holder(find_folder_of_running_bot(folder) or folder)
    yield ok_finding(texts.PROCESS_RUNS(process=process) if process else texts.NO_PROCESS)


def check_secret_file_permissions(loaded: LoadedConfig) -> Iterator[CheckFinding]:
    """Check which users may read the secrets. (Loading the settings already refuses files that everybody can read.)"""
    folders = [folder for _, folder in loaded.secret_folders if folder.is_dir()]
    files = [path for folder in folders for path in folder.iterdir() if path.is_file()]
    shared = [path for path in files if path.stat().st_mode & GROUP_AND_OTHERS_PERMISSIONS]
    for path in shared:
        remedy = texts.UNLESS_MEANT(path=shlex.quote(str(path)))
        yield warning_finding(texts.SECRET_READABLE_BY_GROUP(path=path), remedy, fix_of_mode(path, 0o600))
    if loaded.path and exposure.has_secret_readable_by_others(loaded):
        remedy = texts.CHANGE_MODE(mode=0o600, path=shlex.quote(str(loaded.path)))
        yield wrong_finding(texts.CONFIG_READABLE(path=loaded.path), remedy, partial(loaded.path.chmod, 0o600))
    elif not shared:
        yield ok_finding(texts.SECRET_FILES(len(files)) if files else texts.NO_SECRET_FILES)


def check_addresses_are_encrypted(config: Config) -> Iterator[CheckFinding]:
    for key, url in exposure.find_unencrypted_addresses(config):
        yield warning_finding(texts.NETWORK(fault=exposure.describe_unencrypted_address(key, url)), texts.ONE_MACHINE)


def check_workspaces_for_secrets(folders: Mapping[str, Path]) -> Iterator[CheckFinding]:
    """Warn if a workspace is or contains a home folder, or contains secrets, because roles read and write there."""
    for name, folder in folders.items():
        if is_or_contains_home_folder(folder):
            yield warning_finding(texts.WORKSPACE_IS_HOME(name=name, folder=folder), texts.OWN_FOLDER)
        elif found := find_path_named_like_secret(folder):
            yield warning_finding(texts.SECRET_IN_WORKSPACE(name=name, path=found), texts.MOVE_OUTSIDE)


def is_or_contains_home_folder(folder: Path) -> bool:
    here = folder.resolve()
    people = [Path(each.pw_dir) for each in pwd.getpwall() if each.pw_uid >= FIRST_HUMAN_UID]
    homes = {home.resolve() for home in (Path.home(), *people)} - {Path("/")}
    return any(home.is_relative_to(here) for home in homes)


def find_path_named_like_secret(folder: Path) -> Path | None:
    """Return the first path below the folder that is named like a secret; None if no checked path is. At most
    MAX_CHECKED_PATHS_PER_WORKSPACE are checked."""
    looked = 0
    below = [folder]
    for place in below:
        found: list[os.DirEntry[str]] = []
        with suppress(OSError), os.scandir(place) as entries:  # the file tools cannot look in there either
            found = sorted(entries, key=lambda entry: entry.name)
        for entry in found:
            looked += 1
            if looked > MAX_CHECKED_PATHS_PER_WORKSPACE:
                return None
            name = entry.name.casefold()
            if name in SECRET_FILE_NAMES or name.endswith(SECRET_FILE_ENDINGS):
                return Path(entry.path)
            if place is folder and entry.is_dir(follow_symlinks=False):
                below.append(Path(entry.path))
    return None


def check_which_file_tools_are_used() -> Iterator[CheckFinding]:
    keeper = texts.THE_KERNEL if best_folder_opener() is open_folder_by_kernel else texts.LINK_BY_LINK
    searcher = texts.RIPGREP if shutil.which("rg") else texts.PYTHON
    yield ok_finding(texts.FILE_TOOLS(keeper=keeper, searcher=searcher))
