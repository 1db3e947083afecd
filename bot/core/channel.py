"""What the bot needs of a chat platform."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from bot.core.messages import Address, Draft, Event, OutboundMessage, PlatformId

Publish = Callable[[Sequence[Event]], Awaitable[None]]


class InboundBus(Protocol):
    """What a channel may use of the bot."""

    async def publish(self, batch: Sequence[Event]) -> None:
        """Take in one batch. When this returns it is durable: the platform may forget it."""
        ...

    async def list_known_chats(self, channel: str) -> Sequence[KnownChat]:
        """Where something was taken in by that channel before, most recent first."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownChat:
    address: Address
    cursor: str | None  # the last one published for it
    place: str | None = None  # the last one, too


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthReport:
    """How a channel is doing, as `retinue health` tells it."""

    silent_seconds: float | None = None  # since the last good poll or acknowledged heartbeat; None: none yet
    fault: str = ""  # what is wrong, and how to mend it, in one line; empty: nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class MessagePart:
    """As much of a message as the platform shows at once."""

    message: OutboundMessage
    text: str
    number: int  # from 0
    nonce: str  # 25 characters: the same each time this part, in this revision, is sent
    is_last: bool  # buttons go below it
    may_repeat: bool  # it may be there already: a platform that cannot tell must show that

    @property
    def may_ring(self) -> bool:
        """Whether it may make a sound where it is sent as a new message: one part of a message does, at most."""
        return self.message.may_ring and self.number == 0


class Channel(Protocol):
    """One platform. `send`, `edit` and `delete` raise DeliveryDelayed, NotDelivered, ChatHasMoved, ChatClosed or
    DeliveryError for what they know, and OSError when nobody knows whether it was done."""

    name: str
    nonce_seconds: float  # how long the platform remembers the nonce of what it was sent; 0: it knows none
    has_history: bool  # whether `find` can look for what was sent
    board_seconds: float  # between two edits of a board
    keeps_seconds: float | None  # how long the platform keeps what nobody fetched; None: it can always be read up

    async def run(self, door: InboundBus) -> None:
        """Publish what people write, batch by batch, until cancelled; whatever is in the way, try again and say so in
        `health`. Raises ConfigError for what only the operator can mend."""
        ...

    def health(self) -> HealthReport:
        """How it is doing now."""
        ...

    def lane(self, address: Address) -> str:
        """What the platform paces as one; within a lane messages keep their order."""
        ...

    async def pace(self, address: Address) -> None:
        """Wait until the platform may be sent the next message there: nothing is on its way meanwhile."""
        ...

    def has_room(self, address: Address, *, is_edit: bool) -> bool:
        """Whether something cosmetic may be edited or sent there now, at no other message's cost."""
        ...

    def parts(self, message: OutboundMessage) -> Sequence[str]:
        """The texts that a message is shown as: a pure function of the message, and never empty. It runs in a thread,
        so that a long text holds up nobody."""
        ...

    def has_draft_messages(self, address: Address) -> bool:
        """Whether a draft is shown there as a message of its own, which is edited; if not, `show` is all it gets."""
        ...

    async def send(self, part: MessagePart) -> PlatformId:
        """Show a part."""
        ...

    async def edit(self, id: PlatformId, part: MessagePart) -> None:
        """Show a part in the place of what is there; it may be repeated. Raises as `send` does."""
        ...

    async def delete(self, address: Address, id: PlatformId) -> None:
        """Take away what is there; it may be gone already."""
        ...

    async def find(self, part: MessagePart, since: datetime, known: Collection[PlatformId]) -> PlatformId | None:
        """Our message with exactly that text, in the chat's history since then. `known` are those of other parts."""
        ...

    async def show(self, draft: Draft) -> None:
        """Show what is being written, or, for an empty text, that somebody is at work. Whatever fails is let go."""
        ...
