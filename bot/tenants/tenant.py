"""One tenant: what is written of it in its folder, and where the parts of that folder are."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from bot.core.errors import ConfigError
from bot.core.program_names import script_command
from bot.tenants import making_texts as texts

RECORD_FILE = "tenant.json"  # what is known of a tenant; a folder without it is none
CONFIG, SECRETS, ROLES, GROUPS, WORKSPACE, DATA = "config.json", "secrets", "roles", "groups", "workspace", "data"
WRITABLE = (GROUPS, WORKSPACE, DATA)  # what its bot may write to; all else in its folder it can at most read
DISK = "disk"  # where there is a limit: what is mounted there holds all that is writable, by links
FOLDER_IN_CONTAINER = Path("/tenant")  # where a container has the tenant's folder, in the same shape


@dataclass(frozen=True, slots=True, kw_only=True)
class Tenant:
    name: str
    target: str  # "compose", "systemd" or "kubernetes"
    uid: int  # its own, and its group's; never given to another tenant
    release: str  # what runs: an image by its id or reference; for systemd the folder of a checkout
    version: str  # of Retinue, as that release says
    made_at: str  # ISO 8601, UTC
    folder: Path  # absolute
    disk: str = ""  # how much its data may hold, as "2G"; empty: no limit

    def to_json(self) -> str:
        """What stands in its file: all but the folder that the file lies in."""
        return json.dumps({key: value for key, value in asdict(self).items() if key != "folder"}, indent=2) + "\n"


def read_tenant_record(folder: Path) -> Tenant:
    """The tenant of that folder; raises ConfigError where there is none, or its file cannot be read."""
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
