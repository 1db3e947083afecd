"""A tenant's log as it comes, for as long as somebody reads it."""

import subprocess

from bot.errors import ConfigError
from bot.tenants import texts
from bot.tenants.streams import LONGEST_LINE, Tell, end
from bot.tenants.targets import Command
from bot.tenants.targets.programs import environment


def follow(command: Command, tell: Tell) -> int:
    """Tell each line; gives the command's exit status. It may take forever, and an interruption ends it."""
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env=environment(),
            start_new_session=True,
        )
    except OSError as error:
        raise ConfigError(texts.CANNOT_RUN(program=command[0], error=error.strerror)) from None
    assert process.stdout
    try:
        while line := process.stdout.readline(LONGEST_LINE):
            tell(line.rstrip("\r\n"))
        return process.wait()
    finally:
        if process.poll() is None:
            end(process)
        process.stdout.close()
