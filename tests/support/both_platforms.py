"""The whole bot in one process on Telegram and Discord at once, with the real SDKs: three stand-ins on sockets."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

from bot.core.access import Access, AccessByChannel
from bot.core.messages import Address, PersonId
from bot.core.rights import EVERY_RIGHT
from channels.discord.timing import DiscordTiming
from channels.telegram.channel import Telegram
from channels.telegram.timing import TelegramTiming
from tests.stand_ins.claude import Asked, ClaudeStandIn, Reply, Request, ToolUse, reply
from tests.stand_ins.discord import Channel, Interaction, Message, Person, pointed_at
from tests.stand_ins.telegram import Room, Tap, TelegramStandIn
from tests.stand_ins.telegram.rates import Limits
from tests.support.bench import Bench
from tests.support.claude_bot import Talk
from tests.support.discord_channel import COMMANDS, Town, at, channel_of, private, settled
from tests.support.discord_channel import QUICK as DISCORD_QUICK
from tests.support.engine_options import engine_options
from tests.support.fakes import own_text
from tests.support.patience import PATIENCE
from tests.support.places.telegram import ANN, HASTY, UNPACED, address, owned_by

BEN = 8
QUICK = engine_options(draft_delay_seconds=0.05, draft_edit_seconds=(0.05,), delivery_retry_seconds=0.01)
ROLES = ("analyst", "researcher")
CHAT = re.compile(r"Chat: (.+?)\. You work|for «(.+?)»")
BOARD = re.compile(r"#\d+ |\d+ roles? · ")  # of roles at work, or of a request that is over
ROLE = re.compile(r"You are (?:the|an?) (\w+)\.")


@dataclass(frozen=True, kw_only=True)
class Chat:
    """One chat, as one person uses it."""

    address: Address
    ask: Callable[[str], object]
    shown: Callable[[], Sequence[str]]  # what the bot has said and not deleted, oldest first
    tap: Callable[[str], object]  # tap that option of the newest question
    forge: Callable[[str], object]  # tap a button that does not exist, below the newest message

    @property
    def name(self) -> str:
        """The chat as the model is told of it."""
        thread = f", thread {self.address.thread}" if self.address.thread else ""
        return f"{self.address.channel} {self.address.chat}{thread}"

    @property
    def said(self) -> list[str]:
        """What the bot has said and not deleted, without boards."""
        return [text for text in self.shown() if not BOARD.match(text)]

    async def has(self, text: str, mark: str = "") -> list[str]:
        """Wait until the text is there, alone or behind the mark. Return everything that is there."""
        try:
            async with asyncio.timeout(PATIENCE):
                while not {text, mark + text} & set(self.said):  # noqa: ASYNC110 -- a platform wakes nobody
                    await asyncio.sleep(0.01)
        except TimeoutError:
            raise AssertionError(f"{text!r} did not come to {self.name}; there is {self.said}") from None
        return self.said


class Delegating:
    """The script. The lead has two roles look into it; each posts an update and reports; then the lead answers. Every
    text names its chat. No role is answered before `go_on` is set."""

    def __init__(self) -> None:
        self.go_on = asyncio.Event()

    def __call__(self, asked: Asked) -> Reply:
        name = chat_of(asked)
        if role_of(asked) not in ROLES:
            calls = [ToolUse("delegate", {"role": role, "task": f"Look into it for «{name}»."}) for role in ROLES]
            return reply(answer(name)) if asked.step else reply(*calls)
        news = reply(ToolUse("message", {"text": f"news for «{name}»"}), hold_head=self.go_on)
        return reply(f"It is so for «{name}».") if asked.step else news


def answer(name: str) -> str:
    return f"All is known for «{name}»."


def role_of(asked: Asked) -> str:
    """Return the role that the request is for, by the beginning of its prompt."""
    found = ROLE.match(own_text(asked.system))
    return found[1] if found else "lead"


def chat_of(asked: Asked) -> str:
    """Return the chat that a request is for. The lead's surroundings or the role's task name it."""
    found = CHAT.search(json.dumps(asked.messages[0], ensure_ascii=False))
    assert found, asked.messages[0]
    return found[1] or found[2]


@dataclass
class Together:
    bench: Bench
    claude: ClaudeStandIn
    telegram: TelegramStandIn
    town: Town

    def __post_init__(self) -> None:
        # Ann's private chat on Telegram. She is the owner there. Discord has another person called Ann.
        self.room = self.telegram.private(self.telegram.person(ANN, "Ann"))

    @asynccontextmanager
    async def run(
        self, timing: TelegramTiming = HASTY, times: DiscordTiming = DISCORD_QUICK, **options: Any
    ) -> AsyncIterator[None]:
        """Run the bot, and wait until Discord sends it events."""
        talk, begun = Talk(self.bench, self.claude), len(self.town.readies)
        options = {"access": self.accesses, **QUICK, **options}
        with pointed_at(self.town.server):
            made = Telegram(
                self.telegram.token, self.telegram.base_url, COMMANDS, timing=timing, rates=UNPACED, owner=ANN
            )
            async with made as telegram:
                channels = [telegram, channel_of(self.town.server, times)]
                async with talk.run(channels=channels, **options):
                    await self.town.sessions(begun + 1)
                    yield

    @property
    def accesses(self) -> AccessByChannel:
        ann, home = self.town.ann, frozenset({str(self.town.home.id)})
        discord = Access(
            owner_id=PersonId(str(ann.id)), owner_address=private(ann), allowed_ids=home, others_rights=EVERY_RIGHT
        )
        return {**owned_by(ANN, BEN), "discord": discord}

    def in_room(self, room: Room, *, by: int = ANN, mention: str = "", topic: int | None = None) -> Chat:
        """Return a chat on Telegram, or one topic of it."""
        person = room.chat.people[by]

        def tap(option: str) -> Tap:
            return room.tap(person, [message for message in room.answers(topic) if message.buttons][-1], option)

        return Chat(
            address=address(room.id, topic),
            ask=lambda text: room.say(person, mention + text, thread=topic or 0),
            shown=lambda: [message.text for message in room.answers(topic)],
            tap=tap,
            forge=lambda content: room.send_tap(person, room.seen(topic)[-1], content),
        )

    def in_channel(self, channel: Channel, *, by: Person | None = None) -> Chat:
        """Return a chat on Discord, as Ann or somebody else uses it."""
        person, server = by or self.town.ann, self.town.server

        def ask(text: str) -> Message:
            return person.say(channel, text, mentions=[] if channel.person else [server.bot])

        def tap(option: str) -> Interaction:
            asking = [message for message in server.said(channel) if message.buttons][-1]
            [button] = [each for each in asking.buttons if each["label"] == option]
            return person.tap(asking, button["custom_id"])

        return Chat(
            address=private(person) if channel.person else at(channel),
            ask=ask,
            shown=lambda: [message.text for message in server.said(channel)],
            tap=tap,
            forge=lambda content: person.begin(channel, message=channel.messages[-1], custom_id=content),
        )

    def asked_for(self, chat: Chat, role: str) -> list[Request]:
        """Return the requests to the model for a role and a chat, in order."""
        found = [each for each in self.claude.requests if role_of(each.asked) == role]
        return [each for each in found if chat_of(each.asked) == chat.name]

    def accepted(self, platform: str) -> list[str]:
        """Return what the platform has accepted for all its chats, in order: messages, edits and signs of work."""
        if platform == "telegram":
            return [call.method for call in self.telegram.accepted() if call.chat]
        asked = [each for each in self.town.server.requests if each.had_effect and each.method != "GET"]
        return [each.route for each in asked if "channel" in each.ids or "interaction" in each.ids]

    def verify(self) -> None:
        """Check that the model and the platforms refused nothing."""
        self.claude.verify()
        self.town.server.verify()
        assert [call for call in self.telegram.calls if call.refusal] == []


@asynccontextmanager
async def together(bench: Bench) -> AsyncIterator[Together]:
    async with AsyncExitStack() as stack:
        claude = await stack.enter_async_context(ClaudeStandIn())
        telegram = await stack.enter_async_context(TelegramStandIn(limits=Limits.none()))
        yield Together(bench, claude, telegram, await stack.enter_async_context(settled()))
