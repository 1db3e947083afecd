"""Other programs: which are there, and what they say when they are run, for a limited time."""

import os
import shlex
import shutil
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from bot.errors import ConfigError

PATIENCE = 60.0  # seconds; what is asked here answers in one or two


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    status: int
    out: str
    err: str

    @property
    def said(self) -> str:
        """All it said, without the white space around it."""
        return "\n".join(text for text in (self.out.strip(), self.err.strip()) if text)


def environment() -> dict[str, str]:
    """Ours, without what would change the meaning of a tenant's own files: each command names all that it needs."""
    return {name: value for name, value in os.environ.items() if not name.startswith("COMPOSE_")}


def run(command: Sequence[str], *, seconds: float = PATIENCE) -> Outcome:
    """What came of it. Raises ConfigError where it cannot be started, or has not ended in time."""
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            env=environment(),
            start_new_session=True,  # so that what it starts can be ended with it
        )
    except OSError as error:
        raise ConfigError(f"{command[0]}: cannot be run: {error.strerror}; install it") from None
    try:
        out, err = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        raise ConfigError(f"{shlex.join(command)}: has not ended within {seconds:.0f} s; run it by hand") from None
    finally:
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
    return Outcome(status=process.returncode, out=out, err=err)


def is_there(name: str) -> bool:
    return shutil.which(name) is not None


def first_that_answers(candidates: Sequence[tuple[str, ...]], question: str) -> tuple[str, ...] | None:
    """The first of these commands that ends well when it is asked `question`; the answer is remembered."""
    return _first_that_answers(tuple(candidates), question, os.environ.get("PATH", ""))


@cache
def _first_that_answers(candidates: tuple[tuple[str, ...], ...], question: str, path: str) -> tuple[str, ...] | None:
    there = (words for words in candidates if shutil.which(words[0], path=path))
    return next((words for words in there if run([*words, question]).status == 0), None)
