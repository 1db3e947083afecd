"""Run other programs for a limited time."""

import os
import selectors
import shlex
import signal
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass

from bot.core.errors import ConfigError
from bot.tenants.targets import texts

RUN_SECONDS = 60.0  # seconds; these programs answer in one or two
MAX_OUTPUT_BYTES = 16 << 20  # bytes of output: a tenant's process may print anything, without end
READ_BYTES = 1 << 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    status: int
    out: str
    err: str

    @property
    def output(self) -> str:
        """Return stdout and stderr, without surrounding white space."""
        return "\n".join(text for text in (self.out.strip(), self.err.strip()) if text)


def program_environment() -> dict[str, str]:
    """Return our environment without COMPOSE_ variables, which could change the meaning of a tenant's files.

    Commands need none of these variables, because each command names all that it needs.
    """
    ours = {name: value for name, value in os.environ.items() if not name.startswith("COMPOSE_")}
    return {**ours, "PODMAN_COMPOSE_WARNING_LOGS": "false"}  # else podman reports each start on stderr


def run_program(command: Sequence[str], *, seconds: float = RUN_SECONDS) -> Outcome:
    """Run a program and return its outcome.

    Raise ConfigError if it cannot start, takes longer than `seconds` or prints too much.
    """
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=program_environment(),
            start_new_session=True,  # so that its children can be killed with it
        )
    except OSError as error:
        raise ConfigError(texts.CANNOT_RUN(program=command[0], error=error.strerror)) from None
    with process:
        try:
            out, err = read_output(process, time.monotonic() + seconds)
        except subprocess.TimeoutExpired:
            raise ConfigError(texts.NOT_ENDED_IN_TIME(command=shlex.join(command), seconds=seconds)) from None
        except OverflowError:
            raise ConfigError(texts.SAYS_TOO_MUCH(command=shlex.join(command), most=MAX_OUTPUT_BYTES >> 20)) from None
        finally:
            if process.returncode is None:
                os.killpg(process.pid, signal.SIGKILL)
    return Outcome(status=process.returncode, out=out, err=err)


def run_checked(command: Sequence[str]) -> str:
    """Run a program and return its stdout, without surrounding white space. Raise ConfigError if it fails."""
    outcome = run_program(command)
    if outcome.status:
        raise ConfigError(texts.FAILED(command=shlex.join(command), reason=outcome.output))
    return outcome.out.strip()


def read_output(process: subprocess.Popen[bytes], until: float) -> tuple[str, str]:
    """Return stdout and stderr as text. Raise OverflowError if they are too long, TimeoutExpired if time is up."""
    out, err = bytearray(), bytearray()
    assert process.stdout
    assert process.stderr
    with selectors.DefaultSelector() as pipes:
        pipes.register(process.stdout, selectors.EVENT_READ, out)
        pipes.register(process.stderr, selectors.EVENT_READ, err)
        while pipes.get_map():
            if (left := until - time.monotonic()) <= 0:
                raise subprocess.TimeoutExpired(process.args, left)
            for key, _ in pipes.select(left):
                if part := os.read(key.fd, READ_BYTES):
                    key.data.extend(part)
                else:
                    pipes.unregister(key.fileobj)
            if len(out) + len(err) > MAX_OUTPUT_BYTES:
                raise OverflowError
    process.wait(max(0.0, until - time.monotonic()))
    return decode_output(out), decode_output(err)


def decode_output(said: bytearray) -> str:
    """Return the output as text, as far as it is text."""
    return said.decode(errors="replace").replace("\r\n", "\n")
