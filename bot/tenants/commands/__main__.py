"""`python -m bot.tenants.commands add-tenant …`, as scripts/add-tenant calls it, and `retinue-tenants add-tenant …`."""

import sys
from importlib import import_module
from typing import Any

from bot.cli import print_error, run_and_exit
from bot.core.exit_status import ExitStatus
from bot.core.program_names import script_command
from bot.tenants.commands import texts

COMMAND_NAMES = (
    *("add-tenant", "list-tenants", "backup-tenant", "restore-tenant", "rotate-secret", "upgrade-tenant"),
    *("tenant-logs", "remove-tenant", "build-image"),
)


def main() -> None:
    """Run the command that the first word names."""
    name = sys.argv[1] if len(sys.argv) > 1 else ""
    if name not in COMMAND_NAMES:
        print_error(texts.WHICH_COMMAND(commands=", ".join(COMMAND_NAMES)))
        sys.exit(ExitStatus.WRONG_CONFIG)
    run_and_exit(sys.argv[2:], lambda: load_command(name), script_command(name))


def load_command(name: str) -> Any:
    """Return the click command, with logs silenced: it prints its findings."""
    from bot.ops import logs  # not earlier: only `run_and_exit` handles Ctrl-C during the import

    logs.silence_logs()
    return import_module(f"bot.tenants.commands.{name.replace('-', '_')}").command


if __name__ == "__main__":
    main()
