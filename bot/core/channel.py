"""The protocol of a channel: what the bot needs from a chat platform."""

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, runtime_checkable

from bot.core.command_choices import ChoiceRequest, CommandChoice
from bot.core.incoming_files import IncomingFile
from bot.core.messages import (
    Address,
    Draft,
    InboundEvent,
    MessageId,
    MessageMark,
    OutboundMessage,
    PlatformId,
    RoleName,
)
from bot.core.outgoing_files import PartContent, PartFile

PublishFunction = Callable[[Sequence[InboundEvent]], Awaitable[None]]
GetRolePicture = Callable[[RoleName], bytes]  # returns a PNG, JPEG or GIF; empty if the role has no picture


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownChat:
    address: Address
    cursor: str | None  # the last one that was published for it
    place: str | None = None  # the last one that was published for it, too


class InboundBus(Protocol):
    async def publish(self, batch: Sequence[InboundEvent]) -> None:
        """Store one batch. When this returns, it is durable, and the platform may forget it."""

    async def list_known_chats(self, channel: str) -> Sequence[KnownChat]:
        """Return the chats where the channel has published something, most recent first."""

    async def list_command_choices(self, request: ChoiceRequest) -> Sequence[CommandChoice]:
        """Return what may follow the command that somebody types; nothing if they may not use the bot there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthReport:
    silent_seconds: float | None = None  # since the last good poll or acknowledged heartbeat; None: none yet
    fault: str = ""  # what is wrong and how to fix it, in one line; empty: nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class MessagePart:
    """A part of a message, as long as the platform can show at once."""

    message: OutboundMessage
    text: str
    number: int  # from 0
    nonce: str  # 25 characters; the same each time this part of this revision is sent
    is_last: bool  # buttons go below it
    may_be_shown_already: bool  # it may be shown already; a platform that cannot find out marks it as a repeat
    files: tuple[PartFile, ...] = ()  # the text is their caption

    @property
    def may_ring(self) -> bool:
        """Return True if it may make a sound when it is sent as a new message. Only a message's first part may."""
        return self.message.may_ring and self.number == 0


class Channel(Protocol):
    """One platform. Its calls raise a DeliveryError, or an OSError if the outcome is unknown."""

    name: str
    nonce_memory_seconds: float  # how long the platform remembers a sent nonce; 0: it has no nonces
    board_edit_seconds: float  # the pause between two edits of a board
    surroundings: str  # one line for the model: what is shown there, and how long a message may be; empty: none
    unfetched_keep_seconds: float | None  # how long the platform keeps unfetched messages; None: forever
    max_download_bytes: int | None  # the largest file that the platform gives to the bot; None: any

    async def run(self, door: InboundBus) -> None:
        """Publish what people write, until cancelled. Try again after faults, and report them in `health`. Raise
        ConfigError for a fault that only the operator can fix."""

    def health(self) -> HealthReport:
        """Return the current health."""

    def lane(self, address: Address) -> str:
        """Return the lane of an address: the platform paces a lane as one, and messages in it keep their order."""

    async def wait_for_pace(self, address: Address) -> None:
        """Wait until the next message may be sent there. A crash during the wait leaves no unknown outcome."""

    def has_room_for_cosmetic_message(self, address: Address, *, is_edit: bool) -> bool:
        """Return True if a cosmetic message may be sent or edited there now without delaying another message."""

    def split_into_parts(self, message: OutboundMessage) -> Sequence[str]:
        """Return the texts of a message's parts, at least one. A pure function, because it runs in a thread."""

    def split_with_files(self, message: OutboundMessage) -> Sequence[PartContent]:
        """Return the parts of a message that has files: texts that are no caption, and then files. What the platform
        shows as one message is one part. A pure function, too."""

    def max_upload_bytes(self, address: Address) -> int | None:
        """Return the size of the largest file that may be sent there; None if any may."""

    def has_editable_drafts(self, address: Address) -> bool:
        """Return True if a draft is sent there as a message and then edited. If not, only `show_draft` shows it."""

    async def send(self, part: MessagePart) -> PlatformId:
        """Show a part as a new message, and return its id."""

    async def edit(self, id: PlatformId, part: MessagePart) -> None:
        """Replace a shown message with this part. An edit may be repeated. Raise as `send` does."""

    async def delete(self, address: Address, id: PlatformId) -> None:
        """Delete a shown message; it may be gone already."""

    async def find_sent_part_id(
        self, part: MessagePart, since: datetime, known: Collection[PlatformId]
    ) -> PlatformId | None:
        """Return our message with exactly that text since `since`, if any. `known` are the ids of other parts. A
        platform without a history returns None."""

    def history_shows(self, message: OutboundMessage) -> bool:
        """Return True if `find_sent_part_id` finds each part of such a message that was shown."""

    async def show_draft(self, draft: Draft) -> None:
        """Show a draft. If its text is empty, show that somebody is at work. Ignore failures."""

    def open_file(self, file: IncomingFile) -> AbstractAsyncContextManager[AsyncIterator[bytes]]:
        """Open a file that came with a message, and yield its bytes in pieces. Raise FetchError, also between two
        pieces, for example if more bytes come than the platform has said."""


@runtime_checkable
class ReactingChannel(Protocol):
    """A channel that can also mark people's messages, for example by a reaction."""

    name: str
    has_reactions: bool  # the operator's setting

    async def mark_message(self, address: Address, message: MessageId, mark: MessageMark) -> None:
        """Show a mark below a message, in place of the one before. Do nothing where that is impossible. It is cosmetic,
        so it may raise at once if there is no room for it. Raise as `Channel.send`."""


@runtime_checkable
class LeavableChannel(Protocol):
    """A channel with group chats that the bot can leave."""

    name: str

    async def leave_group_chat(self, group_chat: str) -> None:
        """Leave a group chat or server, by its id as in `allow_from`. Do nothing if the bot is not in it. Raise as
        `Channel.send`."""
