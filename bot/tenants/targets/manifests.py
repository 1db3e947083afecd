"""A tenant's files as Kubernetes config maps, which hold names without folders, and at most 1 MiB."""

import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from bot.core.errors import ConfigError
from bot.tenants.group_folders import INSTRUCTIONS
from bot.tenants.targets import texts
from bot.tenants.tenant import CONFIG, FOLDER_IN_CONTAINER, GROUPS, ROLES, WORKSPACE

Files = Mapping[str, str]  # key in the map to path in the tenant's folder

MAX_MAP_BYTES = (1 << 20) - (8 << 10)  # bytes; a config map holds 1 MiB with its keys and labels


def config_map_keys(above: str, files: Collection[str]) -> Files:
    """Return the files in folder `above`, by config map key. Raise ConfigError for a name that no map can hold."""
    found = {path.removeprefix(f"{above}/").replace("/", "."): path for path in files if path.startswith(f"{above}/")}
    if bad := next((path for key, path in found.items() if not re.fullmatch(r"[-._a-zA-Z0-9]{1,253}", key)), None):
        raise ConfigError(texts.ODD_FILE_NAME(path=bad))
    return found


def group_mounts(groups: Files) -> Iterator[str]:
    """Yield the YAML mounts of each group file and each group's workspace.

    Only the workspace is on the volume. The files beside it are read-only.
    """
    for key, path in groups.items():
        yield f"- {{name: groups, mountPath: {FOLDER_IN_CONTAINER}/{path}, subPath: {key}, readOnly: true}}"
    for group in sorted({Path(path).parent for path in groups.values() if Path(path).name == INSTRUCTIONS}):
        yield f"- {{name: kept, mountPath: {FOLDER_IN_CONTAINER / group / WORKSPACE}, subPath: {group / WORKSPACE}}}"


def describe_too_large(folder: Path) -> Iterator[str]:
    """Yield a message for each part of the tenant's folder that is too large for a config map."""
    for name, pattern in ((CONFIG, CONFIG), (ROLES, f"{ROLES}/*"), (GROUPS, f"{GROUPS}/*/*")):
        size = sum(path.stat().st_size for path in folder.glob(pattern) if path.is_file())
        if size > MAX_MAP_BYTES:
            yield texts.CONFIG_MAP_TOO_LARGE(name=name, size=size, most=MAX_MAP_BYTES)
