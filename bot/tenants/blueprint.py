"""The plan of a new tenant, and its checks: settings, secrets, roles, and what it runs on."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bot.config import Config, validate_settings
from bot.config.layers import COMMON_VARIABLES, Layer, merge_layers, nest_value
from bot.config.paths import DefaultFolders
from bot.core.errors import ConfigError
from bot.tenants import making_texts as texts
from bot.tenants.bots import list_bots
from bot.tenants.group_folders import is_in_workspace
from bot.tenants.targets import disk
from bot.tenants.tenant import DATA, GROUPS, ROLES, WORKSPACE

SECRET_KEYS = frozenset(COMMON_VARIABLES.values())
SECRET_FILES = frozenset("__".join(key) for key in SECRET_KEYS)
# What an operator will look for first.
SWARM_SECTION = {"enabled": True, "max_depth": 1, "max_concurrent": 3, "roles": {}}
MAX_ROLE_BYTES = 1_000_000  # bytes


@dataclass(slots=True, kw_only=True)
class Blueprint:
    name: str
    target: str
    values: dict[str, Any]  # what will stand in config.json
    secrets: dict[str, str] = field(default_factory=dict)  # by the name of their file
    roles: Mapping[str, str] = field(default_factory=dict)  # the text of each file, by its name
    groups: Mapping[str, str] = field(default_factory=dict)  # the text of each group file, by its path: NAME/FILE
    release: str = ""
    version: str = ""
    disk: str = ""
    is_public: bool = False  # the operator said so explicitly: everybody may talk to it

    def take_out_secrets(self) -> None:
        """Move secrets out of the settings into files of their own. A secret that already has a file wins."""
        for key in SECRET_KEYS:
            *above, last = key
            section: Any = self.values
            for name in above:
                section = section.get(name) if isinstance(section, dict) else None
            if isinstance(section, dict) and isinstance(section.get(last), str):
                self.secrets.setdefault("__".join(key), section.pop(last))

    def build_config(self, folder: Path) -> Config:
        """Return the settings as the bot will read them. Raise ConfigError if no bot can start with them."""
        for name, value in self.secrets.items():
            check_secret(name, value)
        keys = [(tuple(name.split("__")), value.strip()) for name, value in self.secrets.items()]
        secrets = merge_layers(Layer(values=nest_value(*each), origins={}) for each in keys)
        layers = [
            Layer(values=secrets, origins={(): "a secret"}),
            Layer(values=self.values, origins={(): "the settings"}),
        ]
        folders = DefaultFolders.for_config_file(folder / "config.json")
        config = folders.make_absolute(validate_settings(layers, folders))
        check_folders(config, folder)
        check_channels(config, is_public=self.is_public)
        inside = next((path for path in self.groups if is_in_workspace(path)), None)
        if inside and self.target == "kubernetes":
            raise ConfigError(texts.WORKSPACE_ON_CLUSTER(path=inside))
        dict(list_bots(config))  # raises if a token is malformed
        if self.disk:
            disk.parse_disk_size(self.disk)
        return config

    def add_swarm_section(self) -> None:
        """Add the `swarm` section with its defaults, so that the operator finds it in every tenant's config."""
        swarm = self.values.setdefault("swarm", {})
        if isinstance(swarm, dict):
            self.values["swarm"] = {**SWARM_SECTION, **swarm}


def check_secret(name: str, value: str) -> None:
    """Raise ConfigError if no secret has that name, or if the value cannot be one."""
    if name not in SECRET_FILES:
        raise ConfigError(texts.NO_SUCH_SECRET(name=name, secrets=", ".join(sorted(SECRET_FILES))))
    if not value.strip():
        raise ConfigError(texts.SECRET_EMPTY(name=name))
    if any(letter.isspace() or not letter.isprintable() or letter in "\"'" for letter in value.strip()):
        raise ConfigError(texts.SECRET_WITH_SPACES(name=name))


def check_folders(config: Config, folder: Path) -> None:
    """Raise ConfigError if a folder is not where the target mounts it. The target shows nothing else of the machine."""
    places = {
        "data_dir": (config.data_dir, DATA),
        "workspace": (config.workspace, WORKSPACE),
        "swarm.roles_dir": (config.swarm.roles_dir, ROLES),
        "swarm.groups_dir": (config.swarm.groups_dir, GROUPS),
    }
    for key, (path, name) in places.items():
        if path != folder / name:
            raise ConfigError(texts.FOLDER_ELSEWHERE(key=key, name=name))
    if config.secrets_dir:
        raise ConfigError(texts.SECRETS_DIR_SET)


def check_channels(config: Config, *, is_public: bool) -> None:
    """Raise ConfigError if the bot could not answer, if nobody could talk to it, or everybody against the plan."""
    enabled = {name: settings for name, settings in config.channels.by_name().items() if settings.enabled}
    if not enabled:
        keys = " or ".join(f"channels.{name}.enabled" for name in config.channels.by_name())
        raise ConfigError(texts.NO_CHANNEL(keys=keys))
    if not config.model.api_key and not config.model.base_url:
        raise ConfigError(texts.NO_MODEL_KEY)
    for name, settings in enabled.items():
        if not settings.token:
            raise ConfigError(texts.NO_TOKEN(channel=name))
        if settings.allow_from == "*" and not is_public:
            raise ConfigError(texts.OPEN_TO_EVERYBODY(channel=name))
        if settings.owner is None and not settings.allow_from and not settings.people:
            raise ConfigError(texts.OPEN_TO_NOBODY(channel=name))


def read_role_texts(folder: Path) -> dict[str, str]:
    """Return the texts of the role files in `folder`, by name. Raise ConfigError if one cannot be read."""
    found = {}
    try:
        for path in sorted(folder.iterdir()):
            if path.suffix.lower() != ".md" or path.name.startswith("."):
                continue
            if not path.is_file() or path.stat().st_size > MAX_ROLE_BYTES:
                raise ConfigError(texts.ROLE_NO_FILE(path=path, megabytes=MAX_ROLE_BYTES // 1_000_000))
            found[path.name] = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ConfigError(texts.CANNOT_READ(path=error.filename or folder, error=error.strerror)) from None
    except UnicodeDecodeError:
        raise ConfigError(texts.ROLE_NOT_TEXT(folder=folder)) from None
    if not found:
        raise ConfigError(texts.NO_ROLES(folder=folder))
    return found
