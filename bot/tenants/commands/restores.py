"""The work of `scripts/restore-tenant`: restore an existing tenant, or make a new one from a back-up."""

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from bot.cli.setup_wizard import prompts
from bot.config import load
from bot.core.errors import ConfigError
from bot.tenants import archives, group_folders, release, restoration
from bot.tenants.commands import adding, texts
from bot.tenants.commands.deployments import echo_escaped, explain_interruption, open_deployment
from bot.tenants.commands.releases import ReleaseChoice
from bot.tenants.creation import is_user_of_host
from bot.tenants.names import check_tenant_name
from bot.tenants.operator_files import OperatorFiles, read_operator_files, write_operator_files
from bot.tenants.restoration import RestoreRequest
from bot.tenants.root import TenantsRoot
from bot.tenants.tenant import CONFIG, GROUPS, RECORD_FILE, ROLES, SECRETS, WORKSPACE, Tenant
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


def restore_tenant(wishes: RestoreTenantOptions) -> bool:
    name, root = check_tenant_name(wishes.name), TenantsRoot(wishes.root)
    is_there = (root.tenant_folder(name) / RECORD_FILE).is_file()
    with TemporaryDirectory(prefix="retinue-") as folder:
        unpacked = Path(folder) / "unpacked"
        if wishes.with_config or not is_there:
            archives.read_archive_summary(wishes.file)
            restoration.unpack_with_retinue(wishes.file, unpacked, echo_escaped)
        if not is_there:
            return make_tenant_from_backup(wishes, root, unpacked)
        return restore_existing_tenant(wishes, root, unpacked if wishes.with_config else None)


def restore_existing_tenant(wishes: RestoreTenantOptions, root: TenantsRoot, unpacked: Path | None) -> bool:
    this = open_deployment(root, wishes.name, wishes.patience)
    releases = ReleaseChoice(image=wishes.image, folder=wishes.folder)
    if releases.is_named:
        releases.check_for_target(this.tenant)
    chosen = releases.resolve_for(this.tenant) if releases.is_named else ""
    wanted = RestoreRequest(path=wishes.file, operator_folder=unpacked, release=chosen)
    with explain_interruption(texts.RESTORE_INTERRUPTED(name=wishes.name)):
        return restoration.restore_tenant_data(root, this, wanted, adding.check_tenant_roles)


def make_tenant_from_backup(wishes: RestoreTenantOptions, root: TenantsRoot, unpacked: Path) -> bool:
    """Make a tenant as add-tenant does, with the back-up's settings, and restore its data. Do not start it.

    Return False if the tenant could not be made. Raise ConfigError if the back-up has no config.
    """
    release.check_release(wishes.target, wishes.image)
    if not (unpacked / CONFIG).is_file():
        raise ConfigError(texts.NO_CONFIG(path=wishes.file))
    roles = unpacked / ROLES
    secrets = wishes.secrets or ask_missing_secrets(unpacked)
    prepared = adding.AddTenantOptions(
        name=wishes.name,
        target=wishes.target,
        root=wishes.root,
        file=unpacked / CONFIG,
        secrets=secrets,
        ask=False,
        roles=roles if any(roles.glob("*.md")) else None,
        groups=None,  # restored below, with the files beside them
        budget=None,
        time_zone=None,
        public=wishes.public,
        image=wishes.image,
        disk=wishes.disk,
        anyway=wishes.anyway,
        dry_run=False,
    )
    if adding.add_tenant(prepared):
        return False
    this = open_deployment(root, wishes.name, wishes.patience)
    with root.hold_lock(echo_escaped):
        groups = {
            path: text for path, text in read_operator_files(unpacked).files.items() if path.startswith("groups/")
        }
        write_operator_files(
            this.tenant, OperatorFiles(files={**read_operator_files(this.tenant.folder).files, **groups})
        )
        restore_group_files(this.tenant, unpacked)
        archive = restoration.announce_archive(wishes.file, echo_escaped)
        restoration.restore_data(this, wishes.file)
        echo_escaped(texts.MADE_OF_BACKUP(contents=archive.describe(), name=wishes.name))
    return True


def restore_group_files(tenant: Tenant, unpacked: Path) -> None:
    """Restore the files in the groups' workspaces, and say which groups got files back.

    On Kubernetes they cannot be restored; say so.
    """
    if not is_user_of_host(tenant.target):
        if any(unpacked.glob(f"{GROUPS}/*/{WORKSPACE}/*")):
            echo_escaped(texts.GROUPS_LEFT_OUT)
    elif filled := group_folders.fill_empty_workspaces(tenant, unpacked):
        echo_escaped(texts.GROUPS_RESTORED(groups=", ".join(filled)))


def ask_missing_secrets(unpacked: Path) -> Path:
    """Ask for each secret that the back-up lacks. Return the folder with all secrets."""
    folder = unpacked / SECRETS
    config = load(unpacked / CONFIG, variables={}).config
    wanted = {"model__api_key": config.model.api_key is None}
    for name, platform in platforms().items():
        settings = config.channels[name]
        wanted[platform.token_file] = settings.enabled and settings.token is None
    for name in (each for each, is_missing in wanted.items() if is_missing):
        if answer := prompts.ask_secret(texts.WHICH_SECRET(name=name)):
            path = folder / name
            path.touch(mode=0o600)
            path.write_text(answer)
    return folder
