"""The Discord stand-in as a command: it says where it is, takes what is typed, and shows what the bot writes."""

import asyncio
import sys
from asyncio.subprocess import PIPE

import aiohttp

from tests.stand_ins.bots import Wire


async def test_it_runs_by_hand() -> None:
    command = [sys.executable, "-m", "tests.stand_ins.discord", "--token", "typed"]
    running = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE)
    assert running.stdin
    assert running.stdout
    try:
        rest, gateway, ann = [(await running.stdout.readline()).decode().split()[-1] for _ in range(3)]
        hint = (await running.stdout.readuntil(b"Ctrl-C")).decode()
        assert all(hint.count(f"={word} ") == 2 for word in (rest, gateway, ann, "typed")), (
            "in both commands that it prints"
        )
        await running.stdout.readline()
        assert await running.stdout.readline() == b"\n"
        async with (
            aiohttp.ClientSession(headers={"Authorization": "Bot typed"}) as session,
            session.ws_connect(f"{gateway}?v=10&encoding=json") as socket,
        ):
            by_wire = Wire("typed", socket)
            await by_wire.identify()
            await by_wire.event("GUILD_CREATE")
            running.stdin.write(b"hello\n")
            heard = await by_wire.event("MESSAGE_CREATE")
            assert (heard["content"], heard["author"]["id"]) == ("hello", ann)
            url = f"{rest}/channels/{heard['channel_id']}/messages"
            async with session.post(url, json={"content": "Hello, Ann."}) as answer:
                assert answer.status == 200
            await by_wire.event("MESSAGE_CREATE")  # its own
            assert await running.stdout.readline() == b"1 Retinue: Hello, Ann.\n"
            running.stdin.write(b"reply 1 and now?\n#general hello\n#7 hello\n")
            replied, mentioned = [await by_wire.event("MESSAGE_CREATE") for _ in range(2)]
            assert replied["referenced_message"]["content"] == "Hello, Ann."
            assert mentioned["mentions"][0]["username"] == "Retinue"
            assert await running.stdout.readline() == b"There is no channel or thread #7.\n"
    finally:
        running.terminate()
        await running.wait()
