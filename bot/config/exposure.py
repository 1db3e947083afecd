"""Find settings that expose a secret or people's messages. Each start and `doctor` warn about them."""

import ipaddress
import json
from collections.abc import Iterator
from stat import S_IRWXG, S_IRWXO
from typing import Any
from urllib.parse import unquote, urlsplit

from pydantic import SecretStr

from bot.config import Config, LoadedConfig, texts
from bot.config.settings import iterate_keys_and_secrets

NON_OWNER_PERMISSION_BITS = S_IRWXG | S_IRWXO
PROXY_KEY = ("network", "proxy")
UNENCRYPTED_SCHEMES = ("http", "ws")


def exposure_warnings(loaded: LoadedConfig) -> Iterator[str]:
    if loaded.path and has_secret_readable_by_others(loaded):
        yield texts.CONFIG_FILE_SHARED(path=loaded.path)
    for key, url in find_unencrypted_addresses(loaded.config):
        yield describe_unencrypted_address(key, url)


def describe_unencrypted_address(key: str, url: str) -> str:
    parts = urlsplit(url)
    return texts.SENT_IN_CLEAR(key=key, scheme=parts.scheme, host=parts.hostname, secure=f"{parts.scheme}s")


def has_secret_readable_by_others(loaded: LoadedConfig) -> bool:
    """Return True if the config file contains a secret and users other than its owner may read it."""
    if loaded.path is None or not loaded.path.stat().st_mode & NON_OWNER_PERMISSION_BITS:
        return False
    return has_secret_in_config_file(loaded)


def has_secret_in_config_file(loaded: LoadedConfig) -> bool:
    """Return True if the config file contains a key, a token, or a proxy's address with a password."""
    if loaded.path is None:
        return False
    texts_in_file = list(iterate_strings(json.loads(loaded.path.read_text(encoding="utf-8-sig"))))
    proxy = loaded.config.network.proxy
    secrets = [*list_config_secrets(loaded.config), *([proxy] if proxy and proxy_password(loaded.config) else [])]
    return any(secret.get_secret_value() in text for secret in secrets for text in texts_in_file)


def iterate_strings(value: Any) -> Iterator[str]:
    """Yield every string in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from iterate_strings(each)


def proxy_password(config: Config) -> str:
    """Return the password in the proxy's address; empty if there is none."""
    return urlsplit(config.network.proxy.get_secret_value()).password or "" if config.network.proxy else ""


def list_config_secrets(config: Config) -> list[SecretStr]:
    """Return the keys and tokens of the settings. The proxy's address is none: only its password is secret."""
    return [secret for key, secret in iterate_keys_and_secrets(config) if key != PROXY_KEY]


def secret_values_by_setting(config: Config) -> dict[str, set[str]]:
    """Return what nobody may read, by the setting that holds it: each key and token, and the part after its colon. Of
    the proxy's address, that is the password."""
    found = {
        ".".join(key): secret.get_secret_value().strip()
        for key, secret in iterate_keys_and_secrets(config)
        if key != PROXY_KEY
    }
    values = {key: {value, value.partition(":")[2]} - {""} for key, value in found.items()}
    return {**values, ".".join(PROXY_KEY): {unquote(proxy_password(config)), proxy_password(config)} - {""}}


def find_unencrypted_addresses(config: Config) -> Iterator[tuple[str, str]]:
    """Yield the key and the address of each setting that leads to another machine without encryption."""
    model = config.model
    addresses = {"model.base_url": model.base_url, "model.fallback.base_url": model.fallback.base_url}
    addresses |= {"voice.base_url": config.voice.base_url, "web.base_url": config.web.base_url}
    for name, settings in config.channels.by_name().items():
        addresses |= {f"channels.{name}.{key}": value for key, value in settings if isinstance(value, str)}
    for key, url in addresses.items():
        if url and urlsplit(url).scheme in UNENCRYPTED_SCHEMES and not is_this_machine(urlsplit(url).hostname or ""):
            yield key, url


def is_this_machine(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
