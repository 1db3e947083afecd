"""Open the deployment that a command is about, choose its release, and print the command's output safely."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import click

from bot.core.errors import ConfigError
from bot.core.printable import escape_unprintable
from bot.tenants.commands import texts
from bot.tenants.deployment import WELL_SECONDS, Deployment
from bot.tenants.release import check_release, release_for
from bot.tenants.root import TenantsRoot
from bot.tenants.targets import TARGETS, make_target
from bot.tenants.tenant import Tenant


def echo_escaped(text: str) -> None:
    """Print a line with control characters escaped: it may contain output of the tenant's own command."""
    click.echo(escape_unprintable(text))


def echo_escaped_on_stderr(text: str) -> None:
    """Print an escaped line on stderr, because stdout carries another stream."""
    click.echo(escape_unprintable(text), err=True)


def deployment_of_tenant(tenant: Tenant, patience: float = WELL_SECONDS) -> Deployment:
    """Return the tenant's deployment. Raise ConfigError if its target is unknown."""
    if tenant.target not in TARGETS:
        raise ConfigError(texts.NO_SUCH_TARGET(folder=tenant.folder, target=tenant.target, targets=", ".join(TARGETS)))
    return Deployment(tenant=tenant, target=make_target(tenant.target), tell=echo_escaped, patience=patience)


@contextmanager
def explain_interruption(text: str) -> Iterator[None]:
    """Print `text`, which says what an interruption leaves behind, if Ctrl-C comes."""
    try:
        yield
    except KeyboardInterrupt:
        echo_escaped(text)
        raise


def select_tenant_names(root: TenantsRoot, name: str | None, *, is_all: bool) -> list[str]:
    """Return the given name, or the names of all tenants. The caller checks each tenant when it reads it."""
    if is_all == (name is not None):
        raise ConfigError(texts.NAME_OR_ALL)
    return [folder.name for folder in root.tenant_folders()] if name is None else [name]


@dataclass(slots=True)
class ReleaseChoice:
    """The release for a tenant: the one named on the command line, or this checkout."""

    image: str | None
    folder: Path | None
    releases_by_target: dict[str, str] = field(default_factory=dict)  # cached, so that an image is built only once

    def check_for_target(self, tenant: Tenant) -> None:
        """Raise ConfigError if the tenant's target cannot run the named release."""
        if tenant.target == "systemd":
            if self.folder and not (self.folder / ".venv/bin/retinue").exists():
                raise ConfigError(texts.RELEASE_NOT_INSTALLED(folder=self.folder))
        elif self.folder:
            raise ConfigError(texts.RUNS_AN_IMAGE(name=tenant.name))
        check_release(tenant.target, self.image)

    def resolve_for(self, tenant: Tenant) -> str:
        """Return the release. Build an image if one is needed. Raise ConfigError if that fails."""
        if tenant.target == "systemd" and self.folder:
            return str(self.folder.resolve())
        if tenant.target not in self.releases_by_target:
            self.releases_by_target[tenant.target] = release_for(tenant.target, self.image, echo_escaped)
        return self.releases_by_target[tenant.target]

    @property
    def is_named(self) -> bool:
        return self.image is not None or self.folder is not None
