"""The terminal channel: one person at one or more terminals."""

import asyncio
import re
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Protocol

from bot.core.channel import HealthReport, InboundBus, MessagePart, PublishFunction
from bot.core.errors import DeliveryDelayed, NotDelivered
from bot.core.incoming_files import IncomingFile
from bot.core.invisible_characters import strip_invisible
from bot.core.messages import Address, Draft, InboundEvent, OutboundKind, OutboundMessage, PlatformId
from bot.core.outgoing_files import OutgoingFile, PartContent
from channels.file_streams import open_local_file
from channels.formatting import role_label
from channels.terminal import figures, model_texts, operator_texts, people_texts
from channels.terminal.attach_protocol import (
    DRAFT_ADAPTER,
    INBOUND_MESSAGES_ADAPTER,
    PART_ADAPTER,
    WireLine,
    read_wire_line,
    write_wire_line,
)
from channels.terminal.attachments import path_of_reference
from channels.terminal.conversation import CHANNEL_NAME, LOCAL_ADDRESS, OWNER_ID, TerminalConversation

# A terminal obeys control characters. Texts of models and files must not send any, except tabs and line feeds.
CONTROL_CHARACTER_PATTERN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
MAX_UNREAD_BYTES_FOR_DRAFTS = 65_536  # if a terminal has more to read, it gets no drafts
NO_TERMINAL_RETRY_SECONDS = 1.0  # how long a lane waits when its terminal has left

TypedBatch = tuple[
    Sequence[InboundEvent], asyncio.Future[None]
]  # what was typed, and a future to set once it is published


class TerminalInterface(Protocol):
    """The user interface of one run of the chat: a screen with a keyboard, or plain lines."""

    conversation: TerminalConversation

    async def run(self, publish: PublishFunction) -> None:
        """Publish what the person says until they leave or the input ends. Then let the bot end."""

    async def show(self, part: MessagePart) -> None:
        """Show a part of a message, but none about the conversation's opening. A board lasts until its turn's reply,
        and for as long as a role of it goes on in the background."""

    def show_draft(self, draft: Draft) -> None:
        """Show the text that is being written until it is complete."""

    def warn(self, text: str, *, is_over: bool) -> None:
        """Show that everything waits, and why, until that is over. The bot may call this at any time. Raise nothing."""


@dataclass
class AttachedTerminal:
    """One attached terminal. A part counts as shown when the terminal says so."""

    address: Address
    reader: StreamReader
    writer: StreamWriter
    typed: asyncio.Queue[TypedBatch]
    _number: int = 0  # of the last part
    _shown: dict[int, asyncio.Future[bool]] = field(default_factory=dict)  # by number: the parts that wait for a report

    async def receive_wire_lines_until_it_leaves(self) -> None:
        """Queue what is typed at the terminal until it leaves, and tell the terminal when it is published. Note the
        terminal's reports about the parts that it has shown."""
        try:
            while line := await read_wire_line(self.reader):
                if "publish" in line:
                    batch = INBOUND_MESSAGES_ADAPTER.validate_python(line["publish"])
                    at = self.address
                    said = [replace(each, address=at, sender=replace(each.sender, id=OWNER_ID)) for each in batch]
                    taken = asyncio.get_running_loop().create_future()
                    self.typed.put_nowait((said, taken))
                    await taken
                    write_wire_line(self.writer, taken=line["number"])
                for word, is_shown in (("shown", True), ("not_shown", False)):
                    waiting = self._shown.get(line.get(word, 0))
                    if waiting and not waiting.done():
                        waiting.set_result(is_shown)
        except ConnectionError:
            pass  # the terminal has left
        finally:
            for waiting in self._shown.values():
                if not waiting.done():
                    waiting.set_exception(ConnectionError(operator_texts.TERMINAL_LEFT))

    async def show(self, part: MessagePart) -> None:
        number = self._number = self._number + 1
        waiting = self._shown[number] = asyncio.get_running_loop().create_future()
        try:
            write_wire_line(self.writer, show=PART_ADAPTER.dump_python(part, mode="json"), number=number)
            if not await waiting:
                raise NotDelivered(operator_texts.NOBODY_READS)
        finally:
            del self._shown[number]

    def show_draft(self, draft: Draft) -> None:
        if self.writer.transport.get_write_buffer_size() < MAX_UNREAD_BYTES_FOR_DRAFTS:
            write_wire_line(self.writer, draft=DRAFT_ADAPTER.dump_python(draft, mode="json"))

    def warn(self, text: str, *, is_over: bool) -> None:
        write_wire_line(self.writer, warn=text, is_over=is_over)


