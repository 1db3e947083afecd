"""Log to stderr, which the supervisor (systemd, a container) reads, and to a file in the data folder."""

import logging
import os
import sys
import threading
from collections.abc import Iterable
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType

from bot.config import Config
from bot.config.exposure import secret_values_by_setting
from bot.ops import texts
from bot.ops.log_redaction import RedactingFormatter, RedactingJsonFormatter
from channels.registry import platforms

# These libraries log addresses that contain the token, or whole answers. The channels log the important facts.
TALKATIVE_LIBRARIES = ("httpx", "httpcore", "httpx2", "httpcore2", "anthropic")

LOG_FILE_NAME = "retinue.log"
MAX_LOG_BYTES = 1_000_000  # a full file replaces retinue.log.1

log = logging.getLogger(__name__)


def set_up_stderr_logging(secrets: Iterable[str], *, is_json: bool = False) -> None:
    """Log warnings, errors and uncaught exceptions to stderr. If `is_json`, each line is a JSON object, and commands
    print on stderr only through `log_cli_output_line`."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(RedactingJsonFormatter(secrets) if is_json else RedactingFormatter(secrets))
    if not is_json:
        handler.setLevel(logging.WARNING)
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    log.setLevel(logging.INFO)
    logging.captureWarnings(True)
    logging.raiseExceptions = False  # a record that cannot be logged, as on a full disk, must not cause more errors
    of_platforms = [library for platform in platforms().values() for library in platform.slow_libraries]
    for name in (*TALKATIVE_LIBRARIES, *of_platforms):
        logging.getLogger(name).setLevel(logging.WARNING)
    sys.excepthook = log_uncaught_error
    sys.unraisablehook = lambda lost: log_uncaught_error(lost.exc_type, lost.exc_value, lost.exc_traceback)
    threading.excepthook = lambda lost: log_uncaught_error(lost.exc_type, lost.exc_value, lost.exc_traceback)


class PrivateLogFileHandler(RotatingFileHandler):
    """A log whose files only their owner can read, with any umask."""

    def _open(self) -> TextIOWrapper:
        return TextIOWrapper(open(self.baseFilename, "ab", opener=open_private), encoding=self.encoding)


def open_private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def open_log_file_handler(data: Path, secrets: Iterable[str]) -> RotatingFileHandler:
    """Return the handler of the bot's own log in its data folder. Raise OSError if the log cannot be opened."""
    handler = PrivateLogFileHandler(data / LOG_FILE_NAME, maxBytes=MAX_LOG_BYTES, backupCount=1, encoding="utf-8")
    handler.setFormatter(RedactingFormatter(secrets))
    return handler


def redact_in_log_file(secrets: Iterable[str]) -> None:
    """Keep these secrets out of the open log file from now on, instead of those that it was opened with."""
    for handler in logging.getLogger().handlers:
        if isinstance(handler, PrivateLogFileHandler):
            handler.setFormatter(RedactingFormatter(secrets))


def log_uncaught_error(kind: type[BaseException], error: BaseException | None, at: TracebackType | None) -> None:
    log.critical(texts.UNFORESEEN_ERROR, exc_info=(kind, error or kind(), at))


def log_cli_output_line(text: str, *, is_wrong: bool = False) -> None:
    """Log a line of a command's output, because stderr may hold only JSON objects."""
    log.log(logging.ERROR if is_wrong else logging.INFO, "%s", text)


def silence_logs() -> None:
    logging.basicConfig(handlers=[logging.NullHandler()], force=True)
    logging.captureWarnings(True)


def secrets_to_redact(config: Config) -> set[str]:
    """Return the settings' secrets."""
    return set().union(*secret_values_by_setting(config).values())
