"""How the model's server and the platforms are reached: by a proxy, and with certificates of one's own, or directly."""

from __future__ import annotations

import ssl
from dataclasses import dataclass, field
from pathlib import Path

from bot.core.errors import ConfigError
from bot.core.texts import logs


@dataclass(frozen=True, slots=True, kw_only=True)
class Network:
    """Where both are None, each library does as it always does."""

    proxy: str | None = field(default=None, repr=False)  # http://[name:password@]host:port; it may hold a password
    ca_file: Path | None = None

    def ssl_context(self) -> ssl.SSLContext | None:
        """Return what connections trust: this machine's authorities and those of the file; None without a file.

        Raise ConfigError if the file cannot be read, or holds no certificate.
        """
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


DIRECT_NETWORK = Network()
