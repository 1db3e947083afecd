"""What `scripts/restore-tenant` does: for a tenant that is there, and for one that is made of its back-up."""

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from bot.cli.installing import asking
from bot.cli.tenants import adding, texts
from bot.cli.tenants.chosen import deployment, interrupted, say
from bot.cli.tenants.releases import Releases
from bot.config import load
from bot.errors import ConfigError
from bot.tenants import archives, group_folders, release, restoring
from bot.tenants.making import is_shared
from bot.tenants.names import checked
from bot.tenants.operators_files import Written, read, write
from bot.tenants.restoring import Restoration
from bot.tenants.root import Root
from bot.tenants.tenant import CONFIG, FILE, GROUPS, ROLES, SECRETS, WORKSPACE, Tenant


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """The options, by their names."""

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


def restored(wishes: Wishes) -> bool:
    name, root = checked(wishes.name), Root(wishes.root)
    is_there = (root.folder(name) / FILE).is_file()
    with TemporaryDirectory(prefix="retinue-") as folder:
        unpacked = Path(folder) / "unpacked"
        if wishes.with_config or not is_there:
            archives.read(wishes.file)
            restoring.unpack(wishes.file, unpacked, say)
        if not is_there:
            return made(wishes, root, unpacked)
        return put_back(wishes, root, unpacked if wishes.with_config else None)


def put_back(wishes: Wishes, root: Root, unpacked: Path | None) -> bool:
    this = deployment(root, wishes.name, wishes.patience)
    releases = Releases(image=wishes.image, folder=wishes.folder)
    if releases.is_named:
        releases.check(this.tenant)
    chosen = releases.of(this.tenant) if releases.is_named else ""
    wanted = Restoration(path=wishes.file, written=unpacked, release=chosen)
    with interrupted(texts.RESTORE_INTERRUPTED(name=wishes.name)):
        return restoring.restore(root, this, wanted, adding.look)


def made(wishes: Wishes, root: Root, unpacked: Path) -> bool:
    """The same as add-tenant, with the settings of the back-up; and then its data. It is not started."""
    release.check(wishes.target, wishes.image)
    if not (unpacked / CONFIG).is_file():
        raise ConfigError(texts.NO_CONFIG(path=wishes.file))
    roles = unpacked / ROLES
    secrets = wishes.secrets or with_answers(unpacked)
    prepared = adding.Wishes(
        name=wishes.name,
        target=wishes.target,
        root=wishes.root,
        file=unpacked / CONFIG,
        secrets=secrets,
        ask=False,
        roles=roles if any(roles.glob("*.md")) else None,
        groups=None,  # they are put there with what lies beside them, below
        budget=None,
        time_zone=None,
        public=wishes.public,
        image=wishes.image,
        disk=wishes.disk,
        anyway=wishes.anyway,
        dry_run=False,
    )
    if adding.add(prepared):
        return False
    this = deployment(root, wishes.name, wishes.patience)
    with root.held(say):
        groups = {path: text for path, text in read(unpacked).files.items() if path.startswith("groups/")}
        write(this.tenant, Written(files={**read(this.tenant.folder).files, **groups}))
        put_files_back(this.tenant, unpacked)
        archive = restoring.described(wishes.file, say)
        restoring.fill(this, wishes.file)
        say(texts.MADE_OF_BACKUP(contents=archive.in_words(), name=wishes.name))
    return True


def put_files_back(tenant: Tenant, unpacked: Path) -> None:
    """What the groups had in their workspaces."""
    if not is_shared(tenant.target):
        if any(unpacked.glob(f"{GROUPS}/*/{WORKSPACE}/*")):
            say(texts.GROUPS_LEFT_OUT)
    elif filled := group_folders.fill(tenant, unpacked):
        say(texts.GROUPS_RESTORED(groups=", ".join(filled)))


def with_answers(unpacked: Path) -> Path:
    """The secrets of the back-up, and those that are not in it, as they are answered."""
    folder = unpacked / SECRETS
    config = load(unpacked / CONFIG, variables={}).config
    wanted = {"model__api_key": config.model.api_key is None}
    for name in ("telegram", "discord"):
        settings = getattr(config.channels, name)
        wanted[f"channels__{name}__token"] = settings.enabled and settings.token is None
    for name in (each for each, is_missing in wanted.items() if is_missing):
        if answer := asking.secret(texts.WHICH_SECRET(name=name)):
            path = folder / name
            path.touch(mode=0o600)
            path.write_text(answer)
    return folder
