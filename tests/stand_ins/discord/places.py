"""Where people talk: guilds, channels, threads and private channels, and what the bot may do there."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum, IntFlag
from typing import TYPE_CHECKING

from tests.stand_ins.discord.snowflakes import Json, stamp

if TYPE_CHECKING:
    from tests.stand_ins.discord.accounts import Account
    from tests.stand_ins.discord.messages import Message


class Kind(IntEnum):
    TEXT = 0
    PRIVATE = 1
    THREAD = 11
    PRIVATE_THREAD = 12
    FORUM = 15

    @property
    def is_thread(self) -> bool:
        return self in (Kind.THREAD, Kind.PRIVATE_THREAD)


class Permission(IntFlag):
    """The permissions that the stand-in knows, with Discord's bits."""

    ADD_REACTIONS = 1 << 6
    VIEW_CHANNEL = 1 << 10
    SEND_MESSAGES = 1 << 11
    MANAGE_MESSAGES = 1 << 13
    EMBED_LINKS = 1 << 14
    ATTACH_FILES = 1 << 15
    READ_MESSAGE_HISTORY = 1 << 16
    MENTION_EVERYONE = 1 << 17
    MANAGE_WEBHOOKS = 1 << 29
    CREATE_PUBLIC_THREADS = 1 << 35
    SEND_MESSAGES_IN_THREADS = 1 << 38


NOTHING = Permission(0)
ALL_PERMISSIONS = (1 << 53) - 1  # of a server's owner, in an interaction
# Everyone may do everything here, except delete messages of others and manage webhooks.
EVERYONE = ~(Permission.MANAGE_MESSAGES | Permission.MANAGE_WEBHOOKS) & sum(Permission)


@dataclass(eq=False, kw_only=True, repr=False)
class Guild:
    """A server of people. The bot is a member unless it was thrown out."""

    id: int
    name: str
    owner: Account
    members: list[Account]
    channels: list[Channel] = field(default_factory=list)
    has_bot: bool = True
    joined_at: float = 0.0  # when the bot has joined it
    roles: dict[int, str] = field(default_factory=dict)  # the names of those that people have made, by id
    roles_of: dict[Account, list[int]] = field(default_factory=dict)
    asked_permissions: set[Permission] = field(default_factory=set)  # those that something depended on
    bot_permissions: Permission = NOTHING  # of the bot in the whole server; NOTHING: those that its invite asks for

    def __repr__(self) -> str:
        return f"<server {self.name}>"

    def as_json(self) -> Json:
        """Return the body of GUILD_CREATE."""
        threads = [one for one in self.channels if one.kind.is_thread and one.is_seen_by_bot]
        channels = [one for one in self.channels if one.kind in (Kind.TEXT, Kind.FORUM)]
        return {
            **self.as_short_json(),
            "owner_id": str(self.owner.id),
            "roles": self.roles_json(),
            "channels": [one.as_json() for one in channels],
            "threads": [one.as_json() for one in threads],
            "members": [{**self.member_json(one), "user": one.as_json()} for one in self.members],
            "member_count": len(self.members),
            "joined_at": stamp(self.joined_at),
            "large": False,
            "unavailable": False,
            **{name: [] for name in ("voice_states", "presences", "stage_instances", "guild_scheduled_events")},
        }

    def roles_json(self) -> list[Json]:
        """Return the roles: that of everybody, which has the server's id, and those that people have made."""
        looks = {"color": 0, "hoist": False, "managed": False, "mentionable": False, "flags": 0}
        everyone = {"id": str(self.id), "name": "@everyone", "permissions": str(int(EVERYONE)), "position": 0}
        others = [
            {"id": str(id), "name": name, "permissions": "0", "position": place}
            for place, (id, name) in enumerate(self.roles.items(), 1)
        ]
        return [{**each, **looks} for each in (everyone, *others)]

    def member_json(self, account: Account) -> Json:
        """Return the account as a member, without the user. Nobody's list names the role that everybody has."""
        return {**account.as_member(), "roles": [str(each) for each in self.roles_of.get(account, ())]}

    def as_short_json(self) -> Json:
        known: Json = {"id": str(self.id), "name": self.name, "icon": None, "features": [], "preferred_locale": "en-US"}
        levels = ("verification_level", "default_message_notifications", "explicit_content_filter", "mfa_level")
        return {**known, "emojis": [], "stickers": [], **dict.fromkeys(levels, 0), "nsfw_level": 0, "premium_tier": 0}


@dataclass(eq=False, kw_only=True, repr=False)
class Channel:
    """A place for messages: a guild's text channel, a thread, or the private channel of the bot and a person."""

    id: int
    name: str
    kind: Kind
    bot: Account
    guild: Guild | None = None
    parent: Channel | None = None  # of a thread
    owner: Account | None = None  # who opened the thread
    person: Account | None = None  # of a private channel
    denied: Permission = NOTHING  # what the bot may not do here
    granted: Permission = NOTHING  # what the bot may do here besides what everyone may
    is_archived: bool = False
    is_locked: bool = False
    is_deleted: bool = False
    made_at: float = 0
    messages: list[Message] = field(default_factory=list)
    typing: list[float] = field(default_factory=list)  # the times when the bot showed typing

    def __repr__(self) -> str:
        return f"<{self.kind.name.lower()} {self.name}>"

    @property
    def is_seen_by_bot(self) -> bool:
        return self.guild is None or (self.guild.has_bot and self.may(Permission.VIEW_CHANNEL))

    def may(self, permission: Permission) -> bool:
        """Return True if the bot has the permission. A thread also has its parent's permissions."""
        if self.guild:
            self.guild.asked_permissions.add(permission)
        return permission in self.permissions

    @property
    def permissions(self) -> Permission:
        above = self.parent.permissions if self.parent else EVERYONE
        return Permission((above | self.granted) & ~self.denied)

    @property
    def people(self) -> list[Account]:
        return self.guild.members if self.guild else [one for one in (self.person, self.bot) if one]

    def as_json(self) -> Json:
        last = str(self.messages[-1].id) if self.messages else None
        told: Json = {"id": str(self.id), "type": int(self.kind), "last_message_id": last, "flags": 0}
        if self.person:
            return {**told, "recipients": [self.person.as_json()]}
        assert self.guild
        told |= {"name": self.name, "guild_id": str(self.guild.id), "nsfw": False, "rate_limit_per_user": 0}
        return told | (self.thread_json() if self.parent else self.text_json())

    def text_json(self) -> Json:
        overwrite = {"allow": str(int(self.granted)), "deny": str(int(self.denied))}
        overwrites = [{"id": str(self.bot.id), "type": 1, **overwrite}] if self.denied or self.granted else []
        return {"position": 0, "topic": None, "parent_id": None, "permission_overwrites": overwrites}

    def thread_json(self) -> Json:
        assert self.parent
        times = {"archive_timestamp": stamp(self.made_at), "create_timestamp": stamp(self.made_at)}
        state = {"archived": self.is_archived, "locked": self.is_locked, "auto_archive_duration": 1440}
        owner = self.owner or (self.guild.owner if self.guild else self.bot)
        return {
            "parent_id": str(self.parent.id),
            "owner_id": str(owner.id),
            "message_count": len(self.messages),
            "member_count": len(self.people),
            "total_message_sent": len(self.messages),
            "thread_metadata": {**state, **times},
        }
