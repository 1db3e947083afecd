"""What a tenant may be called: its name becomes a folder, a network, a user and a namespace."""

import re

from bot.errors import ConfigError

FORM = re.compile("[a-z][a-z0-9-]{1,30}[a-z0-9]")
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


def checked(name: str) -> str:
    """The name; raises ConfigError where no tenant can have it."""
    if not FORM.fullmatch(name):
        rule = "a to z, 0 to 9 and -, at least 3 and at most 32 of them, a letter first and no - at the end"
        raise ConfigError(f"{name!r} cannot be a tenant's name: take {rule}")
    if name in RESERVED:
        raise ConfigError(f"{name!r} is a name that something else has; take another one, as {name}-1")
    return name
