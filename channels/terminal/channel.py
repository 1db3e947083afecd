"""The terminal channel: one person at one or more terminals."""

import asyncio
import re
from asyncio import StreamReader, StreamWriter
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Protocol

from bot.core.channel import HealthReport, InboundBus, MessagePart, Publish
from bot.core.errors import DeliveryDelayed
from bot.core.messages import Address, Draft, Event, InboundMessage, OutboundKind, OutboundMessage, PlatformId
from channels.formatting import role_label
from channels.invisible_characters import strip_invisible
from channels.terminal import attach_protocol, operator_texts
from channels.terminal.attached_terminals import AttachedTerminal
from channels.terminal.talk import CHANNEL, LOCAL_ADDRESS, OWNER, Talk

# A terminal obeys control characters. Texts of models and files must not send any, except tabs and line feeds.
CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
EMPTY_SEAT_SECONDS = 1.0  # how long a lane rests when its terminal has left


class Face(Protocol):
    """The user interface of one run of the chat: a screen with a keyboard, or plain lines."""

    async def run(self, publish: Publish) -> None:
        """Publish what the person says until they leave or the input ends. Then let the bot end."""
        ...

    async def show_part(self, part: MessagePart) -> None:
        """Show a part of a message that stays."""
        ...

    def show_board(self, board: OutboundMessage) -> None:
        """Show the state of a turn's delegations until its reply comes."""
        ...

    def show_draft(self, draft: Draft) -> None:
        """Show the text that is being written until it is complete."""
        ...

    def warn(self, text: str, *, is_over: bool) -> None:
        """Show that everything waits, and why, until that is over. The bot may call this at any time. Raise nothing."""
        ...


class LocalSeat:
    """A face in this process, and its conversation."""

    def __init__(self, face: Face, talk: Talk) -> None:
        self.face = face
        self.talk = talk

    async def run(self, publish: Publish) -> None:
        self.talk.begin()
        await self.face.run(publish)

    async def show(self, part: MessagePart) -> None:
        if part.message.kind is OutboundKind.BOARD:
            self.face.show_board(part.message)
        elif not self.talk.is_about_opening(part.message):
            await self.face.show_part(part)

    def show_draft(self, draft: Draft) -> None:
        self.face.show_draft(draft)

    def warn(self, text: str, *, is_over: bool) -> None:
        self.face.warn(text, is_over=is_over)


Seat = LocalSeat | AttachedTerminal  # the place of one terminal, with its own address


class Terminal:
    """The terminals of one person: the one in this process, if there is one, and those of other processes.

    Each terminal has its own address and no memory. If a process was killed, what it may have shown is shown again and
    marked. Messages to an address without a terminal wait until one is there.
    """

    name = CHANNEL
    nonce_seconds = 0.0
    has_history = False
    board_seconds = 0.2
    keeps_seconds: float | None = None

    def __init__(self, here: LocalSeat | None = None, *, title: str = "", version: str = "") -> None:
        self.here = here
        self.title = title
        self.version = version
        self._seats: dict[Address, Seat] = {here.talk.address: here} if here else {}
        self._door: InboundBus | None = None
        self._has_started = asyncio.Event()
        self._seats_changed = asyncio.Event()  # a terminal has come, or the channel has closed
        self._is_closed = False
        self._typed: asyncio.Queue[tuple[Sequence[Event], asyncio.Future[None]]] = asyncio.Queue()

    async def run(self, door: InboundBus) -> None:
        self._door = door
        self._has_started.set()
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self.publish_typed(door), name="attached terminals")
                if self.here:
                    await self.here.run(door.publish)
        finally:
            self._is_closed = True
            self._seats_changed.set()

    async def publish_typed(self, door: InboundBus) -> None:
        """Publish what attached terminals say, in order. An error here ends the bot, as on any channel."""
        while True:
            batch, taken = await self._typed.get()
            await door.publish(batch)
            if not taken.done():  # the terminal may have left meanwhile
                taken.set_result(None)

    async def attach(self, request: attach_protocol.WireLine, reader: StreamReader, writer: StreamWriter) -> None:
        """Serve a terminal of another process until it leaves."""
        await self._has_started.wait()
        assert self._door, "it is set before"
        known = await self._door.list_known_chats(CHANNEL)
        if request.get("version") != self.version:
            refused = operator_texts.OTHER_VERSION(running=self.version, own=request.get("version"))
            attach_protocol.write_wire_line(writer, refused=refused)
            return
        address = self.choose_address(request, [chat.address for chat in known])
        if address in self._seats:
            attach_protocol.write_wire_line(writer, refused=operator_texts.CONVERSATION_TAKEN(conversation=address))
            return
        seat = self._seats[address] = AttachedTerminal(reader, writer)
        try:
            attach_protocol.write_wire_line(writer, at=str(address), title=self.title)
            self._seats_changed.set()
            await seat.run(partial(self.publish, address))
        finally:
            del self._seats[address]

    def choose_address(self, request: attach_protocol.WireLine, known: Sequence[Address]) -> Address:
        """Return the terminal's earlier address. If it has none, return the newest free conversation's address if it
        wants to continue, else a new address."""
        if before := request.get("at"):
            return Address.parse(before)
        if request.get("continue") and (free := [each for each in (*known, LOCAL_ADDRESS) if each not in self._seats]):
            return free[0]
        numbers = [int(each.thread) for each in (*known, *self._seats) if each.thread and each.thread.isdecimal()]
        return replace(LOCAL_ADDRESS, thread=str(max(numbers, default=0) + 1))

    async def publish(self, address: Address, batch: Sequence[InboundMessage]) -> None:
        taken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        said = [replace(each, address=address, sender=replace(each.sender, id=OWNER)) for each in batch]
        self._typed.put_nowait((said, taken))
        await taken

    def health(self) -> HealthReport:
        return HealthReport()

    def lane(self, address: Address) -> str:
        return str(address)

    async def pace(self, address: Address) -> None:
        """Wait until a terminal is at the address. A terminal has no rate limit."""
        while address not in self._seats and not self._is_closed:
            self._seats_changed.clear()
            await self._seats_changed.wait()

    def has_room(self, address: Address, *, is_edit: bool) -> bool:
        return address in self._seats

    def parts(self, message: OutboundMessage) -> Sequence[str]:
        return [strip_control_characters(role_label(message) + message.text)]

    def has_draft_messages(self, address: Address) -> bool:
        return False

    async def send(self, part: MessagePart) -> PlatformId:
        seat = self._seats.get(part.message.address)
        if seat is None:  # it has just left; or the bot ends, and the next start sends this
            raise DeliveryDelayed(EMPTY_SEAT_SECONDS)
        await seat.show(part)
        return PlatformId(part.message.id)  # the same at every start: the terminal has no ids of its own

    async def edit(self, id: PlatformId, part: MessagePart) -> None:
        if part.message.kind is not OutboundKind.QUESTION:  # a question has no buttons here to remove
            await self.send(part)

    async def delete(self, address: Address, id: PlatformId) -> None:
        """Do nothing: a text on the terminal stays."""

    async def find(self, part: MessagePart, since: datetime, known: Collection[PlatformId]) -> PlatformId | None:
        return None

    async def show(self, draft: Draft) -> None:
        if seat := self._seats.get(draft.address):
            seat.show_draft(draft)

    def warn(self, text: str, *, is_over: bool) -> None:
        """Warn all terminals that everything waits, and why. If it `is_over`, say that everything goes on."""
        for seat in self._seats.values():
            seat.warn(text, is_over=is_over)


def strip_control_characters(text: str) -> str:
    return CONTROLS.sub("�", strip_invisible(text))
