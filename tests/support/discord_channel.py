"""The Discord channel against the stand-in, with a door that records what is published."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from bot.core.channel import KnownChat, MessagePart
from bot.core.command_choices import ChoiceRequest, CommandChoice
from bot.core.messages import (
    Address,
    HistoryReadEvent,
    InboundEvent,
    InboundMessage,
    MessageId,
    OutboundId,
    OutboundKind,
    OutboundMessage,
    OverheardMessage,
    RoleName,
    UnreadableEvent,
)
from bot.core.texts import people
from bot.engine.delivery import make_message_part
from channels.discord.channel import Discord
from channels.discord.timing import DiscordTiming
from channels.pacing import RateLimit
from tests.stand_ins.discord import Channel, DiscordStandIn, Frame, Kind, Message, Person, pointed_at
from tests.support.patience import PATIENCE

COMMANDS = tuple((name, help()) for name, help in people.COMMANDS.items())
QUICK = DiscordTiming(
    first_retry_seconds=0.02,
    max_retry_seconds=0.1,
    sign_in_timeout_seconds=2.0,
    request_timeout_seconds=1.5,  # a busy machine may stand still for a second
    seconds_between_sessions=0.0,
    max_gateway_silence_seconds=5.0,
    max_resume_seconds=0.0,
    seconds_away_until_fault=0.0,
    seconds_to_finish_command=1.5,  # more than a command takes on a busy machine
    message_limit=RateLimit(1_000, 1.0),
    edit_limit=RateLimit(1_000, 1.0),
    history_page_limit=RateLimit(1_000, 1.0),
)


@dataclass
class NotingDoor:
    """A door that records what is published, and knows the chats that the test names."""

    known: list[KnownChat] = field(default_factory=list)
    events: list[InboundEvent] = field(default_factory=list)
    batches: list[Sequence[InboundEvent]] = field(default_factory=list)
    choices: list[CommandChoice] = field(default_factory=list)
    choice_requests: list[ChoiceRequest] = field(default_factory=list)
    open: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self._changed = asyncio.Event()
        self.open.set()

    async def publish(self, batch: Sequence[InboundEvent]) -> None:
        await self.open.wait()
        self.batches.append(batch)
        self.events += batch
        self._changed.set()
        self._changed = asyncio.Event()

    async def list_known_chats(self, channel: str) -> Sequence[KnownChat]:
        assert channel == "discord"
        return self.known

    async def list_command_choices(self, request: ChoiceRequest) -> Sequence[CommandChoice]:
        self.choice_requests.append(request)
        return self.choices

    def knows(self, address: Address, cursor: object, place: str | None = None) -> None:
        self.known.append(KnownChat(address=address, cursor=str(cursor), place=place))

    async def until(self, holds: Callable[[], object], seconds: float = PATIENCE) -> None:
        async with asyncio.timeout(seconds):
            while not holds():
                await self._changed.wait()

    async def messages(self, count: int) -> list[InboundMessage]:
        await self.until(lambda: len(self.heard) >= count)
        return self.heard

    @property
    def heard(self) -> list[InboundMessage]:
        return [event for event in self.events if isinstance(event, InboundMessage)]

    @property
    def overheard(self) -> list[OverheardMessage]:
        return [event for event in self.events if isinstance(event, OverheardMessage)]

    @property
    def texts(self) -> list[str]:
        return [message.text for message in self.heard]

    @property
    def aside(self) -> list[UnreadableEvent]:
        return [event for event in self.events if isinstance(event, UnreadableEvent)]

    @property
    def seen(self) -> list[HistoryReadEvent]:
        return [event for event in self.events if isinstance(event, HistoryReadEvent)]


@dataclass
class Town:
    """A server where two people talk, its stand-in, and the door behind the channel."""

    server: DiscordStandIn
    door: NotingDoor = field(default_factory=NotingDoor)

    def __post_init__(self) -> None:
        self.ann, self.bob = self.server.person("Ann"), self.server.person("Bob")
        self.home = self.server.guild("Home", self.ann, self.bob)
        self.general = self.server.channel(self.home, "general")

    def remember(self) -> None:
        """Let the next run know what this one has made durable."""
        chats = {each.address: each for each in self.door.known}
        for each in self.door.seen:
            former = chats.get(each.address)
            place = each.place or (former.place if former else None)
            chats[each.address] = KnownChat(address=each.address, cursor=each.cursor, place=place)
        self.door.known = list(chats.values())

    def ask(self, text: str, by: Person | None = None, channel: Channel | None = None, **more: Any) -> Message:
        """Let somebody write to the bot, in #general unless another channel is named."""
        return (by or self.ann).say(channel or self.general, text, mentions=[self.server.bot], **more)

    def answer(self, asked: Message, text: str) -> Message:
        """Post an answer of the bot that the bot itself may no longer know of."""
        world = self.server.world
        own = Message(id=world.ids.make(), channel=asked.channel, author=world.bot, at=world.now(), text=text)
        return world.post(replace(own, reply_to=asked))

    @asynccontextmanager
    async def at_work(
        self,
        times: DiscordTiming = QUICK,
        *,
        is_awaited: bool = True,
        before: Callable[[Discord], None] | None = None,
        **voices: Any,
    ) -> AsyncIterator[Discord]:
        """Run the channel. Wait for its connection if it `is_awaited`. Stop it at the end."""
        channel = channel_of(self.server, times, **voices)
        if before:
            before(channel)
        with pointed_at(self.server):
            task = asyncio.create_task(channel.run(self.door), name="channel")
            try:
                if is_awaited:
                    await self.sessions(len(self.readies) + 1, task)
                yield channel
                assert not task.done() or task.result() is None, "it has ended by itself"
            finally:
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)

    async def sessions(self, count: int, task: asyncio.Task[None] | None = None) -> None:
        """Wait until this many sessions have begun."""
        await self.server.until(lambda: (task and task.done()) or len(self.readies) >= count)
        assert task is None or not task.done() or task.result() is None

    @property
    def readies(self) -> list[Frame]:
        return [frame for frame in self.server.gateway.frames if frame.event == "READY" and frame.is_sent]

    def has_said(self, channel: Channel | None = None) -> list[str]:
        return [one.text for one in self.server.said(channel or self.general)]


