"""The targets that a tenant may run on. Each target writes its own files and knows the commands that run them."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from string import Template
from typing import Protocol

from bot.core.errors import ConfigError
from bot.tenants.targets import texts
from bot.tenants.tenant import Tenant

TARGET_NAMES = ("compose", "systemd", "kubernetes")  # each has a module here, with a class of its name
TEMPLATES_FOLDER = Path(__file__).parents[1] / "templates"  # an operator can read them

Command = list[str]  # a program and its arguments; no shell reads it


@dataclass(frozen=True, slots=True)
class ValidatorVerdict:
    """A validator's verdict on the written files."""

    validator: str  # "docker compose config"
    is_good: bool | None  # None: it is not installed here
    text: str = ""  # the validator's output, or what to install


class Target(Protocol):
    def render_artefacts(self, tenant: Tenant, secrets: Collection[str], files: Collection[str]) -> Mapping[str, str]:
        """Return the files that run the tenant, by path. `secrets` are names; `files` are paths of roles and groups."""

    def run_validators(self, tenant: Tenant, folder: Path) -> Iterator[ValidatorVerdict]:
        """Yield the verdicts of this machine's validators on `folder`: the tenant's own, or its staging folder."""

    def commands_to_start_bot(self, tenant: Tenant) -> list[Command]: ...

    def commands_to_stop_bot(self, tenant: Tenant) -> list[Command]:
        """Return the commands that stop the bot cleanly and keep it stopped. They do not fail if nothing runs."""

    def is_running(self, tenant: Tenant) -> bool:
        """Return True if the bot runs. Raise ConfigError if that cannot be found out."""

    def retinue_command_while_running(self, tenant: Tenant, words: Sequence[str]) -> Command:
        """Return the command that runs `retinue WORDS` beside the bot, as the tenant, with the caller's streams."""

    def retinue_command_while_stopped(self, tenant: Tenant, words: Sequence[str]) -> Command:
        """Return the command that runs `retinue WORDS` while the bot is stopped, with everything the bot would have."""

    def release_version_command(self, tenant: Tenant, release: str) -> Command | None:
        """Return a command that prints a release's version, beside the running bot; or None if that is impossible."""

    def logs_command(self, tenant: Tenant, *, follow: bool, lines: int) -> Command: ...

    def commands_to_remove_deployment(self, tenant: Tenant) -> list[Command]:
        """Return the commands that remove everything outside the tenant's folder."""

    def operator_start_steps(self, tenant: Tenant) -> list[str]:
        """Return the lines that an operator types next to run the tenant."""


def make_target(name: str) -> Target:
    """Return the target of that name, which must be one of `TARGET_NAMES`. Only its module is imported."""
    made: Target = getattr(import_module(f"{__name__}.{name}"), name.capitalize())()
    return made


def render_template(name: str, values: Mapping[str, object]) -> str:
    """Return the filled template. Indent a value like its placeholder. Drop a line that has only an empty value."""
    path = TEMPLATES_FOLDER / name
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(texts.TEMPLATE_UNREADABLE(path=path, error=error.strerror)) from None
    lines = []
    for line in text.splitlines(keepends=True):
        indentation = line[: len(line) - len(line.lstrip())]
        indented = {key: str(value).replace("\n", "\n" + indentation) for key, value in values.items()}
        filled = Template(line).substitute(indented)
        if filled.strip() or not line.strip():
            lines.append(filled)
    return "".join(lines)
