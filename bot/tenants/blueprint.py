"""What a new tenant is to be, and whether it can be: settings, secrets, roles, and what it runs on."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bot.config import Config, checked
from bot.config.layers import OWN_NAMES, Layer, merge, nested
from bot.config.paths import Folders
from bot.errors import ConfigError
from bot.tenants.bots import bots_of
from bot.tenants.group_folders import is_in_workspace
from bot.tenants.targets import disk
from bot.tenants.tenant import DATA, GROUPS, ROLES, WORKSPACE

SECRET_KEYS = frozenset(OWN_NAMES.values())
SECRET_FILES = frozenset("__".join(key) for key in SECRET_KEYS)
SWARM = {"enabled": True, "max_depth": 1, "max_concurrent": 3, "roles": {}}  # what an operator will look for first
LARGEST_ROLE = 1_000_000  # bytes


@dataclass(slots=True, kw_only=True)
class Blueprint:
    name: str
    target: str
    values: dict[str, Any]  # what will stand in config.json
    secrets: dict[str, str] = field(default_factory=dict)  # by the name of their file
    roles: Mapping[str, str] = field(default_factory=dict)  # the text of each file, by its name
    groups: Mapping[str, str] = field(default_factory=dict)  # and of each of the groups', by its path: NAME/FILE
    release: str = ""
    version: str = ""
    disk: str = ""
    is_public: bool = False  # said out loud: everybody may talk to it

    def take_out_secrets(self) -> None:
        """Those that stand among the settings get files of their own, and win over none that is there."""
        for key in SECRET_KEYS:
            *above, last = key
            section: Any = self.values
            for name in above:
                section = section.get(name) if isinstance(section, dict) else None
            if isinstance(section, dict) and isinstance(section.get(last), str):
                self.secrets.setdefault("__".join(key), section.pop(last))

    def config(self, folder: Path) -> Config:
        """The settings as they will be read in that folder; raises ConfigError where no bot would start with them."""
        for name, value in self.secrets.items():
            check_secret(name, value)
        keys = [(tuple(name.split("__")), value.strip()) for name, value in self.secrets.items()]
        secret = Layer(values=merge(Layer(values=nested(*each), origins={}) for each in keys), origins={(): "a secret"})
        folders = Folders.beside(folder / "config.json")
        config = folders.placed(checked([secret, Layer(values=self.values, origins={(): "the settings"})], folders))
        check_folders(config, folder)
        check_channels(config, is_public=self.is_public)
        self.check_groups()
        dict(bots_of(config))  # raises where a token is none
        if self.disk:
            disk.bytes_of(self.disk)
        return config

    def check_groups(self) -> None:
        inside = next((path for path in self.groups if is_in_workspace(path)), None)
        if inside and self.target == "kubernetes":
            why = "on Kubernetes a workspace is on the cluster's volume"
            raise ConfigError(f"{inside}: {why}; leave it out, and copy it there with kubectl cp once the tenant runs")

    def complete(self) -> None:
        """The `swarm` section stands in every tenant's config, for its operator to find."""
        swarm = self.values.setdefault("swarm", {})
        if isinstance(swarm, dict):
            self.values["swarm"] = {**SWARM, **swarm}


def check_secret(name: str, value: str) -> None:
    if name not in SECRET_FILES:
        raise ConfigError(f"{name!r} is no secret of a tenant; there are {', '.join(sorted(SECRET_FILES))}")
    if not value.strip():
        raise ConfigError(f"{name}: this secret is empty")
    if any(letter.isspace() or not letter.isprintable() or letter in "\"'" for letter in value.strip()):
        raise ConfigError(f"{name}: this secret holds a space, a quote or a line break; copy it again, and it alone")


def check_folders(config: Config, folder: Path) -> None:
    """Its target shows each where it is expected, and nothing else of the machine."""
    places = {
        "data_dir": (config.data_dir, DATA),
        "workspace": (config.workspace, WORKSPACE),
        "swarm.roles_dir": (config.swarm.roles_dir, ROLES),
        "swarm.groups_dir": (config.swarm.groups_dir, GROUPS),
    }
    for key, (path, name) in places.items():
        if path != folder / name:
            raise ConfigError(f"{key} must be {name!r}, where a tenant's target expects it; leave it out")
    if config.secrets_dir:
        raise ConfigError("secrets_dir must not be set: a tenant's target shows it its secrets; leave it out")


def check_channels(config: Config, *, is_public: bool) -> None:
    enabled = {"telegram": config.channels.telegram, "discord": config.channels.discord}
    enabled = {name: settings for name, settings in enabled.items() if settings.enabled}
    if not enabled:
        raise ConfigError("no channel is enabled: set channels.telegram.enabled or channels.discord.enabled to true")
    if not config.model.api_key and not config.model.base_url:
        raise ConfigError("there is no key for the model: give the secret model__api_key, or set model.base_url")
    for name, settings in enabled.items():
        if not settings.token:
            raise ConfigError(f"channels.{name} is enabled and has no token: give the secret channels__{name}__token")
        if settings.allow_from == "*" and not is_public:
            raise ConfigError(
                f'channels.{name}.allow_from is "*": everybody there could spend this tenant\'s money; say --public if'
                " that is meant, or list who may talk to it"
            )
        if settings.owner is None and not settings.allow_from and not settings.people:
            raise ConfigError(
                f"nobody could talk to it: set channels.{name}.owner (who then lets others in) or .allow_from, or say"
                " --public"
            )


def role_files(folder: Path) -> dict[str, str]:
    """The role files of a folder, by name; raises ConfigError where one cannot be read."""
    found = {}
    try:
        for path in markdown(folder):
            if not path.is_file() or path.stat().st_size > LARGEST_ROLE:
                raise ConfigError(f"{path}: a role file is a file of at most {LARGEST_ROLE // 1_000_000} MB")
            found[path.name] = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ConfigError(f"{error.filename or folder}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{folder}: a role file is not UTF-8 text") from None
    if not found:
        raise ConfigError(f"{folder}: there are no role files in it (NAME.md)")
    return found


def markdown(folder: Path) -> Iterable[Path]:
    return sorted(path for path in folder.iterdir() if path.suffix.lower() == ".md" and not path.name.startswith("."))
