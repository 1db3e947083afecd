"""What is said in group chats and not to the bot. It stays in memory, costs no commit, and comes along with the next
message for the bot, as other people's words. If the settings say so, it is stored for some hours, many lines at a time.
"""

import asyncio
from collections import OrderedDict, deque
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise
from typing import TypeGuard

from bot.core.group_chats import TalkLine, quotes_of_talk, talk_line_of_message
from bot.core.limits import GetCurrentTerms
from bot.core.messages import (
    Address,
    HistoryReadEvent,
    InboundEvent,
    InboundKind,
    InboundMessage,
    MessageDeletedEvent,
    MessageId,
    OverheardMessage,
)
from bot.journal.group_modes import Verdict, judge_group_messages
from bot.store import Store, group_chats, inbox
from bot.store.connection import TALK_FORGOTTEN_TOPIC
from bot.store.people import account_key
from bot.store.signals import WakeUpSignal

MAX_ADDRESSES = 500  # whose talk is in memory; the one that was silent for the longest time is forgotten first
STORE_INTERVAL_SECONDS = 1.0


class TalkWindow:
    """The last lines of each address."""

    def __init__(self) -> None:
        self._lines: OrderedDict[Address, deque[TalkLine]] = OrderedDict()

    def add(self, line: TalkLine, most: int) -> None:
        """Add a line. One with its id is replaced."""
        there = self._lines.setdefault(line.address, deque())
        self._lines.move_to_end(line.address)
        before = next((place for place, each in enumerate(there) if each.id == line.id), None)
        if before is None:
            there.append(line)
        else:
            there[before] = line
        while len(there) > most:
            there.popleft()
        while len(self._lines) > MAX_ADDRESSES:
            self._lines.popitem(last=False)

    def has(self, address: Address, id: MessageId) -> bool:
        return any(line.id == id for line in self._lines.get(address, ()))

    def lines_of(self, accounts: Collection[str]) -> list[TalkLine]:
        """Return what these accounts have said, anywhere."""
        lines = (line for there in self._lines.values() for line in there)
        return [line for line in lines if account_key(line.address.channel, line.person) in accounts]

    def remove(self, address: Address, id: MessageId) -> None:
        if there := self._lines.get(address):
            self._lines[address] = deque(line for line in there if line.id != id)

    def take(self, address: Address) -> list[TalkLine]:
        """Return the lines of an address, oldest first, and forget them."""
        return sorted(self._lines.pop(address, ()), key=lambda line: line.sent_at)


