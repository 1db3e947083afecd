"""`scripts/add-tenant`: make a tenant, or bring the files of an existing one up to date."""

import asyncio
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import click

from bot.cli.roles import load_rules
from bot.config import Config, LoadedConfig, validate_settings
from bot.config.channel_access import owner_chats
from bot.config.groups import read_groups
from bot.config.layers import Layer
from bot.config.paths import DefaultFolders
from bot.config.roles import load_roles
from bot.core.errors import ConfigError
from bot.core.exit_status import ExitStatus
from bot.core.findings import CheckState
from bot.core.printable import escape_unprintable
from bot.ops import logs
from bot.ops.checks import live
from bot.tenants import creation
from bot.tenants.blueprint import Blueprint, read_role_texts
from bot.tenants.bots import list_bots
from bot.tenants.commands import texts
from bot.tenants.commands.deployments import echo_escaped
from bot.tenants.commands.options import HELP_OPTIONS, name_argument, root_option
from bot.tenants.commands.prepared_input import read_prepared_secrets, read_prepared_settings
from bot.tenants.commands.questions import ask_about_tenant
from bot.tenants.group_folders import read_prepared_groups
from bot.tenants.release import CHECKOUT, check_release, release_for
from bot.tenants.root import TenantsRoot
from bot.tenants.targets import TARGETS, Target, ValidatorVerdict, disk, make_target
from bot.tenants.tenant import DISK, WRITABLE, Tenant, check_tenant_name

UNBUILT_IMAGE_ID = "sha256:" + "0" * 64  # in a dry run there is no image


@dataclass(frozen=True, slots=True, kw_only=True)
class AddTenantOptions:
    """The command-line options, by their names."""

    name: str
    target: str
    root: Path
    file: Path | None
    secrets: Path | None
    ask: bool = False
    roles: Path | None
    groups: Path | None = None
    budget: float | None = None
    time_zone: str | None = None
    public: bool
    image: str | None
    disk: str | None
    anyway: bool
    dry_run: bool = False


@click.command(context_settings=HELP_OPTIONS)
@name_argument
@click.option("--target", type=click.Choice([*TARGETS]), default="compose", show_default=True, help="What it runs on.")
@root_option
@click.option("--config", "file", type=click.Path(path_type=Path), metavar="FILE", help="Its settings, prepared.")
@click.option(
    "--secrets",
    type=click.Path(path_type=Path, allow_dash=True),
    metavar="FOLDER|-",
    help="Its secrets: a folder with a file for each (model__api_key …), or - for a JSON object on stdin.",
)
@click.option("--ask", is_flag=True, help="Ask for what is needed although --config is given.")
@click.option("--roles", type=click.Path(path_type=Path), metavar="FOLDER", help="Role files of its own.")
@click.option("--groups", type=click.Path(path_type=Path), metavar="FOLDER", help="Its groups, a folder for each.")
@click.option("--budget", type=float, metavar="USD", help="What it may spend in a day.")
@click.option("--time-zone", metavar="ZONE", help="Where its days begin, as Europe/Berlin.")
@click.option("--public", is_flag=True, help="Let everybody talk to it, at your cost.")
@click.option("--image", metavar="IMAGE", help="Run this image; else one is built of this checkout (compose).")
@click.option("--disk", metavar="SIZE", help="What its files may hold, as 2G.")
@click.option("--anyway", is_flag=True, help="Make it although a check finds fault.")
@click.option("--dry-run", is_flag=True, help="Show all that would be written, and write nothing.")
def command(**wishes: object) -> ExitStatus:
    """Make a tenant: a deployment of its own.

    Without --config it asks. If the tenant exists, the files that run it are rewritten where its config or its secrets
    have changed, and the files that you have put there are made readable for it.
    """
    logs.silence_logs()
    return add_tenant(AddTenantOptions(**wishes))  # type: ignore[arg-type] # the options above, by their names


def add_tenant(wishes: AddTenantOptions) -> ExitStatus:
    """Make the tenant, or refresh it if it exists. Return the exit status."""
    name, root = check_tenant_name(wishes.name), TenantsRoot(wishes.root)
    if root.has_tenant(name):
        return refresh_tenant(root, root.read_tenant(name), wishes)
    root.check_name_is_free(name)
    check_release(wishes.target, wishes.image)
    if not wishes.dry_run:
        creation.require_root(wishes.target)  # before anything is asked, or an image is built
    blueprint = gather_blueprint(wishes, root.path / name)
    config = blueprint.build_config(root.path / name)
    root.check_bots_are_unique(name, dict(list_bots(config)))
    if not is_config_working(config) and not wishes.anyway:
        click.echo(texts.CHECK_FAILED)
        return ExitStatus.NOT_DONE
    on = make_target(wishes.target)
    if wishes.dry_run:
        show_dry_run(root, blueprint, on)
        return ExitStatus.DONE
    blueprint.release = release_for(wishes.target, wishes.image, click.echo)
    tenant, verdicts = creation.make_tenant(root, blueprint, on, check_roles_and_groups)
    click.echo(texts.MADE(name=tenant.name, folder=tenant.folder, uid=tenant.uid))
    report_verdicts(tenant, verdicts)
    return ExitStatus.DONE


