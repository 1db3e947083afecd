"""What `scripts/add-tenant` does: gather, check, show or make, and say what comes next."""

import asyncio
import math
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import click

from bot.cli import roster
from bot.cli.checks import State, live
from bot.cli.tenants import given, questions
from bot.cli.tenants.showing import show
from bot.config import Config, Loaded, checked
from bot.config.layers import Layer
from bot.config.paths import Folders
from bot.errors import ConfigError
from bot.tenants import making, release, unfinished
from bot.tenants.blueprint import Blueprint, role_files
from bot.tenants.names import checked as checked_name
from bot.tenants.root import Root
from bot.tenants.targets import Verdict, target
from bot.tenants.tenant import FILE, Tenant

NOT_MADE = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """The options, by their names."""

    name: str
    target: str
    root: Path
    file: Path | None
    secrets: Path | None
    ask: bool
    roles: Path | None
    budget: float | None
    time_zone: str | None
    public: bool
    image: str | None
    disk: str | None
    anyway: bool
    dry_run: bool


def add(wishes: Wishes) -> int:
    """Gives the exit status."""
    name, root = checked_name(wishes.name), Root(wishes.root)
    if (root.folder(name) / FILE).is_file():
        return refresh(root, root.tenant(name))
    root.check_free(name)
    release.check(wishes.target, wishes.image)
    blueprint = gathered(wishes, root.folder(name))
    config = blueprint.config(root.folder(name))
    if not is_well(config) and not wishes.anyway:
        say("Nothing was written. Mend that, or say --anyway.")
        return NOT_MADE
    on = target(wishes.target)
    if wishes.dry_run:
        show(root, blueprint, on)
        return 0
    blueprint.release = release.release_for(wishes.target, wishes.image, say)
    tenant, verdicts = making.make(root, blueprint, on, look)
    say(f"{tenant.name} is made: {tenant.folder}, uid {tenant.uid}")
    tell(tenant, verdicts)
    return 0


def refresh(root: Root, tenant: Tenant) -> int:
    """Nothing that an operator or the tenant has written is touched."""
    unfinished.check_none(tenant)
    changed, verdicts = making.refresh(root, tenant, target(tenant.target), look)
    what = f"written anew: {', '.join(changed)}" if changed else "nothing has changed"
    say(f"{tenant.name} is there already, in {tenant.folder}; {what}")
    tell(tenant, verdicts)
    return 0


def gathered(wishes: Wishes, folder: Path) -> Blueprint:
    blueprint = Blueprint(
        name=wishes.name,
        target=wishes.target,
        values=given.settings(wishes.file),
        secrets=given.secrets(wishes.secrets),
        roles=role_files(wishes.roles) if wishes.roles else {},
        release=wishes.image or "",
        version=version("retinue"),
        disk=wishes.disk or "",
        is_public=wishes.public,
    )
    blueprint.take_out_secrets()
    if wishes.budget is not None:
        if not (math.isfinite(wishes.budget) and wishes.budget > 0):
            raise ConfigError("--budget must be a number of US dollars above 0")
        blueprint.values.setdefault("limits", {})["day_usd"] = wishes.budget
    if wishes.time_zone:
        blueprint.values["time_zone"] = wishes.time_zone
    if wishes.ask or wishes.file is None:
        say(f"A new tenant: {folder}\n")
        questions.ask(blueprint, so_far(blueprint, folder), folder)
    blueprint.complete()
    return blueprint


def so_far(blueprint: Blueprint, folder: Path) -> Config:
    """What is known before anything is asked; it need not be enough for a bot."""
    folders = Folders.beside(folder / "config.json")
    return folders.placed(checked([Layer(values=blueprint.values, origins={(): "--config"})], folders))


def is_well(config: Config) -> bool:
    """Ask the model's server and the platforms, and say what they say, or that they could not be asked."""
    findings = asyncio.run(live.all_of(config))
    for finding in findings:
        say(str(finding))
    return all(finding.state is not State.WRONG for finding in findings)


def look(loaded: Loaded) -> None:
    """Raises ConfigError where a role is wrong."""
    roster.rules_for(loaded)


def tell(tenant: Tenant, verdicts: Iterable[Verdict]) -> None:
    for verdict in verdicts:
        said = f" ({verdict.text})" if verdict.text else ""
        say(f"  {verdict.by}: " + (f"it is fine{said}" if verdict.is_good else f"not asked: {verdict.text}"))
    say("\nNext:")
    for step in target(tenant.target).next_steps(tenant):
        say(f"  {step}")


def say(text: str) -> None:
    click.echo(text)
