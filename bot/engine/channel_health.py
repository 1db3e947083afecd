"""Run every channel and watch its health. A fault is reported to an owner, by another channel if possible."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from bot.core.access import AccessByChannel, owner_addresses
from bot.core.channel import Channel, HealthReport
from bot.core.errors import ConfigError
from bot.core.languages import speaking
from bot.core.languages.said_again import say_again
from bot.core.limits import GetCurrentTerms
from bot.core.messages import role_display_name
from bot.core.texts import logs, people
from bot.journal.bus import Bus, post_notice
from bot.journal.languages import language_of_owner
from bot.store import Store, health_rows
from bot.store.connection import Connection

HEALTH_CHECK_INTERVAL_SECONDS, SECONDS_PER_HOUR = 1.0, 3600.0
# After a start, until each channel has had contact or a fault: `retinue health` may be asked within the first second.
FIRST_CHECK_INTERVAL_SECONDS, FIRST_CHECKS_PERIOD = 0.1, timedelta(seconds=10)
FAULTLESS_HEALTH_WRITE_INTERVAL = timedelta(seconds=15)  # between notes while nothing is wrong: each costs a commit

log = logging.getLogger(__name__)


@dataclass(eq=False)
class ChannelRunner:
    channels: Sequence[Channel]
    bus: Bus
    store: Store
    access_by_channel: AccessByChannel
    terms: GetCurrentTerms
    seconds_away: float  # how long the bot was away before this start
    terminal_channel: Channel | None  # runs beside the channels; without them it does not keep the process going
    errors_of_ended_channels: dict[str, ConfigError] = field(default_factory=dict)  # only the operator can repair them

    async def run(self) -> None:
        """Run until cancelled. Raise ConfigError, in an exception group, if no channel is left."""
        async with asyncio.TaskGroup() as tasks:
            for channel in self.channels:
                tasks.create_task(self.run_channel(channel), name=f"{channel.name} intake")
            if self.terminal_channel:
                tasks.create_task(self.terminal_channel.run(self.bus), name=f"{self.terminal_channel.name} intake")
            tasks.create_task(self.watch_channel_health(), name="health")

    async def run_channel(self, channel: Channel) -> None:
        """Listen to one channel. If it cannot run, the others go on. Raise ConfigError if it was the last one."""
        if channel.unfetched_keep_seconds is not None and self.seconds_away > channel.unfetched_keep_seconds:
            await self.store.write(self.tell_owner_of_lost_messages, channel.name, channel.unfetched_keep_seconds)
        try:
            await channel.run(self.bus)
        except ConfigError as error:
            self.errors_of_ended_channels[channel.name] = error
            if len(self.errors_of_ended_channels) == len(self.channels):
                raise
            log.error(logs.CHANNEL_NOT_HEARD, channel.name, error, extra={"channel": channel.name})

    async def watch_channel_health(self) -> None:
        noted: dict[str, HealthReport] = {}
        due = started_at = self.terms().now
        while True:
            is_due = self.terms().now >= due
            for channel in self.channels:
                ended = self.errors_of_ended_channels.get(channel.name)
                health = HealthReport(fault=str(ended)) if ended else channel.health()
                known = noted.get(channel.name, HealthReport())
                is_heard = health.silent_seconds is not None
                if health.fault != known.fault or (is_heard and (is_due or known.silent_seconds is None)):
                    await self.store.write(self.save_health_and_report_fault, channel.name, health)
                    noted[channel.name] = health
            due = self.terms().now + FAULTLESS_HEALTH_WRITE_INTERVAL if is_due else due
            is_starting = len(noted) < len(self.channels) and self.terms().now < started_at + FIRST_CHECKS_PERIOD
            await asyncio.sleep(FIRST_CHECK_INTERVAL_SECONDS if is_starting else HEALTH_CHECK_INTERVAL_SECONDS)

    def save_health_and_report_fault(self, db: Connection, name: str, health: HealthReport) -> None:
        """Write down how a channel is doing. Tell an owner if its fault is a new one."""
        now, silent, fault = self.terms().now, health.silent_seconds, health.fault
        good_at = None if silent is None else now - timedelta(seconds=silent)
        was = next((row for row in health_rows.list_health_rows(db) if row.name == name), None)
        is_new = bool(fault) and (was is None or was.fault != fault)
        since = None if not fault else now if is_new or was is None else was.fault_since
        health_rows.save_channel_health(db, name, good_at, fault, since)
        found = owner_addresses(self.access_by_channel, name)
        # Another channel is better, because this one may not work.
        owner_at = next((at for at in found if at.channel != name), found[0] if found else None)
        if is_new and owner_at:
            with speaking(language_of_owner(db, owner_at.channel, self.terms())):
                said = people.CHANNEL_FAULT(channel=role_display_name(name), fault=say_again(fault))
                post_notice(db, f"fault:{name}:{now.isoformat()}", owner_at, said, now, rings=True)

    def tell_owner_of_lost_messages(self, db: Connection, name: str, keeps_seconds: float) -> None:
        """Tell an owner that messages may be lost, because the bot was away longer than the channel keeps them."""
        now = self.terms().now
        if owner_at := next(iter(owner_addresses(self.access_by_channel, name)), None):
            away, kept = self.seconds_away / SECONDS_PER_HOUR, keeps_seconds / SECONDS_PER_HOUR
            with speaking(language_of_owner(db, owner_at.channel, self.terms())):
                said = people.AWAY_TOO_LONG(channel=role_display_name(name), away=away, kept=kept)
                post_notice(db, f"away:{name}:{now.isoformat()}", owner_at, said, now, rings=True)
