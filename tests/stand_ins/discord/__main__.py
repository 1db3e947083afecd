"""Run the stand-in by hand: python -m tests.stand_ins.discord [--port N] [--token TOKEN].

What is typed, Ann says to the bot in private; what the bot writes to her is shown.
"""

import argparse
import asyncio
import contextlib
import sys
import threading

from tests.stand_ins.discord.people import Person
from tests.stand_ins.discord.server import TOKEN, DiscordStandIn


async def run(port: int, token: str) -> None:
    async with DiscordStandIn(port=port, token=token) as server:
        ann = server.person("Ann")
        server.channel(server.guild("Home", ann), "general")
        print(f"REST {server.base_url}\ngateway {server.gateway_url}\nAnn is {ann.id}", flush=True)
        typed: asyncio.Queue[str] = asyncio.Queue()
        # A thread that dies with the program: reading a terminal cannot be cancelled.
        threading.Thread(target=read_lines, args=(asyncio.get_running_loop(), typed), daemon=True).start()
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(say(ann, typed), name="saying")
            tasks.create_task(show(server, ann), name="showing")


def read_lines(loop: asyncio.AbstractEventLoop, typed: asyncio.Queue[str]) -> None:
    for line in sys.stdin:
        loop.call_soon_threadsafe(typed.put_nowait, line.rstrip("\n"))


async def say(ann: Person, typed: asyncio.Queue[str]) -> None:
    while True:
        ann.say(ann.private(), await typed.get())


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
