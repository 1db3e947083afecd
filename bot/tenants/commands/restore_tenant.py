"""`scripts/restore-tenant`: replace a tenant's data with a back-up, or make a new tenant from it."""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from bot.cli.roles import load_delegation_rules
from bot.cli.setup_wizard.prompts import ask_secret
from bot.config import load
from bot.core import durable_files
from bot.core.errors import ConfigError
from bot.core.exit_status import ExitStatus
from bot.tenants.backups import read_backup_summary
from bot.tenants.commands import options, texts
from bot.tenants.commands.add_tenant import add_or_refresh_tenant
from bot.tenants.commands.options import deployment_of_tenant, echo_escaped
from bot.tenants.commands.tenant_input import AddTenantOptions
from bot.tenants.image import check_image_for_target
from bot.tenants.operator_files import fill_empty_workspaces_from_backup, read_operator_files, replace_operator_files
from bot.tenants.programs import run_long_command
from bot.tenants.restoration import announce_backup, restore_tenant
from bot.tenants.root import TenantsRoot
from bot.tenants.targets import TARGET_NAMES
from bot.tenants.tenant import CONFIG, GROUPS, ROLES, SECRETS, WORKSPACE, check_tenant_name, has_host_user
from channels.registry import platforms


@click.command(context_settings=options.CONTEXT_SETTINGS)
@options.name_argument
@click.argument("file", type=options.any_path)
@options.root_option
@click.option("--config", "with_config", is_flag=True, help="Its config, roles and groups too; else it keeps its own.")
@click.option("--image", metavar="IMAGE", help="Run this image.")
@click.option("--release", "folder", type=options.any_path, metavar="FOLDER", help="Run this checkout (systemd).")
@click.option("--target", type=click.Choice([*TARGET_NAMES]), default="compose", help="Of a new one.")
@click.option(
    "--secrets",
    type=options.path_or_dash,
    metavar="FOLDER|-",
    help="Of a new one, where they are not in the back-up; else it asks.",
)
@click.option("--disk", metavar="SIZE", help="Of a new one: what its files may hold, as 2G.")
@click.option("--public", is_flag=True, help="Of a new one: let everybody talk to it, at your cost.")
@click.option("--anyway", is_flag=True, help="Make a new one although a check finds fault.")
@options.wait_option
def command(
    name: str,
    file: Path,
    root: TenantsRoot,
    with_config: bool,
    image: str | None,
    folder: Path | None,
    wait_seconds: float,
    **of_new: Any,
) -> ExitStatus:
    """Restore a tenant from a back-up.

    If the tenant exists, its current data are backed up first. Else it is made, with the settings of the back-up.
    """
    is_there = root.has_tenant(check_tenant_name(name))
    with TemporaryDirectory(prefix="retinue-") as place:
        unpacked = Path(place) / "unpacked"
        if with_config or not is_there:
            read_backup_summary(file)
            command = [sys.executable, "-P", "-m", "bot", "restore", "--unpack", str(unpacked), str(file)]
            run_long_command(command, echo_escaped)
        if not is_there:
            check_image_for_target(of_new["target"], image)
            return make_tenant_from_backup(file, unpacked, name=name, root=root, image=image, **of_new)
        this, release = deployment_of_tenant(root.read_tenant(name), wait_seconds), ""
        if image is not None or folder is not None:
            options.check_named_release(this.tenant, image, folder)
            release = options.choose_or_build_release(this.tenant, image, folder)
        operators = unpacked if with_config else None
        with options.print_if_interrupted(texts.RESTORE_INTERRUPTED(name=name)):
            is_done = restore_tenant(this, file, load_delegation_rules, operator_folder=operators, release=release)
    return ExitStatus.DONE if is_done else ExitStatus.NOT_DONE


def make_tenant_from_backup(
    file: Path, unpacked: Path, *, name: str, root: TenantsRoot, secrets: Path | None, **wishes: Any
) -> ExitStatus:
    """Make a tenant as add-tenant does, with the back-up's settings. Restore groups and data; do not start it."""
    if not (unpacked / CONFIG).is_file():
        raise ConfigError(texts.NO_CONFIG(path=file))
    prepared = AddTenantOptions(  # without groups: they are restored below, with the files beside them
        name=name,
        root=root,
        config_file=unpacked / CONFIG,
        secrets=secrets or fill_unpacked_secrets_by_asking(unpacked),
        roles=unpacked / ROLES if any((unpacked / ROLES).glob("*.md")) else None,
        **wishes,
    )
    if status := add_or_refresh_tenant(prepared):
        return status
    this = deployment_of_tenant(root.read_tenant(name))
    with root.hold_lock(echo_escaped):
        unpacked_files = read_operator_files(unpacked)
        groups = {path: content for path, content in unpacked_files.items() if path.startswith(f"{GROUPS}/")}
        replace_operator_files(this.tenant, {**read_operator_files(this.tenant.folder), **groups})
        if not has_host_user(this.tenant.target):  # the workspaces are on a volume that only the bot can write to
            if any(unpacked.glob(f"{GROUPS}/*/{WORKSPACE}/*")):
                echo_escaped(texts.GROUPS_LEFT_OUT)
        elif filled := fill_empty_workspaces_from_backup(this.tenant, unpacked):
            echo_escaped(texts.GROUPS_RESTORED(groups=", ".join(filled)))
        contents = announce_backup(file, echo_escaped)
        this.restore_data(file)
        echo_escaped(texts.MADE_OF_BACKUP(contents=contents, name=name))
    return ExitStatus.DONE


def fill_unpacked_secrets_by_asking(unpacked: Path) -> Path:
    """Ask for each secret that the unpacked back-up lacks, and write it there. Return the folder with all secrets."""
    config = load(unpacked / CONFIG, variables={}).config
    missing = ["model__api_key"] if config.model.api_key is None else []
    for name, platform in platforms().items():
        if config.channels[name].enabled and config.channels[name].token is None:
            missing.append(platform.token_file_name)
    for name in missing:
        if answer := ask_secret(texts.WHICH_SECRET(name=name)):
            durable_files.write_new_file(unpacked / SECRETS / name, answer, mode=0o600)
    return unpacked / SECRETS
