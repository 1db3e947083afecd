"""Run the stand-in by hand: python -m tests.stand_ins.discord [--port N] [--token TOKEN].

It prints the command that connects a bot to it, and the one that asks how that bot is doing. Each typed line is a
private message of Ann to the bot. `#general TEXT` mentions the bot in a server's channel, and `#1 TEXT` is written in
the first thread that was opened there. `reply 3 TEXT` and `tap 3 LABEL` are about the message with that number. It
shows what the bot writes, with buttons and reactions.
"""

import argparse
import asyncio
import contextlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.stand_ins.by_hand import HOW_TO_TYPE, Transcript, bot_commands, tell, typed_lines
from tests.stand_ins.discord.messages import Message
from tests.stand_ins.discord.people import Person
from tests.stand_ins.discord.places import Channel, Permission
from tests.stand_ins.discord.server import TOKEN, DiscordStandIn

POINT_A_BOT_AT_IT = """
To point a bot at it, paste this in a second terminal, in the same folder:

{command}

To see how that bot is doing, paste this in a third one:

{health}

When the bot says that it is answering, type a message here. The bot gets it as a private message from Ann.
`#general TEXT` mentions it in a server, where a request opens a thread; `#1 TEXT` is written in the first thread.
{how_to_type}
Ctrl-C ends this.
"""
IN_A_SERVER = re.compile(r"#(?P<where>\S+) (?P<text>.+)")


async def run(port: int, token: str) -> None:
    async with DiscordStandIn(port=port, token=token) as server:
        ann = server.person("Ann")
        general = server.channel(server.guild("Home", ann), "general")
        general.granted = Permission.MANAGE_WEBHOOKS  # so that each role speaks under its own name
        print(f"REST {server.base_url}\ngateway {server.gateway_url}\nAnn is {ann.id}")
        settings = {
            "RETINUE_CHANNELS__DISCORD__ENABLED": "true",
            "RETINUE_CHANNELS__DISCORD__OWNER": ann.id,
            "RETINUE_CHANNELS__DISCORD__BASE_URL": server.base_url,
            "RETINUE_CHANNELS__DISCORD__GATEWAY_URL": server.gateway_url,
            "RETINUE_CHANNELS__DISCORD__THREADS": "true",
            "RETINUE_CHANNELS__DISCORD__TOKEN": token,
        }
        command, health = bot_commands(settings, "run --demo", "health")
        print(POINT_A_BOT_AT_IT.format(command=command, health=health, how_to_type=HOW_TO_TYPE), flush=True)
        seat = Seat(server, ann, general)
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(seat.show(), name="showing")
            async for line in typed_lines():
                seat.do_what_is_typed(line)


@dataclass
class Seat:
    """Where Ann sits: what she sees of her chats with the bot, and what she types."""

    server: DiscordStandIn
    ann: Person
    general: Channel
    shown: Transcript[Message] = field(default_factory=Transcript)
    threads: list[Channel] = field(default_factory=list)  # those that were shown

    def do_what_is_typed(self, line: str) -> None:
        typed = self.shown.parse(line)
        if typed is None:
            return
        if typed.message is None:
            self.say(typed.text)
        elif typed.verb == "reply":
            self.ann.say(typed.message.channel, typed.text, reply_to=typed.message)
        else:
            self.tap(typed.message, typed.text)

    def say(self, text: str) -> None:
        found = IN_A_SERVER.fullmatch(text)
        if found is None:
            self.ann.say(self.ann.private(), text)
        elif found["where"] == self.general.name:
            self.ann.say(self.general, found["text"], mentions=[self.server.bot])
        elif found["where"] in map(str, range(1, len(self.threads) + 1)):
            self.ann.say(self.threads[int(found["where"]) - 1], found["text"])
        else:
            tell(f"There is no channel or thread #{found['where']}.")

    def tap(self, message: Message, label: str) -> None:
        buttons = [button["custom_id"] for button in message.buttons if button.get("label") == label]
        if buttons and not message.is_deleted:
            self.ann.tap(message, buttons[0])
        else:
            tell(f"There is no button {label} below it.")

    async def show(self) -> None:
        """Print each message of the bot and of its roles, and again when it is edited, and reactions."""
        while True:
            for where, channel in self.places():
                for seen in self.ann.sees(channel):
                    message = seen.message
                    if self.server.is_own(message.author):
                        self.shown.show(message, f"{where}{seen.author}", seen.text, seen.buttons)
                    else:
                        self.shown.show_reactions(message, message.text, message.reactions)
            await self.server.changes()

    def places(self) -> Iterator[tuple[str, Channel]]:
        """Yield Ann's chats with the bot, each with what stands before a message there."""
        yield "", self.ann.private()
        yield f"#{self.general.name} ", self.general
        assert self.general.guild
        for channel in self.general.guild.channels:
            if channel.parent and channel not in self.threads:
                self.threads.append(channel)
                tell(f"Thread #{len(self.threads)} is open: {channel.name}")
        for number, thread in enumerate(self.threads, 1):
            yield f"#{number} ", thread


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.stand_ins.discord", description="A stand-in for Discord.")
    parser.add_argument("--port", type=int, default=0, help="any free one by default")
    parser.add_argument("--token", default=TOKEN, help=f"the bot token that it takes ({TOKEN})")
    given = parser.parse_args()
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(run(given.port, given.token))


if __name__ == "__main__":
    main()
