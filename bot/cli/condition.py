"""How a running bot is doing, by its lock, its rows, its disk and its money; and from when on that is called unhealthy.

A problem is what a restart, or the operator, can mend at once; a warning is what is to be known, and is no reason to
start the bot anew.
"""

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from functools import cache
from importlib.metadata import version
from pathlib import Path

from bot.cli import texts
from bot.config import Config
from bot.config.zone import zone
from bot.errors import ConfigError, StoreDamaged
from bot.prices import MILLION, pricing_of
from bot.store import lock
from bot.store.budgets import TENANT
from bot.store.connection import Connection
from bot.store.ledger import Total, spent_at
from bot.store.marks import Marks, marks
from bot.store.pulse import Pulse, all_of, model_faults
from bot.store.review import look
from bot.store.token_caps import LEAST_OUTPUT
from bot.store.vitals import Waits, last_message_at, waits

STILL_SECONDS = 60.0  # without a sign of life of the process: it gives one each second
SILENT_SECONDS = 90.0  # without a good poll or an acknowledged heartbeat: they are noted each 15 s
UNATTENDED_SECONDS = 60.0  # for a message that nobody is at
UNANSWERED_SECONDS = 7_200.0  # for a message that somebody is at: a turn with all it delegates may take its time
UNSENT_SECONDS = 600.0  # for what was said: platforms ask to wait for minutes
LEAST_BYTES = 100_000_000  # free, where the data lies: the database needs room to go on
SCARCE_BYTES = 500_000_000  # free: time to make room
NEARLY = 0.8  # of the day's budget
A_PROMPT = 3_000  # tokens: as short as the lead's first request in a conversation is, about
NO_WAITS = Waits(unanswered=None, unattended=None, unsent=None)
NOTHING = Total()


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """What is read of the rows, all of one moment."""

    pulses: list[Pulse] = field(default_factory=list)
    waits: Waits = NO_WAITS
    spent: Total = NOTHING
    last_message_at: datetime | None = None
    model_faults: list[str] = field(default_factory=list)


NO_ROWS = Rows()


@cache
def installed() -> str:
    """The version; to look it up takes as long as all else."""
    return version("retinue")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelCondition:
    name: str
    silent_seconds: float | None  # since the last good poll or acknowledged heartbeat; None: none yet
    fault: str  # empty: none
    fault_since: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """The money of this day, where the operator lives, for all chats together."""

    spent_usd: float
    reserved_usd: float  # for requests that are under way: part of it is given back
    limit_usd: float
    is_used_up: bool  # what is left pays for no request of the lead


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """What `retinue health --json` prints: these are its keys. Ages are in seconds; None: nothing waits."""

    healthy: bool = True
    problems: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    version: str = field(default_factory=installed)
    process: str | None = None
    channels: list[ChannelCondition] = field(default_factory=list)
    unanswered_seconds: float | None = None
    unattended_seconds: float | None = None
    outbox_seconds: float | None = None
    last_message_at: str | None = None  # ISO 8601, UTC
    budget: Budget | None = None
    disk_free_bytes: int | None = None
    data_bytes: int | None = None  # what the data folder takes on the disk
    rows: Marks | None = None  # how far they are; None: they cannot be read


def condition(config: Config) -> Condition:
    """Look at all there is; raises nothing that a bot's folder may do to it."""
    data, names = config.data_dir, enabled(config)
    now = datetime.now(UTC)
    today = now.astimezone(zone(config.time_zone)).date()
    try:
        process = lock.holder(data) or None
        rows = look(data / "bot.db", lambda db: read(db, names, today), NO_ROWS)
        free = shutil.disk_usage(data).free if data.is_dir() else None
        troubles = list(of_process(data, process))
        held = held_in(data)
        reached = marks(data / "bot.db")
    except (ConfigError, StoreDamaged, OSError) as error:
        return Condition(healthy=False, problems=[str(error)])
    channels = [of_channel(name, rows.pulses, now) for name in names]
    waits = rows.waits
    unanswered, unattended, unsent = (since(at, now) for at in (waits.unanswered, waits.unattended, waits.unsent))
    budget = of_budget(config, rows.spent)
    if process:
        troubles += [problem for channel in channels for problem in of_silence(channel)]
        troubles += [texts.MODEL_FAILS(fault=fault) for fault in rows.model_faults]
    troubles += of_waits(unattended or 0.0, unanswered or 0.0, unsent or 0.0)
    is_scarce = free is not None and free < SCARCE_BYTES
    scarce = [texts.DISK_IS_SCARCE(megabytes=(free or 0) / 1e6, folder=data)] if is_scarce else []
    is_full = free is not None and free < LEAST_BYTES
    troubles += scarce if is_full else []
    return Condition(
        healthy=not troubles,
        problems=troubles,
        warnings=[*([] if is_full else scarce), *of_money(budget)],
        process=process,
        channels=channels,
        unanswered_seconds=unanswered,
        unattended_seconds=unattended,
        outbox_seconds=unsent,
        last_message_at=moment(rows.last_message_at),
        budget=budget,
        disk_free_bytes=free,
        data_bytes=held,
        rows=reached,
    )