class GroupTalk:
    def __init__(self, store: Store, terms: GetCurrentTerms) -> None:
        self.store = store
        self.terms = terms
        self.window = TalkWindow()
        self._added: dict[MessageId, TalkLine] = {}  # still to be stored
        self._removed: set[MessageId] = set()  # still to be deleted from what is stored
        self._forgotten = WakeUpSignal()
        self._is_loaded = asyncio.Event()  # what was stored before this start

    async def split_batch(self, batch: Sequence[InboundEvent]) -> tuple[list[InboundEvent], list[TalkLine]]:
        """Keep the talk in mind, and return the other events: messages for the bot with what was said before them. Also
        return the lines that came along, for `restore_lines` if they could not be stored."""
        self.drop_lines_of_forgotten_people()
        of_groups = [each for each in batch if is_group_text(each)]
        verdicts = {}
        if of_groups:
            await self._is_loaded.wait()
            verdicts = await self.store.read(judge_group_messages, of_groups, self.terms())
        events: list[InboundEvent] = []
        taken: list[TalkLine] = []
        passed_on: set[MessageId] = set()
        for event in batch:
            message = event.message if isinstance(event, OverheardMessage) else event
            if isinstance(event, MessageDeletedEvent):
                self.drop_line(event.address, event.message)
                if event.message in passed_on or await self.store.read(inbox.is_message_waiting, event.message):
                    events.append(event)
                continue
            if not isinstance(message, InboundMessage) or message.id not in verdicts:
                events.append(event)
                passed_on |= {message.id} if isinstance(message, InboundMessage) else set()
                continue
            verdict = verdicts[message.id]
            if verdict is Verdict.ANSWER and message.id in passed_on:
                verdict = Verdict.STORE  # its edit, in the same batch: the talk came along before
            if verdict is Verdict.ANSWER:
                lines = [line for line in self.take_earlier_lines(message) if line.id != message.id]
                taken += lines
                events.append(replace(message, quotes=(*quotes_of_talk(lines), *message.quotes)))
                passed_on.add(message.id)
            elif verdict is not Verdict.DROP:
                self.record_message(message, may_be_new=verdict is not Verdict.STORE)
            if verdict in (Verdict.STORE, Verdict.STORE_AND_HEAR):
                events.append(message)
                passed_on.add(message.id)
            elif verdict is Verdict.DROP and message.cursor and isinstance(event, InboundMessage):
                events.append(HistoryReadEvent(address=message.address, cursor=message.cursor, place=message.place))
        return events, taken

    def take_earlier_lines(self, message: InboundMessage) -> list[TalkLine]:
        """Return what was said where a message was written: a message that opens a thread was written in the chat."""
        lines = self.window.take(message.address)
        if message.wants_summary and not lines:
            lines = self.window.take(message.address.whole_chat)
        for line in lines:
            self.drop_stored_line(line.id)
        return lines

    def restore_lines(self, lines: Iterable[TalkLine]) -> None:
        for line in lines:
            self.record_line(line)

    def record_message(self, message: InboundMessage, *, may_be_new: bool) -> None:
        """Add what somebody said to the talk. An edit, and what may not be new there, only replaces what is there."""
        if (message.is_edit or not may_be_new) and not self.window.has(message.address, message.id):
            return
        line = talk_line_of_message(message)
        if line.text:
            self.record_line(line)

    def record_line(self, line: TalkLine) -> None:
        settings = self.terms().settings.group_chats
        if settings.talk_messages:
            self.window.add(line, settings.talk_messages)
            self._removed.discard(line.id)
            if settings.keep_talk_hours:
                self._added[line.id] = line

    def drop_lines_of_forgotten_people(self) -> None:
        """Forget what people have said who were forgotten since the last call. A line that is being stored at this
        moment is deleted with the next ones."""
        accounts = self._forgotten.take_names_and_clear().get(TALK_FORGOTTEN_TOPIC, set())
        for line in self.window.lines_of(accounts) if accounts else []:
            self.drop_line(line.address, line.id)

    def drop_line(self, address: Address, id: MessageId) -> None:
        self.window.remove(address, id)
        self.drop_stored_line(id)

    def drop_stored_line(self, id: MessageId) -> None:
        self._added.pop(id, None)
        if self.terms().settings.group_chats.keep_talk_hours:
            self._removed.add(id)

    async def run(self) -> None:
        """Learn until cancelled whose talk is to be forgotten. Store the talk if the settings say so."""
        with self.store.signals.listen(TALK_FORGOTTEN_TOPIC) as self._forgotten:
            await self.load_and_store_talk()
            await asyncio.Event().wait()

    async def load_and_store_talk(self) -> None:
        hours = timedelta(hours=self.terms().settings.group_chats.keep_talk_hours)
        if await self.store.read(group_chats.has_talk):
            for line in await self.store.read(group_chats.load_talk, self.terms().now - hours):
                if not self.window.has(line.address, line.id):
                    self.window.add(line, self.terms().settings.group_chats.talk_messages)
            await self.store.write(group_chats.save_and_delete_talk, (), (), self.terms().now - hours)
        self._is_loaded.set()
        while hours:
            await asyncio.sleep(STORE_INTERVAL_SECONDS)
            self.drop_lines_of_forgotten_people()
            added, removed = list(self._added.values()), self._removed
            self._added, self._removed = {}, set()
            before = self.terms().now - hours
            has_old = await self.store.read(group_chats.has_talk, before)
            if added or removed or has_old:
                await self.store.write(group_chats.save_and_delete_talk, added, removed, before)


def split_after_private_taps(batch: Sequence[InboundEvent]) -> list[Sequence[InboundEvent]]:
    """Return the batch in parts, each whole in one transaction. A tap may have a person forgotten, and what comes after
    it must not bring along what that person has said in a group chat."""
    taps = [
        number
        for number, event in enumerate(batch, 1)
        if isinstance(event, InboundMessage) and event.kind is InboundKind.ANSWER and event.group_chat is None
    ]
    return [batch[start:end] for start, end in pairwise(sorted({0, *taps, len(batch)}))]


def is_group_text(event: InboundEvent) -> TypeGuard[InboundMessage | OverheardMessage]:
    """Return True for what somebody wrote in a group chat, except commands for the bot."""
    if isinstance(event, OverheardMessage):
        return True
    is_text = isinstance(event, InboundMessage) and event.kind is InboundKind.TEXT and not event.text.startswith("/")
    return is_text and isinstance(event, InboundMessage) and event.group_chat is not None
