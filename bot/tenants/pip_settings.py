"""How pip of this machine reaches its index, as the build of an image needs it: its settings and its certificates."""

import ast
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from bot.core.errors import ConfigError
from bot.tenants import making_texts as texts

# What says where packages come from; of the rest, nothing means the same inside a build.
BUILD_SETTINGS = ("index-url", "extra-index-url", "trusted-host", "proxy", "timeout", "default-timeout", "retries")
SECTIONS = ("global", "install", ":env:")  # the later wins
CERTIFICATE_VARIABLES = (
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
)  # where pip finds certificates that its settings do not name
CERTIFICATES = Path("/run/secrets/certificates.pem")  # where the Containerfile has them
PIP_SECONDS = 60.0


def read_pip_settings() -> dict[str, str] | None:
    """By name, as `pip config list` has them; None where this Python has no pip. Raises ConfigError if it hangs."""
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
    """The file of certificates that pip trusts here; None for its own."""
    named = found.get("cert") or next((variables[name] for name in CERTIFICATE_VARIABLES if variables.get(name)), None)
    path = Path(named).expanduser() if named else None
    return path if path and path.is_file() else None


def format_pip_conf(found: Mapping[str, str], *, has_certificates: bool) -> str:
    """A pip.conf for the build. An index that is a folder of this machine is left out: the build cannot see it."""
    lines = list(format_build_settings(found))
    if has_certificates:
        lines.append(f"cert = {CERTIFICATES}")
    return "\n".join(["[global]", *lines, ""]) if lines else ""


def format_build_settings(found: Mapping[str, str]) -> Iterator[str]:
    for name in BUILD_SETTINGS:
        words = [word for word in found.get(name, "").split() if not word.startswith("file:")]
        if words:
            yield f"{name} = {' '.join(words)}"
