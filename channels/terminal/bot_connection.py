"""The connection from an attached terminal to its bot. The bot may be away for a while."""

import asyncio
import socket
from asyncio import StreamReader, StreamWriter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from bot.core.errors import ConfigError, NotDelivered
from bot.core.messages import Address, InboundEvent, InboundMessage
from channels.terminal.attach_protocol import (
    DRAFT_ADAPTER,
    INBOUND_MESSAGES_ADAPTER,
    PART_ADAPTER,
    WireLine,
    read_wire_line,
    write_wire_line,
)
from channels.terminal.channel import TerminalInterface

MAX_LINE_BYTES = 16_000_000
HELLO_TIMEOUT_SECONDS = 5.0
RECONNECT_INTERVAL_SECONDS = 0.2  # between two checks whether the bot is back


@dataclass
class BotConnection:
    """A connection that sends published messages again until the bot has taken them. The bot takes each only once."""

    open_socket: Callable[[], socket.socket | None]
    version: str
    is_continuing: bool = field(kw_only=True)
    address: Address | None = None
    answerer_title: str = ""
    _number: int = 0  # of the last batch
    # By number: batches that the bot has not taken yet.
    _unconfirmed: dict[int, tuple[Sequence[InboundEvent], asyncio.Future[None]]] = field(default_factory=dict)
    _streams: tuple[StreamReader, StreamWriter] | None = None

    async def try_to_connect(self) -> bool:
        """Connect, with the earlier address if any. Return False if no bot answers. Raise ConfigError if it refuses."""
        connection = self.open_socket()
        if connection is None:
            return False
        try:
            reader, writer = await asyncio.open_unix_connection(sock=connection, limit=MAX_LINE_BYTES)
        except OSError:
            connection.close()
            return False
        hello, before = None, str(self.address) if self.address else None
        with suppress(OSError, ValueError, TimeoutError):
            write_wire_line(writer, ask="chat", version=self.version, at=before, **{"continue": self.is_continuing})
            async with asyncio.timeout(HELLO_TIMEOUT_SECONDS):
                hello = await read_wire_line(reader)
        if hello is None or hello.get("refused"):
            writer.transport.abort()
            if hello:
                raise ConfigError(hello["refused"])
            return False
        self.address, self.answerer_title = Address.parse(hello["at"]), hello["title"]
        self._streams = reader, writer
        for number in self._unconfirmed:
            self.send_batch(number)
        return True

    async def close(self) -> None:
        """Disconnect. Lines that were written are still sent."""
        if self._streams:
            _, writer = self._streams
            self._streams = None
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()

    async def publish_until_taken(self, batch: Sequence[InboundEvent]) -> None:
        """Send a batch and return when the bot has taken it, even if the bot was away meanwhile."""
        taken = asyncio.get_running_loop().create_future()
        number = self._number = self._number + 1
        self._unconfirmed[number] = batch, taken
        self.send_batch(number)
        try:
            await taken
        finally:
            del self._unconfirmed[number]

    def send_batch(self, number: int) -> None:
        if self._streams:
            batch = [each for each in self._unconfirmed[number][0] if isinstance(each, InboundMessage)]
            said = INBOUND_MESSAGES_ADAPTER.dump_python(batch, mode="json")
            write_wire_line(self._streams[1], publish=said, number=number)

    async def show_and_reconnect(self, output: TerminalInterface, away: str, back: str, patience: float | None) -> None:
        """Show what the bot says, until cancelled. If the bot goes away, warn with `away`; when it returns, warn with
        `back`. Return if it is away for `patience` seconds. Raise ConfigError if it then refuses the terminal."""
        while True:
            assert self._streams, "it is open"
            reader, writer = self._streams
            with suppress(OSError, ValueError):
                while line := await read_wire_line(reader):
                    await self.show_line_or_confirm_batch(line, output, writer)
            self._streams = None
            writer.transport.abort()
            output.warn(away, is_over=False)
            try:
                async with asyncio.timeout(patience):
                    while not await self.try_to_connect():  # noqa: ASYNC110 - a socket that is not there yet wakes nobody
                        await asyncio.sleep(RECONNECT_INTERVAL_SECONDS)
            except TimeoutError:
                return
            output.warn(back, is_over=True)

    async def show_line_or_confirm_batch(self, line: WireLine, output: TerminalInterface, writer: StreamWriter) -> None:
        if "show" in line:
            report = "shown"
            try:
                await output.show(PART_ADAPTER.validate_python(line["show"]))
            except NotDelivered:
                report = "not_shown"
            write_wire_line(writer, **{report: line["number"]})
        elif "draft" in line:
            output.show_draft(DRAFT_ADAPTER.validate_python(line["draft"]))
        elif "warn" in line:
            output.warn(line["warn"], is_over=line["is_over"])
        elif (waiting := self._unconfirmed.get(line.get("taken", 0))) and not waiting[1].done():
            waiting[1].set_result(None)
