"""Run every channel and watch its health. A fault is reported to an owner, by another channel if possible."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from bot.core import phrases
from bot.core.access import AccessByChannel, owner_addresses
from bot.core.channel import Channel, HealthReport
from bot.core.errors import ConfigError
from bot.core.limits import TermsNow
from bot.core.texts import logs, people
from bot.journal.bus import Bus, post_notice
from bot.store import Store, health_rows
from bot.store.connection import Connection

HEALTH_CHECK_SECONDS, HOUR = 1.0, 3600.0
NOTE_INTERVAL = timedelta(seconds=15)  # between notes while nothing is wrong: each costs a commit

log = logging.getLogger(__name__)


@dataclass(eq=False)
class ChannelHealth:
    channels: Sequence[Channel]
    bus: Bus
    store: Store
    accesses: AccessByChannel
    terms: TermsNow
    seconds_away: float  # how long the bot was away before this start
    console: Channel | None  # runs beside the channels; without them it does not keep the process going
    ended: dict[str, ConfigError] = field(default_factory=dict)  # the channels that only the operator can repair

    async def run(self) -> None:
        """Run until cancelled. Raise ConfigError, in an exception group, if no channel is left."""
        async with asyncio.TaskGroup() as tasks:
            for channel in self.channels:
                tasks.create_task(self.listen_to_channel(channel), name=f"{channel.name} intake")
            if self.console:
                tasks.create_task(self.console.run(self.bus), name=f"{self.console.name} intake")
            tasks.create_task(self.watch_health(), name="health")

    async def listen_to_channel(self, channel: Channel) -> None:
        """Listen to one channel. If it cannot run, the others go on. Raise ConfigError if it was the last one."""
        if channel.keeps_seconds is not None and self.seconds_away > channel.keeps_seconds:
            await self.store.write(self.tell_of_loss, channel.name, channel.keeps_seconds)
        try:
            await channel.run(self.bus)
        except ConfigError as error:
            self.ended[channel.name] = error
            if len(self.ended) == len(self.channels):
                raise
            log.error(logs.CHANNEL_NOT_HEARD, channel.name, error, extra={"channel": channel.name})

    async def watch_health(self) -> None:
        noted: dict[str, HealthReport] = {}
        due = self.terms().now
        while True:
            is_due = self.terms().now >= due
            for channel in self.channels:
                ended = self.ended.get(channel.name)
                health = HealthReport(fault=str(ended)) if ended else channel.health()
                known = noted.get(channel.name, HealthReport())
                is_heard = health.silent_seconds is not None
                if health.fault != known.fault or (is_heard and (is_due or known.silent_seconds is None)):
                    await self.store.write(self.write_health, channel.name, health)
                    noted[channel.name] = health
            due = self.terms().now + NOTE_INTERVAL if is_due else due
            await asyncio.sleep(HEALTH_CHECK_SECONDS)

    def write_health(self, db: Connection, name: str, health: HealthReport) -> None:
        """Write down how a channel is doing. Tell an owner if its fault is a new one."""
        now, silent, fault = self.terms().now, health.silent_seconds, health.fault
        good_at = None if silent is None else now - timedelta(seconds=silent)
        was = next((row for row in health_rows.list_health_rows(db) if row.name == name), None)
        is_new = bool(fault) and (was is None or was.fault != fault)
        since = None if not fault else now if is_new or was is None else was.fault_since
        health_rows.save_channel_health(db, name, good_at, fault, since)
        found = owner_addresses(self.accesses, name)
        # Another channel is better, because this one may not work.
        owner_at = next((at for at in found if at.channel != name), found[0] if found else None)
        if is_new and owner_at:
            said = people.CHANNEL_FAULT(channel=phrases.role_display_name(name), fault=fault)
            post_notice(db, f"fault:{name}:{now.isoformat()}", owner_at, said, now, rings=True)

    def tell_of_loss(self, db: Connection, name: str, keeps_seconds: float) -> None:
        """Tell an owner that messages may be lost, because the bot was away longer than the channel keeps them."""
        now = self.terms().now
        if owner_at := next(iter(owner_addresses(self.accesses, name)), None):
            away, kept = self.seconds_away / HOUR, keeps_seconds / HOUR
            said = people.AWAY_TOO_LONG(channel=phrases.role_display_name(name), away=away, kept=kept)
            post_notice(db, f"away:{name}:{now.isoformat()}", owner_at, said, now, rings=True)
