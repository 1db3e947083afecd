"""Assess a bot's health from its lock, its rows, its disk and its money.

A problem makes the bot unhealthy: a restart or the operator can fix it at once. A warning is no reason to restart.
"""

import asyncio
import json
import os
import shutil
from asyncio import StreamReader, StreamWriter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, date, datetime
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from bot.config import Config
from bot.config.time_zone import resolve_time_zone
from bot.core.errors import ConfigError, StoreDamaged
from bot.core.prices import MILLION, find_pricing
from bot.core.program_names import retinue_command
from bot.journal.budgets import MIN_OUTPUT_TOKENS
from bot.journal.schedule_runs import FAILURES_BEFORE_PAUSE
from bot.ops import texts
from bot.ops.control.server import Request
from bot.ops.folder_holder import find_folder_of_running_bot
from bot.store import folder_lock
from bot.store.chat_reader import RowHighWaterMarks, load_row_high_water_marks, query_database_file
from bot.store.connection import Connection
from bot.store.health_rows import HealthRow, list_health_rows, list_mcp_health, list_model_fault_texts
from bot.store.ledger import TENANT_SPENDING_SCOPE, SpendingTotal, sum_spending_of_scope
from bot.store.schedules import ScheduleFigures, count_schedules
from bot.store.waiting_times import OldestWaitingTimes, last_inbound_message_at, load_oldest_waiting_times

MAX_PROCESS_SILENCE_SECONDS = 60.0  # without a sign of life of the process, which sends one each second
MAX_CHANNEL_SILENCE_SECONDS = 90.0  # without a good poll or an acknowledged heartbeat, which are recorded every 15 s
MAX_UNATTENDED_MESSAGE_SECONDS = 60.0  # for a message that no turn has taken
MAX_UNANSWERED_SECONDS = 7_200.0  # for a message that a turn has taken: its delegations may take long
MAX_UNSENT_SECONDS = 600.0  # for a message in the outbox: platforms may demand minutes of waiting
MAX_SCHEDULE_DELAY_SECONDS = 600.0  # for a schedule that is due; slow conditions take a few minutes at most
MIN_FREE_DISK_BYTES = 100_000_000  # on the data folder's disk: the database needs room to work
LOW_FREE_DISK_BYTES = 500_000_000  # below this the operator is warned
NEARLY_USED_BUDGET_SHARE = 0.8  # of the day's budget
FIRST_REQUEST_TOKENS = 3_000  # roughly in the lead's first request of a conversation


class HealthFigures(NamedTuple):
    """The figures that are read from the rows in one transaction."""

    health_rows: Sequence[HealthRow] = ()
    oldest_waits: OldestWaitingTimes = OldestWaitingTimes(
        unanswered_since=None, unattended_since=None, unsent_since=None
    )
    spent_today: SpendingTotal = SpendingTotal()
    last_message_at: datetime | None = None
    model_faults: Sequence[str] = ()
    schedules: ScheduleFigures = ScheduleFigures()
    mcp_faults: Mapping[str, str] = {}


@cache  # the look-up takes as long as the rest of the assessment
def retinue_version() -> str:
    return version("retinue")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelStatus:
    name: str
    silent_seconds: float | None  # since the last good poll or acknowledged heartbeat; None: none yet
    fault: str  # "" if there is none
    fault_since: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetStatus:
    """The money of today, in the operator's time zone, for all chats together."""

    spent_usd: float
    reserved_usd: float  # for requests under way; a part becomes free again
    limit_usd: float
    is_used_up: bool  # the rest cannot pay for a request of the lead


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleStatus:
    """The schedules of everybody that may be due again."""

    active: int
    paused: int
    failed: int  # of the paused ones: paused because their runs failed
    due: int  # their time has come, and nothing was done yet
    late_seconds: float | None  # since the first of these times


@dataclass(frozen=True, slots=True, kw_only=True)
class BotHealth:
    """The keys that `retinue health --json` prints. Ages are in seconds; None means that nothing waits."""

    healthy: bool = True
    problems: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    version: str = field(default_factory=retinue_version)
    process: str | None = None
    channels: list[ChannelStatus] = field(default_factory=list)
    unanswered_seconds: float | None = None
    unattended_seconds: float | None = None
    outbox_seconds: float | None = None
    last_message_at: str | None = None  # ISO 8601, UTC
    budget: BudgetStatus | None = None
    schedules: ScheduleStatus | None = None
    disk_free_bytes: int | None = None
    data_bytes: int | None = None  # of the data folder on the disk
    rows: RowHighWaterMarks | None = None  # None: the rows cannot be read


