"""A message: its content, its JSON, and how a person sees it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntFlag
from typing import TYPE_CHECKING

from tests.stand_ins.discord.accounts import Account
from tests.stand_ins.discord.places import Channel
from tests.stand_ins.discord.snowflakes import Json, stamp

if TYPE_CHECKING:
    from tests.stand_ins.discord.cdn import Cdn
    from tests.stand_ins.discord.interactions import Interaction

PLAIN, REPLY, COMMAND_ANSWER = 0, 19, 20
HIDDEN = {"content": "", "embeds": [], "attachments": [], "components": []}  # without the intent for message content


class Flag(IntFlag):
    SUPPRESS_EMBEDS = 1 << 2
    EPHEMERAL = 1 << 6
    LOADING = 1 << 7
    SUPPRESS_NOTIFICATIONS = 1 << 12
    VOICE_MESSAGE = 1 << 13
    HAS_SNAPSHOT = 1 << 14


NO_FLAGS = Flag(0)


@dataclass(eq=False, kw_only=True, repr=False)
class Message:
    id: int
    channel: Channel
    author: Account
    at: float  # seconds since 1970
    text: str = ""
    flags: Flag = NO_FLAGS
    components: list[Json] = field(default_factory=list)
    embeds: list[Json] = field(default_factory=list)
    attachments: list[Json] = field(default_factory=list)
    cdn: Cdn | None = None  # which signs the addresses of the attachments
    stickers: list[Json] = field(default_factory=list)
    poll: Json | None = None
    forwards: Message | None = None  # the message whose copy it carries
    nonce: str | int | None = None
    shown_name: str = ""  # the name that a webhook's message carries, if it is another than the webhook's
    reply_to: Message | None = None
    mentions: list[Account] = field(default_factory=list)  # the people that it notifies by name
    pings_everyone: bool = False
    interaction: Interaction | None = None  # the interaction that it answers
    edited_at: float | None = None
    is_deleted: bool = False
    reactions: dict[str, list[Account]] = field(default_factory=dict)  # who reacted with each emoji
    earlier: list[str] = field(default_factory=list)  # its texts before each edit

    def __repr__(self) -> str:
        return f"<{self.author.name} in {self.channel.name}: {self.text!r}>"

    @property
    def only_for(self) -> Account | None:
        """Return the only person who sees it, or None if it is not ephemeral."""
        return self.interaction.person if self.interaction and Flag.EPHEMERAL in self.flags else None

    @property
    def author_name(self) -> str:
        return self.shown_name or self.author.name

    @property
    def buttons(self) -> list[Json]:
        return [button for row in self.components for button in row["components"]]

    def is_open_to(self, bot: Account) -> bool:
        """Return True if a bot may read it without the intent for message content."""
        return self.channel.guild is None or self.author is bot or bot in self.mentions

    def as_json(self, *, deep: bool = True) -> Json:
        """Return the message as in REST, if `deep` with the message that it replies to."""
        kind = REPLY if self.reply_to else COMMAND_ANSWER if self.interaction and self.interaction.name else PLAIN
        told: Json = {
            "id": str(self.id),
            "type": kind,
            "channel_id": str(self.channel.id),
            "author": {**self.author.as_json(), "username": self.author_name},
            "content": self.text,
            "timestamp": stamp(self.at),
            "edited_timestamp": None if self.edited_at is None else stamp(self.edited_at),
            "tts": False,
            "pinned": False,
            "flags": int(self.flags),
            "mention_everyone": self.pings_everyone,
            "mention_roles": [],
            "mentions": [one.as_json() for one in self.mentions],
            "attachments": self.signed_attachments(),
            "embeds": self.embeds,
            "components": self.components,
        }
        told |= {"sticker_items": self.stickers} if self.stickers else {}
        told |= {"poll": self.poll} if self.poll else {}
        return told | self.links(deep)

    def signed_attachments(self) -> list[Json]:
        return [self.cdn.sign(each) for each in self.attachments] if self.cdn else self.attachments

    def as_snapshot(self) -> Json:
        """Return the copy of it that a forward carries: without its author."""
        kept = ["type", "content", "timestamp", "edited_timestamp", "flags", "mentions", "mention_roles"]
        kept += ["attachments", "embeds", "components", "sticker_items", "poll"]
        told = self.as_json(deep=False)
        return {"message": {name: told[name] for name in kept if name in told}}

    def links(self, deep: bool) -> Json:
        told: Json = {} if self.nonce is None else {"nonce": self.nonce}
        if self.author.is_webhook:
            told["webhook_id"] = str(self.author.id)
            if application := getattr(self.author, "application", None):
                told["application_id"] = str(application)
        if self.interaction:
            told["interaction_metadata"] = self.interaction.as_metadata()
            told |= {
                "webhook_id": str(self.interaction.application),
                "application_id": str(self.interaction.application),
            }
        if self.forwards:
            there = {"channel_id": str(self.forwards.channel.id), "message_id": str(self.forwards.id), "type": 1}
            told |= {"message_reference": there, "message_snapshots": [self.forwards.as_snapshot()]}
        if self.reply_to:
            there = {"channel_id": str(self.channel.id), "message_id": str(self.reply_to.id), "type": 0}
            guild = {"guild_id": str(self.channel.guild.id)} if self.channel.guild else {}
            told["message_reference"] = {**there, **guild}
            if deep:
                told["referenced_message"] = None if self.reply_to.is_deleted else self.reply_to.as_json(deep=False)
        return told

    def as_event(self) -> Json:
        """Return the body of MESSAGE_CREATE and MESSAGE_UPDATE."""
        told = self.as_json()
        if guild := self.channel.guild:
            told["guild_id"] = str(guild.id)
            told["mentions"] = [{**one.as_json(), "member": guild.member_json(one)} for one in self.mentions]
            if not self.author.is_webhook:
                told["member"] = guild.member_json(self.author)
        return told


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A message as one person sees it."""

    message: Message
    author: str
    text: str
    buttons: tuple[str, ...]  # their labels
    flags: Flag
    is_edited: bool
    is_only_for_me: bool
    rings: bool  # it makes a sound: it names the person or is private, and is not silent


def seen(message: Message, person: Account) -> Seen:
    is_named = person in message.mentions or message.pings_everyone or message.channel.guild is None
    return Seen(
        message=message,
        author=message.author_name,
        text=message.text,
        buttons=tuple(button.get("label", "") for button in message.buttons),
        flags=message.flags,
        is_edited=message.edited_at is not None,
        is_only_for_me=message.only_for is person,
        rings=is_named and message.author is not person and Flag.SUPPRESS_NOTIFICATIONS not in message.flags,
    )
