"""The channel of clients. Nobody reads a chat there: what is posted becomes the progress of those who wait for it."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Collection, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager, suppress
from datetime import datetime

from bot.core.channel import HealthReport, InboundBus, MessagePart
from bot.core.clients import CLIENT_CHANNEL_NAME
from bot.core.errors import FetchError
from bot.core.incoming_files import IncomingFile
from bot.core.messages import Address, Draft, OutboundKind, OutboundMessage, PlatformId
from bot.core.outgoing_files import PartContent
from bot.core.texts import model

MAX_PROGRESS_CHARACTERS = 500
MAX_PROGRESS_WAITING = 100  # of one listener; what comes while so many wait is dropped


class ClientChannel:
    name = CLIENT_CHANNEL_NAME
    nonce_memory_seconds = 0.0
    board_edit_seconds = 0.5
    surroundings: str = model.CLIENT_SURROUNDINGS
    unfetched_keep_seconds: float | None = None
    max_download_bytes: int | None = None

    def __init__(self) -> None:
        self._listeners: dict[Address, set[asyncio.Queue[str]]] = defaultdict(set)

    @contextmanager
    def listen(self, address: Address) -> Iterator[asyncio.Queue[str]]:
        """Yield a queue of what is said at an address from now on."""
        heard = asyncio.Queue[str](MAX_PROGRESS_WAITING)
        self._listeners[address].add(heard)
        try:
            yield heard
        finally:
            self._listeners[address].discard(heard)
            if not self._listeners[address]:
                del self._listeners[address]

    def tell_listeners(self, address: Address, text: str) -> None:
        for heard in self._listeners.get(address, ()):
            with suppress(asyncio.QueueFull):
                heard.put_nowait(text[:MAX_PROGRESS_CHARACTERS])

    async def run(self, door: InboundBus) -> None:
        """Publish nothing: what clients want comes as requests."""
        await asyncio.Event().wait()

    def health(self) -> HealthReport:
        return HealthReport()

    def lane(self, address: Address) -> str:
        return str(address)

    async def wait_for_pace(self, address: Address) -> None:
        """Return at once: a program has no rate limit."""

    def has_room_for_cosmetic_message(self, address: Address, *, is_edit: bool) -> bool:
        return True

    def split_into_parts(self, message: OutboundMessage) -> Sequence[str]:
        return [message.text]

    def split_with_files(self, message: OutboundMessage) -> Sequence[PartContent]:
        return [PartContent(message.text)]

    def max_upload_bytes(self, address: Address) -> int | None:
        return None

    def has_editable_drafts(self, address: Address) -> bool:
        return False

    async def send(self, part: MessagePart) -> PlatformId:
        is_report = part.message.kind is OutboundKind.REPLY  # listeners read it in the delegation that has ended
        self.tell_listeners(part.message.address, "" if is_report else part.text)
        return PlatformId(part.message.id)  # the same at every start

    async def edit(self, id: PlatformId, part: MessagePart) -> None:
        self.tell_listeners(part.message.address, part.text)

    async def delete(self, address: Address, id: PlatformId) -> None:
        """Do nothing: nothing is kept."""

    async def find_sent_part_id(
        self, part: MessagePart, since: datetime, known: Collection[PlatformId]
    ) -> PlatformId | None:
        return None

    def history_shows(self, message: OutboundMessage) -> bool:
        return False

    async def show_draft(self, draft: Draft) -> None:
        """Do nothing: the board says what is done."""

    def open_file(self, file: IncomingFile) -> AbstractAsyncContextManager[AsyncIterator[bytes]]:
        raise FetchError(file.name)
