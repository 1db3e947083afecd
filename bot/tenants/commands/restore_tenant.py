"""`scripts/restore-tenant`: replace a tenant's data with a back-up, or make a new tenant from it."""

import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from bot.cli.roles import load_rules
from bot.cli.setup_wizard.prompts import ask_secret
from bot.config import load
from bot.core import durable_files
from bot.core.errors import ConfigError
from bot.core.exit_status import ExitStatus
from bot.ops import logs
from bot.tenants.archives import read_archive_summary
from bot.tenants.commands import texts
from bot.tenants.commands.add_tenant import AddTenantOptions, add_tenant
from bot.tenants.commands.deployments import ReleaseChoice, deployment_of_tenant, echo_escaped, explain_interruption
from bot.tenants.commands.options import HELP_OPTIONS, name_argument, root_option, wait_option
from bot.tenants.creation import is_user_of_host
from bot.tenants.group_folders import fill_empty_workspaces
from bot.tenants.long_commands import LongCommand
from bot.tenants.operator_files import read_operator_files, write_operator_files
from bot.tenants.release import check_release
from bot.tenants.restoration import RestoreRequest, announce_archive, restore_tenant_data
from bot.tenants.root import TenantsRoot
from bot.tenants.targets import TARGETS
from bot.tenants.tenant import CONFIG, GROUPS, ROLES, SECRETS, WORKSPACE, check_tenant_name
from channels.registry import platforms


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreTenantOptions:
    """The command-line options, by their names."""

    name: str
    file: Path
    root: Path
    with_config: bool
    image: str | None
    folder: Path | None
    target: str
    secrets: Path | None
    disk: str | None
    public: bool
    anyway: bool
    patience: float


@click.command(context_settings=HELP_OPTIONS)
@name_argument
@click.argument("file", type=click.Path(path_type=Path))
@root_option
@click.option("--config", "with_config", is_flag=True, help="Its config, roles and groups too; else it keeps its own.")
@click.option("--image", metavar="IMAGE", help="Run this image.")
@click.option(
    "--release", "folder", type=click.Path(path_type=Path), metavar="FOLDER", help="Run this checkout (systemd)."
)
@click.option("--target", type=click.Choice([*TARGETS]), default="compose", show_default=True, help="Of a new one.")
@click.option(
    "--secrets",
    type=click.Path(path_type=Path, allow_dash=True),
    metavar="FOLDER|-",
    help="Of a new one, where they are not in the back-up; else it asks.",
)
@click.option("--disk", metavar="SIZE", help="Of a new one: what its files may hold, as 2G.")
@click.option("--public", is_flag=True, help="Of a new one: let everybody talk to it, at your cost.")
@click.option("--anyway", is_flag=True, help="Make a new one although a check finds fault.")
@wait_option
def command(**options: object) -> ExitStatus | None:
    """Restore a tenant from a back-up.

    If the tenant exists, its current data are backed up first. Else it is made, with the settings of the back-up.
    """
    logs.silence_logs()
    wishes = RestoreTenantOptions(**options)  # type: ignore[arg-type] # the options above, by their names
    name, root = check_tenant_name(wishes.name), TenantsRoot(wishes.root)
    is_there = root.has_tenant(name)
    with TemporaryDirectory(prefix="retinue-") as folder:
        unpacked = Path(folder) / "unpacked"
        if wishes.with_config or not is_there:
            read_archive_summary(wishes.file)
            command = [sys.executable, "-P", "-m", "bot", "restore", "--unpack", str(unpacked), str(wishes.file)]
            LongCommand(command, echo_escaped).run()
        if is_there:
            is_done = restore_existing_tenant(wishes, root, unpacked if wishes.with_config else None)
        else:
            is_done = make_tenant_from_backup(wishes, root, unpacked)
    return None if is_done else ExitStatus.NOT_DONE


def restore_existing_tenant(wishes: RestoreTenantOptions, root: TenantsRoot, unpacked: Path | None) -> bool:
    """Restore the tenant's data, and the operator's files if they are unpacked. Return False if that was undone."""
    this, chosen = deployment_of_tenant(root.read_tenant(wishes.name), wishes.patience), ""
    releases = ReleaseChoice(image=wishes.image, folder=wishes.folder)
    if releases.is_named:
        releases.check_for_target(this.tenant)
        chosen = releases.resolve_for(this.tenant)
    wanted = RestoreRequest(path=wishes.file, operator_folder=unpacked, release=chosen)
    with explain_interruption(texts.RESTORE_INTERRUPTED(name=wishes.name)):
        return restore_tenant_data(root, this, wanted, load_rules)


def make_tenant_from_backup(wishes: RestoreTenantOptions, root: TenantsRoot, unpacked: Path) -> bool:
    """Make a tenant as add-tenant does, with the back-up's settings, and restore its data. Do not start it.

    Return False if the tenant could not be made. Raise ConfigError if the back-up has no config.
    """
    check_release(wishes.target, wishes.image)
    if not (unpacked / CONFIG).is_file():
        raise ConfigError(texts.NO_CONFIG(path=wishes.file))
    roles = unpacked / ROLES
    prepared = AddTenantOptions(  # without groups: they are restored below, with the files beside them
        name=wishes.name,
        target=wishes.target,
        root=wishes.root,
        file=unpacked / CONFIG,
        secrets=wishes.secrets or ask_missing_secrets(unpacked),
        roles=roles if any(roles.glob("*.md")) else None,
        public=wishes.public,
        image=wishes.image,
        disk=wishes.disk,
        anyway=wishes.anyway,
    )
    if add_tenant(prepared):
        return False
    this = deployment_of_tenant(root.read_tenant(wishes.name), wishes.patience)
    with root.hold_lock(echo_escaped):
        unpacked_files = read_operator_files(unpacked)
        groups = {path: text for path, text in unpacked_files.items() if path.startswith(f"{GROUPS}/")}
        write_operator_files(this.tenant, {**read_operator_files(this.tenant.folder), **groups})
        if not is_user_of_host(wishes.target):  # the groups' workspaces are on a volume that only the bot can write to
            if any(unpacked.glob(f"{GROUPS}/*/{WORKSPACE}/*")):
                echo_escaped(texts.GROUPS_LEFT_OUT)
        elif filled := fill_empty_workspaces(this.tenant, unpacked):
            echo_escaped(texts.GROUPS_RESTORED(groups=", ".join(filled)))
        archive = announce_archive(wishes.file, echo_escaped)
        this.restore_data(wishes.file)
        echo_escaped(texts.MADE_OF_BACKUP(contents=archive.describe(), name=wishes.name))
    return True


def ask_missing_secrets(unpacked: Path) -> Path:
    """Ask for each secret that the back-up lacks. Return the folder with all secrets."""
    folder = unpacked / SECRETS
    config = load(unpacked / CONFIG, variables={}).config
    wanted = {"model__api_key": config.model.api_key is None}
    for name, platform in platforms().items():
        settings = config.channels[name]
        wanted[platform.token_file] = settings.enabled and settings.token is None
    for name in (each for each, is_missing in wanted.items() if is_missing):
        if answer := ask_secret(texts.WHICH_SECRET(name=name)):
            durable_files.write_new_file(folder / name, answer, mode=0o600)
    return folder
