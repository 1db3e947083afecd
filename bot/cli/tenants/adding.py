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
from bot.cli.tenants import given, questions, texts
from bot.cli.tenants.showing import show, show_files
from bot.config import Config, Loaded, checked
from bot.config.layers import Layer
from bot.config.paths import Folders
from bot.config.people import owners_at
from bot.errors import ConfigError
from bot.groupfiles import read
from bot.rolefiles import all_roles
from bot.tenants import group_folders, making, release
from bot.tenants.blueprint import Blueprint, role_files
from bot.tenants.bots import bots_of
from bot.tenants.names import checked as checked_name
from bot.tenants.root import Root
from bot.tenants.targets import Verdict, target
from bot.tenants.tenant import Tenant

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
    groups: Path | None
    budget: float | None
    time_zone: str | None
    public: bool
    image: str | None
    disk: str | None
    anyway: bool
    dry_run: bool

    @property
    def is_for_a_new_one(self) -> bool:
        """Whether anything was given that a tenant which is there has already."""
        given = (self.file, self.secrets, self.roles, self.groups, self.budget, self.time_zone, self.image, self.disk)
        return self.ask or self.public or any(each is not None for each in given)


def add(wishes: Wishes) -> int:
    """Gives the exit status."""
    name, root = checked_name(wishes.name), Root(wishes.root)
    if root.has(name):
        return refresh(root, root.tenant(name), wishes)
    root.check_free(name)
    release.check(wishes.target, wishes.image)
    if not wishes.dry_run:
        making.check_user(wishes.target)  # before anything is asked, or an image is built
    blueprint = gathered(wishes, root.folder(name))
    config = blueprint.config(root.folder(name))
    root.check_bots(name, dict(bots_of(config)))
    if not is_well(config) and not wishes.anyway:
        say(texts.CHECK_FAILED)
        return NOT_MADE
    on = target(wishes.target)
    if wishes.dry_run:
        show(root, blueprint, on)
        return 0
    blueprint.release = release.release_for(wishes.target, wishes.image, say)
    tenant, verdicts = making.make(root, blueprint, on, look_at_all)
    say(texts.MADE(name=tenant.name, folder=tenant.folder, uid=tenant.uid))
    tell(tenant, verdicts)
    return 0


def refresh(root: Root, tenant: Tenant, wishes: Wishes) -> int:
    """Nothing that an operator or the tenant has written is touched."""
    on = target(tenant.target)
    if wishes.is_for_a_new_one:
        say(texts.OPTIONS_LEFT_ALONE)
    if wishes.dry_run:
        files = making.outdated(tenant, on, making.looked_at(root, tenant, look))
        paths = ", ".join(sorted(files))
        say(texts.WOULD_BE_REWRITTEN(name=tenant.name, folder=tenant.folder, paths=paths) if files else same(tenant))
        show_files(files)
        return 0
    changed, verdicts = making.refresh(root, tenant, on, look)
    paths = ", ".join(changed)
    say(texts.BROUGHT_UP_TO_DATE(name=tenant.name, folder=tenant.folder, paths=paths) if changed else same(tenant))
    tell(tenant, verdicts)
    return 0


def same(tenant: Tenant) -> str:
    return texts.UNCHANGED(name=tenant.name, folder=tenant.folder)


def gathered(wishes: Wishes, folder: Path) -> Blueprint:
    blueprint = Blueprint(
        name=wishes.name,
        target=wishes.target,
        values=given.settings(wishes.file),
        secrets=given.secrets(wishes.secrets),
        roles=role_files(wishes.roles) if wishes.roles else {},
        groups=group_folders.given(wishes.groups) if wishes.groups else {},
        release=wishes.image or "",
        version=version("retinue"),
        disk=wishes.disk or "",
        is_public=wishes.public,
    )
    blueprint.take_out_secrets()
    so_far(blueprint, folder)  # raises where what is written to next has another form
    if wishes.budget is not None:
        if not (math.isfinite(wishes.budget) and wishes.budget > 0):
            raise ConfigError(texts.BUDGET_IMPOSSIBLE)
        blueprint.values.setdefault("limits", {})["day_usd"] = wishes.budget
    if wishes.time_zone:
        blueprint.values["time_zone"] = wishes.time_zone
    if wishes.ask or wishes.file is None:
        say(f"{texts.NEW_TENANT(folder=folder)}\n")
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


def look_at_all(loaded: Loaded) -> None:
    """Raises ConfigError where a role is wrong, or a group; with that a bot would run, but nobody answer there."""
    look(loaded)
    found = read(loaded, all_roles(loaded.config, loaded.origin), owners_at(loaded.config))
    if found.faults:
        raise ConfigError(found.faults[0])


def tell(tenant: Tenant, verdicts: Iterable[Verdict]) -> None:
    for verdict in verdicts:
        say(told(verdict))
    say(f"\n{texts.NEXT}")
    for step in target(tenant.target).next_steps(tenant):
        say(f"  {step}")


def told(verdict: Verdict) -> str:
    if not verdict.is_good:
        return texts.VALIDATOR_NOT_ASKED(validator=verdict.by, reason=verdict.text)
    if verdict.text:
        return texts.VALIDATOR_IS_FINE_WITH(validator=verdict.by, text=verdict.text)
    return texts.VALIDATOR_IS_FINE(validator=verdict.by)


def say(text: str) -> None:
    click.echo(text)
