"""Run the stand-in by hand: python -m tests.stand_ins.telegram [--port N] [--token TOKEN] [--person ID:NAME].

What is typed is said by that person in a private chat; what the bot does is printed.
"""

import argparse
import asyncio
import contextlib
import sys

from tests.stand_ins.telegram import TOKEN, Call, TelegramStandIn


async def run(port: int, token: str, person: str) -> None:
    number, _, name = person.partition(":")
    async with TelegramStandIn(port=port, token=token) as server, asyncio.TaskGroup() as tasks:
        print(f"base_url {server.base_url}\nbase_file_url {server.base_file_url}\ntoken {server.token}", flush=True)
        room = server.private(ann := server.person(int(number), name or "You"))
        tasks.create_task(show(server), name="showing calls")
        lines = asyncio.StreamReader()
        await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
        while line := (await lines.readline()).decode().strip():
            room.say(ann, line)
        await asyncio.Event().wait()


async def show(server: TelegramStandIn) -> None:
    """Print each call once it was met, but not the polls that found nothing."""
    shown: set[Call] = set()
    while True:
        await server.until(lambda: bool(met(server) - shown))
        for call in sorted(met(server) - shown, key=lambda call: call.number):
            shown.add(call)
            if call.result != []:
                print(line_of(call), flush=True)


def met(server: TelegramStandIn) -> set[Call]:
    return {call for call in server.calls if call.status or call.fault}


def line_of(call: Call) -> str:
    return f"{call.status} {call.method} {call.parameters} {call.refusal}".rstrip()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.stand_ins.telegram", description="A stand-in for Telegram.")
    parser.add_argument("--port", type=int, default=0, help="any free one by default")
    parser.add_argument("--token", default=TOKEN, help=f"the bot's token ({TOKEN})")
    parser.add_argument("--person", default="7:You", metavar="ID:NAME", help="who says what is typed (7:You)")
    given = parser.parse_args()
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(run(given.port, given.token, given.person))


if __name__ == "__main__":
    main()
