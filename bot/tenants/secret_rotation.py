"""Replace a tenant's secret and restart its bot with it; restore the old secret if the bot is not well.

If the rotation is killed, the file holds the whole new secret or the whole old one. The bot may still run with the old
one. The next run writes the new secret again and restarts the bot.
"""

import os
from collections.abc import Callable
from pathlib import Path

from bot.config import Config, load
from bot.config.config_file import read_config_file_layer
from bot.core import durable_files
from bot.core.errors import ConfigError
from bot.tenants import making_texts, texts
from bot.tenants.creation import Blueprint, rewrite_and_validate_outdated_files
from bot.tenants.deployment import Deployment
from bot.tenants.root import bot_ids
from bot.tenants.secret_names import describe_secret_names, key_of_secret_file
from bot.tenants.tenant import CONFIG, SECRETS, Tenant
from bot.tenants.upgrade_record import lock_and_reload_deployment

MAX_SECRET_BYTES = 100_000


def secret_file_name(key: str) -> str:
    """Return the file name of a secret. `key` is that name or the setting. Raise ConfigError if it is unknown."""
    name = key.replace(".", "__")
    if key_of_secret_file(name) is None:
        raise ConfigError(making_texts.NO_SUCH_SECRET(name=key, secrets=describe_secret_names()))
    return name


def rotate_secret(
    deployment: Deployment, name: str, value: str, check: Callable[[Config], bool], *, is_new_bot: bool = False
) -> bool:
    """Write a new value into the secret's file and restart a running bot. Return False if the old one is restored.

    `check` prints what the services say, and returns True if the settings are usable. A token of another bot is refused
    without `is_new_bot`. A stopped bot is not started: it reads the secret at its next start. Raise ConfigError if
    nothing was changed, or if the bot is not well with the old secret either.
    """
    with lock_and_reload_deployment(deployment) as this:
        config = build_settings_with_new_secret(this.tenant, name, value)
        this.root.check_bots_are_unique(this.tenant.name, config)
        after, before = (bot_ids(config), bot_ids(load(this.tenant.folder / CONFIG, variables={}).config))
        changed = next((each for each in after if each in before and before[each] != after[each]), None)
        if changed and not is_new_bot:
            raise ConfigError(texts.TOKEN_OF_ANOTHER_BOT(new=after[changed], old=before[changed]))
        if not check(config):
            raise ConfigError(texts.CHECK_FAILED)
        former = read_tenant_secret(this.tenant.folder / SECRETS / name)
        was_running = this.is_running()
        try:
            write_secret_and_restart(this, name, value.strip() + "\n", was_running=was_running)
        except ConfigError as error:
            this.tell(texts.NOT_WELL_WITH_IT(error=error))
            this.tell(texts.PUTTING_OLD_SECRET_BACK)
            write_secret_and_restart(this, name, former, was_running=was_running)
            return False
    return True


def build_settings_with_new_secret(tenant: Tenant, name: str, value: str) -> Config:
    """Return the settings with the new secret. Raise ConfigError if a bot cannot start with them."""
    paths = [path for path in sorted((tenant.folder / SECRETS).iterdir()) if key_of_secret_file(path.name)]
    blueprint = Blueprint(
        name=tenant.name,
        target=tenant.target,
        config_values=dict(read_config_file_layer(tenant.folder / CONFIG).values),
        secrets={**{path.name: read_tenant_secret(path) or "" for path in paths}, name: value},
        is_public=True,  # the operator agreed to that when the tenant was made
    )
    return blueprint.build_checked_config(tenant.folder)


def read_tenant_secret(path: Path) -> str | None:
    """Return the secret's text, or None if the file is missing. Do not follow a link: the tenant owns the folder."""
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), encoding="utf-8") as file:
            return file.read(MAX_SECRET_BYTES)
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(texts.CANNOT_READ(path=path, error=error)) from None


def write_secret_and_restart(deployment: Deployment, name: str, text: str | None, *, was_running: bool) -> None:
    """Write the secret (None: delete it) and the files that name it. Restart a running bot, so that it reads it."""
    tenant, file = deployment.tenant, f"{SECRETS}/{name}"
    if text is None:
        (tenant.folder / file).unlink(missing_ok=True)
    else:
        durable_files.replace_file(tenant.folder / file, text, **tenant.mode_and_owner(file))
    if changed := rewrite_and_validate_outdated_files(tenant, deployment.target)[0]:
        deployment.tell(texts.REWRITTEN(paths=", ".join(changed)))
    if was_running:
        deployment.stop()
        deployment.start_and_wait_until_well()
    else:
        deployment.tell(texts.READ_AT_NEXT_START(name=tenant.name))
