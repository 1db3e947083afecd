"""Replace a tenant's secret and restart its bot with it; restore the old secret if the bot is not well.

If the rotation is killed, the file holds the whole new secret or the whole old one. The bot may still run with the old
one. The next run writes the new secret again and restarts the bot.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from bot.config import Config, load
from bot.config.config_file import read_config_file
from bot.core import durable_files
from bot.core.errors import ConfigError
from bot.tenants import making_texts, texts, upgrade_record
from bot.tenants.blueprint import SECRET_FILES, Blueprint
from bot.tenants.bots import list_bots
from bot.tenants.creation import is_user_of_host, rewrite_outdated_files
from bot.tenants.deployment import Deployment
from bot.tenants.root import TenantsRoot
from bot.tenants.tenant import CONFIG, SECRETS, Tenant

MAX_SECRET_BYTES = 100_000  # bytes, of a secret
SettingsApproval = Callable[[Config], bool]  # prints the services' findings; returns whether the settings are usable


@dataclass(frozen=True, slots=True, kw_only=True)
class Rotation:
    name: str  # of the secret's file
    value: str
    is_new_bot: bool = False  # the operator said so explicitly: its chats are different


def secret_file_name(key: str) -> str:
    """Return the file name for a key, which may be written as in the config. Raise ConfigError if it is unknown."""
    name = key.replace(".", "__")
    if name not in SECRET_FILES:
        raise ConfigError(making_texts.NO_SUCH_SECRET(name=key, secrets=", ".join(sorted(SECRET_FILES))))
    return name


def rotate_secret(root: TenantsRoot, deployment: Deployment, rotation: Rotation, check: SettingsApproval) -> bool:
    """Write the new secret and restart a running bot. Return False if the old secret had to be restored.

    A stopped bot is not started: it reads the secret at its next start. Raise ConfigError if nothing was changed, or if
    the bot is not well with the old secret either.
    """
    with root.hold_lock(deployment.tell):
        this = replace(deployment, tenant=root.read_tenant(deployment.tenant.name))
        upgrade_record.refuse_during_upgrade(this.tenant)
        config = settings_with_secret(this.tenant, rotation)
        check_bot_is_the_same(root, this.tenant, config, rotation)
        if not check(config):
            raise ConfigError(texts.CHECK_FAILED)
        path = this.tenant.folder / SECRETS / rotation.name
        former = read_tenant_secret(path)
        was_running = this.is_running()
        try:
            write_tenant_secret(this, path, rotation.value.strip() + "\n")
            restart_with_secret(this, was_running=was_running)
        except ConfigError as error:
            this.tell(texts.NOT_WELL_WITH_IT(error=error))
            this.tell(texts.PUTTING_OLD_SECRET_BACK)
            write_tenant_secret(this, path, former)
            restart_with_secret(this, was_running=was_running)
            return False
    return True


def settings_with_secret(tenant: Tenant, rotation: Rotation) -> Config:
    """Return the settings with the new secret. Raise ConfigError if a bot cannot start with them."""
    folder = tenant.folder / SECRETS
    secrets = {
        path.name: read_tenant_secret(path) or "" for path in sorted(folder.iterdir()) if path.name in SECRET_FILES
    }
    blueprint = Blueprint(
        name=tenant.name,
        target=tenant.target,
        values=dict(read_config_file(tenant.folder / CONFIG).values),
        secrets={**secrets, rotation.name: rotation.value},
        is_public=True,  # the operator agreed to that when the tenant was made
    )
    return blueprint.build_config(tenant.folder)


def check_bot_is_the_same(root: TenantsRoot, tenant: Tenant, config: Config, rotation: Rotation) -> None:
    """Raise ConfigError if the new token is another bot's, except where the operator means that."""
    after = dict(list_bots(config))
    root.check_bots_are_unique(tenant.name, after)
    before = dict(list_bots(load(tenant.folder / CONFIG, variables={}).config))
    changed = next((each for each in after if each in before and before[each] != after[each]), None)
    if changed and not rotation.is_new_bot:
        raise ConfigError(texts.TOKEN_OF_ANOTHER_BOT(new=after[changed], old=before[changed]))


def read_tenant_secret(path: Path) -> str | None:
    """Return the secret's text, or None if the file is missing. Do not follow a link: the tenant owns the folder."""
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), encoding="utf-8") as file:
            return file.read(MAX_SECRET_BYTES)
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(texts.CANNOT_READ(path=path, error=error)) from None


def write_tenant_secret(deployment: Deployment, path: Path, text: str | None) -> None:
    """Write the secret, or delete its file if `text` is None. Rewrite the files that name the secret files."""
    tenant = deployment.tenant
    if text is None:
        path.unlink(missing_ok=True)
    else:
        owner = (tenant.uid, tenant.uid) if is_user_of_host(tenant.target) else None
        durable_files.replace_file(path, text, mode=0o600, owner=owner)
    loaded = load(tenant.folder / CONFIG, variables={})
    if changed := rewrite_outdated_files(tenant, deployment.target, loaded)[0]:
        deployment.tell(texts.REWRITTEN(paths=", ".join(changed)))


def restart_with_secret(deployment: Deployment, *, was_running: bool) -> None:
    """Restart a running bot with the new secret, because a bot reads its secrets when it starts."""
    if was_running:
        deployment.stop()
        deployment.start_and_wait()
    else:
        deployment.tell(texts.READ_AT_NEXT_START(name=deployment.tenant.name))