def refresh_tenant(root: TenantsRoot, tenant: Tenant, wishes: AddTenantOptions) -> ExitStatus:
    """Refresh the files that run an existing tenant. Leave the operator's and the tenant's own files alone."""
    on, name, folder = make_target(tenant.target), tenant.name, tenant.folder
    unchanged = texts.UNCHANGED(name=name, folder=folder)
    settings = (wishes.file, wishes.secrets, wishes.roles, wishes.groups, wishes.budget, wishes.time_zone)
    given = [each for each in (*settings, wishes.image, wishes.disk) if each is not None]
    if given or wishes.ask or wishes.public:
        click.echo(texts.OPTIONS_LEFT_ALONE)
    if wishes.dry_run:
        loaded = creation.load_checked_settings(root, tenant, load_rules)
        files = creation.find_outdated_files(tenant, on, loaded)
        paths = ", ".join(sorted(files))
        click.echo(texts.WOULD_BE_REWRITTEN(name=name, folder=folder, paths=paths) if files else unchanged)
        print_files(files)
        return ExitStatus.DONE
    changed, verdicts = creation.refresh_artefacts(root, tenant, on, load_rules)
    paths = ", ".join(changed)
    click.echo(texts.BROUGHT_UP_TO_DATE(name=name, folder=folder, paths=paths) if changed else unchanged)
    report_verdicts(tenant, verdicts)
    return ExitStatus.DONE


def gather_blueprint(wishes: AddTenantOptions, folder: Path) -> Blueprint:
    """Return the plan of a new tenant, from the prepared input and the operator's answers."""
    blueprint = Blueprint(
        name=wishes.name,
        target=wishes.target,
        values=read_prepared_settings(wishes.file),
        secrets=read_prepared_secrets(wishes.secrets),
        roles=read_role_texts(wishes.roles) if wishes.roles else {},
        groups=read_prepared_groups(wishes.groups) if wishes.groups else {},
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
        click.echo(f"{texts.NEW_TENANT(folder=folder)}\n")
        ask_about_tenant(blueprint, settings_so_far(blueprint, folder), folder)
    blueprint.add_swarm_section()
    return blueprint


def settings_so_far(blueprint: Blueprint, folder: Path) -> Config:
    """Return the settings known before any question is asked. They need not be enough for a bot."""
    folders = DefaultFolders.for_config_file(folder / "config.json")
    return folders.make_absolute(validate_settings([Layer(values=blueprint.values, origins={(): "--config"})], folders))


def is_config_working(config: Config, part: str = "") -> bool:
    """Check the model's server and the platforms, or the named part, and print each finding.

    Return False if a finding is wrong.
    """
    findings = [each for each in asyncio.run(live.check_servers(config)) if each.text.startswith(part)]
    for finding in findings:
        echo_escaped(str(finding))
    return all(finding.state is not CheckState.WRONG for finding in findings)


def check_roles_and_groups(loaded: LoadedConfig) -> None:
    """Raise ConfigError if a role or a group is wrong.

    A bot with a wrong group would run, but it would not answer in that group.
    """
    load_rules(loaded)
    found = read_groups(loaded, load_roles(loaded.config, loaded.origin), owner_chats(loaded.config))
    if found.faults:
        raise ConfigError(found.faults[0])


def report_verdicts(tenant: Tenant, verdicts: Iterable[ValidatorVerdict]) -> None:
    """Print what each validator said, and the next steps."""
    for verdict in verdicts:
        if not verdict.is_good:
            click.echo(texts.VALIDATOR_NOT_ASKED(validator=verdict.by, reason=verdict.text))
        elif verdict.text:
            click.echo(texts.VALIDATOR_IS_FINE_WITH(validator=verdict.by, text=verdict.text))
        else:
            click.echo(texts.VALIDATOR_IS_FINE(validator=verdict.by))
    click.echo(f"\n{texts.NEXT}")
    for step in make_target(tenant.target).next_steps(tenant):
        click.echo(f"  {step}")


def show_dry_run(root: TenantsRoot, blueprint: Blueprint, target: Target) -> None:
    """Print all files to be made, the image to be built, and the next steps. Write nothing.

    For secrets and the tenant's own files, only the file names are shown.
    """
    blueprint.release = blueprint.release or (str(CHECKOUT) if blueprint.target == "systemd" else UNBUILT_IMAGE_ID)
    config = blueprint.build_config(root.path / blueprint.name)
    tenant = creation.plan_tenant(root, blueprint, root.next_uid())
    is_shared = creation.is_user_of_host(blueprint.target)
    artefacts = target.artefacts(tenant, config, sorted(blueprint.secrets), creation.operator_file_paths(blueprint))
    click.echo(f"{texts.WOULD_BE_MADE(folder=tenant.folder, uid=tenant.uid)}\n")
    entries = list(creation.list_tenant_entries(blueprint, tenant, artefacts))
    for entry in entries:
        owner = "" if not is_shared else f"{tenant.uid if entry.is_own else 0}:{tenant.uid} "
        click.echo(f"  {entry.mode(is_shared=is_shared):o} {owner}{entry.path}{'/' * (entry.text is None)}")
    if tenant.disk and is_shared:
        folders = ", ".join(WRITABLE)
        click.echo()
        click.echo(texts.WOULD_BE_MOUNTED(image=disk.IMAGE, size=tenant.disk, folder=DISK, folders=folders))
    if tenant.release == UNBUILT_IMAGE_ID:
        click.echo()
        click.echo(texts.IMAGE_WOULD_BE_BUILT(checkout=CHECKOUT, id=UNBUILT_IMAGE_ID[:11]))
    print_files({entry.path: entry.text for entry in entries if entry.text is not None and not entry.is_own})
    click.echo(f"\n{texts.NEXT_WOULD_BE}")
    for step in target.next_steps(tenant):
        click.echo(f"  {step}")


def print_files(files: Mapping[str, str]) -> None:
    """Print each file's path and text."""
    for path, text in files.items():
        click.echo(f"\n--- {path}")
        for line in text.splitlines():
            click.echo(escape_unprintable(line))
