"""The Toy channel: what people write in a room comes in as a line, and what the bot says there goes out as one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime
from itertools import count
from typing import Any

from bot.core.channel import HealthReport, InboundBus, MessagePart
from bot.core.errors import ConfigError, FetchError, NotDelivered
from bot.core.incoming_files import IncomingFile
from bot.core.messages import (
    Address,
    Draft,
    InboundKind,
    InboundMessage,
    MessageId,
    OutboundMessage,
    PersonId,
    PlatformId,
    Sender,
)
from bot.core.outgoing_files import PartContent
from channels.formatting import role_label
from tests.channels.toy import texts
from tests.channels.toy.connection import ToyConnection, open_connection
from tests.channels.toy.platform import private_room

RETRY_SECONDS = 0.05


class Toy:
    name = "toy"
    nonce_memory_seconds = (
        3_600.0  # Toy keeps a message under the id that we give it, so sending it again changes nothing
    )
    board_edit_seconds = 1.0
    surroundings: str = ""  # the model is told nothing about it
    unfetched_keep_seconds: float | None = None  # what nobody has fetched stays there
    max_download_bytes: int | None = None

    def __init__(self, token: str, port: int) -> None:
        self.token = token
        self.port = port
        self.connection: ToyConnection | None = None
        self.answers: dict[int, asyncio.Future[None]] = {}  # by the number of a request: when Toy has done it
        self.requests = count(1)
        self.fault = ""

    async def run(self, door: InboundBus) -> None:
        while True:
            try:
                async with open_connection(self.token, self.port) as self.connection:
                    self.fault = ""
                    await self.listen(self.connection, door)
            except ConfigError as error:  # shown by `retinue health` until it is fixed
                self.fault = str(error)
            except OSError as error:
                if self.connection is None:  # a connection that is lost is no fault before a new one fails
                    self.fault = texts.OUT_OF_REACH(reason=error.strerror or error)
            finally:
                self.connection = None
                for answer in self.answers.values():
                    answer.cancel()
            await asyncio.sleep(RETRY_SECONDS)

    async def listen(self, connection: ToyConnection, door: InboundBus) -> None:
        """Read line by line until the connection is lost."""
        while True:
            line = await connection.read()
            if "done" not in line:
                await door.publish([read_message(line)])
                await connection.write(taken=line["id"])  # it is durable here, so Toy may forget it
            elif answer := self.answers.get(line["done"]):
                answer.set_result(None)

    def health(self) -> HealthReport:
        return HealthReport(silent_seconds=None if self.connection is None else 0.0, fault=self.fault)

    def lane(self, address: Address) -> str:
        return address.chat

    async def wait_for_pace(self, address: Address) -> None:
        """Toy has no rate limit."""

    def has_room_for_cosmetic_message(self, address: Address, *, is_edit: bool) -> bool:
        return self.connection is not None

    def split_into_parts(self, message: OutboundMessage) -> Sequence[str]:
        return [role_label(message) + message.text]  # Toy takes a text of any length as one message

    def split_with_files(self, message: OutboundMessage) -> Sequence[PartContent]:
        """Return the text and the names: Toy shows no files."""
        names = ", ".join(file.name for file in message.files)
        return [PartContent(role_label(message) + " ".join(filter(None, [message.text, f"({names})"])))]

    def max_upload_bytes(self, address: Address) -> int | None:
        return None

    def has_editable_drafts(self, address: Address) -> bool:
        return True

    async def send(self, part: MessagePart) -> PlatformId:
        await self.put(PlatformId(part.nonce), part)
        return PlatformId(part.nonce)

    async def edit(self, id: PlatformId, part: MessagePart) -> None:
        await self.put(id, part)

    async def put(self, id: PlatformId, part: MessagePart) -> None:
        options = part.message.options if part.is_last else ()
        about = part.message.id if options else None
        await self.request(id=id, room=part.message.address.chat, text=part.text, options=options, question=about)

    async def delete(self, address: Address, id: PlatformId) -> None:
        await self.request(id=id, room=address.chat, text=None)

    async def request(self, **line: Any) -> None:
        """Have Toy do something. Raise ConnectionError if nobody knows whether it has done it."""
        if self.connection is None:
            raise NotDelivered(texts.OUT_OF_REACH(reason="not signed in"))
        number = next(self.requests)
        self.answers[number] = asyncio.get_running_loop().create_future()
        try:
            await self.connection.write(request=number, **line)
            await asyncio.wait([self.answers[number]])
            if self.answers[number].cancelled():
                raise ConnectionError("the connection was lost")
        finally:
            del self.answers[number]

    async def find_sent_part_id(
        self, part: MessagePart, since: datetime, known: Collection[PlatformId]
    ) -> PlatformId | None:
        return None

    def history_shows(self, message: OutboundMessage) -> bool:
        return False

    async def show_draft(self, draft: Draft) -> None:
        """Toy shows nobody at work."""

    def open_file(self, file: IncomingFile) -> AbstractAsyncContextManager[AsyncIterator[bytes]]:
        raise FetchError(texts.NO_FILES)  # Toy's messages have only words, so that nothing names a file


def read_message(line: dict[str, Any]) -> InboundMessage:
    """Return what somebody wrote, or the option that they picked: then it names its question."""
    kind = InboundKind.COMMAND if line["text"].startswith("/") else InboundKind.TEXT
    return InboundMessage(
        id=MessageId(f"toy:{line['id']}"),
        address=Address(channel="toy", chat=line["room"]),
        sender=Sender(id=PersonId(str(line["person"])), name=line["name"]),
        text=line["text"],
        sent_at=datetime.now(UTC),
        kind=InboundKind.ANSWER if line["question"] else kind,
        question=line["question"],
        group_chat=None if line["room"] == private_room(line["person"]) else line["room"],
    )