def assess_health(config: Config) -> BotHealth:
    """Assess the bot's health, or the demo's if only that runs. An unreadable folder or database is a problem in it."""
    names, now = config.channels.list_enabled_channels(), datetime.now(UTC)
    today = now.astimezone(resolve_time_zone(config.time_zone)).date()
    try:
        data = find_folder_of_running_bot(config.data_dir) or config.data_dir
        process = folder_lock.find_lock_holder(data) or None
        rows = query_database_file(
            data / "bot.db", lambda db: read_health_figures(db, names, today, now), HealthFigures()
        )
        free = shutil.disk_usage(data).free if data.is_dir() else None
        still = folder_lock.seconds_since_holder_was_alive(data) if process else 0.0
        held = disk_usage_bytes(data)
        reached = load_row_high_water_marks(data / "bot.db")
    except (ConfigError, StoreDamaged, OSError) as error:
        return BotHealth(healthy=False, problems=[str(error)])
    waits, last_at = rows.oldest_waits, rows.last_message_at
    found = BotHealth(
        process=process,
        channels=[assess_channel(name, rows.health_rows, now) for name in names],
        unanswered_seconds=seconds_since(waits.unanswered_since, now),
        unattended_seconds=seconds_since(waits.unattended_since, now),
        outbox_seconds=seconds_since(waits.unsent_since, now),
        last_message_at=last_at.astimezone(UTC).isoformat(timespec="seconds") if last_at else None,
        budget=assess_budget(config, rows.spent_today),
        schedules=assess_schedules(rows.schedules, now),
        disk_free_bytes=free,
        data_bytes=held,
        rows=reached,
    )
    problems, warnings = [*list_problems(found, data, still, rows.model_faults)], [*list_warnings(found, data)]
    of_servers = {name: rows.mcp_faults[name] for name in config.mcp.servers if rows.mcp_faults.get(name)}
    warnings += [texts.MCP_SERVER_FAILS(server=name, fault=fault) for name, fault in of_servers.items() if process]
    return replace(found, healthy=not problems, problems=problems, warnings=warnings)


def list_problems(found: BotHealth, data: Path, still: float, model_faults: Sequence[str]) -> Iterator[str]:
    """Yield the problems. `still` is the number of seconds since the process's last sign of life."""
    if found.process is None:
        yield texts.NO_BOT_IN_FOLDER(folder=data)
    elif still > MAX_PROCESS_SILENCE_SECONDS:
        yield texts.PROCESS_HAS_NOT_MOVED(process=found.process, seconds=still)
    for channel in found.channels if found.process else ():
        if channel.fault:
            yield texts.CHANNEL_FAILS(channel=channel.name, fault=channel.fault)
        elif channel.silent_seconds is None:
            yield texts.CHANNEL_NOT_HEARD_YET(channel=channel.name)
        elif channel.silent_seconds > MAX_CHANNEL_SILENCE_SECONDS:
            yield texts.CHANNEL_NOT_HEARD(channel=channel.name, seconds=channel.silent_seconds)
    for fault in model_faults if found.process else ():
        yield texts.MODEL_FAILS(fault=fault)
    if (seconds := found.unattended_seconds or 0.0) > MAX_UNATTENDED_MESSAGE_SECONDS:
        yield texts.MESSAGE_UNATTENDED(seconds=seconds)
    if (seconds := found.unanswered_seconds or 0.0) > MAX_UNANSWERED_SECONDS:
        yield texts.MESSAGE_UNANSWERED(seconds=seconds)
    if (seconds := found.outbox_seconds or 0.0) > MAX_UNSENT_SECONDS:
        yield texts.ANSWER_UNDELIVERED(seconds=seconds)
    late = (found.schedules and found.schedules.late_seconds) or 0.0
    if found.process and late > MAX_SCHEDULE_DELAY_SECONDS:
        yield texts.SCHEDULE_IS_LATE(seconds=late)
    if (free := found.disk_free_bytes) is not None and free < MIN_FREE_DISK_BYTES:
        yield texts.DISK_IS_SCARCE(megabytes=free / 1e6, folder=data)


def list_warnings(found: BotHealth, data: Path) -> Iterator[str]:
    if (free := found.disk_free_bytes) is not None and MIN_FREE_DISK_BYTES <= free < LOW_FREE_DISK_BYTES:
        yield texts.DISK_IS_SCARCE(megabytes=free / 1e6, folder=data)
    if (budget := found.budget) and budget.is_used_up:
        yield texts.BUDGET_USED_UP(spent=budget.spent_usd, limit=budget.limit_usd)
    elif budget and budget.spent_usd >= NEARLY_USED_BUDGET_SHARE * budget.limit_usd:
        yield texts.BUDGET_NEARLY_USED_UP(spent=budget.spent_usd, limit=budget.limit_usd)
    if (planned := found.schedules) and planned.failed:
        yield texts.SCHEDULES_FAILED(planned.failed, command=retinue_command("schedules"))


