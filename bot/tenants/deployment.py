"""Start, stop, query and wait for a tenant's bot through its target."""

import shlex
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from bot.core.errors import ConfigError
from bot.core.program_names import script_command
from bot.tenants import Tell, texts
from bot.tenants.health import TenantHealth, parse_health
from bot.tenants.long_commands import LongCommand, explain_failure
from bot.tenants.targets import Command, Target
from bot.tenants.targets.programs import run_program
from bot.tenants.tenant import Tenant

START_SECONDS = 600.0  # a cluster may pull an image first
CLEAN_STOP_SECONDS = 45.0  # for the bot to finish its current work
STOP_SECONDS = 180.0  # the clean stop, and some time for the engine
ASK_SECONDS = 30.0
WELL_SECONDS = 120.0
POLL_SECONDS, PROGRESS_SECONDS = 1.0, 10.0
LOG_LINES = 10
MAX_LOOKS_DOWN = 5  # in a row: a bot that restarts again and again is up in between


@dataclass(frozen=True, slots=True, kw_only=True)
class Deployment:
    """A tenant's bot and its target. Methods raise ConfigError on failure, and report each step to `tell`."""

    tenant: Tenant
    target: Target
    tell: Tell
    patience: float = WELL_SECONDS  # seconds in which a started bot must become well
    poll_seconds: float = POLL_SECONDS  # between two health checks

    def is_running(self) -> bool:
        return self.target.is_running(self.tenant)

    def start(self) -> None:
        self.tell(texts.STARTING(name=self.tenant.name))
        run_commands(self.target.start_commands(self.tenant), START_SECONDS)

    def stop(self) -> None:
        """Stop the bot cleanly. Raise ConfigError if it still runs afterwards."""
        if not self.is_running():
            self.tell(texts.NOT_RUNNING(name=self.tenant.name))
        else:
            self.tell(texts.STOPPING(name=self.tenant.name, seconds=CLEAN_STOP_SECONDS))
        # Also if no bot runs: one may be about to restart.
        run_commands(self.target.stop_commands(self.tenant), STOP_SECONDS)
        if self.is_running():
            raise ConfigError(texts.STILL_RUNNING(name=self.tenant.name, command=script_command("tenant-logs")))

    def start_and_wait(self, *, must_be_well: bool = True) -> None:
        """Start the bot, and wait until it is well, or (`must_be_well=False`) until it is alive."""
        self.start()
        began = told = time.monotonic()
        name, down, said = self.tenant.name, 0, str(texts.NOT_ANSWERED_YET)
        while (now := time.monotonic()) - began < self.patience and down < MAX_LOOKS_DOWN:
            try:
                down = 0 if self.is_running() else down + 1
                found = self.ask_running_health()
                if found.is_well or (found.is_alive and not must_be_well):
                    break
                said = "; ".join(found.problems)
            except ConfigError as error:  # not up yet
                said = str(error)
            if now - told > PROGRESS_SECONDS:
                self.tell(texts.WAITING(seconds=now - began, reason=said))
                told = now
            time.sleep(self.poll_seconds)
        else:
            with suppress(ConfigError):  # the log shows more than the health check, if it is there
                command = self.target.logs_command(self.tenant, follow=False, lines=LOG_LINES)
                log = run_program(command, seconds=ASK_SECONDS).output.splitlines()
                for line in log[-LOG_LINES:]:
                    self.tell(texts.LOG_LINE(line=line))
            if down >= MAX_LOOKS_DOWN:
                raise ConfigError(texts.ENDED_AGAIN(name=name, reason=said))
            raise ConfigError(texts.NOT_WELL_IN_TIME(name=name, seconds=self.patience, reason=said))
        waited = now - began
        self.tell(texts.WELL(name=name, seconds=waited) if found.is_well else texts.UP(name=name, seconds=waited))
        for each in (*found.problems, *found.warnings):
            self.tell(f"  {each}")

    def ask_health(self) -> TenantHealth:
        """Return the bot's health. For a stopped bot, it comes from the stored rows."""
        return parse_health(run_program(self.command_for_bot("health", "--json"), seconds=ASK_SECONDS))

    def ask_running_health(self) -> TenantHealth:
        """Return the health of a running bot only.

        While a bot starts, no other process may hold its data, not even for a moment.
        """
        command = self.target.command_beside_bot(self.tenant, ["health", "--json"])
        return parse_health(run_program(command, seconds=ASK_SECONDS))

    def command_for_bot(self, *words: str) -> Command:
        """Return the command that runs `retinue WORDS`, beside the bot if it runs."""
        asked = self.target.command_beside_bot if self.is_running() else self.target.command_while_stopped
        return asked(self.tenant, words)

    def run_long_command(self, *words: str, source: IO[bytes] | None = None, into: IO[bytes] | None = None) -> None:
        """Run `retinue WORDS` as a long command."""
        LongCommand(self.command_for_bot(*words), self.tell, source, into).run()

    def restore_data(self, path: Path, *words: str) -> None:
        """Replace the bot's data with those of a back-up. `words` are more options of `retinue restore`."""
        with path.open("rb") as source:
            self.run_long_command("restore", "--only-data", *words, "-", source=source)


def run_commands(commands: Sequence[Command], seconds: float) -> None:
    """Run the commands, each for at most `seconds`. Raise ConfigError if one fails."""
    for command in commands:
        outcome = run_program(command, seconds=seconds)
        if outcome.status:
            said = explain_failure(outcome.output.splitlines()) or texts.EXIT_STATUS(status=outcome.status)
            raise ConfigError(texts.COMMAND_FAILED(command=shlex.join(command), reason=said))
