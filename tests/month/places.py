"""A chat as situations use it, on either platform: who writes what there, and what the bot has said there."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.stand_ins.discord import Channel, DiscordStandIn, Flag, Interaction, Upload
from tests.stand_ins.discord import Message as DiscordMessage
from tests.stand_ins.discord import Person as DiscordPerson
from tests.stand_ins.telegram import Message as TelegramMessage
from tests.stand_ins.telegram import Person as TelegramPerson
from tests.stand_ins.telegram import Room, Tap

REPEATED = "(possibly a repeat)"


@dataclass(frozen=True)
class Shown:
    """A message of the bot, as people see it now."""

    place: Place
    message: Any  # of the stand-in
    raw: str  # its text
    buttons: tuple[str, ...]
    reply_to: Any
    is_silent: bool
    only_for: Any = None  # the only person who sees it

    @property
    def id(self) -> tuple[str, int]:
        return self.place.platform, id(self.message)

    @property
    def text(self) -> str:
        """The text as a situation expects it, which is English."""
        return self.place.read(self.raw)

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(map(self.place.read, self.buttons))

    @property
    def plain(self) -> str:
        """The text without the mark of a possible repeat."""
        return self.text.replace(REPEATED, "", 1).strip() if self.is_marked else self.text

    @property
    def is_marked(self) -> bool:
        return self.text.startswith(REPEATED)


@dataclass
class Place(ABC):
    platform: str  # T or D
    name: str
    read: Callable[[str], str] = field(default=str, kw_only=True)  # how situations read the bot's words
    written: list[str] = field(default_factory=list, kw_only=True)  # what people have written here
    mark_done = ""
    mark_failed = ""
    mark_received = "👀"

    @property
    @abstractmethod
    def address(self) -> str: ...

    @property
    @abstractmethod
    def mention(self) -> str:
        """What a person writes in a group so that the message is for the bot; empty in private."""

    @abstractmethod
    def say(self, who: str, text: str = "", **more: Any) -> Any: ...

    @abstractmethod
    def shown(self) -> list[Shown]:
        """Return what the bot has said here and not deleted, oldest first."""

    @abstractmethod
    def tap(self, who: str, shown: Shown, label: str) -> object: ...

    @abstractmethod
    def edit(self, who: str, message: Any, text: str) -> None: ...

    @abstractmethod
    def marks(self, message: Any) -> list[str]:
        """Return the bot's reactions below a person's message."""

    def ask(self, who: str, text: str = "", **more: Any) -> Any:
        """Write to the bot: with a mention in a group."""
        return self.say(who, f"{self.mention} {text}".strip(), **more)

    def button(self, label: str, there: Sequence[str]) -> str:
        """Return what stands on the button that a situation names in English."""
        return next((each for each in there if self.read(each) == label), label)

    def __str__(self) -> str:
        return f"{self.platform} {self.name}"


@dataclass
class TelegramPlace(Place):
    room: Room
    people: Mapping[str, TelegramPerson]
    thread: int = 0
    mark_done = "👍"
    mark_failed = "👎"

    @property
    def address(self) -> str:
        return f"telegram:{self.room.id}" + (f":{self.thread}" if self.thread else "")

    @property
    def mention(self) -> str:
        return f"@{self.room.world.bot.username}" if self.room.chat.is_group else ""

    def say(self, who: str, text: str = "", **more: Any) -> TelegramMessage:
        self.written.append(text)
        return self.room.say(self.people[who], text, thread=self.thread, **more)

    def album(self, who: str, *media: Any, **more: Any) -> list[TelegramMessage]:
        self.written += more.get("captions", ())
        return self.room.album(self.people[who], *media, thread=self.thread, **more)

    def shown(self) -> list[Shown]:
        there = self.room.answers(self.thread if self.room.chat.is_forum else None)
        return [
            Shown(self, each, each.text, tuple(each.labels), each.reply_to, each.is_silent)
            for each in there
            if not each.service
        ]

    def tap(self, who: str, shown: Shown, label: str) -> Tap:
        button = self.button(label, shown.message.labels)
        return self.room.tap(self.people[who], shown.message, button)

    def edit(self, who: str, message: TelegramMessage, text: str) -> None:
        self.written.append(text)
        self.room.edit(message, text)

    def marks(self, message: TelegramMessage) -> list[str]:
        return list(message.reactions.values())


@dataclass
class DiscordPlace(Place):
    channel: Channel
    members: Mapping[str, DiscordPerson]
    server: DiscordStandIn
    mark_done = "✅"
    mark_failed = "❌"
    commands: list[Interaction] = field(default_factory=list)

    @property
    def address(self) -> str:
        channel = self.channel
        if channel.person:
            return f"discord:@{channel.person.id}"
        return f"discord:{channel.parent.id}:{channel.id}" if channel.parent else f"discord:{channel.id}"

    @property
    def mention(self) -> str:
        return "" if self.channel.person else self.server.bot.mention

    def say(self, who: str, text: str = "", **more: Any) -> DiscordMessage:
        self.written.append(text)
        return self.members[who].say(self.channel, text, **more)

    def command(self, who: str, name: str, /, **options: str) -> Interaction:
        """Give a slash command."""
        self.written += options.values()
        return self.members[who].command(self.channel, name, **options)

    def command_with_files(self, who: str, name: str, files: Mapping[str, Upload], /, **options: str) -> Interaction:
        self.written += options.values()
        return self.members[who].command_with_files(self.channel, name, files, **options)

    def shown(self) -> list[Shown]:
        found = [each for each in self.channel.messages if self.server.is_own(each.author) and not each.is_deleted]
        return [
            Shown(
                self,
                each,
                each.text,
                tuple(button["label"] for button in each.buttons),
                each.reply_to,
                Flag.SUPPRESS_NOTIFICATIONS in each.flags,
                each.only_for,
            )
            for each in found
            if Flag.LOADING not in each.flags
        ]

    def tap(self, who: str, shown: Shown, label: str) -> Interaction:
        wanted = self.button(label, [each["label"] for each in shown.message.buttons])
        [button] = [each for each in shown.message.buttons if each["label"] == wanted]
        return self.members[who].tap(shown.message, button["custom_id"])

    def edit(self, who: str, message: DiscordMessage, text: str) -> None:
        self.written.append(text)
        self.members[who].edit(message, text)

    def delete(self, who: str, message: DiscordMessage) -> None:
        self.members[who].delete(message)

    def marks(self, message: DiscordMessage) -> list[str]:
        return [emoji for emoji, accounts in message.reactions.items() if self.server.bot in accounts]


def texts(shown: Sequence[Shown]) -> list[str]:
    return [each.text for each in shown]