def read_health_figures(db: Connection, names: list[str], today: date, now: datetime) -> HealthFigures:
    spent, waits = sum_spending_of_scope(db, TENANT_SPENDING_SCOPE, today), load_oldest_waiting_times(db, names)
    heard_at = last_inbound_message_at(db, names)
    planned = count_schedules(db, now, FAILURES_BEFORE_PAUSE)
    faults = {name: row.fault for name, row in list_mcp_health(db).items()}
    return HealthFigures(list_health_rows(db), waits, spent, heard_at, list_model_fault_texts(db), planned, faults)


def disk_usage_bytes(data: Path) -> int | None:
    """Return the bytes that a folder takes on the disk, or None if it is missing. This is slow for many files."""
    if not data.is_dir():
        return None
    taken = 0
    for folder, _, files in os.walk(data):
        for name in files:
            with suppress(FileNotFoundError):  # SQLite's log comes and goes
                taken += os.lstat(os.path.join(folder, name)).st_blocks * 512  # the unit of st_blocks on all systems
    return taken


def assess_budget(config: Config, spent: SpendingTotal) -> BudgetStatus:
    limit = round(config.limits.day_usd * MILLION)
    least = 1
    if pricing := find_pricing(config.model.lead):
        least = pricing.card_for_prompt(FIRST_REQUEST_TOKENS).worst_case_cost(FIRST_REQUEST_TOKENS, MIN_OUTPUT_TOKENS)
    return BudgetStatus(
        spent_usd=spent.cost / MILLION,
        reserved_usd=spent.reserved / MILLION,
        limit_usd=config.limits.day_usd,
        is_used_up=limit - spent.cost < least,
    )


def assess_schedules(counted: ScheduleFigures, now: datetime) -> ScheduleStatus:
    return ScheduleStatus(
        active=counted.active,
        paused=counted.paused,
        failed=counted.failed,
        due=counted.due,
        late_seconds=seconds_since(counted.due_since, now),
    )


def seconds_since(moment: datetime | None, now: datetime) -> float | None:
    return None if moment is None else round(max(0.0, (now - moment).total_seconds()), 1)


def assess_channel(name: str, health_rows: Sequence[HealthRow], now: datetime) -> ChannelStatus:
    row = next((each for each in health_rows if each.name == name), None)
    if row is None:
        return ChannelStatus(name=name, silent_seconds=None, fault="", fault_since=None)
    since = row.fault_since.isoformat() if row.fault_since else None
    return ChannelStatus(name=name, silent_seconds=seconds_since(row.good_at, now), fault=row.fault, fault_since=since)


def format_health(found: BotHealth) -> str:
    warned = [texts.WARNING(warning=each) for each in found.warnings]
    if not found.healthy:
        problems = "; ".join(" ".join(each.split()) for each in [*found.problems, *warned])
        return texts.UNHEALTHY(problems=problems)
    facts = [texts.CHANNEL_HEARD(channel=each.name, seconds=each.silent_seconds) for each in found.channels]
    if found.unanswered_seconds is not None:
        facts.append(texts.OLDEST_MESSAGE(seconds=found.unanswered_seconds))
    if found.outbox_seconds is not None:
        facts.append(texts.OUTBOX_WAITS(seconds=found.outbox_seconds))
    if found.unanswered_seconds is None and found.outbox_seconds is None:
        facts.append(texts.NOTHING_WAITS)
    if found.budget:
        facts.append(texts.SPENT_TODAY(spent=found.budget.spent_usd, limit=found.budget.limit_usd))
    facts.append(texts.DISK_FREE(gigabytes=(found.disk_free_bytes or 0) / 1e9))
    return texts.HEALTHY(process=found.process, facts="; ".join([*facts, *warned]))


async def answer_health_request(config: Config, request: Request, reader: StreamReader, writer: StreamWriter) -> None:
    """Answer on the control socket. Assess the health in a thread: the event loop must not wait for the disk."""
    found = await asyncio.to_thread(assess_health, config)
    said = {"healthy": found.healthy, "words": format_health(found), "condition": asdict(found)}
    writer.write(json.dumps(said).encode() + b"\n")
    await writer.drain()
