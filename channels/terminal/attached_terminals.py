"""The bot's side of the terminals that are attached to it: each terminal is a process of its own."""

import asyncio
from asyncio import StreamReader, StreamWriter
from collections.abc import Awaitable, Callable, Sequence
from itertools import count

from bot.core.channel import MessagePart
from bot.core.errors import NotDelivered
from bot.core.messages import Draft, InboundMessage
from channels.terminal import attach_protocol, operator_texts

MAX_UNREAD_BYTES = 65_536  # if a terminal has more to read, it gets no drafts

Publish = Callable[[Sequence[InboundMessage]], Awaitable[None]]


class AttachedTerminal:
    """One attached terminal. A part counts as shown when the terminal says so."""

    def __init__(self, reader: StreamReader, writer: StreamWriter) -> None:
        self.reader = reader
        self.writer = writer
        self._numbers = count(1)
        self._shown: dict[int, asyncio.Future[bool]] = {}  # by number: the parts that wait for its report

    async def run(self, publish: Publish) -> None:
        """Publish what is typed at the terminal until it leaves."""
        try:
            while line := await attach_protocol.read_wire_line(self.reader):
                if "publish" in line:
                    await publish(attach_protocol.MESSAGES.validate_python(line["publish"]))
                    attach_protocol.write_wire_line(self.writer, taken=line["number"])
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
        number = next(self._numbers)
        waiting = self._shown[number] = asyncio.get_running_loop().create_future()
        try:
            attach_protocol.write_wire_line(
                self.writer, show=attach_protocol.PARTS.dump_python(part, mode="json"), number=number
            )
            if not await waiting:
                raise NotDelivered(operator_texts.NOBODY_READS)
        finally:
            del self._shown[number]

    def show_draft(self, draft: Draft) -> None:
        if self.writer.transport.get_write_buffer_size() < MAX_UNREAD_BYTES:
            attach_protocol.write_wire_line(self.writer, draft=attach_protocol.DRAFTS.dump_python(draft, mode="json"))

    def warn(self, text: str, *, is_over: bool) -> None:
        attach_protocol.write_wire_line(self.writer, warn=text, is_over=is_over)
