"""The tenant that a command is about, with what runs it, and how the command speaks."""

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
    """What a tenant's own command has said is among it: no terminal obeys it."""
    click.echo(escape_unprintable(text))


def echo_escaped_on_stderr(text: str) -> None:
    """The same where stdout is a stream of something else."""
    click.echo(escape_unprintable(text), err=True)


def open_deployment(root: TenantsRoot, name: str, patience: float = WELL_SECONDS) -> Deployment:
    """Raises ConfigError where there is none of that name."""
    return deployment_of_tenant(root.read_tenant(name), patience)


def deployment_of_tenant(tenant: Tenant, patience: float = WELL_SECONDS) -> Deployment:
    if tenant.target not in TARGETS:
        raise ConfigError(texts.NO_SUCH_TARGET(folder=tenant.folder, target=tenant.target, targets=", ".join(TARGETS)))
    return Deployment(tenant=tenant, target=make_target(tenant.target), tell=echo_escaped, patience=patience)


@contextmanager
def explain_interruption(text: str) -> Iterator[None]:
    """What Ctrl-C leaves, said when it comes."""
    try:
        yield
    except KeyboardInterrupt:
        echo_escaped(text)
        raise


def select_tenant_names(root: TenantsRoot, name: str | None, *, is_all: bool) -> list[str]:
    """The name of one, or those of all; whether each is a whole tenant is seen when its turn comes."""
    if is_all == (name is not None):
        raise ConfigError(texts.NAME_OR_ALL)
    return [folder.name for folder in root.tenant_folders()] if name is None else [name]
