"""Start, stop and wait for a tenant's bot through its target, and ask for its health."""

import json
import math
import time
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from bot.core.errors import ConfigError
from bot.core.program_names import script_command
from bot.tenants import TellOperator, texts
from bot.tenants.programs import ProgramOutcome, find_failure_reason, run_checked, run_long_command, run_program
from bot.tenants.root import TenantsRoot
from bot.tenants.targets import Command, Target
from bot.tenants.tenant import Tenant

START_TIMEOUT_SECONDS = 600.0  # a cluster may pull an image first
CLEAN_STOP_SECONDS = 45.0  # for the bot to finish its current work
STOP_TIMEOUT_SECONDS = 180.0  # the clean stop, and some time for the engine
ASK_TIMEOUT_SECONDS = 30.0
DEFAULT_WAIT_UNTIL_WELL_SECONDS = 120.0  # unless --wait says otherwise
HEALTH_POLL_SECONDS, WAIT_PROGRESS_SECONDS = 1.0, 10.0
LOG_LINES_SHOWN_ON_FAILED_START = 10
MAX_POLLS_NOT_RUNNING = 5  # in a row that find no running bot
MAX_SHOWN_CHARACTERS, MAX_TEXTS_PER_LIST = 300, 20  # characters of each text or bad answer; texts of each list


@dataclass(frozen=True, slots=True, kw_only=True)
class RowMarks:
    """Positions in the stored rows. If two marks are equal, no message came in or went out in between."""

    step: int  # of the migrations; 0: there is no database yet
    received: int | None  # the newest inbound number; all three None: this version cannot read that step's rows
    said: int | None  # the newest outbound number
    unsent: int | None  # how many outbound messages are not sent yet

    def __post_init__(self) -> None:
        """Raise TypeError if a value is neither a whole number nor, except for the step, None."""
        if type(self.step) is not int or any(type(each) not in (int, type(None)) for each in self.message_marks):
            raise TypeError

    @property
    def message_marks(self) -> tuple[int | None, ...]:
        return self.received, self.said, self.unsent


@dataclass(frozen=True, slots=True, kw_only=True)
class TenantHealth:
    is_well: bool
    problems: tuple[str, ...]
    warnings: tuple[str, ...]
    is_process_alive: bool  # a process holds its data
    bot_version: str
    last_message_at: datetime | None
    spent_today_usd: float | None
    daily_limit_usd: float | None
    row_marks: RowMarks | None  # None: the bot did not report them