@asynccontextmanager
async def settled() -> AsyncIterator[Town]:
    """Yield a town on a Discord without rate limits."""
    async with DiscordStandIn() as server:
        server.limits.identify_seconds = 0
        server.limits.off()
        yield Town(server)


def channel_of(server: DiscordStandIn, times: DiscordTiming = QUICK, **voices: Any) -> Discord:
    return Discord(server.token, server.base_url, server.gateway_url, COMMANDS, times, **voices)


def at(channel: Channel) -> Address:
    if channel.parent:
        chat = channel if channel.kind is Kind.PRIVATE_THREAD else channel.parent
        return Address(channel="discord", chat=str(chat.id), thread=str(channel.id))
    return Address(channel="discord", chat=str(channel.id))


def private(person: Person) -> Address:
    return Address(channel="discord", chat=f"@{person.id}")


def message(
    text: str,
    address: Address,
    kind: OutboundKind = OutboundKind.REPLY,
    *,
    role: str | None = None,
    reply_to: MessageId | None = None,
    **fields: Any,
) -> OutboundMessage:
    return OutboundMessage(
        id=OutboundId(fields.pop("id", "t1/1/0")),
        address=address,
        kind=kind,
        text=text,
        role=RoleName(role) if role else None,
        reply_to=reply_to,
        **fields,
    )


def parts(channel: Discord, said: OutboundMessage) -> list[MessagePart]:
    texts = channel.split_into_parts(said)
    return [make_message_part(said, texts, number) for number in range(len(texts))]


async def send(channel: Discord, said: OutboundMessage) -> list[str]:
    return [str(await channel.send(part)) for part in parts(channel, said)]
