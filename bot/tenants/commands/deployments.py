"""Open the deployment that a command is about, and print the command's output safely."""

from collections.abc import Iterator
from contextlib import contextmanager

import click

from bot.core.errors import ConfigError
from bot.core.printable import escape_unprintable
from bot.tenants.commands import texts
from bot.tenants.deployment import WELL_SECONDS, Deployment
from bot.tenants.root import TenantsRoot
from bot.tenants.targets import TARGETS, make_target
from bot.tenants.tenant import Tenant


def echo_escaped(text: str) -> None:
    """Print a line with control characters escaped: it may contain output of the tenant's own command."""
    click.echo(escape_unprintable(text))


def echo_escaped_on_stderr(text: str) -> None:
    """Print an escaped line on stderr, because stdout carries another stream."""
    click.echo(escape_unprintable(text), err=True)


def open_deployment(root: TenantsRoot, name: str, patience: float = WELL_SECONDS) -> Deployment:
    """Return the deployment of tenant `name`. Raise ConfigError if there is no such tenant."""
    return deployment_of_tenant(root.read_tenant(name), patience)


def deployment_of_tenant(tenant: Tenant, patience: float = WELL_SECONDS) -> Deployment:
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
