"""A tenant's bot as its target runs it: started, stopped, asked, and waited for."""

import shlex
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import IO

from bot.core.errors import ConfigError
from bot.core.program_names import script_command
from bot.tenants import health, texts
from bot.tenants.health import TenantHealth
from bot.tenants.long_commands import LongCommand, Tell, explain_failure
from bot.tenants.targets import Command, Target
from bot.tenants.targets.programs import run_program
from bot.tenants.tenant import Tenant

START_SECONDS = 600.0  # a cluster may pull an image first
CLEAN_STOP_SECONDS = 45.0  # for the bot, to finish what it is at
STOP_SECONDS = 180.0  # that, and some more for an engine
ASK_SECONDS = 30.0
WELL_SECONDS = 120.0
POLL_SECONDS, PROGRESS_SECONDS = 1.0, 10.0
LOG_LINES = 10
MAX_LOOKS_DOWN = 5  # in a row: what is started again and again is seen up in between


@dataclass(frozen=True, slots=True, kw_only=True)
class Deployment:
    """Whatever fails raises ConfigError; `tell` hears a line per step."""

    tenant: Tenant
    target: Target
    tell: Tell
    patience: float = WELL_SECONDS  # until a bot that was started must be well
    poll_seconds: float = POLL_SECONDS  # between two looks at it

    def with_tenant(self, tenant: Tenant) -> "Deployment":
        """The same with another release."""
        return replace(self, tenant=tenant)

    def is_running(self) -> bool:
        return self.target.is_running(self.tenant)

    def start(self) -> None:
        self.tell(texts.STARTING(name=self.tenant.name))
        run_commands(self.target.start_commands(self.tenant), START_SECONDS)

    def stop(self) -> None:
        """Cleanly; nothing where it does not run."""
        if not self.is_running():
            self.tell(texts.NOT_RUNNING(name=self.tenant.name))
        else:
            self.tell(texts.STOPPING(name=self.tenant.name, seconds=CLEAN_STOP_SECONDS))
        run_commands(
            self.target.stop_commands(self.tenant), STOP_SECONDS
        )  # also where none runs: one may be about to be started again
        if self.is_running():
            raise ConfigError(texts.STILL_RUNNING(name=self.tenant.name, command=script_command("tenant-logs")))

    def start_and_wait(self, *, must_be_well: bool = True) -> None:
        """Start it, and wait until it is well, or until it answers at all."""
        self.start()
        self.wait_until_well(must_be_well=must_be_well)

    def wait_until_well(self, *, must_be_well: bool) -> None:
        began = told = time.monotonic()
        down, said = 0, str(texts.NOT_ANSWERED_YET)
        while (now := time.monotonic()) - began < self.patience and down < MAX_LOOKS_DOWN:
            try:
                down = 0 if self.is_running() else down + 1
                found = self.ask_running_health()
                if found.is_well or (found.is_alive and not must_be_well):
                    self.report_start(found, now - began)
                    return
                said = "; ".join(found.problems)
            except ConfigError as error:  # not up yet
                said = str(error)
            if now - told > PROGRESS_SECONDS:
                self.tell(texts.WAITING(seconds=now - began, reason=said))
                told = now
            time.sleep(self.poll_seconds)
        self.tell_log()
        if down >= MAX_LOOKS_DOWN:
            raise ConfigError(texts.ENDED_AGAIN(name=self.tenant.name, reason=said))
        raise ConfigError(texts.NOT_WELL_IN_TIME(name=self.tenant.name, seconds=self.patience, reason=said))

    def report_start(self, found: TenantHealth, seconds: float) -> None:
        name = self.tenant.name
        self.tell(texts.WELL(name=name, seconds=seconds) if found.is_well else texts.UP(name=name, seconds=seconds))
        for each in (*found.problems, *found.warnings):
            self.tell(f"  {each}")

    def tell_log(self) -> None:
        """Its last lines, which say more than whoever only looks at it; nothing where they cannot be had."""
        with suppress(ConfigError):
            outcome = run_program(
                self.target.logs_command(self.tenant, follow=False, lines=LOG_LINES), seconds=ASK_SECONDS
            )
            for line in outcome.output.splitlines()[-LOG_LINES:]:
                self.tell(texts.LOG_LINE(line=line))

    def ask_health(self) -> TenantHealth:
        """Also of a bot that does not run: what its rows say."""
        return health.parse_health(run_program(self.command_for_bot("health", "--json"), seconds=ASK_SECONDS))

    def ask_running_health(self) -> TenantHealth:
        """Of a running one alone: of what is being started, nobody else is to hold the data for a moment."""
        return health.parse_health(
            run_program(self.target.command_beside_bot(self.tenant, ["health", "--json"]), seconds=ASK_SECONDS)
        )

    def command_for_bot(self, *words: str) -> Command:
        """`retinue WORDS`, beside the bot if it runs."""
        asked = self.target.command_beside_bot if self.is_running() else self.target.command_while_stopped
        return asked(self.tenant, words)

    def run_long_command(self, *words: str, source: IO[bytes] | None = None, into: IO[bytes] | None = None) -> None:
        """The same, for what takes its time."""
        LongCommand(self.command_for_bot(*words), self.tell, source, into).run()


def run_commands(commands: Sequence[Command], seconds: float) -> None:
    for command in commands:
        outcome = run_program(command, seconds=seconds)
        if outcome.status:
            said = explain_failure(outcome.output.splitlines()) or texts.EXIT_STATUS(status=outcome.status)
            raise ConfigError(texts.COMMAND_FAILED(command=shlex.join(command), reason=said))
