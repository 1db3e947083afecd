"""Check a tenant's name: it becomes a folder, a network, a user and a namespace."""

import re

from bot.core.errors import ConfigError
from bot.tenants import making_texts as texts

NAME_FORM = re.compile("[a-z][a-z0-9-]{1,30}[a-z0-9]")
RESERVED = frozenset(
    [
        *(
            "all",
            "archive",
            "backup",
            "backups",
            "bot",
            "config",
            "default",
            "deploy",
            "disk",
            "groups",
            "host",
            "image",
        ),
        *(
            "kube-system",
            "localhost",
            "lost-found",
            "nobody",
            "none",
            "registry",
            "retinue",
            "root",
            "scripts",
            "secrets",
        ),
        *("self", "shared", "system", "systemd", "tenant", "tenants", "workspace"),
    ]
)


def check_tenant_name(name: str) -> str:
    """Return the name. Raise ConfigError if no tenant may have it."""
    if not NAME_FORM.fullmatch(name):
        raise ConfigError(texts.NAME_IMPOSSIBLE(name=name))
    if name in RESERVED:
        raise ConfigError(texts.NAME_RESERVED(name=name))
    return name
