"""Parts that the commands share: options, the choice of tenants and release, and escaped output."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import click

from bot.core.errors import ConfigError
from bot.core.texts import escape_unprintable
from bot.tenants import TellOperator
from bot.tenants.commands import texts
from bot.tenants.deployment import DEFAULT_WAIT_UNTIL_WELL_SECONDS, Deployment
from bot.tenants.image import check_image_for_target, choose_or_build_release_for_target
from bot.tenants.root import TenantsRoot
from bot.tenants.targets import TARGET_NAMES, make_target
from bot.tenants.tenant import Tenant

CONTEXT_SETTINGS = {"help_option_names": ["-h", "--help"], "show_default": True}

any_path = click.Path(path_type=Path)
path_or_dash = click.Path(path_type=Path, allow_dash=True)
root_option = click.option(
    "--root",
    type=click.Path(path_type=TenantsRoot, readable=False),
    default="/srv/retinue",
    metavar="FOLDER",
    help="Where this machine's tenants lie.",
)
name_argument = click.argument("name")
optional_name_argument = click.argument("name", required=False)
all_option = click.option("--all", "is_all", is_flag=True, help="All tenants, one after the other.")
wait_option = click.option(
    "--wait",
    "wait_seconds",
    type=click.FloatRange(min=1, max=3600),
    default=int(DEFAULT_WAIT_UNTIL_WELL_SECONDS),
    metavar="SECONDS",
    help="How long a bot that was started may take until it is well.",
)


def echo_escaped(text: str, *, err: bool = False) -> None:
    """Print a line with control characters escaped: it may contain output of the tenant's own command."""
    click.echo(escape_unprintable(text), err=err)


echo_escaped_on_stderr = partial(echo_escaped, err=True)  # where stdout carries another stream


def deployment_of_tenant(
    tenant: Tenant, wait_seconds: float = DEFAULT_WAIT_UNTIL_WELL_SECONDS, tell: TellOperator = echo_escaped
) -> Deployment:
    """Return the tenant's deployment. Raise ConfigError if its target is unknown."""
    if tenant.target not in TARGET_NAMES:
        targets = ", ".join(TARGET_NAMES)
        raise ConfigError(texts.NO_SUCH_TARGET(folder=tenant.folder, target=tenant.target, targets=targets))
    return Deployment(tenant=tenant, target=make_target(tenant.target), tell=tell, wait_seconds=wait_seconds)


@contextmanager
def print_if_interrupted(text: str) -> Iterator[None]:
    """After Ctrl-C, print `text`, which says what the interruption leaves behind."""
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


def check_named_release(tenant: Tenant, image: str | None, folder: Path | None) -> None:
    """Raise ConfigError if the tenant's target cannot run the release that the command line names."""
    if folder and tenant.target != "systemd":
        raise ConfigError(texts.RUNS_AN_IMAGE(name=tenant.name))
    if folder and not (folder / ".venv/bin/retinue").exists():
        raise ConfigError(texts.RELEASE_NOT_INSTALLED(folder=folder))
    check_image_for_target(tenant.target, image)


def choose_or_build_release(tenant: Tenant, image: str | None, folder: Path | None) -> str:
    """Return the named release, else this checkout or an image built from it. Raise ConfigError on failure."""
    if tenant.target == "systemd" and folder:
        return str(folder.resolve())
    return choose_or_build_release_for_target(tenant.target, image, echo_escaped)
