"""The operator's files of a tenant: its config, its roles with their pictures, and its groups' instructions.

The tenant may read them. It can write to a group's `workspace/`, and to each folder with write access for others. It
could put a link there while root reads or writes. So root reads and writes nothing inside such folders. Root only
makes workspaces, and fills them if the tenant has never run.
"""

import os
import shutil
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

from bot.core import durable_files
from bot.core.errors import ConfigError
from bot.tenants import making_texts, texts
from bot.tenants.tenant import (
    CONFIG,
    GROUP_INSTRUCTIONS,
    GROUPS,
    ROLES,
    SECRETS,
    WORKSPACE,
    FileContent,
    Tenant,
    has_host_user,
    is_picture_of_role,
)

MAX_FILE_BYTES = 1_000_000
MAX_FOLDER_DEPTH = 4  # folders
GROUP_OR_OTHERS_WRITE_BITS = stat.S_IWGRP | stat.S_IWOTH


def read_operator_files(folder: Path) -> dict[str, FileContent]:
    """Return the contents of the operator's files, by their path in `folder`. Raise ConfigError if a file that is no
    picture of a role is not text."""
    found: dict[str, FileContent] = {}
    paths = [folder / CONFIG, *walk_operator_files(folder / ROLES), *walk_operator_files(folder / GROUPS)]
    for path in paths:
        try:
            if not path.is_file():
                continue
            if path.stat().st_size > MAX_FILE_BYTES:
                raise ConfigError(texts.FILE_TOO_LONG(path=path, megabytes=MAX_FILE_BYTES // 1_000_000))
            name = str(path.relative_to(folder))
            found[name] = path.read_bytes() if is_picture_of_role(name) else path.read_text(encoding="utf-8")
        except OSError as error:
            raise ConfigError(texts.CANNOT_READ(path=error.filename, error=error.strerror)) from None
        except UnicodeDecodeError:
            raise ConfigError(texts.FILE_NOT_TEXT(path=path)) from None
    return found


def walk_operator_files(folder: Path, depth: int = 0) -> Iterator[Path]:
    """Yield the files below a folder. Skip links, workspaces and folders that others can write to.

    The folder itself may be a link into the tenant's mounted disk.
    """
    if not folder.is_dir() or depth > MAX_FOLDER_DEPTH or not is_writable_only_by_current_user(folder):
        return
    for path in sorted(folder.iterdir()):
        if path.is_symlink() or path.name == WORKSPACE:
            continue
        if path.is_dir():
            yield from walk_operator_files(path, depth + 1)
        elif path.is_file():
            yield path


def is_writable_only_by_current_user(folder: Path) -> bool:
    found = folder.stat()
    return found.st_uid == os.geteuid() and not found.st_mode & GROUP_OR_OTHERS_WRITE_BITS


def replace_operator_files(tenant: Tenant, files: Mapping[str, FileContent]) -> None:
    """Replace `files`, by path; delete all other roles. Raise ConfigError if the tenant could redirect a path."""
    try:
        for path, content in files.items():
            for above in (tenant.folder / each for each in Path(path).parents):
                is_safe = not above.is_symlink() or is_writable_only_by_current_user(above.parent)
                if above.is_dir() and not (is_safe and is_writable_only_by_current_user(above)):
                    raise ConfigError(texts.TENANT_CAN_WRITE(folder=above))
            replace_tenant_file(tenant, path, content)
        for place in walk_operator_files(tenant.folder / ROLES):
            if str(place.relative_to(tenant.folder)) not in files:
                place.unlink()
    except OSError as error:
        raise ConfigError(texts.CANNOT_WRITE(path=error.filename, error=error.strerror)) from None
    repair_ownership_and_workspaces(tenant)  # this also makes missing workspaces


def replace_tenant_file(tenant: Tenant, path: str, content: FileContent) -> None:
    """Replace a file in the tenant's folder, and make the missing folders above it."""
    for above in reversed(Path(path).parents):
        if not (tenant.folder / above).is_dir():
            access = tenant.mode_and_owner(str(above), is_folder=True)
            durable_files.make_folder_with_owner(tenant.folder / above, **access)
    durable_files.replace_file(tenant.folder / path, content, **tenant.mode_and_owner(path))


def repair_ownership_and_workspaces(tenant: Tenant) -> list[str]:
    """Set owner and mode of the operator's files, and make missing workspaces. Return the changed paths."""
    if not has_host_user(tenant.target):
        return []
    folder, changed = tenant.folder, list[Path]()
    paths = [folder / CONFIG, *list_plain_files(folder / ROLES), *list_plain_files(folder / SECRETS)]
    try:
        for group in group_folders_writable_only_by_root(tenant):
            paths += [group, *list_plain_files(group)]
            workspace = group / WORKSPACE
            if not os.path.lexists(workspace):
                owner = (tenant.uid, tenant.uid)
                durable_files.make_folder_with_owner(workspace, mode=0o700, owner=owner)
                changed.append(workspace)
            elif workspace.is_dir() and not workspace.is_symlink():
                paths.append(workspace)
        for path in paths:
            access = tenant.mode_and_owner(str(path.relative_to(folder)), is_folder=path.is_dir())
            if access["owner"] and durable_files.set_mode_and_owner(path, mode=access["mode"], owner=access["owner"]):
                changed.append(path)
    except OSError as error:
        raise ConfigError(making_texts.CANNOT_GIVE(path=error.filename, error=error.strerror)) from None
    return [str(path.relative_to(folder)) for path in changed]


def fill_empty_workspaces_from_backup(tenant: Tenant, unpacked: Path) -> list[str]:
    """Fill the empty workspaces of a tenant that has never run, from a back-up. Return the filled groups' names."""
    filled = []
    for folder in group_folders_writable_only_by_root(tenant):
        source, workspace = unpacked / GROUPS / folder.name / WORKSPACE, folder / WORKSPACE
        is_empty = workspace.is_dir() and not workspace.is_symlink() and not any(workspace.iterdir())
        if is_empty and source.is_dir() and any(source.iterdir()):
            shutil.copytree(source, workspace, symlinks=True, dirs_exist_ok=True)
            for path in (workspace, *workspace.rglob("*")):
                os.chown(path, tenant.uid, tenant.uid, follow_symlinks=False)
                if not path.is_symlink():
                    path.chmod(0o700 if path.is_dir() else 0o700 & path.stat().st_mode | 0o600)
            filled.append(folder.name)
    return filled


def group_folders_writable_only_by_root(tenant: Tenant) -> list[Path]:
    safe = []
    for path in sorted((tenant.folder / GROUPS).glob(f"[!.]*/{GROUP_INSTRUCTIONS}")):
        known = path.parent.lstat()
        is_roots = known.st_uid == 0 and not known.st_mode & GROUP_OR_OTHERS_WRITE_BITS
        if path.is_file() and stat.S_ISDIR(known.st_mode) and is_roots:
            safe.append(path.parent)
    return safe


def list_plain_files(folder: Path) -> list[Path]:
    """Return the files in the folder, sorted by name. Skip links and hidden files."""
    found = folder.iterdir() if folder.is_dir() else ()
    return sorted(path for path in found if path.is_file() and not path.is_symlink() and path.name[0] != ".")
