"""A tenant's group folders: which files belong to the operator, and which to the tenant.

`instructions.md` and the files beside it are the operator's, and the tenant may read them. `workspace/` is the
tenant's. Root only makes it, and does not go further into it.
"""

import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

from bot.core import durable_files
from bot.core.errors import ConfigError
from bot.tenants import making_texts as texts
from bot.tenants.tenant import GROUPS, WORKSPACE, Tenant

INSTRUCTIONS = "instructions.md"
MAX_FILE_BYTES, MAX_FILES, MAX_WORKSPACE_BYTES = 1_000_000, 500, 5_000_000  # per file; the other two per workspace


def read_prepared_groups(folder: Path) -> dict[str, str]:
    """Return the texts of a prepared folder of groups, by their path in it.

    Raise ConfigError if a file is not text, or if a group cannot be used for another reason.
    """
    try:
        groups = [path for path in sorted(folder.iterdir()) if path.name[0] != "."]
        if not groups:
            raise ConfigError(texts.NO_GROUPS(folder=folder, file=INSTRUCTIONS))
        found = {}
        for path in (path for group in groups for path in list_group_files(group)):
            if path.stat().st_size > MAX_FILE_BYTES:
                raise ConfigError(texts.FILE_TOO_LARGE(path=path, megabytes=MAX_FILE_BYTES // 1_000_000))
            found[str(path.relative_to(folder))] = path.read_bytes().decode()
        return found
    except OSError as error:
        raise ConfigError(texts.CANNOT_READ(path=error.filename or folder, error=error.strerror)) from None
    except UnicodeDecodeError:
        raise ConfigError(texts.FILE_NOT_TEXT(path=path)) from None


def list_group_files(group: Path) -> Iterator[Path]:
    """Yield the files of a prepared group. Raise ConfigError for anything that a group cannot have."""
    if group.is_symlink() or not group.is_dir():
        raise ConfigError(texts.ONLY_FOLDERS(path=group, file=INSTRUCTIONS))
    if not (group / INSTRUCTIONS).exists():
        raise ConfigError(texts.NO_INSTRUCTIONS(folder=group, file=INSTRUCTIONS))
    for path in sorted(group.iterdir()):
        if path.name[0] == ".":
            continue
        if path.is_symlink() or not (path.is_file() or path.is_dir()):
            is_workspace = path.name == WORKSPACE
            raise ConfigError(texts.WORKSPACE_NO_FOLDER(path=path) if is_workspace else texts.ONLY_FILES(path=path))
        if path.is_file():
            yield path
        elif path.name == WORKSPACE:
            yield from list_workspace_files(path)
        else:
            raise ConfigError(texts.ONLY_WORKSPACE(path=path, folder=WORKSPACE))


def list_workspace_files(folder: Path) -> Iterator[Path]:
    """Yield the files of a prepared workspace. Raise ConfigError if they are too many, too large or not plain."""
    count = size = 0
    for path in sorted(folder.rglob("*")):
        known = path.lstat()
        if stat.S_ISDIR(known.st_mode):
            continue
        if not stat.S_ISREG(known.st_mode):
            raise ConfigError(texts.ONLY_PLAIN_FILES(path=path))
        count, size = count + 1, size + known.st_size
        if count > MAX_FILES or size > MAX_WORKSPACE_BYTES:
            most = MAX_WORKSPACE_BYTES // 1_000_000
            raise ConfigError(texts.WORKSPACE_TOO_LARGE(folder=folder, files=MAX_FILES, megabytes=most))
        yield path


def is_in_workspace(path: str) -> bool:
    """Return True if a path below the groups' folder belongs to the tenant."""
    return Path(path).parts[1:2] == (WORKSPACE,)


def restore_group_ownership(tenant: Tenant) -> list[Path]:
    """Set the owner and mode of each group, as an operator may have made it by hand. Return the changed paths."""
    operators, its = (0, tenant.uid), (tenant.uid, tenant.uid)
    changed = []
    for folder in safe_group_folders(tenant):
        paths = [(folder, 0o750), *((path, 0o640) for path in list_plain_files(folder))]
        changed += [path for path, mode in paths if durable_files.set_mode_and_owner(path, mode=mode, owner=operators)]
        workspace = folder / WORKSPACE
        if not os.path.lexists(workspace):
            durable_files.make_folder_with_owner(workspace, mode=0o700, owner=its)
            changed.append(workspace)
        elif is_plain_folder(workspace) and durable_files.set_mode_and_owner(workspace, mode=0o700, owner=its):
            changed.append(workspace)
    return changed


def fill_empty_workspaces(tenant: Tenant, unpacked: Path) -> list[str]:
    """Fill the empty workspaces of a new tenant that has never run, from an unpacked back-up.

    Return the names of the groups with restored files.
    """
    filled = []
    for folder in safe_group_folders(tenant):
        source, workspace = unpacked / GROUPS / folder.name / WORKSPACE, folder / WORKSPACE
        if not source.is_dir() or not is_plain_folder(workspace) or any(workspace.iterdir()):
            continue
        for path in sorted(source.rglob("*")):
            place = workspace / path.relative_to(source)
            if path.is_dir():
                durable_files.make_folder_with_owner(place, mode=0o700, owner=(tenant.uid, tenant.uid))
            else:
                shutil.copyfile(path, place, follow_symlinks=False)
                os.chown(place, tenant.uid, tenant.uid, follow_symlinks=False)
                place.chmod(0o700 & path.stat().st_mode | 0o600)
            filled.append(folder.name)
    return sorted(set(filled))


def safe_group_folders(tenant: Tenant) -> list[Path]:
    """Return the group folders that only root can write to."""
    above, safe = tenant.folder / GROUPS, []
    for path in sorted(above.iterdir()) if above.is_dir() else []:
        if path.name[0] == "." or not (path / INSTRUCTIONS).is_file():
            continue
        known = path.lstat()
        if stat.S_ISDIR(known.st_mode) and known.st_uid == 0 and not known.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            safe.append(path)
    return safe


def is_plain_folder(path: Path) -> bool:
    return stat.S_ISDIR(path.lstat().st_mode)


def list_plain_files(folder: Path) -> list[Path]:
    """Return the files in the folder by name, without links and hidden ones."""
    found = folder.iterdir() if folder.is_dir() else ()
    return sorted(path for path in found if path.is_file() and not path.is_symlink() and path.name[0] != ".")
