"""Who is logged in to the page: one-time codes from the terminal, and the tokens that browsers keep in a cookie.

Both are kept in one file below the data folder, as hashes. The command that makes a code and the process of the page
share it, so the file is locked while it changes.
"""

import fcntl
import hashlib
import json
import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bot.core import durable_files

FILE_NAME = "page-logins.json"
CODE_LIFETIME = timedelta(minutes=10)
LOGIN_LIFETIME = timedelta(days=30)
SECRET_BYTES = 32
MAX_FAILURES = 10  # wrong codes within FAILURE_PERIOD; further ones are told to wait
FAILURE_PERIOD = timedelta(minutes=10)


def utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass
class KeptLogins:
    """The hashes of codes and of tokens, each with the time when it ends, in seconds since 1970."""

    codes: dict[str, float] = field(default_factory=dict)
    tokens: dict[str, float] = field(default_factory=dict)

    def drop_ended(self, now: datetime) -> None:
        for ends in (self.codes, self.tokens):
            for name in [name for name, end in ends.items() if end <= now.timestamp()]:
                del ends[name]


class TooManyFailures(Exception):
    """There were many wrong codes within a while, and this is another one."""


class Logins:
    """The logins of one data folder."""

    def __init__(self, data: Path, now: Callable[[], datetime] = utc_now) -> None:
        self.path = data / FILE_NAME
        self.now = now
        self.failures: list[datetime] = []

    def make_code(self) -> str:
        """Return a new code, which logs in once within CODE_LIFETIME."""
        code = secrets.token_urlsafe(SECRET_BYTES)
        with self.changing() as kept:
            kept.codes[hash_secret(code)] = (self.now() + CODE_LIFETIME).timestamp()
        return code

    def redeem_code(self, code: str) -> str | None:
        """Use up a code and return a new token; None if there is no such code, or after MAX_FAILURES wrong ones raise
        TooManyFailures. A right code is never refused: nobody guesses 256 bits, and anybody can send wrong ones."""
        token = self.exchange_code(code)
        if token is None:
            self.note_wrong_code()
        return token

    def exchange_code(self, code: str) -> str | None:
        hashed = hash_secret(code)
        if hashed not in self.read().codes:
            return None
        with self.changing() as kept:
            if kept.codes.pop(hashed, None) is None:  # it has ended, or another process has just used it up
                return None
            token = secrets.token_urlsafe(SECRET_BYTES)
            kept.tokens[hash_secret(token)] = (self.now() + LOGIN_LIFETIME).timestamp()
        return token

    def note_wrong_code(self) -> None:
        self.failures = [at for at in self.failures if at > self.now() - FAILURE_PERIOD]
        if len(self.failures) >= MAX_FAILURES:
            raise TooManyFailures
        self.failures.append(self.now())

    def is_logged_in(self, token: str) -> bool:
        return self.read().tokens.get(hash_secret(token), 0) > self.now().timestamp()

    def log_out(self, token: str) -> None:
        with self.changing() as kept:
            kept.tokens.pop(hash_secret(token), None)

    def log_everybody_out(self) -> None:
        with self.changing() as kept:
            kept.codes.clear()
            kept.tokens.clear()

    def read(self) -> KeptLogins:
        """Return what the file holds. A file that is missing, or holds something else, counts as empty."""
        try:
            return KeptLogins(**json.loads(self.path.read_text()))
        except (OSError, ValueError, TypeError):
            return KeptLogins()

    @contextmanager
    def changing(self) -> Iterator[KeptLogins]:
        """Yield what the file holds, and write it back. Others wait meanwhile. May raise OSError."""
        with open(os.open(self.path.with_suffix(".lock"), os.O_CREAT | os.O_RDWR, 0o600), "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            kept = self.read()
            kept.drop_ended(self.now())
            yield kept
            durable_files.replace_file(self.path, json.dumps(asdict(kept)).encode(), mode=0o600)


def hash_secret(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
