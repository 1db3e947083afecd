"""How connections to the model's server and the platforms are made: a proxy, own certificates, or neither."""

import ssl
from dataclasses import dataclass, field
from pathlib import Path

from bot.core.errors import ConfigError
from bot.core.texts import logs


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkAccess:
    """A proxy and a file of certificates. If both are None, each library uses its defaults."""

    proxy: str | None = field(default=None, repr=False)  # http://[name:password@]host:port; it may hold a password
    ca_file: Path | None = None

    def ssl_context(self) -> ssl.SSLContext | None:
        """Return a context that also trusts authorities in `ca_file`; None without a file. May raise ConfigError."""
        if self.ca_file is None:
            return None
        trusted = ssl.create_default_context()
        try:
            trusted.load_verify_locations(cafile=self.ca_file)
        except ssl.SSLError:
            raise ConfigError(logs.NO_CERTIFICATE(path=self.ca_file)) from None
        except OSError as error:
            raise ConfigError(logs.CANNOT_READ_CERTIFICATES(path=self.ca_file, reason=error.strerror)) from None
        return trusted


DEFAULT_NETWORK_ACCESS = NetworkAccess()
