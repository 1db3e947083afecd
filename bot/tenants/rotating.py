"""Give a tenant a new secret, and have its bot run with it; the old one comes back if the bot is not well with it.

Killed in between, the new one stands there whole or the old one does, and the bot may still run with the old one: the
next run writes it once more and starts the bot anew.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bot.config import Config, load
from bot.config.file import read as settings_in
from bot.errors import ConfigError
from bot.tenants import making_texts, texts, unfinished, writing
from bot.tenants.blueprint import SECRET_FILES, Blueprint
from bot.tenants.bots import bots_of
from bot.tenants.deployment import Deployment
from bot.tenants.making import is_shared, rewrite
from bot.tenants.root import Root
from bot.tenants.tenant import CONFIG, SECRETS, Tenant

LONGEST = 100_000  # bytes, of a secret
Check = Callable[[Config], bool]  # says what others say of it, and whether it may be used


@dataclass(frozen=True, slots=True, kw_only=True)
class Rotation:
    name: str  # of the secret's file
    value: str
    is_new_bot: bool = False  # said out loud: its chats are others


def named(key: str) -> str:
    """The name of the file for a key, which may be written as in the config. Raises ConfigError."""
    name = key.replace(".", "__")
    if name not in SECRET_FILES:
        raise ConfigError(making_texts.NO_SUCH_SECRET(name=key, secrets=", ".join(sorted(SECRET_FILES))))
    return name


def rotate(root: Root, deployment: Deployment, rotation: Rotation, check: Check) -> bool:
    """Whether the bot is well with it, or would have it when it starts; else the old one is there again.

    Raises ConfigError where nothing was changed.
    """
    with root.held(deployment.tell):
        this = deployment.of(root.tenant(deployment.tenant.name))
        unfinished.check_none(this.tenant)
        config = with_it(this.tenant, rotation)
        check_bots(root, this.tenant, config, rotation)
        if not check(config):
            raise ConfigError(texts.CHECK_FAILED)
        path = this.tenant.folder / SECRETS / rotation.name
        former = read(path)
        was_running = this.is_running()
        try:
            place(this, path, rotation.value.strip() + "\n")
            renew(this, was_running=was_running)
        except ConfigError as error:
            this.tell(texts.NOT_WELL_WITH_IT(error=error))
            put_back(this, path, former, was_running=was_running)
            return False
    return True


def with_it(tenant: Tenant, rotation: Rotation) -> Config:
    """The settings as they would be; raises ConfigError where no bot would start with them."""
    folder = tenant.folder / SECRETS
    secrets = {path.name: read(path) or "" for path in sorted(folder.iterdir()) if path.name in SECRET_FILES}
    values = dict(settings_in(tenant.folder / CONFIG).values)
    blueprint = Blueprint(
        name=tenant.name,
        target=tenant.target,
        values=values,
        secrets={**secrets, rotation.name: rotation.value},
        is_public=True,  # that was said when it was made
    )
    return blueprint.config(tenant.folder)


def check_bots(root: Root, tenant: Tenant, config: Config, rotation: Rotation) -> None:
    after = dict(bots_of(config))
    root.check_bots(tenant.name, after)
    before = dict(bots_of(load(tenant.folder / CONFIG, variables={}).config))
    changed = next((each for each in after if each in before and before[each] != after[each]), None)
    if changed and not rotation.is_new_bot:
        raise ConfigError(texts.TOKEN_OF_ANOTHER_BOT(new=after[changed], old=before[changed]))


def read(path: Path) -> str | None:
    """What stands there; None: nothing does. A link is not followed: the folder is the tenant's."""
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), encoding="utf-8") as file:
            return file.read(LONGEST)
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(texts.CANNOT_READ(path=path, error=error)) from None


def place(deployment: Deployment, path: Path, text: str) -> None:
    """Write it, and what runs the tenant, if that must name a file that was not there."""
    tenant = deployment.tenant
    owner = (tenant.uid, tenant.uid) if is_shared(tenant.target) else None
    writing.replace(path, text, mode=0o600, owner=owner)
    bring_up_to_date(deployment)


def bring_up_to_date(deployment: Deployment) -> None:
    changed, _ = rewrite(deployment.tenant, deployment.target, load(deployment.tenant.folder / CONFIG, variables={}))
    if changed:
        deployment.tell(texts.REWRITTEN(paths=", ".join(changed)))


def renew(deployment: Deployment, *, was_running: bool) -> None:
    """Have the bot run with what is written; it reads its secrets when it starts."""
    if was_running:
        deployment.stop()
        deployment.begin()
    else:
        deployment.tell(texts.READ_AT_NEXT_START(name=deployment.tenant.name))


def put_back(deployment: Deployment, path: Path, former: str | None, *, was_running: bool) -> None:
    """The old one; raises ConfigError where the bot is not well with that either."""
    deployment.tell(texts.PUTTING_OLD_SECRET_BACK)
    if former is None:
        path.unlink(missing_ok=True)
        bring_up_to_date(deployment)
    else:
        place(deployment, path, former)
    renew(deployment, was_running=was_running)
