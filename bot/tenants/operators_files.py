"""What an operator has written for a tenant: its config, its roles, and the groups' instructions."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from bot.errors import ConfigError
from bot.tenants import writing
from bot.tenants.making import is_shared
from bot.tenants.tenant import CONFIG, GROUPS, ROLES, Tenant

LARGEST = 1_000_000  # bytes, of one file
DEEPEST = 4  # folders: what lies deeper below a group is its workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """Texts, by their path in the tenant's folder."""

    files: Mapping[str, str]


def read(folder: Path) -> Written:
    """What lies there; raises ConfigError for what is no text. Links are not followed, and not kept."""
    paths = [folder / CONFIG, *plain(folder / ROLES), *plain(folder / GROUPS)]
    try:
        return Written(files={str(path.relative_to(folder)): text_of(path) for path in paths if path.is_file()})
    except OSError as error:
        raise ConfigError(f"{error.filename}: cannot be read: {error.strerror}") from None


def text_of(path: Path) -> str:
    if path.stat().st_size > LARGEST:
        raise ConfigError(f"{path}: a file of the operator's is at most {LARGEST // 1_000_000} MB long")
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: this is not UTF-8 text") from None


def plain(folder: Path, depth: int = 0) -> Iterator[Path]:
    if not folder.is_dir() or depth > DEEPEST:
        return
    for path in sorted(folder.iterdir()):
        if path.is_symlink():
            continue
        if path.is_dir():
            yield from plain(path, depth + 1)
        elif path.is_file():
            yield path


def write(tenant: Tenant, written: Written) -> None:
    """Put them in the place of those that are there, each whole; roles that are not among them go."""
    owner = (0, tenant.uid) if is_shared(tenant.target) else None
    try:
        for path, text in written.files.items():
            place = tenant.folder / path
            for above in reversed(place.relative_to(tenant.folder).parents):
                if not (tenant.folder / above).is_dir():
                    writing.make(tenant.folder / above, mode=0o750 if owner else 0o700, owner=owner)
            writing.replace(place, text, mode=0o640 if owner else 0o600, owner=owner)
        for place in plain(tenant.folder / ROLES):
            if str(place.relative_to(tenant.folder)) not in written.files:
                place.unlink()
    except OSError as error:
        raise ConfigError(f"{error.filename}: cannot be written: {error.strerror}") from None
