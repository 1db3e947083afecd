"""Groups in a folder of the test, as an operator keeps them, and what the bot reads of them."""

from pathlib import Path
from typing import Any

from bot.config import Config, LoadedConfig
from bot.config.groups import LoadedGroups, read_groups
from bot.config.layers import DEFAULT_SECRETS_FOLDER
from bot.core.group import Group
from bot.core.messages import Address, RoleName

ROLES = [RoleName("lead"), RoleName("Writer")]
OWNER = Address(channel="telegram", chat="7")
HERE = Address(channel="terminal", chat="local")


class Groups:
    """The folder of the groups, beside a config."""

    def __init__(self, place: Path) -> None:
        self.place, self.folder = place, place / "groups"
        self.folder.mkdir()
        self.file = place / "config.json"
        self.settings: dict[str, Any] = {}

    def write(self, name: str, front: str = "", text: str = "You are.") -> Path:
        return self.put(name, f"---\n{front}\n---\n{text}".encode())

    def put(self, name: str, content: bytes) -> Path:
        (self.folder / name).mkdir(exist_ok=True)
        (self.folder / name / "instructions.md").write_bytes(content)
        return self.folder / name / "instructions.md"

    def read(self, **wishes: Any) -> LoadedGroups:
        names = ("data_dir", "workspace", "secrets_dir")
        places = {name: self.place / name.removesuffix("_dir") for name in names}
        swarm = {"groups_dir": self.folder, "roles_dir": self.place / "roles"}
        config = Config.model_validate({**places, "swarm": swarm, **self.settings})
        loaded = LoadedConfig(
            config=config,
            path=self.file,
            secret_folders=((DEFAULT_SECRETS_FOLDER, self.place / DEFAULT_SECRETS_FOLDER),),
        )
        return read_groups(loaded, ROLES, [OWNER, HERE], **wishes)

    def group(self, name: str) -> Group:
        found = self.read().groups.find_working_group(name)
        assert found
        return found

    def faults(self) -> dict[str, str]:
        """Return the fault of each group that has one, by its name, without the path at its beginning."""
        said = {}
        for folder in self.read().group_files:
            if folder.fault:
                assert folder.fault.startswith(f"{folder.path}:")
                assert "\n" not in folder.fault
                said[folder.name] = folder.fault.removeprefix(f"{folder.path}:").removeprefix(" ")
        return said
