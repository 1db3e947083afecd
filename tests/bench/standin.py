"""A platform's stand-in in a process of its own, so that its work is not taken for the bot's. Its limits are off.

It says where it is, and then does what it reads, line by line, and answers each line with one of its own:

    say FIRST CHATS EACH    so many messages in each of so many chats, at once; answered when all are written
    ask FIRST CHATS         one message in each; answered with the seconds until the last was answered
    wait                    nothing

Each waits first until the bot is connected, where that counts.
"""

import argparse
import asyncio
import json
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from tests.bench.platform import PATIENCE
from tests.bench.responder import ANSWER
from tests.load.crowds import DiscordCrowd, TelegramCrowd
from tests.stand_ins.discord import DiscordStandIn
from tests.stand_ins.telegram import Limits, TelegramStandIn

Crowd = TelegramCrowd | DiscordCrowd


@asynccontextmanager
async def telegram() -> AsyncIterator[Crowd]:
    async with TelegramStandIn(limits=Limits.none()) as server:
        yield TelegramCrowd(server)


@asynccontextmanager
async def discord() -> AsyncIterator[Crowd]:
    async with DiscordStandIn() as server:
        server.limits.off()
        yield DiscordCrowd(server)


STAND_INS: dict[str, Callable[[], AbstractAsyncContextManager[Crowd]]] = {"telegram": telegram, "discord": discord}


def where(crowd: Crowd) -> dict[str, str]:
    server = crowd.server
    gateway = server.gateway_url if isinstance(server, DiscordStandIn) else ""
    return {"token": server.token, "base_url": server.base_url, "gateway_url": gateway}


async def obey(crowd: Crowd, line: str) -> str:
    await crowd.is_there()
    verb, *words = line.split()
    numbers = [int(word) for word in words]
    match verb:
        case "say":
            say(crowd, *numbers)
        case "ask":
            return str(await ask(crowd, *numbers))
    return "done"


def say(crowd: Crowd, first: int, chats: int, each: int) -> None:
    for number in range(each):
        for chat in range(first, first + chats):
            crowd.says(chat, f"This is message {number}: say something about it.")


async def ask(crowd: Crowd, first: int, chats: int) -> float:
    asked = range(first, first + chats)
    before = {chat: answers(crowd, chat) for chat in asked}
    began = time.perf_counter()
    say(crowd, first, chats, 1)
    # The stand-in of Discord has a patience of its own, which is meant for a test's few messages.
    patience = {"seconds": PATIENCE} if isinstance(crowd.server, DiscordStandIn) else {}
    await crowd.server.until(lambda: all(answers(crowd, chat) > before[chat] for chat in asked), **patience)
    return time.perf_counter() - began


def answers(crowd: Crowd, chat: int) -> int:
    """How many whole ones are to be seen there: what is only drafted does not count."""
    return sum(text == ANSWER for text, _ in crowd.answers(chat))


async def main(platform: str) -> None:
    lines = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    async with STAND_INS[platform]() as crowd:
        print(json.dumps(where(crowd)), flush=True)
        while line := await lines.readline():
            print(await obey(crowd, line.decode()), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("platform", choices=STAND_INS)
    asyncio.run(main(parser.parse_args().platform))
