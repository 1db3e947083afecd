"""Read and write the operator's files of a tenant: its config, its roles, and the groups' instructions.

A group's workspace belongs to the tenant, and so does every folder that others may write to. The tenant could put a
link there while root reads or writes. So this module never reads or writes inside such a folder.
"""

import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

from bot.core import durable_files
from bot.core.errors import ConfigError
from bot.tenants import group_folders, texts
from bot.tenants.creation import is_user_of_host
from bot.tenants.tenant import CONFIG, GROUPS, ROLES, WORKSPACE, Tenant

MAX_FILE_BYTES = 1_000_000  # bytes, of one file
MAX_DEPTH = 4  # folders
OTHERS_MAY_WRITE = stat.S_IWGRP | stat.S_IWOTH


def read_operator_files(folder: Path) -> dict[str, str]:
    """Return the texts of the operator's files, by their path in `folder`. Raise ConfigError if a file is not text.

    Links are skipped, except those that lead to what is mounted for the tenant.
    """
    found, paths = {}, [folder / CONFIG, *walk_operator_files(folder / ROLES), *walk_operator_files(folder / GROUPS)]
    for path in paths:
        try:
            if not path.is_file():
                continue
            if path.stat().st_size > MAX_FILE_BYTES:
                raise ConfigError(texts.FILE_TOO_LONG(path=path, megabytes=MAX_FILE_BYTES // 1_000_000))
            found[str(path.relative_to(folder))] = path.read_text(encoding="utf-8")
        except OSError as error:
            raise ConfigError(texts.CANNOT_READ(path=error.filename, error=error.strerror)) from None
        except UnicodeDecodeError:
            raise ConfigError(texts.FILE_NOT_TEXT(path=path)) from None
    return found


def walk_operator_files(folder: Path, depth: int = 0) -> Iterator[Path]:
    """Yield the files in a folder that only we can write to, without workspaces and links."""
    if not folder.is_dir() or depth > MAX_DEPTH or not is_operators_alone(folder):
        return
    for path in sorted(folder.iterdir()):
        if path.is_symlink() or path.name == WORKSPACE:
            continue
        if path.is_dir():
            yield from walk_operator_files(path, depth + 1)
        elif path.is_file():
            yield path


def is_operators_alone(folder: Path) -> bool:
    """Return True if only the current user can write to the folder."""
    found = folder.stat()
    return found.st_uid == os.geteuid() and not found.st_mode & OTHERS_MAY_WRITE


def write_operator_files(tenant: Tenant, files: Mapping[str, str]) -> None:
    """Replace the operator's files with these texts, each file whole. Delete the roles that are not among them.

    Raise ConfigError if the tenant could redirect a path to another place.
    """
    owner = (0, tenant.uid) if is_user_of_host(tenant.target) else None
    try:
        for path, text in files.items():
            place = tenant.folder / path
            for above in (tenant.folder / each for each in reversed(Path(path).parents)):
                if not above.is_dir():
                    durable_files.make_folder_with_owner(above, mode=0o750 if owner else 0o700, owner=owner)
                elif not is_operators_alone(above) or (above.is_symlink() and not is_operators_alone(above.parent)):
                    raise ConfigError(texts.TENANT_CAN_WRITE(folder=above))
            durable_files.replace_file(place, text, mode=0o640 if owner else 0o600, owner=owner)
        for place in walk_operator_files(tenant.folder / ROLES):
            if str(place.relative_to(tenant.folder)) not in files:
                place.unlink()
        if owner:
            group_folders.restore_group_ownership(tenant)  # this also makes missing workspaces
    except OSError as error:
        raise ConfigError(texts.CANNOT_WRITE(path=error.filename, error=error.strerror)) from None