@dataclass(frozen=True, slots=True, kw_only=True)
class Deployment:
    """A tenant's bot and its target. Methods raise ConfigError on failure, and report each step to `tell`."""

    tenant: Tenant
    target: Target
    tell: TellOperator
    wait_seconds: float = DEFAULT_WAIT_UNTIL_WELL_SECONDS  # seconds in which a started bot must become well
    poll_seconds: float = HEALTH_POLL_SECONDS  # between two health checks

    @property
    def root(self) -> TenantsRoot:
        return TenantsRoot(self.tenant.folder.parent)

    def is_running(self) -> bool:
        return self.target.is_running(self.tenant)

    def start(self) -> None:
        self.tell(texts.STARTING(name=self.tenant.name))
        for command in self.target.commands_to_start_bot(self.tenant):
            run_checked(command, seconds=START_TIMEOUT_SECONDS)

    def stop(self) -> None:
        """Stop the bot cleanly. Raise ConfigError if it still runs afterwards."""
        name = self.tenant.name
        is_running = self.is_running()
        self.tell(texts.STOPPING(name=name, seconds=CLEAN_STOP_SECONDS) if is_running else texts.NOT_RUNNING(name=name))
        for command in self.target.commands_to_stop_bot(self.tenant):  # even if none runs: one may be about to restart
            run_checked(command, seconds=STOP_TIMEOUT_SECONDS)
        if self.is_running():
            raise ConfigError(texts.STILL_RUNNING(name=name, command=script_command("tenant-logs")))

    def start_and_wait_until_well(self, *, must_be_well: bool = True) -> None:
        """Start the bot, and wait until it is well, or (`must_be_well=False`) until it is alive."""
        self.start()
        began = told = time.monotonic()
        name, down, said = self.tenant.name, 0, str(texts.NOT_ANSWERED_YET)
        while (now := time.monotonic()) - began < self.wait_seconds and down < MAX_POLLS_NOT_RUNNING:
            try:
                down = 0 if self.is_running() else down + 1
                found = self.ask_health_of_running_bot()
                if found.is_well or (found.is_process_alive and not must_be_well):
                    break
                said = "; ".join(found.problems)
            except ConfigError as error:  # not up yet
                said = str(error)
            if now - told > WAIT_PROGRESS_SECONDS:
                self.tell(texts.WAITING(seconds=now - began, reason=said))
                told = now
            time.sleep(self.poll_seconds)
        else:
            with suppress(ConfigError):  # the log shows more than the health check, if it is there
                command = self.target.logs_command(self.tenant, follow=False, lines=LOG_LINES_SHOWN_ON_FAILED_START)
                output = run_program(command, seconds=ASK_TIMEOUT_SECONDS).output
                for line in output.splitlines()[-LOG_LINES_SHOWN_ON_FAILED_START:]:
                    self.tell(texts.LOG_LINE(line=line))
            if down >= MAX_POLLS_NOT_RUNNING:
                raise ConfigError(texts.ENDED_AGAIN(name=name, reason=said))
            raise ConfigError(texts.NOT_WELL_IN_TIME(name=name, seconds=self.wait_seconds, reason=said))
        waited = now - began
        self.tell(texts.WELL(name=name, seconds=waited) if found.is_well else texts.UP(name=name, seconds=waited))
        for each in (*found.problems, *found.warnings):
            self.tell(f"  {each}")

    def ask_health(self) -> TenantHealth:
        """Return the bot's health. For a stopped bot, it comes from the stored rows."""
        return parse_health_output(run_program(self.retinue_command("health", "--json"), seconds=ASK_TIMEOUT_SECONDS))

    def ask_health_of_running_bot(self) -> TenantHealth:
        """Return a running bot's health. Ask only beside the bot: no other process may hold a starting bot's data."""
        command = self.target.retinue_command_while_running(self.tenant, ["health", "--json"])
        return parse_health_output(run_program(command, seconds=ASK_TIMEOUT_SECONDS))

    def retinue_command(self, *words: str) -> Command:
        """Return the command that runs `retinue WORDS`, beside the bot if it runs."""
        if self.is_running():
            return self.target.retinue_command_while_running(self.tenant, words)
        return self.target.retinue_command_while_stopped(self.tenant, words)

    def run_retinue(self, *words: str, source: IO[bytes] | None = None, into: IO[bytes] | None = None) -> None:
        """Run `retinue WORDS` as a long command."""
        run_long_command(self.retinue_command(*words), self.tell, source=source, into=into)

    def restore_data(self, path: Path, *words: str) -> None:
        """Replace the bot's data with those of a back-up. `words` are more options of `retinue restore`."""
        with path.open("rb") as source:
            self.run_retinue("restore", "--only-data", *words, "-", source=source)


def parse_health_output(outcome: ProgramOutcome) -> TenantHealth:
    """Return the health that `retinue health --json` printed. Raise ConfigError if the output is malformed."""
    try:
        values = json.loads(outcome.out.strip().rpartition("\n")[2])
        budget, rows = values.get("budget") or {}, values.get("rows")
        last = datetime.fromisoformat(values["last_message_at"]) if values.get("last_message_at") else None
        return TenantHealth(
            is_well=values["healthy"] is True,
            problems=limit_text_count_and_lengths(values["problems"]),
            warnings=limit_text_count_and_lengths(values.get("warnings") or ()),
            is_process_alive=bool(values.get("process")),
            bot_version=str(values.get("version") or "")[:MAX_SHOWN_CHARACTERS],
            last_message_at=last.replace(tzinfo=last.tzinfo or UTC) if last else None,
            spent_today_usd=parse_finite_number(budget.get("spent_usd")),
            daily_limit_usd=parse_finite_number(budget.get("limit_usd")),
            row_marks=None if rows is None else RowMarks(**rows),
        )
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
        said = find_failure_reason(outcome.output.splitlines())[-MAX_SHOWN_CHARACTERS:] or texts.SAID_NOTHING
        raise ConfigError(texts.HEALTH_UNKNOWN(reason=said)) from None


def limit_text_count_and_lengths(values: Any) -> tuple[str, ...]:
    """Return at most MAX_TEXTS_PER_LIST texts, each shortened to MAX_SHOWN_CHARACTERS: the bot may say anything."""
    return tuple(str(each)[:MAX_SHOWN_CHARACTERS] for each in tuple(values)[:MAX_TEXTS_PER_LIST])


def parse_finite_number(value: Any) -> float | None:
    """Return the number, or None for None. Raise ValueError or TypeError if it is not a finite number."""
    found = None if value is None else float(value)
    if found is not None and not math.isfinite(found):
        raise ValueError
    return found
