"""A tenant's files as Kubernetes carries them: in config maps, which hold names without folders and one MiB."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from bot.errors import ConfigError
from bot.tenants.tenant import CONFIG, GROUPS, INSIDE, ROLES

Files = Mapping[str, str]  # by the key in the map: the path in the tenant's folder

MOST = (1 << 20) - (8 << 10)  # bytes; a config map holds 1 MiB with its keys and labels


def carried(place: Path) -> tuple[Files, Files]:
    """The files of the roles, and those of the groups, below `place`. Raises ConfigError for what no map can hold.

    Of a group its own files are carried, not the folders in it: those are its workspace, on the volume.
    """
    roles = {path.name: f"{ROLES}/{path.name}" for path in files_in(place / ROLES)}
    groups = {
        f"{folder.name}.{path.name}": f"{GROUPS}/{folder.name}/{path.name}"
        for folder in folders_in(place / GROUPS)
        for path in files_in(folder)
    }
    for name, files in ((ROLES, roles), (GROUPS, groups), (CONFIG, {CONFIG: CONFIG})):
        must_fit(place, name, files)
    return roles, groups


def group_mounts(groups: Files) -> Iterator[str]:
    """Each file in its place on the volume, as YAML; what is beside it there stays writable."""
    for key, path in groups.items():
        yield f"- {{name: groups, mountPath: {INSIDE}/{path}, subPath: {key}, readOnly: true}}"


def must_fit(place: Path, name: str, files: Files) -> None:
    for key, path in files.items():
        if not re.fullmatch(r"[-._a-zA-Z0-9]{1,253}", key):
            raise ConfigError(f"{place / path}: Kubernetes keeps no file of that name; use letters, digits, - and _")
    size = sum((place / path).stat().st_size for path in files.values() if (place / path).exists())
    if size > MOST:
        too_much = f"{size:,} bytes, and Kubernetes keeps {MOST:,} of such files at most"
        raise ConfigError(f"{place / name}: {too_much}; shorten them, or choose another target")


def files_in(folder: Path) -> list[Path]:
    return sorted(each for each in seen_in(folder) if each.is_file())


def folders_in(folder: Path) -> list[Path]:
    return sorted(each for each in seen_in(folder) if each.is_dir())


def seen_in(folder: Path) -> Iterator[Path]:
    """What lies there and is not hidden, as an editor's own files are; nothing where there is no such folder."""
    return (each for each in folder.glob("*") if not each.name.startswith("."))
