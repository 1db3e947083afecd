"""Run a script in a process of its own, because its input may take any time or memory. One script runs at a time. A
script limits its own memory (`resource`). It also sets an alarm, which ends it if the bot was killed."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO, Any

from bot.core.texts import model

PYTHON_OPTIONS = ("-I", "-B", "-W", "ignore")
PASSED_ENVIRONMENT_VARIABLES = ("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")  # other variables may hold secrets
SINGLE_SCRIPT_EXECUTOR = ThreadPoolExecutor(max_workers=1, thread_name_prefix="apart")


class ScriptFailed(Exception):
    """The script gave no answer. The message says why; `status` is its exit status if it ended by itself."""

    def __init__(self, reason: str, status: int | None = None) -> None:
        super().__init__(reason)
        self.status = status


def script_environment() -> Mapping[str, str]:
    return {name: os.environ[name] for name in PASSED_ENVIRONMENT_VARIABLES if name in os.environ}


def run_script(
    script: Path, words: Sequence[str], seconds: int, *, given: bytes = b"", file: IO[bytes] | None = None
) -> bytes:
    """Return what a script prints. Its stdin is `file`, or else `given`. Call this in
    SINGLE_SCRIPT_EXECUTOR. Raise ScriptFailed with the script's last line on stderr, or with what has ended it."""
    stdin: dict[str, Any] = {"stdin": file} if file else {"input": given}
    try:
        done: subprocess.CompletedProcess[bytes] = subprocess.run(
            (sys.executable, *PYTHON_OPTIONS, str(script), str(seconds + 1), *words),
            capture_output=True,
            check=False,
            env=script_environment(),
            start_new_session=True,  # Ctrl-C in the terminal is only for the bot
            timeout=seconds,
            **stdin,
        )
    except subprocess.TimeoutExpired:
        raise ScriptFailed(model.CHECK_TOO_SLOW(seconds=seconds)) from None
    except OSError as error:
        raise ScriptFailed(model.CHECK_NOT_STARTED(reason=error.strerror)) from None
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise ScriptFailed((said or [model.CHECK_ENDED_EARLY])[-1], done.returncode)
    return done.stdout
