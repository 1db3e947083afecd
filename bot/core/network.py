"""How connections to the model's server and the platforms are made: a proxy, own certificates, or neither."""

import ssl
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import certifi

from bot.core.errors import ConfigError
from bot.core.texts import logs

MAX_CACHED_CONTEXTS = 4  # a context takes a megabyte, so that the libraries share one


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkAccess:
    """A proxy and a file of certificates. Both may be None."""

    proxy: str | None = field(default=None, repr=False)  # http://[name:password@]host:port; it may hold a password
    ca_file: Path | None = None
    proxy_resolves_names: bool = False  # for the guarded fetch: the proxy accepts names only, and guards them itself

    def ssl_context(self) -> ssl.SSLContext:
        """Return the context of all connections. It trusts the system's authorities, those of certifi, since a small
        image may have none of its own, and those in `ca_file`. May raise ConfigError."""
        return load_ssl_context(self.ca_file)


@lru_cache(MAX_CACHED_CONTEXTS)
def load_ssl_context(ca_file: Path | None) -> ssl.SSLContext:
    trusted = ssl.create_default_context()
    trusted.load_verify_locations(cafile=certifi.where())
    if ca_file is None:
        return trusted
    try:
        trusted.load_verify_locations(cafile=ca_file)
    except ssl.SSLError:
        raise ConfigError(logs.NO_CERTIFICATE(path=ca_file)) from None
    except OSError as error:
        raise ConfigError(logs.CANNOT_READ_CERTIFICATES(path=ca_file, reason=error.strerror)) from None
    return trusted


DEFAULT_NETWORK_ACCESS = NetworkAccess()
