"""What people do in a test (talk, reply, edit, delete, tap, command), and what they see."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from secrets import token_hex
from typing import Any

from tests.stand_ins.discord.accounts import Account
from tests.stand_ins.discord.bodies import Body, Pings
from tests.stand_ins.discord.cdn import Upload
from tests.stand_ins.discord.interactions import Interaction
from tests.stand_ins.discord.messages import Flag, Message, Seen, seen
from tests.stand_ins.discord.places import Channel, Kind
from tests.stand_ins.discord.snowflakes import Json
from tests.stand_ins.discord.world import World


@dataclass(eq=False, kw_only=True, repr=False)
class Person(Account):
    """A writer: a person, another bot or a webhook."""

    world: World

    def private(self) -> Channel:
        """Return the private channel with the bot."""
        return self.world.private_channel(self)

    def say(
        self,
        channel: Channel,
        text: str = "",
        *,
        mentions: Iterable[Account] = (),
        reply_to: Message | None = None,
        attachments: Iterable[str | Upload] = (),
        **more: Any,
    ) -> Message:
        """Write a message. `mentions` go before the text. `attachments` are files, or the names of files. `more` are
        the fields of Message: a poll, stickers, the message that it forwards."""
        words = " ".join([*(one.mention for one in mentions), *([text] if text else [])])
        files = [self.attachment(channel, each) for each in attachments]
        message = self.message(channel, text=words, reply_to=reply_to, attachments=files, **more)
        return self.world.post(message)

    def post(self, forum: Channel, title: str, text: str) -> Message:
        """Open a post in a forum: a thread, and its first message with the thread's id."""
        assert forum.guild, "forums are in servers"
        thread = self.world.add_channel(forum.guild, title, forum, Kind.THREAD)
        thread.owner = self
        first = Message(id=thread.id, channel=thread, author=self, at=self.world.now(), text=text)
        return self.world.post(first)

    def speak(self, channel: Channel, content: bytes, *, seconds: float = 3.0) -> Message:
        """Send a voice message. It has no words, and nothing else beside it."""
        sound = Upload("voice-message.ogg", content, seconds)
        return self.say(channel, attachments=[sound], flags=Flag.VOICE_MESSAGE)

    def forward(self, channel: Channel, message: Message) -> Message:
        return self.say(channel, forwards=message, flags=Flag.HAS_SNAPSHOT)

    def edit(self, message: Message, text: str) -> None:
        assert message.author is self, "people edit only what they wrote"
        self.world.edit(message, worded(text))

    def delete(self, message: Message) -> None:
        self.world.delete(message)

    def tap(self, message: Message, custom_id: str) -> Interaction:
        """Tap a button of a message that this person sees."""
        found = [button for button in message.buttons if button.get("custom_id") == custom_id]
        assert found, f"no button {custom_id!r} in {message.components}"
        assert not found[0].get("disabled"), f"the button {custom_id!r} is disabled"
        assert message.only_for in (None, self), "the message is shown to another"
        return self.begin(message.channel, message=message, custom_id=custom_id)

    def command(self, channel: Channel, name: str, /, **options: str) -> Interaction:
        """Give a slash command that the bot has registered, with the options that it requires."""
        return self.command_with_files(channel, name, {}, **options)

    def command_with_files(
        self, channel: Channel, name: str, files: Mapping[str, Upload], /, **options: str
    ) -> Interaction:
        """Give a slash command with files, by the names of the options that take them."""
        known = {command["name"]: int(command["id"]) for command in self.world.commands}
        assert name in known, f"no command {name!r} among {sorted(known)}"
        assert self.is_offered(channel, name), f"no client offers /{name} in {channel.name}"
        missing = [option for option in self.required_options(name) if option not in {**options, **files}]
        assert not missing, f"no client sends /{name} without {missing}"
        given = {option: self.world.cdn.sign(self.attachment(channel, each)) for option, each in files.items()}
        return self.begin(channel, name=name, command_id=known[name], options=options, files=given)

    def types(self, channel: Channel, name: str, option: str, typed: str = "", **others: str) -> Interaction:
        """Type what follows a command, in an option for which the bot offers choices. Nothing is sent."""
        [command] = [each for each in self.world.commands if each["name"] == name]
        [found] = [each for each in command["options"] if each["name"] == option]
        assert found.get("autocomplete"), f"the bot offers no choices for {option!r}"
        given = {**others, option: typed}
        return self.begin(channel, name=name, command_id=int(command["id"]), options=given, focused=option)

    def is_offered(self, channel: Channel, name: str) -> bool:
        """Return True if clients offer a command in a channel: in a server, or in the private chat with the bot."""
        [command] = [each for each in self.world.commands if each["name"] == name]
        return (0 if channel.guild else 1) in (command.get("contexts") or (0, 1))

    def required_options(self, name: str) -> list[str]:
        options = [
            option for command in self.world.commands if command["name"] == name for option in command["options"]
        ]
        return [option["name"] for option in options if option.get("required")]

    def sees(self, channel: Channel) -> list[Seen]:
        """Return what this person sees now, in order."""
        return [seen(one, self) for one in channel.messages if not one.is_deleted and one.only_for in (None, self)]

    def closes_private_messages(self) -> None:
        """Refuse private messages: from now on the bot gets 50007."""
        self.world.closed.add(self)

    def begin(self, channel: Channel, **chosen: Any) -> Interaction:
        world = self.world
        interaction = Interaction(
            id=world.ids.make(),
            application=world.bot.id,
            token=f"interaction-{token_hex(16)}",
            person=self,
            channel=channel,
            at=world.now(),
            now=world.now,
            **chosen,
        )
        return world.begin(interaction)

    def message(self, channel: Channel, **written: Any) -> Message:
        world = self.world
        return Message(id=world.ids.make(), channel=channel, author=self, at=world.now(), cdn=world.cdn, **written)

    def attachment(self, channel: Channel, file: str | Upload) -> Json:
        upload = Upload(file) if isinstance(file, str) else file
        return self.world.cdn.add(self.world.ids.make(), channel.id, upload)


def worded(text: str) -> Body:
    """Return the body of an edit that changes only the text."""
    rest = dict.fromkeys(("flags", "components", "embeds", "attachments", "nonce", "reference"))
    return Body(text=text, pings=Pings(), enforces_nonce=False, **rest)
