"""The work of `scripts/add-tenant`: gather, check, show or make a tenant, and print the next steps."""

import asyncio
import math
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import click

from bot.cli import roles
from bot.config import Config, LoadedConfig, validate_settings
from bot.config.channel_access import owner_chats
from bot.config.groups import read_groups
from bot.config.layers import Layer
from bot.config.paths import DefaultFolders
from bot.config.roles import load_roles
from bot.core.errors import ConfigError
from bot.ops.checks import CheckState, live
from bot.tenants import creation, group_folders, release
from bot.tenants.blueprint import Blueprint, read_role_texts
from bot.tenants.bots import list_bots
from bot.tenants.commands import prepared_input, questions, texts
from bot.tenants.commands.dry_run import print_files, show_dry_run
from bot.tenants.names import check_tenant_name as checked_name
from bot.tenants.root import TenantsRoot
from bot.tenants.targets import ValidatorVerdict, make_target
from bot.tenants.tenant import Tenant

NOT_MADE = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class AddTenantOptions:
    """The command-line options, by their names."""

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
    def has_new_tenant_options(self) -> bool:
        """Return True if an option is set that only applies to a new tenant."""
        given = (self.file, self.secrets, self.roles, self.groups, self.budget, self.time_zone, self.image, self.disk)
        return self.ask or self.public or any(each is not None for each in given)


def add_tenant(wishes: AddTenantOptions) -> int:
    """Make the tenant, or refresh it if it exists. Return the exit status."""
    name, root = checked_name(wishes.name), TenantsRoot(wishes.root)
    if root.has_tenant(name):
        return refresh_tenant(root, root.read_tenant(name), wishes)
    root.check_name_is_free(name)
    release.check_release(wishes.target, wishes.image)
    if not wishes.dry_run:
        creation.require_root(wishes.target)  # before anything is asked, or an image is built
    blueprint = gather_blueprint(wishes, root.tenant_folder(name))
    config = blueprint.build_config(root.tenant_folder(name))
    root.check_bots_are_unique(name, dict(list_bots(config)))
    if not is_config_working(config) and not wishes.anyway:
        echo_line(texts.CHECK_FAILED)
        return NOT_MADE
    on = make_target(wishes.target)
    if wishes.dry_run:
        show_dry_run(root, blueprint, on)
        return 0
    blueprint.release = release.release_for(wishes.target, wishes.image, echo_line)
    tenant, verdicts = creation.make_tenant(root, blueprint, on, check_roles_and_groups)
    echo_line(texts.MADE(name=tenant.name, folder=tenant.folder, uid=tenant.uid))
    report_verdicts(tenant, verdicts)
    return 0


def refresh_tenant(root: TenantsRoot, tenant: Tenant, wishes: AddTenantOptions) -> int:
    """Refresh the files that run an existing tenant. Leave the operator's and the tenant's own files alone."""
    on = make_target(tenant.target)
    if wishes.has_new_tenant_options:
        echo_line(texts.OPTIONS_LEFT_ALONE)
    if wishes.dry_run:
        files = creation.find_outdated_files(
            tenant, on, creation.load_checked_settings(root, tenant, check_tenant_roles)
        )
        paths = ", ".join(sorted(files))
        echo_line(
            texts.WOULD_BE_REWRITTEN(name=tenant.name, folder=tenant.folder, paths=paths)
            if files
            else describe_unchanged_tenant(tenant)
        )
        print_files(files)
        return 0
    changed, verdicts = creation.refresh_artefacts(root, tenant, on, check_tenant_roles)
    paths = ", ".join(changed)
    echo_line(
        texts.BROUGHT_UP_TO_DATE(name=tenant.name, folder=tenant.folder, paths=paths)
        if changed
        else describe_unchanged_tenant(tenant)
    )
    report_verdicts(tenant, verdicts)
    return 0


def describe_unchanged_tenant(tenant: Tenant) -> str:
    return texts.UNCHANGED(name=tenant.name, folder=tenant.folder)


def gather_blueprint(wishes: AddTenantOptions, folder: Path) -> Blueprint:
    blueprint = Blueprint(
        name=wishes.name,
        target=wishes.target,
        values=prepared_input.read_prepared_settings(wishes.file),
        secrets=prepared_input.read_prepared_secrets(wishes.secrets),
        roles=read_role_texts(wishes.roles) if wishes.roles else {},
        groups=group_folders.read_prepared_groups(wishes.groups) if wishes.groups else {},
        release=wishes.image or "",
        version=version("retinue"),
        disk=wishes.disk or "",
        is_public=wishes.public,
    )
    blueprint.take_out_secrets()
    settings_so_far(blueprint, folder)  # raises if a section that is written to next is malformed
    if wishes.budget is not None:
        if not (math.isfinite(wishes.budget) and wishes.budget > 0):
            raise ConfigError(texts.BUDGET_IMPOSSIBLE)
        blueprint.values.setdefault("limits", {})["day_usd"] = wishes.budget
    if wishes.time_zone:
        blueprint.values["time_zone"] = wishes.time_zone
    if wishes.ask or wishes.file is None:
        echo_line(f"{texts.NEW_TENANT(folder=folder)}\n")
        questions.ask_about_tenant(blueprint, settings_so_far(blueprint, folder), folder)
    blueprint.add_swarm_section()
    return blueprint


def settings_so_far(blueprint: Blueprint, folder: Path) -> Config:
    """Return the settings known before any question is asked. They need not be enough for a bot."""
    folders = DefaultFolders.for_config_file(folder / "config.json")
    return folders.make_absolute(validate_settings([Layer(values=blueprint.values, origins={(): "--config"})], folders))


def is_config_working(config: Config) -> bool:
    """Check the model's server and the platforms, and print each finding. Return False if a finding is wrong."""
    findings = asyncio.run(live.check_servers(config))
    for finding in findings:
        echo_line(str(finding))
    return all(finding.state is not CheckState.WRONG for finding in findings)


def check_tenant_roles(loaded: LoadedConfig) -> None:
    """Raise ConfigError if a role is wrong."""
    roles.load_rules(loaded)


def check_roles_and_groups(loaded: LoadedConfig) -> None:
    """Raise ConfigError if a role or a group is wrong.

    A bot with a wrong group would run, but it would not answer in that group.
    """
    check_tenant_roles(loaded)
    found = read_groups(loaded, load_roles(loaded.config, loaded.origin), owner_chats(loaded.config))
    if found.faults:
        raise ConfigError(found.faults[0])


def report_verdicts(tenant: Tenant, verdicts: Iterable[ValidatorVerdict]) -> None:
    for verdict in verdicts:
        echo_line(describe_validation(verdict))
    echo_line(f"\n{texts.NEXT}")
    for step in make_target(tenant.target).next_steps(tenant):
        echo_line(f"  {step}")


def describe_validation(verdict: ValidatorVerdict) -> str:
    if not verdict.is_good:
        return texts.VALIDATOR_NOT_ASKED(validator=verdict.by, reason=verdict.text)
    if verdict.text:
        return texts.VALIDATOR_IS_FINE_WITH(validator=verdict.by, text=verdict.text)
    return texts.VALIDATOR_IS_FINE(validator=verdict.by)


def echo_line(text: str) -> None:
    click.echo(text)
