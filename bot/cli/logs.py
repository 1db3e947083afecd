"""What is logged, to stderr: whoever keeps the process (systemd, a container) reads it there. No secret is in it."""

import logging
import sys
from collections.abc import Iterable

from bot.config import Config

FORM = "%(asctime)s %(levelname)s %(name)s: %(message)s"
# They log addresses with the token in them, or whole answers; what matters of it the channels say themselves.
TALKATIVE = ("httpx", "httpcore", "httpx2", "httpcore2", "telegram", "discord", "anthropic")


class Discreet(logging.Formatter):
    """Whatever a library puts into its lines and tracebacks, these words are not seen."""

    def __init__(self, secrets: Iterable[str]) -> None:
        super().__init__(FORM)
        self.secrets = sorted(filter(None, secrets), key=len, reverse=True)

    def format(self, record: logging.LogRecord) -> str:
        text = super().format(record)
        for secret in self.secrets:
            text = text.replace(secret, "…")
        return text


def to_stderr(secrets: Iterable[str]) -> None:
    """Warnings and worse, one line each."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Discreet(secrets))
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    logging.captureWarnings(True)
    logging.raiseExceptions = False  # what cannot be logged, as on a full disk, must not end in more of it
    for name in TALKATIVE:
        logging.getLogger(name).setLevel(logging.WARNING)


def to_nobody() -> None:
    """For commands that say themselves what they find."""
    logging.basicConfig(handlers=[logging.NullHandler()], force=True)
    logging.captureWarnings(True)


def secrets_of(config: Config) -> set[str]:
    """Every secret value, and of a token the part that makes it one."""
    held = (config.model.api_key, config.channels.telegram.token, config.channels.discord.token)
    values = [value.get_secret_value().strip() for value in held if value]
    return {*values, *(value.partition(":")[2] for value in values)} - {""}
