"""The secrets that a tenant can have, and the names of their files: `model__api_key`, `channels__telegram__token`."""

import re
from collections.abc import Iterator
from typing import Any

from bot.config.layers import KEYS_OF_UNPREFIXED_VARIABLES, KeyPath, is_role_secret, key_path_from_name
from channels.registry import platforms

VOICE_KEY = ("voice", "api_key")
KEYS_BY_FILE_NAME: dict[str, KeyPath] = {
    "__".join(key): key for key in (*KEYS_OF_UNPREFIXED_VARIABLES.values(), VOICE_KEY)
}
ROLE_IN_FILE_NAME_PATTERN = re.compile(r"[a-z0-9](?:_?[a-z0-9-])*")  # every target's own files can name such a file


def key_of_secret_file(name: str) -> KeyPath | None:
    """Return the setting that a secret's file sets, or None if no secret has this file name."""
    if known := KEYS_BY_FILE_NAME.get(name):
        return known
    key = key_path_from_name(name)
    is_usual = "__".join(key) == name and ROLE_IN_FILE_NAME_PATTERN.fullmatch(key[-1])
    return key if is_usual and is_role_secret(key) else None


def describe_secret_names() -> str:
    """Return the names of all secrets, for messages. ROLE stands for the name of a role."""
    by_role = [
        f"channels__{name}__{setting}__ROLE" for name, each in platforms().items() for setting in each.role_secrets
    ]
    return ", ".join(sorted([*KEYS_BY_FILE_NAME, *by_role]))


def iterate_keys_of_secrets(values: dict[str, Any]) -> Iterator[KeyPath]:
    """Yield the key of each secret that these settings have, and of each secret for a role, under any name."""
    yield from KEYS_BY_FILE_NAME.values()
    sections = values.get("channels")
    for name, section in sections.items() if isinstance(sections, dict) else ():
        for setting, by_role in section.items() if isinstance(section, dict) else ():
            if isinstance(by_role, dict):
                keys = (("channels", name, setting, role) for role in by_role)
                yield from [key for key in keys if is_role_secret(key)]


def service_of_secret(key: KeyPath) -> str:
    """Return whose secret it is: a platform's name, "model" or "voice"."""
    return key[1] if key[0] == "channels" else key[0]
