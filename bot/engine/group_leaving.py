"""Leave the group chats that the owner wants the bot to leave. The rows say which, so a kill changes nothing."""

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress

from bot.core.channel import Channel, LeavableChannel
from bot.core.errors import DeliveryDelayed, DeliveryError, NotDelivered
from bot.core.limits import GetCurrentTerms
from bot.core.texts import logs
from bot.journal.bus import Bus
from bot.store import Store, group_starts
from bot.store.connection import GROUPS_TO_LEAVE_TOPIC
from bot.store.group_starts import GroupStart

FIRST_PAUSE_SECONDS, MAX_PAUSE_SECONDS = 1.0, 600.0  # before another try

log = logging.getLogger(__name__)


class GroupLeaver:
    def __init__(self, channels: Sequence[Channel], store: Store, bus: Bus, terms: GetCurrentTerms) -> None:
        self.channels = {channel.name: channel for channel in channels if isinstance(channel, LeavableChannel)}
        self.store = store
        self.bus = bus
        self.terms = terms

    async def run(self) -> None:
        """Leave group chats until cancelled."""
        if not self.channels:
            return
        with self.bus.subscribe(GROUPS_TO_LEAVE_TOPIC) as changed:
            if await self.store.read(group_starts.list_groups_to_leave):
                # A kill may have come after it left one, and the owner may have added it again: that is heard first.
                await asyncio.sleep(self.terms().timings.leave_delay_seconds)
            pause = FIRST_PAUSE_SECONDS
            while True:
                changed.take_names_and_clear()
                found = await self.store.read(group_starts.list_groups_to_leave)
                waiting = [each for each in found if each.channel in self.channels]
                failed = [each for each in waiting if not await self.try_to_leave(each)]
                pause = min(2 * pause, MAX_PAUSE_SECONDS) if failed else FIRST_PAUSE_SECONDS
                with suppress(TimeoutError):
                    async with asyncio.timeout(pause if failed else None):
                        await changed.wait()

    async def try_to_leave(self, group: GroupStart) -> bool:
        """Leave a group chat. Return False to try again later."""
        try:
            await self.channels[group.channel].leave_group_chat(group.group_chat)
        except (OSError, NotDelivered, DeliveryDelayed) as error:
            log.warning(logs.GROUP_NOT_LEFT, group.channel, group.group_chat, error)
            return False
        except DeliveryError as error:  # most likely it is not in there any more
            log.warning(logs.GROUP_NOT_LEFT, group.channel, group.group_chat, error)
        await self.store.write(group_starts.mark_group_left_unless_added_again, group, self.terms().now)
        return True
