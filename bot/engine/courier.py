"""The courier: it carries one channel's share of the outbox to the channel, in order within each lane."""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import nullcontext, suppress
from datetime import datetime, timedelta

from bot.core import phrases
from bot.core.channel import Channel
from bot.core.errors import ChatClosed, ChatHasMoved, DeliveryDelayed, DeliveryError, NotDelivered, StoreDamaged
from bot.core.languages import speaking
from bot.core.languages.said_again import say_again
from bot.core.limits import GetCurrentTerms
from bot.core.messages import Address, OutboundId, OutboundKind, OutboundMessage
from bot.core.texts import logs, people, reasons
from bot.engine.delivery import MessageDelivery
from bot.engine.drafts import ChannelDrafts
from bot.journal import delivery
from bot.journal.bus import Bus
from bot.journal.delivery import NextMessageDue
from bot.journal.languages import language_of_owner
from bot.store import Store, chats
from bot.store.connection import Connection
from bot.store.delivery import (
    Delivery,
    WaitingMessage,
    list_addresses_with_waiting_messages,
    load_waiting_messages_and_lane_holds,
    requeue_unaccepted_message,
)

MAX_TRIES = 8  # of one message, while other messages of the channel pass
MAX_RETRY_HOURS = 24
MAX_BACK_OFF_SECONDS = 60.0
PASSING_CHECK_SECONDS = 1.0  # while a board is on its way: a message that failed beside it may be due again
SEND_CAPACITY_CHECK_INTERVAL = timedelta(seconds=1)  # while only cosmetic messages wait for room

RetryWriter = Callable[[Connection, Delivery, int, datetime], None]

log = logging.getLogger(__name__)


