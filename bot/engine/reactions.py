"""Mark people's messages below them: received, answered, failed. The marks are cosmetic: they cost no row, and no other
message waits for them.

A transaction names the messages whose mark changes, as a wake-up; so a mark is shown only for what is durable. What the
platform did not accept before a stop is shown at the next start, from the rows of the turns that ended last.
"""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from datetime import timedelta

from bot.core.channel import Channel, ReactingChannel
from bot.core.errors import DeliveryDelayed, DeliveryError, NotDelivered
from bot.core.limits import GetCurrentTerms
from bot.core.messages import Address, MessageId, MessageMark
from bot.core.texts import logs
from bot.journal.bus import Bus
from bot.journal.marks import list_marks_of_last_turns, parse_mark_name
from bot.store import Store
from bot.store.connection import MARKS_TOPIC

MAX_PENDING_MARKS = 500  # of all channels; the oldest are dropped
MAX_SHOWN_MARKS = 500  # remembered, so that none is shown twice
MAX_PARALLEL_CALLS = 4  # of one channel
MAX_TRIES = 4  # of one mark, if the platform fails
MAX_TRIES_WITHOUT_ROOM = 20  # of a mark of receipt, if the platform has no room for it
FIRST_PAUSE_SECONDS, MAX_PAUSE_SECONDS = 0.25, 60.0
LONGER_PAUSE_SECONDS = 0.1  # added with each try without room: many marks wait then
LOST_MARK_PERIOD = timedelta(minutes=2)  # marks of turns that ended so long before a stop are shown again after it

log = logging.getLogger(__name__)


class MessageMarks:
    """Shows the newest mark of each message. A mark that is out of date before it is shown is left out.

    Each message has a task of its own. While it waits for room in its chat, it holds up no mark of another chat."""

    def __init__(self, channels: Sequence[Channel], store: Store, bus: Bus, terms: GetCurrentTerms) -> None:
        self.channels: Mapping[str, ReactingChannel] = {
            channel.name: channel for channel in channels if isinstance(channel, ReactingChannel)
        }
        self.store = store
        self.bus = bus
        self.terms = terms
        self._wanted: OrderedDict[MessageId, tuple[Address, MessageMark]] = OrderedDict()
        self._at_work: set[MessageId] = set()
        self._shown: OrderedDict[MessageId, MessageMark] = OrderedDict()
        self._calls = {name: asyncio.Semaphore(MAX_PARALLEL_CALLS) for name in self.channels}

    async def run(self, downtime_seconds: float = 0.0) -> None:
        """Show marks until cancelled. `downtime_seconds`: how long the bot was away before this start."""
        names = [name for name, channel in self.channels.items() if channel.has_reactions]
        if not names:
            return
        with self.bus.subscribe(MARKS_TOPIC) as changed:
            since = self.terms().now - timedelta(seconds=downtime_seconds) - LOST_MARK_PERIOD
            for address, message, mark in await self.store.read(list_marks_of_last_turns, since):
                self.want(address, message, mark)
            async with asyncio.TaskGroup() as tasks:
                while True:
                    self.start_tasks(tasks)
                    await changed.wait()
                    for woken in changed.take_names_and_clear().values():
                        for name in sorted(filter(None, woken), key=is_not_of_receipt):  # those are the first ones
                            self.want(*parse_mark_name(name))

    def want(self, address: Address, message: MessageId, mark: MessageMark) -> None:
        channel = self.channels.get(address.channel)
        if channel and channel.has_reactions:
            self._wanted[message] = address, mark
            while len(self._wanted) > MAX_PENDING_MARKS:
                self._wanted.popitem(last=False)

    def start_tasks(self, tasks: asyncio.TaskGroup) -> None:
        for message, (address, _) in self._wanted.items():
            if message not in self._at_work:
                self._at_work.add(message)
                tasks.create_task(self.show_marks_of_message(address, message), name=f"mark of {message}")

    async def show_marks_of_message(self, address: Address, message: MessageId) -> None:
        """Show the marks of one message, one after the other, until the newest is shown or given up."""
        tries = 0
        try:
            while message in self._wanted:
                async with self._calls[address.channel]:
                    wanted = self._wanted.pop(message, None)
                    if wanted is None or self._shown.get(message) is wanted[1]:
                        continue
                    tries += 1
                    pause = await self.try_to_show_mark(*wanted, message, tries)
                if pause:
                    self._wanted.setdefault(message, wanted)
                    await asyncio.sleep(pause)
        finally:
            self._at_work.discard(message)
            self.bus.wake_subscriber(MARKS_TOPIC, "")

    def remember_shown(self, message: MessageId, mark: MessageMark) -> None:
        self._shown[message] = mark
        while len(self._shown) > MAX_SHOWN_MARKS:
            self._shown.popitem(last=False)

    async def try_to_show_mark(self, address: Address, mark: MessageMark, message: MessageId, tries: int) -> float:
        """Show a mark. Return the pause before the next try; 0 if it is shown, or not worth another one."""
        try:
            await self.channels[address.channel].mark_message(address, message, mark)
            self.remember_shown(message, mark)
        except DeliveryDelayed as delay:
            pause = min(max(delay.seconds, LONGER_PAUSE_SECONDS * tries), MAX_PAUSE_SECONDS)
            return pause if tries < MAX_TRIES_WITHOUT_ROOM or mark.is_final else 0.0
        except (DeliveryError, OSError) as error:
            log.debug(logs.MARK_NOT_SHOWN, message, error)
            is_worth_it = isinstance(error, (OSError, NotDelivered)) and tries < MAX_TRIES
            return min(FIRST_PAUSE_SECONDS * 2 ** (tries - 1), MAX_PAUSE_SECONDS) if is_worth_it else 0.0
        except Exception:  # a channel is other people's code, and a mark must not end the bot
            log.exception(logs.MARK_FAILED, message)
        return 0.0


def is_not_of_receipt(name: str) -> bool:
    return parse_mark_name(name)[2] is not MessageMark.RECEIVED
