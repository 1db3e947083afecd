"""Read how this machine's pip reaches its index, for an image build: its settings and its certificates."""

import ast
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from bot.core.errors import ConfigError
from bot.tenants import making_texts as texts

# The settings that say where packages come from; the others mean something else inside a build.
BUILD_SETTINGS = ("index-url", "extra-index-url", "trusted-host", "proxy", "timeout", "default-timeout", "retries")
SECTIONS = ("global", "install", ":env:")  # a later section wins
CERTIFICATE_VARIABLES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")  # pip also finds certificates here
CERTIFICATES = Path("/run/secrets/certificates.pem")  # where the Containerfile mounts them
PIP_SECONDS = 60.0


def read_pip_settings() -> dict[str, str] | None:
    """Return pip's settings by name, as `pip config list` prints them, or None if this Python has no pip.

    Raise ConfigError if pip hangs.
    """
    command = [sys.executable, "-m", "pip", "config", "list"]
    try:
        said = subprocess.run(command, capture_output=True, text=True, timeout=PIP_SECONDS, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        raise ConfigError(texts.PIP_DOES_NOT_ANSWER(seconds=PIP_SECONDS)) from None
    if said.returncode:
        return None
    found: dict[str, str] = {}
    for section in SECTIONS:
        for line in said.stdout.splitlines():
            key, _, value = line.partition("=")
            if key.startswith(f"{section}."):
                found[key.removeprefix(f"{section}.")] = str(ast.literal_eval(value))
    return found


def find_certificates(found: Mapping[str, str], variables: Mapping[str, str] = os.environ) -> Path | None:
    """Return the certificate file that pip trusts here, or None if pip uses its own."""
    named = found.get("cert") or next((variables[name] for name in CERTIFICATE_VARIABLES if variables.get(name)), None)
    path = Path(named).expanduser() if named else None
    return path if path and path.is_file() else None


def format_pip_conf(found: Mapping[str, str], *, has_certificates: bool) -> str:
    """Return a pip.conf for the build, or an empty string. Skip file: indexes, which the build cannot see."""
    lines = []
    for name in BUILD_SETTINGS:
        words = [word for word in found.get(name, "").split() if not word.startswith("file:")]
        if words:
            lines.append(f"{name} = {' '.join(words)}")
    if has_certificates:
        lines.append(f"cert = {CERTIFICATES}")
    return "\n".join(["[global]", *lines, ""]) if lines else ""
