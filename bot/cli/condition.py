"""How a running bot is doing, by its lock, its rows and its disk; and from when on that is called unhealthy."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from bot.config import Config
from bot.errors import ConfigError, StoreDamaged
from bot.store import lock
from bot.store.connection import Connection
from bot.store.pulse import Pulse, all_of
from bot.store.review import look
from bot.store.vitals import Waits, waits

STILL_SECONDS = 60.0  # without a sign of life of the process: it gives one each second
SILENT_SECONDS = 90.0  # without a good poll or an acknowledged heartbeat: they are noted each 15 s
UNATTENDED_SECONDS = 60.0  # for a message that nobody is at
UNANSWERED_SECONDS = 7_200.0  # for a message that somebody is at: a turn with all it delegates may take its time
UNSENT_SECONDS = 600.0  # for what was said: platforms ask to wait for minutes
LEAST_BYTES = 100_000_000  # free, where the data lies
NO_ROWS: tuple[list[Pulse], Waits] = ([], Waits(unanswered=None, unattended=None, unsent=None))


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelCondition:
    name: str
    silent_seconds: float | None  # since the last good poll or acknowledged heartbeat; None: none yet
    fault: str  # empty: none
    fault_since: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """What `retinue health --json` prints: these are its keys. Ages are in seconds; None: nothing waits."""

    healthy: bool = True
    problems: list[str] = field(default_factory=list)
    process: str | None = None
    channels: list[ChannelCondition] = field(default_factory=list)
    unanswered_seconds: float | None = None
    unattended_seconds: float | None = None
    outbox_seconds: float | None = None
    disk_free_bytes: int | None = None


def condition(config: Config) -> Condition:
    """Look at all there is; raises nothing that a bot's folder may do to it."""
    data, names = config.data_dir, enabled(config)
    now = datetime.now(UTC)
    try:
        process = lock.holder(data) or None
        pulses, waiting = look(data / "bot.db", lambda db: read(db, names), NO_ROWS)
        free = shutil.disk_usage(data).free if data.is_dir() else None
        troubles = list(of_process(data, process))
    except (ConfigError, StoreDamaged, OSError) as error:
        return Condition(healthy=False, problems=[str(error)])
    channels = [of_channel(name, pulses, now) for name in names]
    unanswered, unattended, unsent = (since(at, now) for at in (waiting.unanswered, waiting.unattended, waiting.unsent))
    if process:
        troubles += [problem for channel in channels for problem in of_silence(channel)]
    troubles += [
        f"{what} since {seconds:.0f} s"
        for what, seconds, most in (
            ("a message waits that nobody is at,", unattended, UNATTENDED_SECONDS),
            ("a message is not answered,", unanswered, UNANSWERED_SECONDS),
            ("something that was said is not delivered,", unsent, UNSENT_SECONDS),
        )
        if seconds is not None and seconds > most
    ]
    if free is not None and free < LEAST_BYTES:
        troubles.append(f"only {free / 1e6:.0f} MB are free where {data} lies")
    return Condition(
        healthy=not troubles,
        problems=troubles,
        process=process,
        channels=channels,
        unanswered_seconds=unanswered,
        unattended_seconds=unattended,
        outbox_seconds=unsent,
        disk_free_bytes=free,
    )


def enabled(config: Config) -> list[str]:
    """The channels that `retinue run` answers in."""
    channels = config.channels
    return [name for name in type(channels).model_fields if getattr(channels, name).enabled]


def read(db: Connection, names: list[str]) -> tuple[list[Pulse], Waits]:
    return all_of(db), waits(db, names)


def since(moment: datetime | None, now: datetime) -> float | None:
    return None if moment is None else round(max(0.0, (now - moment).total_seconds()), 1)


def of_process(data: Path, process: str | None) -> Iterator[str]:
    if process is None:
        yield f"no bot is running in {data}"
    elif (still := lock.seconds_still(data)) > STILL_SECONDS:
        yield f"process {process} has not moved for {still:.0f} s"


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
        yield f"{channel.name}: {channel.fault}"
    elif silent is None:
        yield f"{channel.name} has not been heard yet"
    elif silent > SILENT_SECONDS:
        yield f"{channel.name} has not been heard for {silent:.0f} s"


def in_words(found: Condition) -> str:
    """One line."""
    if not found.healthy:
        return "unhealthy: " + "; ".join(" ".join(problem.split()) for problem in found.problems)
    heard = [f"{each.name} heard {each.silent_seconds:.0f} s ago" for each in found.channels]
    waiting = [
        f"{what} {seconds:.0f} s"
        for what, seconds in (
            ("the oldest unanswered message is of", found.unanswered_seconds),
            ("the outbox waits", found.outbox_seconds),
        )
        if seconds is not None
    ]
    free = f"{(found.disk_free_bytes or 0) / 1e9:.1f} GB free"
    return "; ".join([f"healthy: process {found.process}", *heard, *(waiting or ["nothing waits"]), free])
