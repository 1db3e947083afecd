"""The targets that a tenant may run on. Each target writes its own files and knows the commands that run them."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import ClassVar, Protocol

from bot.config import Config
from bot.tenants.tenant import Tenant

TARGETS = {  # by name: module and class; only the requested one is imported
    "compose": ("bot.tenants.targets.compose", "Compose"),
    "systemd": ("bot.tenants.targets.systemd", "Systemd"),
    "kubernetes": ("bot.tenants.targets.kubernetes", "Kubernetes"),
}

Command = list[str]  # a program and its arguments; no shell reads it


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidatorVerdict:
    """A validator's verdict on the written files."""

    by: str  # "docker compose config"
    is_good: bool | None  # None: it is not installed here
    text: str = ""  # the validator's output, or what to install


class Target(Protocol):
    name: ClassVar[str]

    def artefacts(
        self, tenant: Tenant, config: Config, secrets: Collection[str], files: Collection[str]
    ) -> Mapping[str, str]:
        """Return the files that run the tenant, by their path in its folder.

        `secrets` are the names of its secret files. `files` are the paths of its role files and its groups' files.
        """

    def validate(self, tenant: Tenant, folder: Path) -> Iterator[ValidatorVerdict]:
        """Yield the verdicts of this machine's validators on `folder`: the tenant's own, or its staging folder."""

    def start_commands(self, tenant: Tenant) -> list[Command]: ...

    def stop_commands(self, tenant: Tenant) -> list[Command]:
        """Return the commands that stop the bot cleanly and keep it stopped. They do not fail if nothing runs."""

    def is_running(self, tenant: Tenant) -> bool:
        """Return True if the bot runs. Raise ConfigError if that cannot be found out."""

    def command_beside_bot(self, tenant: Tenant, words: Sequence[str]) -> Command:
        """Return the command that runs `retinue WORDS` beside the bot, as the tenant, with the caller's streams."""

    def command_while_stopped(self, tenant: Tenant, words: Sequence[str]) -> Command:
        """Return the command that runs `retinue WORDS` while the bot is stopped, with everything the bot would have."""

    def probe_command(self, tenant: Tenant, release: str) -> Command | None:
        """Return a command that fetches a release and prints its version beside the running bot.

        Return None if the release cannot be tried.
        """

    def logs_command(self, tenant: Tenant, *, follow: bool, lines: int) -> Command: ...

    def remove_commands(self, tenant: Tenant) -> list[Command]:
        """Return the commands that remove everything outside the tenant's folder."""

    def next_steps(self, tenant: Tenant) -> list[str]:
        """Return the lines that an operator types next to run the tenant."""


def make_target(name: str) -> Target:
    """Return the target of that name, which must be one of `TARGETS`."""
    module, of = TARGETS[name]
    made: Target = getattr(import_module(module), of)()
    return made
