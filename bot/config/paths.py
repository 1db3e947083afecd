"""The places of the folders: beside the config file, or where the platform keeps a user's files."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_data_path

from bot.config import texts
from bot.config.config_file import user_config_file
from bot.config.layers import DEFAULT_SECRETS_FOLDER, NestedValues
from bot.config.settings import Config
from bot.core.errors import ConfigError
from bot.core.setting_types import expand_home_in_path

CREDENTIALS_SOURCE_NAME = "$CREDENTIALS_DIRECTORY"  # where systemd puts a service's credentials
DEMO_FOLDER_NAME = "demo"  # below the data folder: the folder with the demo's conversations


@dataclass(frozen=True, slots=True, kw_only=True)
class DefaultFolders:
    """The folders that no setting names. They are beside the config file. If that is the user's own, or there is none,
    the operator's files are in the user's config folder, and the bot's files in the user's data folder. If an earlier
    version has made a folder in the other of the two, that folder is used."""

    base_of_relative_paths: Path  # the folder that relative paths in settings start from
    operator_base: Path  # the folder of roles, groups and languages
    bot_base: Path  # the folder of the database and the workspace
    secrets: Path | None

    @classmethod
    def for_config_file(cls, file: Path | None) -> "DefaultFolders":
        usual = user_config_file()
        is_users = file is None or file == usual
        base = (file or usual).parent
        return cls(
            base_of_relative_paths=base if file else Path.cwd(),
            operator_base=base,
            bot_base=user_data_path("retinue", appauthor=False).absolute() if is_users else base,
            secrets=base / DEFAULT_SECRETS_FOLDER if file else None,
        )

    def default_path_values(self) -> NestedValues:
        """Return the default paths. `bot/core/settings.py` has the other defaults."""
        return {
            "data_dir": earlier_folder_if_it_exists(self.operator_base / "data", self.bot_base / "data"),
            "languages_dir": self.operator_base / "languages",
            "skills_dir": self.operator_base / "skills",
            "workspace": earlier_folder_if_it_exists(self.operator_base / "workspace", self.bot_base / "workspace"),
            "swarm": {
                "roles_dir": earlier_folder_if_it_exists(self.bot_base / "roles", self.operator_base / "roles"),
                "groups_dir": earlier_folder_if_it_exists(self.bot_base / "groups", self.operator_base / "groups"),
            },
        }

    def named_secret_folders(self, values: NestedValues, variables: Mapping[str, str]) -> Iterator[tuple[str, Path]]:
        """Yield the name of each secrets folder's source, and the folder. The default one need not exist."""
        if service := variables.get("CREDENTIALS_DIRECTORY"):
            yield CREDENTIALS_SOURCE_NAME, Path(service)
        if named := values.get("secrets_dir"):
            with suppress(ValueError):  # an invalid path is refused with the other settings
                yield "secrets_dir", self.base_of_relative_paths / expand_home_in_path(Path(named))
        elif self.secrets:
            yield DEFAULT_SECRETS_FOLDER, self.secrets


def earlier_folder_if_it_exists(earlier: Path, usual: Path) -> Path:
    return earlier if earlier.is_dir() else usual


def reject_guarded_paths_in_workspace(
    config: Config, origin: str, file: Path | None, secrets: Iterable[tuple[str, Path]]
) -> None:
    """Raise ConfigError if something that roles must not reach is in the workspace, such as roles or secrets."""
    workspace = config.workspace.resolve()
    swarm, socket = config.swarm, config.metrics.socket
    kept_out = [
        (swarm.roles_dir, texts.ROLES_IN_WORKSPACE(origin=origin)),
        (swarm.groups_dir, texts.GROUPS_IN_WORKSPACE(origin=origin)),
        (config.languages_dir, texts.LANGUAGES_IN_WORKSPACE(origin=origin)),
        (config.tools_dir, texts.TOOLS_IN_WORKSPACE(origin=origin)),
        (config.skills_dir, texts.SKILLS_IN_WORKSPACE(origin=origin)),
        (config.data_dir, texts.DATA_IN_WORKSPACE(origin=origin)),
        *((folder, secrets_in_workspace_error_text(origin, name)) for name, folder in secrets),
        (socket, texts.SOCKET_IN_WORKSPACE(origin=origin)),
        (file, texts.CONFIG_IN_WORKSPACE(origin=origin)),
    ]
    for path, wrong in kept_out:
        if path and path.resolve().is_relative_to(workspace):
            raise ConfigError(wrong)
    if workspace.is_relative_to(swarm.groups_dir.resolve()):
        raise ConfigError(texts.WORKSPACE_IN_GROUPS(origin=origin))


def secrets_in_workspace_error_text(origin: str, name: str) -> str:
    """Return the error for secrets in the workspace. If no setting names their folder, only the workspace can move."""
    if name in (CREDENTIALS_SOURCE_NAME, DEFAULT_SECRETS_FOLDER):
        return texts.FIXED_SECRETS_IN_WORKSPACE(origin=origin, name=name)
    return texts.SECRETS_IN_WORKSPACE(origin=origin, name=name)
