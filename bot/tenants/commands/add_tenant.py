"""`scripts/add-tenant`: make a tenant, or bring the files of an existing one up to date."""

import asyncio
from collections.abc import Iterable, Mapping
from typing import Any

import click

from bot.cli.roles import load_delegation_rules
from bot.config import Config, LoadedConfig
from bot.config.channel_access import owner_chats
from bot.config.groups import read_groups
from bot.config.roles import load_roles
from bot.core.errors import ConfigError
from bot.core.exit_status import ExitStatus
from bot.core.findings import CheckState
from bot.core.program_names import PROJECT_FOLDER
from bot.core.texts import escape_unprintable
from bot.ops.checks import servers
from bot.tenants import creation
from bot.tenants.commands import options, texts
from bot.tenants.commands.options import echo_escaped
from bot.tenants.commands.tenant_input import AddTenantOptions, gather_blueprint
from bot.tenants.creation import Blueprint
from bot.tenants.image import check_image_for_target, choose_or_build_release_for_target
from bot.tenants.root import TenantsRoot
from bot.tenants.targets import TARGET_NAMES, Target, ValidatorVerdict, disk, make_target
from bot.tenants.targets.compose import SECCOMP_FILE
from bot.tenants.tenant import (
    DISK_FOLDER,
    SHELL_BY_PROFILE,
    WRITABLE_FOLDERS,
    FileContent,
    Tenant,
    check_tenant_name,
    has_host_user,
    is_tenant_owned,
)

UNBUILT_IMAGE_ID = "sha256:" + "0" * 64  # shown in a dry run, which builds no image


@click.command(context_settings=options.CONTEXT_SETTINGS)
@options.name_argument
@click.option("--target", type=click.Choice([*TARGET_NAMES]), default="compose", help="What it runs on.")
@options.root_option
@click.option("--config", "config_file", type=options.any_path, metavar="FILE", help="Its settings, prepared.")
@click.option(
    "--secrets",
    type=options.path_or_dash,
    metavar="FOLDER|-",
    help="Its secrets: a folder with a file for each (model__api_key …), or - for a JSON object on stdin.",
)
@click.option("--ask", is_flag=True, help="Ask for what is needed although --config is given.")
@click.option("--roles", type=options.any_path, metavar="FOLDER", help="Role files of its own.")
@click.option("--groups", type=options.any_path, metavar="FOLDER", help="Its groups, a folder for each.")
@click.option("--budget", type=float, metavar="USD", help="What it may spend in a day.")
@click.option("--time-zone", metavar="ZONE", help="Where its days begin, as Europe/Berlin.")
@click.option("--public", is_flag=True, help="Let everybody talk to it, at your cost.")
@click.option("--image", metavar="IMAGE", help="Run this image; else one is built of this checkout (compose).")
@click.option("--disk", metavar="SIZE", help="What its files may hold, as 2G.")
@click.option("--shell", is_flag=True, help="Let roles run commands: opens calls of the kernel.")
@click.option("--anyway", is_flag=True, help="Make it although a check finds fault.")
@click.option("--dry-run", is_flag=True, help="Show all that would be written, and write nothing.")
def command(**wishes: Any) -> ExitStatus:
    """Make a tenant: a deployment of its own.

    Without --config it asks. If the tenant exists, the files that run it are rewritten where its config or its secrets
    have changed, and the files that you have put there are made readable for it.
    """
    return add_or_refresh_tenant(AddTenantOptions(**wishes))


def add_or_refresh_tenant(wishes: AddTenantOptions) -> ExitStatus:
    """Make the tenant, or refresh it if it exists. Return the exit status."""
    name, root = check_tenant_name(wishes.name), wishes.root
    if root.has_tenant(name):
        return refresh_tenant_files(root, root.read_tenant(name), wishes)
    root.check_name_is_free(name)
    check_image_for_target(wishes.target, wishes.image)
    if not wishes.dry_run:
        creation.require_root_if_target_needs_it(wishes.target)  # before anything is asked, or an image is built
    blueprint = gather_blueprint(wishes, root.path / name)
    config = blueprint.build_checked_config(root.path / name)
    root.check_bots_are_unique(name, config)
    if not check_and_print_model_and_channels(config) and not wishes.anyway:
        click.echo(texts.CHECK_FAILED)
        return ExitStatus.NOT_DONE
    on = make_target(wishes.target)
    if wishes.dry_run:
        show_dry_run(root, blueprint, on)
        return ExitStatus.DONE
    blueprint.release = choose_or_build_release_for_target(wishes.target, wishes.image, click.echo)
    tenant, verdicts = creation.make_tenant(root, blueprint, on, check_roles_and_groups)
    click.echo(texts.MADE(name=tenant.name, folder=tenant.folder, uid=tenant.uid))
    print_what_shell_opens(tenant)
    print_verdicts_and_next_steps(tenant, verdicts)
    return ExitStatus.DONE


