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
from channels.discord.times import Times
from channels.telegram.channel import Telegram
from channels.telegram.timing import Timing
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
QUICK = engine_options(draft_seconds=0.05, draft_edit_seconds=(0.05,), back_off_seconds=0.01)
ROLES = ("analyst", "researcher")
CHAT = re.compile(r"Chat: (.+?)\. You work|for «(.+?)»")
BOARD = re.compile(r"\d+\. ")
ROLE = re.compile(r"You are (?:the|an?) (\w+)\.")


@dataclass(frozen=True, kw_only=True)
class Chat:
    """One chat, as one person uses it."""

    address: Address
    ask: Callable[[str], object]
    shown: Callable[[], Sequence[str]]  # what the bot has said and is there now, the oldest first
    tap: Callable[[str], object]  # that option of the newest question
    forge: Callable[[str], object]  # a tap on a button that nobody was shown here, under the newest message

    @property
    def name(self) -> str:
        """How the model is told of it."""
        thread = f", thread {self.address.thread}" if self.address.thread else ""
        return f"{self.address.channel} {self.address.chat}{thread}"

    @property
    def said(self) -> list[str]:
        """That, without its boards."""
        return [text for text in self.shown() if not BOARD.match(text)]

    async def has(self, text: str, mark: str = "") -> list[str]:
        """Wait until that is said there, alone or behind the mark; gives all that is."""
        try:
            async with asyncio.timeout(PATIENCE):
                while not {text, mark + text} & set(self.said):  # noqa: ASYNC110 -- a platform wakes nobody
                    await asyncio.sleep(0.01)
        except TimeoutError:
            raise AssertionError(f"{text!r} did not come to {self.name}; there is {self.said}") from None
        return self.said


class Delegating:
    """The script: the lead has two roles look into it, each posts an update and reports, and the lead answers. Whatever
    is said names the chat that it is for. No role is answered before `go_on` is set."""

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
    """Who is played, by how its prompt begins."""
    found = ROLE.match(own_text(asked.system))
    return found[1] if found else "lead"


def chat_of(asked: Asked) -> str:
    """The chat that a request is for: the lead's surroundings say so, and a role's task."""
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
        # Ann's private chat on Telegram, where she is the owner; on Discord another Ann is.
        self.room = self.telegram.private(self.telegram.person(ANN, "Ann"))

    @asynccontextmanager
    async def run(self, timing: Timing = HASTY, times: Times = DISCORD_QUICK, **options: Any) -> AsyncIterator[None]:
        """The bot is at work, and on Discord it is there to hear what is said."""
        talk, begun = Talk(self.bench, self.claude), len(self.town.readies)
        options = {"access": self.accesses, **QUICK, **options}
        with pointed_at(self.town.server):
            made = Telegram(self.telegram.token, self.telegram.base_url, COMMANDS, timing=timing, rates=UNPACED)
            async with made as telegram:
                channels = [telegram, channel_of(self.town.server, times)]
                async with talk.run(channels=channels, **options):
                    await self.town.sessions(begun + 1)
                    yield

    @property
    def accesses(self) -> AccessByChannel:
        ann, home = self.town.ann, frozenset({str(self.town.home.id)})
        discord = Access(owner=PersonId(str(ann.id)), owner_at=private(ann), allowed=home, others=EVERY_RIGHT)
        return {**owned_by(ANN, BEN), "discord": discord}

    def in_room(self, room: Room, *, by: int = ANN, mention: str = "", topic: int | None = None) -> Chat:
        """A chat on Telegram, or one topic of it."""
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
        """A chat on Discord, where it is Ann who asks, or somebody else."""
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
        """The model's requests of a role for a chat, in order."""
        found = [each for each in self.claude.requests if role_of(each.asked) == role]
        return [each for each in found if chat_of(each.asked) == chat.name]

    def accepted(self, platform: str) -> list[str]:
        """What that platform has taken for any of its chats, in order: messages, edits, signs of being at work."""
        if platform == "telegram":
            return [call.method for call in self.telegram.accepted() if call.chat]
        asked = [each for each in self.town.server.requests if each.had_effect and each.method != "GET"]
        return [each.route for each in asked if "channel" in each.ids or "interaction" in each.ids]

    def verify(self) -> None:
        """Nobody was asked for what they refuse."""
        self.claude.verify()
        self.town.server.verify()
        assert [call for call in self.telegram.calls if call.refusal] == []


@asynccontextmanager
async def together(bench: Bench) -> AsyncIterator[Together]:
    async with AsyncExitStack() as stack:
        claude = await stack.enter_async_context(ClaudeStandIn())
        telegram = await stack.enter_async_context(TelegramStandIn(limits=Limits.none()))
        yield Together(bench, claude, telegram, await stack.enter_async_context(settled()))
