"""Taps and slash commands, which Discord wants answered within three seconds: at once, and then by words if there are
some, which only their person sees."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from enum import Enum, auto

from bot.errors import DeliveryError
from bot.messages import InboundKind, InboundMessage, MessageId, PersonId, PlatformId, QuestionId, Sender
from channels.discord import operator_texts, people_texts
from channels.discord.names import Json, interaction_id, made_at
from channels.discord.places import THREADS, Place
from channels.discord.reading import Malformed, name_of, number, part, text
from channels.discord.rest import Refusal, Rest
from channels.discord.times import Times
from channels.formatting import REPEAT

COMMAND, TAP = 2, 3  # Discord's numbers for what people do
MESSAGE, DEFERRED_MESSAGE, DEFERRED_UPDATE = 4, 5, 6  # and for the ways to answer it
EPHEMERAL = 1 << 6  # only who asked sees it
SUPPRESS_EMBEDS = 1 << 2
ANSWERED_BEFORE = 40060
TOKEN_SECONDS = 14.5 * 60  # a little less than Discord lets us answer

log = logging.getLogger(__name__)


def read(raw: Json, bot: str) -> InboundMessage | None:
    """A tap or a command as a message; None for what we offer nobody. Raises as reading a message does."""
    if raw.get("type") not in (COMMAND, TAP):
        return None
    chosen, id, place = part(raw, "data"), number(raw, "id"), place_of(raw)
    person = part(part(raw, "member"), "user") if place.guild else part(raw, "user")
    sender = Sender(id=PersonId(number(person, "id")), name=name_of(person, raw.get("member")))
    is_tap = raw["type"] == TAP
    option, question = option_of(text(chosen, "custom_id")) if is_tap else (command_of(chosen), None)
    return InboundMessage(
        id=interaction_id(bot, id),
        address=place.address(sender.id),
        sender=sender,
        kind=InboundKind.ANSWER if is_tap else InboundKind.COMMAND,
        text=option,
        question=question,
        reply_to=PlatformId(number(part(raw, "message"), "id")) if is_tap else None,
        group_chat=place.guild,
        sent_at=made_at(id),
    )


def place_of(raw: Json) -> Place:
    channel = part(raw, "channel")
    guild = number(raw, "guild_id") if raw.get("guild_id") else None
    parent = number(channel, "parent_id") if channel.get("type") in THREADS else None
    return Place(channel=number(raw, "channel_id"), guild=guild, parent=parent)


def option_of(custom_id: str) -> tuple[str, QuestionId]:
    """`2:t7/4/0` is the second option of that question."""
    option, colon, question = custom_id.partition(":")
    if not (option.isdecimal() and colon and question):
        raise Malformed(operator_texts.FOREIGN_BUTTON)
    return option, QuestionId(question)


def command_of(chosen: Json) -> str:
    """`/stop researcher`"""
    options = [str(each.get("value", "")) for each in (chosen.get("options") or [])]
    return " ".join([f"/{text(chosen, 'name')}", *options]).strip()


class State(Enum):
    OPEN = auto()
    DEFERRED = auto()  # Discord knows that it arrived; a command shows that an answer is to come
    ANSWERED = auto()


@dataclass(slots=True, kw_only=True)
class Pending:
    """One that may still be answered with words that only its person sees."""

    id: str
    token: str = field(repr=False)
    application: str
    is_tap: bool
    at: float  # by the loop's clock
    state: State = State.OPEN
    tried: set[int] = field(default_factory=set)  # ways to answer
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)  # one answer at a time
    unsure: set[str] = field(default_factory=set)  # words that may be there already


Step = Callable[[Pending], Awaitable[None]]


class Interactions:
    def __init__(self, rest: Rest, times: Times) -> None:
        self.rest = rest
        self.times = times
        self._pending: dict[MessageId, Pending] = {}

    def met(self, raw: Json, message: InboundMessage) -> Pending:
        """Keep what is needed to answer; raises as reading does."""
        now = asyncio.get_running_loop().time()
        self._pending = {id: one for id, one in self._pending.items() if now - one.at < TOKEN_SECONDS}
        pending = Pending(
            id=number(raw, "id"),
            token=text(raw, "token"),
            application=number(raw, "application_id"),
            is_tap=raw["type"] == TAP,
            at=now,
        )
        self._pending[message.id] = pending
        return pending

    async def acknowledge(self, pending: Pending) -> None:
        """Let Discord know at once. From then on a command shows that an answer is to come, so it is soon ended too:
        with words of the bot, or without."""
        await self.quietly(pending, self.defer)
        if not pending.is_tap:
            await asyncio.sleep(max(0.0, pending.at + self.times.finish - asyncio.get_running_loop().time()))
            await self.quietly(pending, self.finish)

    async def quietly(self, pending: Pending, step: Step) -> None:
        async with pending.turn:
            try:
                await step(pending)
            except (DeliveryError, OSError) as error:
                log.debug(operator_texts.LOG_NOT_ACKNOWLEDGED, error)

    async def defer(self, pending: Pending) -> None:
        if pending.state is not State.OPEN or MESSAGE in pending.tried:  # words may be there, and are tried again
            return
        if pending.is_tap:
            await self.call_back(pending, DEFERRED_UPDATE)
        else:
            await self.call_back(pending, DEFERRED_MESSAGE, {"flags": EPHEMERAL})
        pending.state = State.DEFERRED

    async def finish(self, pending: Pending) -> None:
        if pending.state is State.DEFERRED:
            await self.fill(pending, people_texts.HAS_ARRIVED)  # also true where they may not speak to the bot
            pending.state = State.ANSWERED

    async def answer(self, id: MessageId, content: str) -> str | None:
        """Answer with words; gives the interaction's own id, or None if it can no longer be answered.

        Raises as `Channel.send` does where it may be tried again."""
        pending = self._pending.get(id)
        if pending is None or asyncio.get_running_loop().time() - pending.at > TOKEN_SECONDS:
            return None
        async with pending.turn:
            try:
                await self.say(pending, content)
            except Refusal as refusal:
                log.debug(operator_texts.LOG_ANSWERED_BY_MESSAGE, refusal)
                return None
            pending.state = State.ANSWERED
        return pending.id

    async def say(self, pending: Pending, content: str) -> None:
        if pending.state is State.OPEN:
            try:
                return await self.call_back(pending, MESSAGE, words(content))
            except Refusal as refusal:
                if refusal.code != ANSWERED_BEFORE:
                    raise
            pending.state = State.DEFERRED  # what nobody knew of has arrived
        # In the place of a command's answer, or of our own words; a tap's is the message that holds the button.
        if pending.state is State.DEFERRED and not (pending.is_tap and DEFERRED_UPDATE in pending.tried):
            return await self.fill(pending, content)
        await self.follow_up(pending, content)

    async def call_back(self, pending: Pending, kind: int, content: Json | None = None) -> None:
        pending.tried.add(kind)
        await self.rest.ask(
            "POST",
            "/interactions/{interaction_id}/{webhook_token}/callback",
            body={"type": kind, **({"data": content} if content else {})},
            interaction_id=pending.id,
            webhook_token=pending.token,
        )

    async def fill(self, pending: Pending, content: str) -> None:
        """Put words in the place of the answer that there is; it may be repeated."""
        path = "/webhooks/{webhook_id}/{webhook_token}/messages/@original"
        await self.rest.ask("PATCH", path, body=words(content, 0), **address(pending))

    async def follow_up(self, pending: Pending, content: str) -> None:
        """Add words to the answer. Discord tells no repeat of these, so they say themselves that they may be one."""
        said = REPEAT + content if content in pending.unsure else content
        try:
            await self.rest.ask("POST", "/webhooks/{webhook_id}/{webhook_token}", body=words(said), **address(pending))
        except OSError:
            pending.unsure.add(content)
            raise


def words(content: str, visible: int = EPHEMERAL) -> Json:
    return {"content": content, "flags": visible | SUPPRESS_EMBEDS, "allowed_mentions": {"parse": []}}


def address(pending: Pending) -> dict[str, str]:
    return {"webhook_id": pending.application, "webhook_token": pending.token}
