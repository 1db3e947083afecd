"""The connection from an attached terminal to its bot. The bot may be away for a while."""

import asyncio
import socket
from asyncio import StreamReader, StreamWriter
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import count

from bot.core.errors import ConfigError, NotDelivered
from bot.core.messages import Address, Event, InboundMessage
from channels.terminal import attach_protocol
from channels.terminal.channel import LocalSeat

MAX_LINE_BYTES = 16_000_000
HELLO_SECONDS = 5.0
POLL_SECONDS = 0.2  # between two checks whether the bot is back

Connect = Callable[[], socket.socket | None]


class BotConnection:
    """A connection that sends published messages again until the bot has taken them. The bot takes each only once."""

    def __init__(self, connect: Connect, version: str, *, goes_on: bool) -> None:
        self.connect = connect
        self.version = version
        self.goes_on = goes_on
        self.address: Address | None = None
        self.title = ""
        self._numbers = count(1)
        # By number: what the bot has not taken yet.
        self._unconfirmed: dict[int, tuple[Sequence[Event], asyncio.Future[None]]] = {}
        self._streams: tuple[StreamReader, StreamWriter] | None = None

    async def open(self) -> bool:
        """Connect, at the earlier address if there was one. Return False if no bot answers. Raise ConfigError if the
        bot refuses the terminal."""
        connection = self.connect()
        if connection is None:
            return False
        try:
            reader, writer = await asyncio.open_unix_connection(sock=connection, limit=MAX_LINE_BYTES)
            before = str(self.address) if self.address else None
            attach_protocol.write_wire_line(
                writer, ask="chat", version=self.version, at=before, **{"continue": self.goes_on}
            )
            async with asyncio.timeout(HELLO_SECONDS):
                hello = await attach_protocol.read_wire_line(reader)
        except (OSError, ValueError, TimeoutError):
            connection.close()
            return False
        if hello is None:
            writer.transport.abort()
            return False
        if refused := hello.get("refused"):
            writer.transport.abort()
            raise ConfigError(refused)
        self.address, self.title = Address.parse(hello["at"]), hello["title"]
        self._streams = reader, writer
        for number in self._unconfirmed:
            self.send(number)
        return True

    async def close(self) -> None:
        """Disconnect. Lines that were written are still sent."""
        if self._streams:
            _, writer = self._streams
            self._streams = None
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()

    async def publish(self, batch: Sequence[Event]) -> None:
        """Send a batch and return when the bot has taken it, even if the bot was away meanwhile."""
        number, taken = next(self._numbers), asyncio.get_running_loop().create_future()
        self._unconfirmed[number] = batch, taken
        self.send(number)
        try:
            await taken
        finally:
            del self._unconfirmed[number]

    def send(self, number: int) -> None:
        if self._streams:
            batch = [each for each in self._unconfirmed[number][0] if isinstance(each, InboundMessage)]
            attach_protocol.write_wire_line(
                self._streams[1], publish=attach_protocol.MESSAGES.dump_python(batch, mode="json"), number=number
            )

    async def run(self, here: LocalSeat, away: str, back: str, patience: float | None) -> None:
        """Show what the bot says, until cancelled. If the bot goes away, warn with the text `away` and wait for at most
        `patience` seconds. Warn with the text `back` when it returns.

        Return if the bot does not come back. Raise ConfigError if it refuses the terminal now.
        """
        while True:
            await self.handle_lines_until_end(here)
            here.warn(away, is_over=False)
            try:
                async with asyncio.timeout(patience):
                    while not await self.open():  # noqa: ASYNC110 - a socket that is not there yet wakes nobody
                        await asyncio.sleep(POLL_SECONDS)
            except TimeoutError:
                return
            here.warn(back, is_over=True)

    async def handle_lines_until_end(self, here: LocalSeat) -> None:
        """Handle the bot's lines until the bot is gone."""
        assert self._streams, "it is open"
        reader, writer = self._streams
        with suppress(OSError, ValueError):
            while line := await attach_protocol.read_wire_line(reader):
                await self.handle_bot_line(line, here, writer)
        self._streams = None
        writer.transport.abort()

    async def handle_bot_line(self, line: attach_protocol.WireLine, here: LocalSeat, writer: StreamWriter) -> None:
        if "show" in line:
            report = "shown"
            try:
                await here.show(attach_protocol.PARTS.validate_python(line["show"]))
            except NotDelivered:
                report = "not_shown"
            attach_protocol.write_wire_line(writer, **{report: line["number"]})
        elif "draft" in line:
            here.show_draft(attach_protocol.DRAFTS.validate_python(line["draft"]))
        elif "warn" in line:
            here.warn(line["warn"], is_over=line["is_over"])
        elif (waiting := self._unconfirmed.get(line.get("taken", 0))) and not waiting[1].done():
            waiting[1].set_result(None)