def refresh_tenant_files(root: TenantsRoot, tenant: Tenant, wishes: AddTenantOptions) -> ExitStatus:
    """Refresh the files that run an existing tenant. Leave the operator's and the tenant's own files alone."""
    on, name, folder = make_target(tenant.target), tenant.name, tenant.folder
    unchanged = texts.UNCHANGED(name=name, folder=folder)
    settings = (wishes.config_file, wishes.secrets, wishes.roles, wishes.groups, wishes.budget, wishes.time_zone)
    given = [each for each in (*settings, wishes.image, wishes.disk) if each is not None]
    if given or wishes.ask or wishes.public or wishes.shell:
        click.echo(texts.OPTIONS_LEFT_ALONE)
    if wishes.dry_run:
        creation.load_checked_settings(root, tenant, load_delegation_rules)
        files = creation.new_texts_of_outdated_files(tenant, on)
        paths = ", ".join(sorted(files))
        click.echo(texts.WOULD_BE_REWRITTEN(name=name, folder=folder, paths=paths) if files else unchanged)
        print_files(files)
    else:
        changed, verdicts = creation.refresh_files_and_owners(root, tenant, on, load_delegation_rules)
        paths = ", ".join(changed)
        click.echo(texts.BROUGHT_UP_TO_DATE(name=name, folder=folder, paths=paths) if changed else unchanged)
        print_verdicts_and_next_steps(tenant, verdicts)
    return ExitStatus.DONE


def check_and_print_model_and_channels(config: Config, part: str = "") -> bool:
    """Ask the services, and print the findings that begin with `part`. Return False if one of them is WRONG."""
    findings = [each for each in asyncio.run(servers.check_model_and_channels(config)) if each.text.startswith(part)]
    for finding in findings:
        echo_escaped(str(finding))
    return all(finding.state is not CheckState.WRONG for finding in findings)


def check_roles_and_groups(loaded: LoadedConfig) -> None:
    """Raise ConfigError if a role or a group is wrong. With a wrong group, a bot runs, but does not answer there."""
    load_delegation_rules(loaded)
    roles = load_roles(loaded.config, loaded.config_file_named_in_errors)
    found = read_groups(loaded, roles, owner_chats(loaded.config))
    if found.faults:
        raise ConfigError(found.faults[0])


def print_verdicts_and_next_steps(tenant: Tenant, verdicts: Iterable[ValidatorVerdict]) -> None:
    for verdict in verdicts:
        if not verdict.is_good:
            click.echo(texts.VALIDATOR_NOT_ASKED(validator=verdict.validator, reason=verdict.text))
        elif verdict.text:
            click.echo(texts.VALIDATOR_IS_FINE_WITH(validator=verdict.validator, text=verdict.text))
        else:
            click.echo(texts.VALIDATOR_IS_FINE(validator=verdict.validator))
    click.echo(f"\n{texts.NEXT}")
    for step in make_target(tenant.target).operator_start_steps(tenant):
        click.echo(f"  {step}")


def print_what_shell_opens(tenant: Tenant) -> None:
    """Say what is open to a tenant with a shell that is shut to other tenants."""
    if tenant.shell:
        click.echo(f"\n{describe_what_shell_opens(tenant)}")


def describe_what_shell_opens(tenant: Tenant) -> str:
    if tenant.shell != SHELL_BY_PROFILE:
        return texts.SHELL_BY_PODMAN(file=SECCOMP_FILE)
    match tenant.target:
        case "systemd":
            return texts.SHELL_OPENS_IN_UNIT
        case "kubernetes":
            return texts.SHELL_OPENS_ON_CLUSTER(file=SECCOMP_FILE)
    return texts.SHELL_OPENS(file=SECCOMP_FILE)


def show_dry_run(root: TenantsRoot, blueprint: Blueprint, target: Target) -> None:
    """Print what would be made, and write nothing. Secrets and the tenant's own files are shown by name only."""
    default = str(PROJECT_FOLDER) if blueprint.target == "systemd" else UNBUILT_IMAGE_ID
    blueprint.release = blueprint.release or default
    tenant = creation.plan_tenant(root, blueprint)
    files = creation.plan_tenant_files(blueprint, tenant, target)
    click.echo(f"{texts.WOULD_BE_MADE(folder=tenant.folder, uid=tenant.uid)}\n")
    for path, content in files.items():
        access = tenant.mode_and_owner(path, is_folder=content is None)
        owner = "{}:{} ".format(*access["owner"]) if access["owner"] else ""
        click.echo(f"  {access['mode']:o} {owner}{path}{'/' * (content is None)}")
    if tenant.disk and has_host_user(tenant.target):
        folders = ", ".join(WRITABLE_FOLDERS)
        click.echo()
        click.echo(texts.WOULD_BE_MOUNTED(image=disk.IMAGE_FILE, size=tenant.disk, folder=DISK_FOLDER, folders=folders))
    print_what_shell_opens(tenant)
    if tenant.release == UNBUILT_IMAGE_ID:
        click.echo()
        click.echo(texts.IMAGE_WOULD_BE_BUILT(checkout=PROJECT_FOLDER, id=UNBUILT_IMAGE_ID[:11]))
    print_files({path: each for path, each in files.items() if each is not None and not is_tenant_owned(path)})
    click.echo(f"\n{texts.NEXT_WOULD_BE}")
    for step in target.operator_start_steps(tenant):
        click.echo(f"  {step}")


def print_files(files: Mapping[str, FileContent]) -> None:
    for path, content in files.items():
        click.echo(f"\n--- {path}")
        shown = content if isinstance(content, str) else texts.PICTURE_NOT_SHOWN(size=len(content))
        for line in shown.splitlines():
            click.echo(escape_unprintable(line))
