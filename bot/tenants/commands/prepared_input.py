"""Read the prepared input of add-tenant: settings from a config, secrets from a folder or stdin.

Secrets are never taken from arguments or the environment: others can read both while the command runs.
"""

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from bot.config.config_file import read_config_file, reject_duplicate_keys
from bot.core.errors import ConfigError
from bot.tenants.blueprint import SECRET_FILES
from bot.tenants.commands import texts

STDIN = Path("-")


def read_prepared_settings(path: Path | None) -> dict[str, Any]:
    """Return the values of the prepared config, or an empty dict without one."""
    values: dict[str, Any] = json.loads(json.dumps(read_config_file(path.absolute()).values)) if path else {}
    values.pop("$schema", None)  # a relative path would point elsewhere
    return values


def read_prepared_secrets(source: Path | None) -> dict[str, str]:
    """Return the secrets by file name, from a folder or from a JSON object on stdin. Raise ConfigError on failure."""
    if source is None:
        return {}
    if source != STDIN:
        return secrets_from_folder(source)
    try:
        found = json.loads(sys.stdin.read(), object_pairs_hook=reject_duplicate_keys)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or not all(isinstance(value, str) for value in found.values()):
        raise ConfigError(texts.SECRETS_NOT_JSON())
    check_secret_names(found, "--secrets -")
    return found


def secrets_from_folder(folder: Path) -> dict[str, str]:
    """Return the secrets in the folder's files by name, without hidden files. Raise ConfigError on failure."""
    try:
        paths = sorted(path for path in folder.iterdir() if not path.name.startswith(".") and not path.is_dir())
        check_secret_names((path.name for path in paths), str(folder))
        return {path.name: path.read_text(encoding="utf-8-sig").strip() for path in paths}
    except OSError as error:
        raise ConfigError(texts.CANNOT_READ(path=error.filename or folder, error=error.strerror)) from None
    except UnicodeDecodeError:
        raise ConfigError(texts.SECRET_NOT_TEXT(folder=folder)) from None


def check_secret_names(names: Iterable[str], source: str) -> None:
    """Raise ConfigError if one is no secret of a tenant. `source` says where they come from."""
    if unknown := sorted(set(names) - SECRET_FILES):
        raise ConfigError(texts.NO_SUCH_SECRET(source=source, name=unknown[0], secrets=", ".join(sorted(SECRET_FILES))))
