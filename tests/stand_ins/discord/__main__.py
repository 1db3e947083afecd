"""Run the stand-in by hand: python -m tests.stand_ins.discord [--port N] [--token TOKEN].

It prints the command that connects a bot to it, and the one that asks how that bot is doing. Each typed line is a
private message of Ann to the bot. It shows what the bot writes to her.
"""

import argparse
import asyncio
import contextlib

from tests.stand_ins.by_hand import bot_commands, typed_lines
from tests.stand_ins.discord.people import Person
from tests.stand_ins.discord.server import TOKEN, DiscordStandIn

POINT_A_BOT_AT_IT = """
To point a bot at it, paste this in a second terminal, in the same folder:

{command}

To see how that bot is doing, paste this in a third one:

{health}

When the bot says that it is answering, type a message here. The bot gets it as a private message from Ann.
Ctrl-C ends this.
"""


async def run(port: int, token: str) -> None:
    async with DiscordStandIn(port=port, token=token) as server:
        ann = server.person("Ann")
        server.channel(server.guild("Home", ann), "general")
        print(f"REST {server.base_url}\ngateway {server.gateway_url}\nAnn is {ann.id}")
        settings = {
            "RETINUE_CHANNELS__DISCORD__ENABLED": "true",
            "RETINUE_CHANNELS__DISCORD__OWNER": ann.id,
            "RETINUE_CHANNELS__DISCORD__BASE_URL": server.base_url,
            "RETINUE_CHANNELS__DISCORD__GATEWAY_URL": server.gateway_url,
            "RETINUE_CHANNELS__DISCORD__TOKEN": token,
        }
        command, health = bot_commands(settings, "run --demo", "health")
        print(POINT_A_BOT_AT_IT.format(command=command, health=health), flush=True)
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(show(server, ann), name="showing")
            async for line in typed_lines():
                ann.say(ann.private(), line)


async def show(server: DiscordStandIn, ann: Person) -> None:
    shown: dict[int, str] = {}
    while True:
        for message in server.said(ann.private()):
            if shown.get(message.id) != message.text:
                print(f"{message.author.name}: {message.text}", flush=True)
                shown[message.id] = message.text
        await server.changes()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.stand_ins.discord", description="A stand-in for Discord.")
    parser.add_argument("--port", type=int, default=0, help="any free one by default")
    parser.add_argument("--token", default=TOKEN, help=f"the bot token that it takes ({TOKEN})")
    given = parser.parse_args()
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(run(given.port, given.token))


if __name__ == "__main__":
    main()