class Courier:
    """Carry each lane in a task: a slow chat delays no other. If a chat cannot be told of a failure, tell an owner."""

    def __init__(
        self, channel: Channel, store: Store, bus: Bus, terms: GetCurrentTerms, owners: Sequence[Address] = ()
    ) -> None:
        self.channel = channel
        self.store = store
        self.bus = bus
        self.terms = terms
        self.owners = owners
        self.log_fields = {"channel": channel.name}  # the fields for log records
        self.message_delivery = MessageDelivery(channel, store, terms)
        self._at_work: dict[str, asyncio.Task[None]] = {}
        self._wake_ups: dict[str, asyncio.Event] = {}  # by lane that is at work: it has something new to look at
        # By lane: the addresses where messages wait, or came while the lane was at work
        self._addresses: dict[str, set[Address]] = defaultdict(set)
        self._due: dict[str, datetime] = {}  # by lane that is not at work: when its next message may be sent
        self._locks: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)  # by lane
        self.drafts = ChannelDrafts(channel, store, bus, terms, self._locks)
        self._shown_count = 0  # messages that were shown
        self._shown_count_at_try: dict[OutboundId, int] = {}  # by failed message: `_shown_count` at its last try
        self._is_closing = False
        self._closed_chats: set[Address] = set()  # the chats that accept nothing, until a message is shown there
        self._started_at = terms().now  # time that the bot was away does not count as a message's age

    async def run(self) -> None:
        """Carry messages until `start_closing` is called. Then carry those that can go at once, and return."""
        self._closed_chats = await self.store.read(chats.list_chats_refusing_messages, self.channel.name)
        with self.bus.subscribe_outbound(self.channel.name) as changed:
            async with asyncio.TaskGroup() as tasks:
                drafts = tasks.create_task(self.drafts.run(), name=f"{self.channel.name} drafts")
                found = await self.store.read(list_addresses_with_waiting_messages, self.channel.name)
                self.note_waiting_addresses(found)
                await self.start_due_lanes({self.channel.lane(address) for address in found}, tasks)
                while True:
                    if self._is_closing and not self._at_work:
                        break
                    due = min(self._due.values(), default=None)
                    seconds = None if due is None else max(0.0, (due - self.terms().now).total_seconds())
                    with suppress(TimeoutError):
                        async with asyncio.timeout(seconds):
                            await changed.wait()
                    woken = changed.take_names_and_clear().values()
                    await self.start_woken_lanes([Address.parse(name) for names in woken for name in names], tasks)
                drafts.cancel()

    def start_closing(self) -> None:
        self._is_closing = True
        self.bus.wake_outbound_subscriber(self.channel.name)

    async def start_woken_lanes(self, changed: Collection[Address], tasks: asyncio.TaskGroup) -> None:
        """Start the lanes of these addresses where nothing waited before. Look at the others, and at those that are
        due. Other lanes cost nothing, however much waits there."""
        lanes = {self.channel.lane(address) for address in changed}
        idle = lanes - self._addresses.keys() - self._at_work.keys()
        self.note_waiting_addresses(changed)
        for lane in lanes & self._wake_ups.keys():
            self._wake_ups[lane].set()
        for lane in sorted(idle):
            self.start_lane(lane, tasks)
        due = {lane for lane, at in self._due.items() if at <= self.terms().now}
        await self.start_due_lanes((lanes - idle) | due, tasks)

    def note_waiting_addresses(self, addresses: Iterable[Address]) -> None:
        for address in addresses:
            self._addresses[self.channel.lane(address)].add(address)

    def start_lane(self, lane: str, tasks: asyncio.TaskGroup) -> None:
        among = sorted(self._addresses.pop(lane), key=str)
        self._wake_ups[lane] = asyncio.Event()
        self._at_work[lane] = tasks.create_task(self.carry_lane_messages(lane, among), name=f"lane {lane}")

    async def start_due_lanes(self, lanes: Collection[str], tasks: asyncio.TaskGroup) -> None:
        """Look at these lanes. Start each that can carry a message now, and note when the others can."""
        now, lanes = self.terms().now, sorted(set(lanes) - self._at_work.keys())
        if not lanes:
            return
        addresses = [address for lane in lanes for address in sorted(self._addresses[lane], key=str)]
        waiting, held = await self.store.read(load_waiting_messages_and_lane_holds, self.channel.name, addresses, lanes)
        by_lane: dict[str, list[WaitingMessage]] = {lane: [] for lane in lanes}
        for each in waiting:
            by_lane[self.channel.lane(each.address)].append(each)
        for lane, found in by_lane.items():
            self._due.pop(lane, None)
            self._addresses[lane] = {each.address for each in found}
            if not found:
                del self._addresses[lane]
                continue
            at = next_send_time_of_lane(found, held.get(lane))
            # Most cosmetic messages are edits.
            has_room = self.channel.has_room_for_cosmetic_message(found[0].address, is_edit=True)
            if all(each.is_cosmetic for each in found) and not has_room:
                at = max(at or now, now + SEND_CAPACITY_CHECK_INTERVAL)
            if at and at > now:
                self._due[lane] = at
            else:
                self.start_lane(lane, tasks)

    async def carry_lane_messages(self, lane: str, addresses: Sequence[Address]) -> None:
        """Carry the messages of a lane, one after the other, until none can go now."""
        next_due = NextMessageDue.NOW
        try:
            while next_due is NextMessageDue.NOW:
                await self.channel.wait_for_pace(addresses[0])  # no message is in flight during this wait
                has_room = self.channel.has_room_for_cosmetic_message(addresses[0], is_edit=True)
                self._wake_ups[lane].clear()
                sent = await self.store.write(
                    delivery.begin_next_delivery,
                    lane,
                    addresses,
                    self.terms(),
                    with_cosmetic=has_room,
                    progress=self.bus.progress_by_turn(),
                )
                if sent is None:
                    next_due = NextMessageDue.LATER
                elif sent.message.kind is OutboundKind.BOARD:
                    next_due = await self.carry_board_and_pass_messages(sent, lane, addresses)
                else:
                    next_due = await self.carry_and_record_message(sent, lane, addresses)
        finally:
            del self._at_work[lane], self._wake_ups[lane]
            if next_due is not NextMessageDue.NOTHING:
                self._addresses[lane].update(addresses)
            if lane in self._addresses or self._is_closing:
                self.bus.wake_outbound_subscriber(self.channel.name, self._addresses.get(lane, ()))

    async def carry_board_and_pass_messages(
        self, board: Delivery, lane: str, addresses: Sequence[Address]
    ) -> NextMessageDue:
        """Carry a board, and meanwhile all that is not cosmetic: no message waits while a platform is slow about a
        board. Return when the lane's next message is due."""
        wake_up = self._wake_ups[lane]
        if lane in self._addresses:  # something came while the message before the board was carried
            wake_up.set()
        async with asyncio.TaskGroup() as tasks:
            carrying = tasks.create_task(self.carry_and_record_message(board, lane, addresses), name=f"board in {lane}")
            carrying.add_done_callback(lambda _: wake_up.set())
            while not carrying.done():
                with suppress(TimeoutError):
                    async with asyncio.timeout(PASSING_CHECK_SECONDS):
                        await wake_up.wait()
                wake_up.clear()
                among = sorted({*addresses, *self._addresses.get(lane, ())}, key=str)
                while not carrying.done() and await self.carry_one_message_beside_board(lane, among):
                    pass
        return carrying.result()  # what passed was noted when it came, so the lane is looked at again

    async def carry_one_message_beside_board(self, lane: str, among: Sequence[Address]) -> bool:
        """Carry the next message that is not cosmetic. Return False if none may be sent now."""
        if not await self.store.read(delivery.is_urgent_message_due, lane, among, self.terms().now):
            return False
        await self.channel.wait_for_pace(among[0])
        sent = await self.store.write(delivery.begin_next_delivery, lane, among, self.terms(), with_cosmetic=False)
        if sent:
            await self.carry_and_record_message(sent, lane, among)
        return sent is not None

    async def carry_and_record_message(self, sent: Delivery, lane: str, addresses: Sequence[Address]) -> NextMessageDue:
        """Carry one message and write the outcome to its row. Return when its lane's next message is due. What is said
        about the message is said in its language."""
        with speaking(self.terms().language_named(sent.message.language)):
            return await self.carry_message_in_its_language(sent, lane, addresses)

    async def carry_message_in_its_language(
        self, sent: Delivery, lane: str, addresses: Sequence[Address]
    ) -> NextMessageDue:
        message = sent.message

        def find_next_due(db: Connection) -> NextMessageDue:
            return delivery.find_when_next_message_is_due(db, lane, addresses, self.terms().now)

        # The lock keeps drafts from passing what replaces them. Nothing replaces a board, so nothing waits for it.
        lock = nullcontext() if message.kind is OutboundKind.BOARD else self._locks[lane]
        try:
            async with lock:
                next_due = await self.message_delivery.deliver_unshown_parts(sent, find_next_due)
        except ChatHasMoved as moved:
            name, chat = self.channel.name, message.address.chat
            await self.store.write(requeue_unaccepted_message, sent, sent.tries)
            await self.store.write(chats.move_chat, name, chat, moved.chat)
            return NextMessageDue.LATER  # the new chat may be in another lane
        except ChatClosed as closed:
            await self.mark_chat_closed_and_tell_owner(message, str(closed))
        except DeliveryDelayed as delay:
            until = self.terms().now + timedelta(seconds=delay.seconds)
            if delay.holds_lane:
                await self.store.write(delivery.requeue_and_hold_lane, sent, self.channel.name, lane, until)
            else:
                await self.store.write(requeue_unaccepted_message, sent, sent.tries, until)
        except NotDelivered as error:
            await self.retry_later_or_give_up(sent, str(error), requeue_unaccepted_message)
        except DeliveryError as error:
            await self.give_up_message(message, str(error))
        except StoreDamaged:
            raise
        except OSError as error:
            log.warning(logs.ARRIVAL_UNKNOWN, message.id, error, extra=self.log_fields)
            await self.retry_later_or_give_up(sent, str(error), delivery.note_unknown_outcome)
        except Exception:  # a channel is other people's code: one bad message must not end the courier at each start
            log.exception(logs.NOT_SHOWN, message.id, extra=self.log_fields)
            await self.give_up_message(message, reasons.NOT_SHOWN_BY_MISTAKE())
        else:
            self._shown_count += 1
            self._shown_count_at_try.pop(message.id, None)
            if message.address in self._closed_chats:
                self._closed_chats.discard(message.address)
                await self.store.write(chats.mark_chat_accepting_messages, message.address)
            return next_due
        return NextMessageDue.NOW

    async def mark_chat_closed_and_tell_owner(self, message: OutboundMessage, why: str) -> None:
        """Note that the chat accepts nothing any more. The message fails, and the owner is told about the chat once."""
        log.error(logs.CHAT_TAKES_NOTHING, message.address, why, extra=self.log_fields)
        self._closed_chats.add(message.address)
        now, owner_at = self.terms().now, next((at for at in self.owners if at != message.address), None)

        def write_chat_closed(db: Connection) -> None:
            is_new = chats.mark_chat_refusing_messages(db, message.address, why, now)
            with speaking(language_of_owner(db, self.channel.name, self.terms())):
                said = phrases.chat_closed_text(message.address, why)
                tell = build_notice(f"shut:{message.id}", owner_at, said) if is_new and owner_at else None
                delivery.give_up_message(db, message, why, tell, now)

        await self.store.write(write_chat_closed)

    async def retry_later_or_give_up(self, sent: Delivery, why: str, write: RetryWriter) -> None:
        """Retry later. Give up if this message fails while others pass, or if it is too old."""
        message, now = sent.message, self.terms().now
        tries = sent.tries + (self._shown_count_at_try.get(message.id) != self._shown_count)
        self._shown_count_at_try[message.id] = self._shown_count
        if tries >= MAX_TRIES or now - max(sent.said_at, self._started_at) > timedelta(hours=MAX_RETRY_HOURS):
            await self.give_up_message(message, why or reasons.NOT_ARRIVED())
            return
        seconds = min(MAX_BACK_OFF_SECONDS, self.terms().timings.delivery_retry_seconds * 2**tries)
        await self.store.write(write, sent, tries, now + timedelta(seconds=seconds))

    async def give_up_message(self, message: OutboundMessage, why: str) -> None:
        """Give up a message that cannot be shown, and tell its chat. If that notice fails too, tell one owner after the
        other, in order. If nobody is left, only `doctor` knows."""
        log.error(logs.NOT_SHOWN_BECAUSE, message.id, why, extra=self.log_fields)
        self._shown_count_at_try.pop(message.id, None)
        at, (_, is_notice, told) = message.address, message.id.partition(":failed")
        if is_notice:
            is_to_owner = told and at in self.owners  # then the owners before this one were asked too
            others = self.owners[self.owners.index(at) + 1 :] if is_to_owner else self.owners
            owner_at = next((owner for owner in others if owner != at), None)
            said = (
                message.text
                if told
                else people.NOT_SHOWN_ELSEWHERE(channel=at.channel, chat=at.chat, reason=say_again(why))
            )
            tell = build_notice(f"{message.id}:owner", owner_at, said) if owner_at else None
        else:
            tell = build_notice(f"{message.id}:failed", at, people.NOT_SHOWN(reason=say_again(why)), rings=False)
        await self.store.write(delivery.give_up_message, message, why, tell, self.terms().now)


def next_send_time_of_lane(found: Sequence[WaitingMessage], held: datetime | None) -> datetime | None:
    """Return when the next message of a lane may be sent; None means now. Cosmetic messages wait for all others."""
    heads = [each for each in found if not each.is_cosmetic]
    moments = [each.not_before for each in ([min(heads, key=lambda each: each.seq)] if heads else found)]
    at = None if None in moments else min(filter(None, moments))
    return max(filter(None, (at, held)), default=None)


def build_notice(id: str, address: Address, text: str, *, rings: bool = True) -> OutboundMessage:
    return OutboundMessage(id=OutboundId(id), address=address, kind=OutboundKind.NOTICE, text=text, is_quiet=not rings)
