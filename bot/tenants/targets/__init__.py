"""What a tenant may run on. Each target writes its own files and knows the commands that run them."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import ClassVar, Protocol

from bot.config import Config
from bot.tenants.tenant import Tenant

TARGETS = {  # by name: the module, and the class in it; only the one that is asked for is imported
    "compose": ("bot.tenants.targets.compose", "Compose"),
    "systemd": ("bot.tenants.targets.systemd", "Systemd"),
    "kubernetes": ("bot.tenants.targets.kubernetes", "Kubernetes"),
}

Command = list[str]  # a program and its arguments; no shell reads it


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidatorVerdict:
    """What a validator said of what was written."""

    by: str  # "docker compose config"
    is_good: bool | None  # None: it is not installed here
    text: str = ""  # its words, or what to install


class Target(Protocol):
    name: ClassVar[str]

    def artefacts(
        self, tenant: Tenant, config: Config, secrets: Collection[str], files: Collection[str]
    ) -> Mapping[str, str]:
        """The files that run it, by their path in the tenant's folder.

        `secrets` are the names of its secret files, `files` the paths of its role files and its groups' files.
        """

    def validate(self, tenant: Tenant, folder: Path) -> Iterator[ValidatorVerdict]:
        """Let the validators of this machine look at what lies in that folder (its own, or the one it is made in)."""

    def start_commands(self, tenant: Tenant) -> list[Command]: ...

    def stop_commands(self, tenant: Tenant) -> list[Command]:
        """Cleanly; what is stopped stays so. It is no error where nothing runs."""

    def is_running(self, tenant: Tenant) -> bool:
        """Raises ConfigError where that cannot be found out."""

    def command_beside_bot(self, tenant: Tenant, words: Sequence[str]) -> Command:
        """`retinue WORDS` beside the running bot, as the tenant itself; its streams are the command's own."""

    def command_while_stopped(self, tenant: Tenant, words: Sequence[str]) -> Command:
        """The same while the bot is stopped, with all that the bot would have."""

    def probe_command(self, tenant: Tenant, release: str) -> Command | None:
        """Have that release brought here and say its version, beside the running bot; None where it cannot be tried."""

    def logs_command(self, tenant: Tenant, *, follow: bool, lines: int) -> Command: ...

    def remove_commands(self, tenant: Tenant) -> list[Command]:
        """What takes away all that is not in its folder."""

    def next_steps(self, tenant: Tenant) -> list[str]:
        """The lines that an operator types next, to have it run."""


def make_target(name: str) -> Target:
    """The target of that name, which must be one of `TARGETS`."""
    module, of = TARGETS[name]
    made: Target = getattr(import_module(module), of)()
    return made