def enabled(config: Config) -> list[str]:
    """The channels that `retinue run` answers in."""
    channels = config.channels
    return [name for name in type(channels).model_fields if getattr(channels, name).enabled]


def read(db: Connection, names: list[str], today: date) -> Rows:
    return Rows(
        pulses=all_of(db),
        waits=waits(db, names),
        spent=spent_at(db, TENANT, today),
        last_message_at=last_message_at(db, names),
        model_faults=model_faults(db),
    )


def held_in(data: Path) -> int | None:
    """What a folder takes on the disk, in bytes. It has few files: the conversations are one. None: it is not there."""
    if not data.is_dir():
        return None
    taken = 0
    for folder, _, files in os.walk(data):
        for name in files:
            try:
                taken += os.lstat(os.path.join(folder, name)).st_blocks * 512  # the unit of st_blocks, everywhere
            except FileNotFoundError:  # SQLite's log comes and goes
                continue
    return taken


def of_budget(config: Config, spent: Total) -> Budget:
    limit = round(config.limits.day_usd * MILLION)
    pricing = pricing_of(config.model.lead)
    least = pricing.card_for(A_PROMPT).at_worst(A_PROMPT, LEAST_OUTPUT) if pricing else 1
    return Budget(
        spent_usd=spent.cost / MILLION,
        reserved_usd=spent.reserved / MILLION,
        limit_usd=config.limits.day_usd,
        is_used_up=limit - spent.cost < least,
    )


def of_money(budget: Budget) -> Iterator[str]:
    if budget.is_used_up:
        yield texts.BUDGET_USED_UP(spent=budget.spent_usd, limit=budget.limit_usd)
    elif budget.spent_usd >= NEARLY * budget.limit_usd:
        yield texts.BUDGET_NEARLY_USED_UP(spent=budget.spent_usd, limit=budget.limit_usd)


def of_waits(unattended: float, unanswered: float, unsent: float) -> Iterator[str]:
    """What has waited for too long, in seconds."""
    if unattended > UNATTENDED_SECONDS:
        yield texts.MESSAGE_UNATTENDED(seconds=unattended)
    if unanswered > UNANSWERED_SECONDS:
        yield texts.MESSAGE_UNANSWERED(seconds=unanswered)
    if unsent > UNSENT_SECONDS:
        yield texts.ANSWER_UNDELIVERED(seconds=unsent)


def since(moment: datetime | None, now: datetime) -> float | None:
    return None if moment is None else round(max(0.0, (now - moment).total_seconds()), 1)


def moment(at: datetime | None) -> str | None:
    return at.astimezone(UTC).isoformat(timespec="seconds") if at else None


def of_process(data: Path, process: str | None) -> Iterator[str]:
    if process is None:
        yield texts.NO_BOT_IN_FOLDER(folder=data)
    elif (still := lock.seconds_still(data)) > STILL_SECONDS:
        yield texts.PROCESS_HAS_NOT_MOVED(process=process, seconds=still)


def of_channel(name: str, pulses: list[Pulse], now: datetime) -> ChannelCondition:
    pulse = next((each for each in pulses if each.name == name), None)
    return ChannelCondition(
        name=name,
        silent_seconds=since(pulse.good_at, now) if pulse else None,
        fault=pulse.fault if pulse else "",
        fault_since=pulse.fault_since.isoformat() if pulse and pulse.fault_since else None,
    )


def of_silence(channel: ChannelCondition) -> Iterator[str]:
    silent = channel.silent_seconds
    if channel.fault:
        yield texts.CHANNEL_FAILS(channel=channel.name, fault=channel.fault)
    elif silent is None:
        yield texts.CHANNEL_NOT_HEARD_YET(channel=channel.name)
    elif silent > SILENT_SECONDS:
        yield texts.CHANNEL_NOT_HEARD(channel=channel.name, seconds=silent)


def in_words(found: Condition) -> str:
    """One line."""
    warned = [texts.WARNING(warning=each) for each in found.warnings]
    if not found.healthy:
        problems = "; ".join(" ".join(each.split()) for each in [*found.problems, *warned])
        return texts.UNHEALTHY(problems=problems)
    facts = [texts.CHANNEL_HEARD(channel=each.name, seconds=each.silent_seconds) for each in found.channels]
    waiting = []
    if found.unanswered_seconds is not None:
        waiting.append(texts.OLDEST_MESSAGE(seconds=found.unanswered_seconds))
    if found.outbox_seconds is not None:
        waiting.append(texts.OUTBOX_WAITS(seconds=found.outbox_seconds))
    facts += waiting or [texts.NOTHING_WAITS]
    if found.budget:
        facts.append(texts.SPENT_TODAY(spent=found.budget.spent_usd, limit=found.budget.limit_usd))
    facts.append(texts.DISK_FREE(gigabytes=(found.disk_free_bytes or 0) / 1e9))
    return texts.HEALTHY(process=found.process, facts="; ".join([*facts, *warned]))
