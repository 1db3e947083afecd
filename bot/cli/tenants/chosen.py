"""The tenant that a command is about, with what runs it, and how the command speaks."""

from collections.abc import Iterator
from contextlib import contextmanager

import click

from bot.cli import one_line
from bot.cli.tenants import texts
from bot.errors import ConfigError
from bot.tenants.deployment import WELL_SECONDS, Deployment
from bot.tenants.root import Root
from bot.tenants.targets import TARGETS, target
from bot.tenants.tenant import Tenant


def say(text: str) -> None:
    """What a tenant's own command has said is among it: no terminal obeys it."""
    click.echo(one_line(text))


def say_beside(text: str) -> None:
    """The same where stdout is a stream of something else."""
    click.echo(one_line(text), err=True)


def deployment(root: Root, name: str, patience: float = WELL_SECONDS) -> Deployment:
    """Raises ConfigError where there is none of that name."""
    return of(root.tenant(name), patience)


def of(tenant: Tenant, patience: float = WELL_SECONDS) -> Deployment:
    if tenant.target not in TARGETS:
        raise ConfigError(texts.NO_SUCH_TARGET(folder=tenant.folder, target=tenant.target, targets=", ".join(TARGETS)))
    return Deployment(tenant=tenant, target=target(tenant.target), tell=say, patience=patience)


@contextmanager
def interrupted(text: str) -> Iterator[None]:
    """What Ctrl-C leaves, said when it comes."""
    try:
        yield
    except KeyboardInterrupt:
        say(text)
        raise


def several(root: Root, name: str | None, *, is_all: bool) -> list[str]:
    """The name of one, or those of all; whether each is a whole tenant is seen when its turn comes."""
    if is_all == (name is not None):
        raise ConfigError(texts.NAME_OR_ALL)
    return [folder.name for folder in root.of_tenants()] if name is None else [name]
