"""Taps on buttons and slash commands. Each must be answered once, within three seconds."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

from tests.stand_ins.discord.accounts import Account
from tests.stand_ins.discord.errors import refusal
from tests.stand_ins.discord.messages import Message
from tests.stand_ins.discord.places import ALL_PERMISSIONS, Channel
from tests.stand_ins.discord.snowflakes import Json, Now

ANSWER_SECONDS = 3.0
TOKEN_SECONDS = 15 * 60.0
COMMAND, TAP, CHOICES = 2, 3, 4
MOST_CHOICES, LONGEST_CHOICE = 25, 100
MOST_BYTES = 10 * 1024 * 1024


class Answered(IntEnum):
    """The kinds of answers that the stand-in accepts."""

    MESSAGE = 4
    DEFERRED = 5
    DEFERRED_UPDATE = 6
    UPDATE = 7
    CHOICES = 8


@dataclass(eq=False, kw_only=True, repr=False)
class Interaction:
    """One tap or command of one person."""

    id: int
    application: int
    token: str
    person: Account
    channel: Channel
    at: float
    now: Now
    message: Message | None = None  # the message with the tapped button
    custom_id: str = ""
    name: str = ""  # of the command
    command_id: int = 0
    options: dict[str, str] = field(default_factory=dict)
    files: dict[str, Json] = field(default_factory=dict)  # the options that are files
    focused: str = ""  # the option that the person types now, and for which the bot offers choices
    choices: list[Json] = field(default_factory=list)  # what the person is offered
    answered: Answered | None = None
    answered_at: float | None = None
    original: Message | None = None  # the answer, once there is one
    followups: list[Message] = field(default_factory=list)

    def __repr__(self) -> str:
        return f"<{self.person.name}: /{self.name}>" if self.name else f"<{self.person.name} taps {self.custom_id}>"

    @property
    def has_failed(self) -> bool:
        """Return True if the person reads that the interaction failed."""
        return self.answered is None and self.now() - self.at > ANSWER_SECONDS

    @property
    def is_waited_for(self) -> bool:
        return self.answered in (Answered.DEFERRED, Answered.DEFERRED_UPDATE)

    def check_open(self, token: str) -> None:
        """Raise the error for a callback that comes too late, a second time, or with another token."""
        if token != self.token or self.has_failed:
            raise refusal(10062)
        if self.answered is not None:
            raise refusal(40060)

    def check_token(self) -> None:
        """Raise the error for a follow-up that comes before the answer, or after the token has expired."""
        if self.answered is None:
            raise refusal(10015)
        if self.now() - self.at > TOKEN_SECONDS:
            raise refusal(50027)

    def as_metadata(self) -> Json:
        owners = {"authorizing_integration_owners": {"0": self.scope}}
        told: Json = {
            "id": str(self.id),
            "type": COMMAND if self.name else TAP,
            "user": self.person.as_json(),
            **owners,
        }
        return told if self.message is None else {**told, "interacted_message_id": str(self.message.id)}

    @property
    def kind(self) -> int:
        return CHOICES if self.focused else COMMAND if self.name else TAP

    @property
    def scope(self) -> str:
        return str(self.channel.guild.id) if self.channel.guild else "0"

    def as_event(self) -> Json:
        """Return the body of INTERACTION_CREATE."""
        told: Json = {
            "id": str(self.id),
            "application_id": str(self.application),
            "type": self.kind,
            "token": self.token,
            "version": 1,
            "channel_id": str(self.channel.id),
            "channel": {**self.channel.as_json(), "permissions": str(int(self.channel.permissions))},
            "app_permissions": str(int(self.channel.permissions)),
            "locale": self.person.locale,
            "entitlements": [],
            "authorizing_integration_owners": {"0": self.scope},
            "context": 0 if self.channel.guild else 1,
            "attachment_size_limit": MOST_BYTES,
            "data": self.chosen(),
        }
        if self.message:
            told["message"] = self.message.as_json()
        if self.channel.guild is None:
            return {**told, "user": self.person.as_json()}
        guild = {"id": str(self.channel.guild.id), "locale": "en-US", "features": []}
        may = str(ALL_PERMISSIONS if self.person is self.channel.guild.owner else 0)
        member = {**self.channel.guild.member_json(self.person), "user": self.person.as_json(), "permissions": may}
        return {**told, "guild_id": guild["id"], "guild": guild, "guild_locale": "en-US", "member": member}

    def chosen(self) -> Json:
        if not self.name:
            return {"custom_id": self.custom_id, "component_type": 2}
        options: list[Json] = [{"name": name, "type": 3, "value": value} for name, value in self.options.items()]
        for option in options:
            option |= {"focused": True} if option["name"] == self.focused else {}
        told: Json = {"id": str(self.command_id), "name": self.name, "type": 1, "options": options}
        if self.files:
            options += [{"name": name, "type": 11, "value": file["id"]} for name, file in self.files.items()]
            told["resolved"] = {"attachments": {file["id"]: file for file in self.files.values()}}
        return told
