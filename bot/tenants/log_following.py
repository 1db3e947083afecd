"""Follow a tenant's log for as long as somebody reads it."""

import subprocess

from bot.core.errors import ConfigError
from bot.tenants import texts
from bot.tenants.long_commands import MAX_LINE_CHARACTERS, Tell, end_process_group
from bot.tenants.targets import Command
from bot.tenants.targets.programs import program_environment


def follow_log(command: Command, tell: Tell) -> int:
    """Report each log line, and return the command's exit status.

    The call may never end by itself; an interruption stops it. Raise ConfigError if the command cannot start.
    """
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env=program_environment(),
            start_new_session=True,
        )
    except OSError as error:
        raise ConfigError(texts.CANNOT_RUN(program=command[0], error=error.strerror)) from None
    assert process.stdout
    try:
        while line := process.stdout.readline(MAX_LINE_CHARACTERS):
            tell(line.rstrip("\r\n"))
        return process.wait()
    finally:
        if process.poll() is None:
            end_process_group(process)
        process.stdout.close()
