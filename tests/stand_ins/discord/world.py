"""All that Discord keeps: accounts, guilds, channels, messages and interactions. Each change makes an event."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from secrets import token_hex

from tests.stand_ins.discord.accounts import Account, Webhook
from tests.stand_ins.discord.bodies import EDITED, Body, Pings
from tests.stand_ins.discord.cdn import Cdn
from tests.stand_ins.discord.errors import refusal
from tests.stand_ins.discord.events import Event, event_of, intent_of
from tests.stand_ins.discord.interactions import Interaction
from tests.stand_ins.discord.messages import Message
from tests.stand_ins.discord.places import Channel, Guild, Kind, Permission
from tests.stand_ins.discord.snowflakes import Json, Now, Snowflakes

NAMED = re.compile(r"<@!?(\d+)>")
NONCE_SECONDS = 180.0  # Discord says "the past few minutes"


@dataclass
class World:
    """The state of Discord. It calls `publish` with each event, in order."""

    now: Now
    publish: Callable[[Event], None]
    cdn: Cdn
    accounts: dict[int, Account] = field(default_factory=dict)
    guilds: dict[int, Guild] = field(default_factory=dict)
    channels: dict[int, Channel] = field(default_factory=dict)
    interactions: dict[int, Interaction] = field(default_factory=dict)
    commands: list[Json] = field(default_factory=list)
    messages: dict[int, Message] = field(default_factory=dict)
    private: dict[Account, Channel] = field(default_factory=dict)
    nonces: dict[tuple[Account, str | int], Message] = field(default_factory=dict)
    webhooks: dict[int, Webhook] = field(default_factory=dict)
    most_active_threads: int = 1_000  # in a guild
    closed: set[Account] = field(default_factory=set)  # people who refuse private messages from the bot

    def __post_init__(self) -> None:
        self.ids = Snowflakes(self.now)
        self.bot = Account(id=self.ids.make(), name="Retinue", is_bot=True)
        self.accounts[self.bot.id] = self.bot

    def add(self, account: Account) -> Account:
        self.accounts[account.id] = account
        return account

    def add_guild(self, name: str, people: Iterable[Account], joined_seconds_ago: float = 0.0) -> Guild:
        members = [self.bot, *people]
        joined = max(0.0, self.now() - joined_seconds_ago)
        guild = Guild(id=self.ids.make(), name=name, owner=members[-1], members=members, joined_at=joined)
        self.guilds[guild.id] = guild
        self.publish(Event("GUILD_CREATE", guild.as_json(), intent_of("GUILDS")))
        return guild

    def add_channel(self, guild: Guild, name: str, parent: Channel | None = None, kind: Kind = Kind.TEXT) -> Channel:
        number, now = self.ids.make(), self.now()
        channel = Channel(id=number, name=name, kind=kind, bot=self.bot, guild=guild, parent=parent, made_at=now)
        self.channels[channel.id] = channel
        guild.channels.append(channel)
        self.publish(event_of("THREAD_CREATE" if parent else "CHANNEL_CREATE", channel.as_json(), channel))
        return channel

    def add_role(self, guild: Guild, name: str) -> int:
        guild.roles[role := self.ids.make()] = name
        made = next(each for each in guild.roles_json() if each["id"] == str(role))
        self.publish(Event("GUILD_ROLE_CREATE", {"guild_id": str(guild.id), "role": made}, intent_of("GUILDS")))
        return role

    def open_thread(self, message: Message, name: str, owner: Account) -> Channel:
        """Open a thread from a message. It has the message's id."""
        parent = message.channel
        assert parent.guild, "only a server's channels have threads"
        thread = Channel(
            id=message.id,
            name=name,
            kind=Kind.THREAD,
            bot=self.bot,
            guild=parent.guild,
            parent=parent,
            owner=owner,
            made_at=self.now(),
        )
        self.channels[thread.id] = thread
        parent.guild.channels.append(thread)
        self.publish(event_of("THREAD_CREATE", {**thread.as_json(), "newly_created": True}, thread))
        return thread

    def add_webhook(
        self, channel: Channel, name: str, application: int | None, picture: bytes | None = None
    ) -> Webhook:
        """Make a webhook of an application, or of a person if `application` is None."""
        hook = Webhook(
            id=self.ids.make(),
            name=name,
            is_bot=True,
            is_webhook=True,
            channel=channel,
            token=f"hook-{token_hex(16)}",
            application=application,
            picture=picture,
        )
        self.webhooks[hook.id] = hook
        self.add(hook)
        return hook

    def private_channel(self, person: Account) -> Channel:
        """Return the private channel of the bot and a person. There is only one, however often it is opened."""
        if person not in self.private:
            made = Channel(id=self.ids.make(), name=person.name, kind=Kind.PRIVATE, bot=self.bot, person=person)
            self.channels[made.id] = self.private[person] = made
        return self.private[person]

    def remove_channel(self, channel: Channel) -> None:
        channel.is_deleted = True
        kind = "THREAD_DELETE" if channel.parent else "CHANNEL_DELETE"
        self.publish(event_of(kind, channel.as_json(), channel))
        del self.channels[channel.id]
        if channel.guild:
            channel.guild.channels.remove(channel)

    def channel_of(self, number: int) -> Channel:
        """Return the channel with this id. Raise 10003 if there is none, 50001 if the bot may not see it."""
        if number not in self.channels:
            raise refusal(10003)
        channel = self.channels[number]
        if not channel.is_seen_by_bot:
            raise refusal(50001)
        return channel

    def message_of(self, channel: Channel, number: int) -> Message:
        """Return a message that exists and that everybody may see. Raise 10008 otherwise."""
        message = self.messages.get(number)
        if message is None or message.channel is not channel or message.is_deleted or message.only_for:
            raise refusal(10008)
        return message

    def with_nonce(self, author: Account, nonce: str | int) -> Message | None:
        """Return the author's message with this nonce from the past few minutes, in any channel, or None."""
        message = self.nonces.get((author, nonce))
        if message is None or message.is_deleted or self.now() - message.at > NONCE_SECONDS:
            return None
        return message

    def post(self, message: Message, pings: Pings | None = None) -> Message:
        """Post a message in its channel, and publish it."""
        message.mentions, message.pings_everyone = self.named(message, pings or Pings())
        if message.channel.is_archived:
            message.channel.is_archived = False  # a new message opens it again
        message.channel.messages.append(message)
        self.messages[message.id] = message
        if message.nonce is not None:
            self.nonces[message.author, message.nonce] = message
        self.tell(message, "MESSAGE_CREATE")
        return message

    def edit(self, message: Message, body: Body) -> Message:
        message.earlier.append(message.text)
        if body.flags is not None:
            message.flags = (message.flags & ~EDITED) | (body.flags & EDITED)
        for name in ("components", "embeds", "attachments"):
            if getattr(body, name) is not None:
                setattr(message, name, getattr(body, name))
        if body.text is not None:
            message.text = body.text
        message.mentions, message.pings_everyone = self.named(message, body.pings)
        message.edited_at = self.now()
        self.tell(message, "MESSAGE_UPDATE")
        return message

    def delete(self, message: Message) -> None:
        message.is_deleted = True
        where = {"channel_id": str(message.channel.id)}
        if message.channel.guild:
            where["guild_id"] = str(message.channel.guild.id)
        if message.only_for is None:
            self.publish(event_of("MESSAGE_DELETE", {"id": str(message.id), **where}, message.channel))

    def tell(self, message: Message, name: str) -> None:
        """Publish an event of a message, except if only one person sees the message."""
        if message.only_for is None:
            self.publish(event_of(name, message.as_event(), message.channel, message.is_open_to(self.bot)))

    def named(self, message: Message, pings: Pings) -> tuple[list[Account], bool]:
        """Return who is notified of a message by name, and whether everyone is."""
        ids = dict.fromkeys(NAMED.findall(message.text))
        told = [self.accounts[int(one)] for one in ids if int(one) in self.accounts and may_ring(one, pings)]
        if message.reply_to and pings.replied_user and message.reply_to.author not in told:
            told.append(message.reply_to.author)
        names_everyone = pings.everyone and "@everyone" in message.text
        is_by_bot = message.author is self.bot
        return told, names_everyone and (not is_by_bot or message.channel.may(Permission.MENTION_EVERYONE))

    def begin(self, interaction: Interaction) -> Interaction:
        self.interactions[interaction.id] = interaction
        self.publish(Event("INTERACTION_CREATE", interaction.as_event(), 0))
        return interaction


def may_ring(one: str, pings: Pings) -> bool:
    return pings.users is None or one in pings.users
