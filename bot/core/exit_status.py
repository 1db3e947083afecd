"""The exit statuses of `retinue` and of the commands for tenants. docs/architecture.md says when each is used."""

from enum import IntEnum


class ExitStatus(IntEnum):
    DONE = 0
    NOT_DONE = 1  # no answer, something is wrong, nothing was changed, or the output could not be written
    WRONG_CONFIG = 2  # a setting, the command line, a folder or a file
    DAMAGED = 3  # the database file is damaged, deleted or replaced
    HUNG = 4  # the watchdog ended the process
    IN_USE = 5  # another process holds the data folder; try again
    INTERRUPTED = 130  # shells use 128 plus the number of the signal; SIGINT is 2
