"""One tenant: its name, its record, and the paths in its folder."""

import json
import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypedDict

from bot.core.errors import ConfigError
from bot.core.picture_types import PICTURE_SUFFIXES
from bot.core.program_names import script_command
from bot.tenants import making_texts as texts

SHELL_BY_PROFILE, SHELL_BY_ENGINE = "profile", "engine"  # a list of kernel calls of its own; the engine's own list
FileContent = str | bytes  # bytes: the picture of a role
RECORD_FILE = "tenant.json"  # the tenant's record; a folder without it is not a tenant
CONFIG, SECRETS, ROLES, GROUPS, WORKSPACE, DATA = ("config.json", "secrets", "roles", "groups", "workspace", "data")
GROUP_INSTRUCTIONS = "instructions.md"  # in each group's folder
WRITABLE_FOLDERS = (GROUPS, WORKSPACE, DATA)  # the bot may write here; it can at most read the rest of its folder
TENANT_OWNED_PATH_PATTERN = re.compile(
    rf"({WORKSPACE}|{DATA}|{GROUPS}/[^/]+/{WORKSPACE})(/.*)?|{SECRETS}/.*", re.DOTALL
)
DISK_FOLDER = "disk"  # with a size limit: a mount; the writable folders are links into it
CONTAINER_FOLDER = Path("/tenant")  # the tenant's folder in a container, with the same layout
TENANT_NAME_PATTERN = re.compile("[a-z][a-z0-9-]{1,30}[a-z0-9]")
RESERVED_TENANT_NAMES = {
    *("all", "archive", "backup", "backups", "bot", "config", "default", "deploy", "disk", "groups", "host"),
    *("image", "kube-system", "localhost", "lost-found", "nobody", "none", "registry", "retinue", "root"),
    *("scripts", "secrets", "self", "shared", "system", "systemd", "tenant", "tenants", "workspace"),
}


class ModeAndOwner(TypedDict):
    mode: int
    owner: tuple[int, int] | None  # uid and gid; None: the user who writes it


@dataclass(frozen=True, slots=True, kw_only=True)
class Tenant:
    name: str
    target: str  # "compose", "systemd" or "kubernetes"
    uid: int  # of its user and its group; never assigned to another tenant
    release: str  # an image by id or reference; for systemd the folder of a checkout
    version: str  # of Retinue, as that release reports it
    made_at: str  # ISO 8601, UTC
    folder: Path  # absolute
    disk: str = ""  # how much its data may hold, as "2G"; empty: no limit
    shell: str = ""  # what lets bubblewrap start there: "profile" or "engine"; empty: nothing

    def to_json(self) -> str:
        """Return the text of the record: the fields except the folder."""
        values = {key: value for key, value in asdict(self).items() if key != "folder"}
        if not self.shell:
            del values["shell"]  # earlier versions know no such key
        return json.dumps(values, indent=2) + "\n"

    def mode_and_owner(self, path: str, *, is_folder: bool = False) -> ModeAndOwner:
        """Return the mode and owner for a path in the tenant's folder. The tenant may read the operator's files."""
        only_owner, group_reads = (0o700, 0o750) if is_folder else (0o600, 0o640)
        if not has_host_user(self.target):
            return ModeAndOwner(mode=only_owner, owner=None)
        if is_tenant_owned(path):
            return ModeAndOwner(mode=only_owner, owner=(self.uid, self.uid))
        return ModeAndOwner(mode=group_reads, owner=(0, self.uid))


def has_host_user(target: str) -> bool:
    """Return True if the tenant runs as its own user of this machine, apart from the operator."""
    return target != "kubernetes"


def is_tenant_owned(path: str) -> bool:
    """Return True if only the tenant may use this path of its folder."""
    return TENANT_OWNED_PATH_PATTERN.fullmatch(path) is not None


def is_picture_of_role(path: str) -> bool:
    """Return True if this path of the tenant's folder is that of a picture beside the role files."""
    return path.startswith(f"{ROLES}/") and path.lower().endswith(PICTURE_SUFFIXES)


def check_tenant_name(name: str) -> str:
    """Return the name. Raise ConfigError if no tenant may have it: the name becomes a folder, a network, a user."""
    if not TENANT_NAME_PATTERN.fullmatch(name):
        raise ConfigError(texts.NAME_IMPOSSIBLE(name=name))
    if name in RESERVED_TENANT_NAMES:
        raise ConfigError(texts.NAME_RESERVED(name=name))
    return name


def read_tenant_record(folder: Path) -> Tenant:
    """Return the tenant in `folder`. Raise ConfigError if there is none, or if its record cannot be read."""
    path = folder / RECORD_FILE
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        found = Tenant(**values, folder=folder)
        if type(found.uid) is not int or found.uid <= 0:
            raise ValueError
    except OSError as error:
        raise ConfigError(texts.FILE_UNREADABLE(path=path, error=error.strerror)) from None
    except (ValueError, TypeError):
        raise ConfigError(texts.NO_RECORD(path=path)) from None
    if found.name != folder.name:
        raise ConfigError(texts.RECORD_OF_ANOTHER(path=path, name=found.name, command=script_command("add-tenant")))
    return found
