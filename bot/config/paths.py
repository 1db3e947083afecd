"""Where the folders lie: beside the config file, or where the platform keeps a user's files."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from platformdirs import user_data_path

from bot.config import texts
from bot.config.config_file import user_config_file
from bot.config.layers import Values
from bot.config.settings import Config
from bot.core.errors import ConfigError
from bot.core.setting_types import expand_path

CREDENTIALS_FOLDER = "$CREDENTIALS_DIRECTORY"  # where systemd puts a service's credentials
DEFAULT_SECRETS = "secrets"  # beside the config file

DEMO = "demo"  # the folder below the data folder that holds what is said with the demo


@dataclass(frozen=True, slots=True, kw_only=True)
class DefaultFolders:
    """The folders that nobody has named, and where a path that was given begins.

    Beside a config file lies everything. For the user's own, and without any, what the operator writes lies in the
    user's config folder, and what the bot writes in the user's data folder. A folder that an earlier version has made
    in the other of both is used where it is.
    """

    anchor: Path
    operator_base: Path  # where roles and groups lie
    bot_base: Path  # where rows and the workspace lie
    secrets: Path | None

    @classmethod
    def for_config_file(cls, file: Path | None) -> "DefaultFolders":
        if file and file != user_config_file():
            return cls(
                anchor=file.parent,
                operator_base=file.parent,
                bot_base=file.parent,
                secrets=file.parent / DEFAULT_SECRETS,
            )
        written, kept = user_config_file().parent, user_data_path("retinue", appauthor=False).absolute()
        if file:
            return cls(anchor=written, operator_base=written, bot_base=kept, secrets=written / DEFAULT_SECRETS)
        return cls(anchor=Path.cwd(), operator_base=written, bot_base=kept, secrets=None)

    def default_values(self) -> Values:
        """Return the paths that nobody has given. The other defaults stand in `bot/core/settings.py`."""
        return {
            "data_dir": existing_or_usual(self.operator_base / "data", self.bot_base / "data"),
            "workspace": existing_or_usual(self.operator_base / "workspace", self.bot_base / "workspace"),
            "swarm": {
                "roles_dir": existing_or_usual(self.bot_base / "roles", self.operator_base / "roles"),
                "groups_dir": existing_or_usual(self.bot_base / "groups", self.operator_base / "groups"),
            },
        }

    def secret_folders(self, values: Values, variables: Mapping[str, str]) -> Iterator[tuple[str, Path]]:
        """Yield the folders that hold secrets, and what names each; the first wins. A named folder must be there."""
        for name, folder in self.possible_secret_folders(values, variables):
            if name != DEFAULT_SECRETS or folder.is_dir():
                yield name, folder

    def possible_secret_folders(self, values: Values, variables: Mapping[str, str]) -> Iterator[tuple[str, Path]]:
        """Yield the same folders, and the default one even if nobody has made it yet."""
        if service := variables.get("CREDENTIALS_DIRECTORY"):
            yield CREDENTIALS_FOLDER, Path(service)
        if named := values.get("secrets_dir"):
            with suppress(ValueError):  # an impossible path: it is refused with the other settings
                yield "secrets_dir", self.anchor / expand_path(Path(named))
        elif self.secrets:
            yield DEFAULT_SECRETS, self.secrets

    def make_absolute(self, config: Config) -> Config:
        """Return the same settings with absolute paths."""
        swarm = config.swarm
        placed = {"roles_dir": self.anchor / swarm.roles_dir, "groups_dir": self.anchor / swarm.groups_dir}
        changed: dict[str, Any] = {"data_dir": self.anchor / config.data_dir, "swarm": swarm.model_copy(update=placed)}
        changed["workspace"] = self.anchor / config.workspace
        if config.secrets_dir:
            changed["secrets_dir"] = self.anchor / config.secrets_dir
        if config.network.ca_file:
            changed["network"] = config.network.model_copy(update={"ca_file": self.anchor / config.network.ca_file})
        if config.metrics.socket:
            changed["metrics"] = config.metrics.model_copy(update={"socket": self.anchor / config.metrics.socket})
        return config.model_copy(update=changed)


def existing_or_usual(earlier: Path, usual: Path) -> Path:
    return earlier if earlier.is_dir() else usual


def check_workspace(config: Config, origin: str, file: Path | None, secrets: Iterable[tuple[str, Path]]) -> None:
    """Raise ConfigError if the workspace, where roles read and write, holds what makes roles, or what is secret.

    `secrets` are the folders that hold secrets, and what names each.
    """
    workspace = config.workspace.resolve()
    swarm, socket = config.swarm, config.metrics.socket
    kept_out = [
        (swarm.roles_dir, texts.ROLES_IN_WORKSPACE(origin=origin)),
        (swarm.groups_dir, texts.GROUPS_IN_WORKSPACE(origin=origin)),
        (config.data_dir, texts.DATA_IN_WORKSPACE(origin=origin)),
        *((folder, describe_secrets_in_workspace(origin, name)) for name, folder in secrets),
        (socket, texts.SOCKET_IN_WORKSPACE(origin=origin)),
        (file, texts.CONFIG_IN_WORKSPACE(origin=origin)),
    ]
    for path, wrong in kept_out:
        if path and path.resolve().is_relative_to(workspace):
            raise ConfigError(wrong)
    if workspace.is_relative_to(swarm.groups_dir.resolve()):
        raise ConfigError(texts.WORKSPACE_IN_GROUPS(origin=origin))


def describe_secrets_in_workspace(origin: str, name: str) -> str:
    """Say that a folder of secrets lies there; of those that no setting names, only the workspace can be moved."""
    if name in (CREDENTIALS_FOLDER, DEFAULT_SECRETS):
        return texts.FIXED_SECRETS_IN_WORKSPACE(origin=origin, name=name)
    return texts.SECRETS_IN_WORKSPACE(origin=origin, name=name)