class Terminal:
    """The terminals of one person: the one in this process, if there is one, and those of other processes. Each has its
    own address. None has a memory: after a kill, what may have been shown is shown again with a mark."""

    name = CHANNEL_NAME
    nonce_memory_seconds = 0.0
    board_edit_seconds = 0.2
    surroundings: str = model_texts.SURROUNDINGS
    unfetched_keep_seconds: float | None = None
    max_download_bytes: int | None = None

    def __init__(self, interface: TerminalInterface | None = None, *, title: str = "", version: str = "") -> None:
        self.interface = interface
        self.title = title
        self.version = version
        self._seats: dict[Address, TerminalInterface | AttachedTerminal] = (
            {interface.conversation.address: interface} if interface else {}
        )
        self._door: InboundBus | None = None
        self._has_started = asyncio.Event()
        self._seats_changed = asyncio.Event()  # a terminal has come, or the channel has closed
        self._is_closed = False
        self._typed: asyncio.Queue[TypedBatch] = asyncio.Queue()

    async def run(self, door: InboundBus) -> None:
        self._door = door
        self._has_started.set()
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self.publish_typed_batches(door), name="attached terminals")
                if self.interface:
                    await self.interface.run(door.publish)
        finally:
            self._is_closed = True
            self._seats_changed.set()

    async def publish_typed_batches(self, door: InboundBus) -> None:
        """Publish what attached terminals say, in order. An error here ends the bot, as on any channel."""
        while True:
            batch, taken = await self._typed.get()
            await door.publish(batch)
            if not taken.done():  # the terminal may have left meanwhile
                taken.set_result(None)

    async def serve_attached_terminal(self, request: WireLine, reader: StreamReader, writer: StreamWriter) -> None:
        """Serve a terminal of another process until it leaves."""
        await self._has_started.wait()
        assert self._door, "it is set before"
        known = await self._door.list_known_chats(CHANNEL_NAME)
        if request.get("version") != self.version:
            refused = operator_texts.OTHER_VERSION(running=self.version, own=request.get("version"))
            write_wire_line(writer, refused=refused)
            return
        address = self.choose_address(request, [chat.address for chat in known])
        if address in self._seats:
            write_wire_line(writer, refused=operator_texts.CONVERSATION_TAKEN(conversation=address))
            return
        seat = self._seats[address] = AttachedTerminal(address, reader, writer, self._typed)
        try:
            write_wire_line(writer, at=str(address), title=self.title)
            self._seats_changed.set()
            await seat.receive_wire_lines_until_it_leaves()
        finally:
            del self._seats[address]

    def choose_address(self, request: WireLine, known: Sequence[Address]) -> Address:
        """Return the earlier address. Without one, return a new one, or the newest free one if the terminal
        continues."""
        if before := request.get("at"):
            return Address.parse(before)
        if request.get("continue") and (free := [each for each in (*known, LOCAL_ADDRESS) if each not in self._seats]):
            return free[0]
        numbers = [int(each.thread) for each in (*known, *self._seats) if each.thread and each.thread.isdecimal()]
        return replace(LOCAL_ADDRESS, thread=str(max(numbers, default=0) + 1))

    def health(self) -> HealthReport:
        return HealthReport()

    def lane(self, address: Address) -> str:
        return str(address)

    async def wait_for_pace(self, address: Address) -> None:
        """Wait until a terminal is at the address. A terminal has no rate limit."""
        while address not in self._seats and not self._is_closed:
            self._seats_changed.clear()
            await self._seats_changed.wait()

    def has_room_for_cosmetic_message(self, address: Address, *, is_edit: bool) -> bool:
        return address in self._seats

    def split_into_parts(self, message: OutboundMessage) -> Sequence[str]:
        return [make_terminal_safe(role_label(message) + message.text)]

    def split_with_files(self, message: OutboundMessage) -> Sequence[PartContent]:
        text = "\n".join(filter(None, [message.text, *describe_files(message.files)]))
        return [PartContent(make_terminal_safe(role_label(message) + text))]

    def max_upload_bytes(self, address: Address) -> int | None:
        return None

    def has_editable_drafts(self, address: Address) -> bool:
        return False

    async def send(self, part: MessagePart) -> PlatformId:
        seat = self._seats.get(part.message.address)
        if seat is None:  # it has just left, or the bot is stopping: the next start sends this
            raise DeliveryDelayed(NO_TERMINAL_RETRY_SECONDS)
        await seat.show(part)
        return PlatformId(part.message.id)  # the same at every start: the terminal has no ids of its own

    async def edit(self, id: PlatformId, part: MessagePart) -> None:
        if part.message.kind not in (
            OutboundKind.QUESTION,
            OutboundKind.APPROVAL,
        ):  # a question has no buttons here to remove
            await self.send(part)

    async def delete(self, address: Address, id: PlatformId) -> None:
        """Do nothing: a text on the terminal stays."""

    async def find_sent_part_id(
        self, part: MessagePart, since: datetime, known: Collection[PlatformId]
    ) -> PlatformId | None:
        return None

    def history_shows(self, message: OutboundMessage) -> bool:
        return False

    async def show_draft(self, draft: Draft) -> None:
        if seat := self._seats.get(draft.address):
            seat.show_draft(draft)

    def open_file(self, file: IncomingFile) -> AbstractAsyncContextManager[AsyncIterator[bytes]]:
        """Open a file of this machine. Only a process that may open the control socket, and so runs as the bot's own
        user, can attach a terminal and name one."""
        return open_local_file(path_of_reference(file.reference))

    def warn(self, text: str, *, is_over: bool) -> None:
        """Warn all terminals that everything waits, and why. If it `is_over`, say that everything goes on."""
        for seat in self._seats.values():
            seat.warn(text, is_over=is_over)


def describe_files(files: Sequence[OutgoingFile]) -> list[str]:
    """Return a line for each file. The terminal is on the machine of the files, so it names their places."""
    return [people_texts.FILE(name=each.name, size=figures.format_bytes(each.size), path=each.source) for each in files]


def make_terminal_safe(text: str) -> str:
    return CONTROL_CHARACTER_PATTERN.sub("�", strip_invisible(text))
