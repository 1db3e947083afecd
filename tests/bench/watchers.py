"""Browsers that watch a conversation, as far as the page can tell: each keeps a stream of events open and reads it.

Told anything, they print how many parts the one that got the fewest has got.
"""

import argparse
import asyncio
import sys


async def watch(host: str, port: int, path: str, cookie: str, parts: list[int], number: int) -> None:
    reader, writer = await asyncio.open_connection(host, port)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nCookie: {cookie}\r\n\r\n".encode())
    while line := await reader.readline():
        parts[number] += line.startswith(b"data: ")


async def run(host: str, port: int, path: str, cookie: str, count: int) -> None:
    parts = [0] * count
    async with asyncio.TaskGroup() as owner:
        for number in range(count):
            owner.create_task(watch(host, port, path, cookie, parts, number), name=f"browser {number}")
        while min(parts) < 2:  # noqa: ASYNC110 -- the messages, and the delegations
            await asyncio.sleep(0.05)
        print("watching", flush=True)
        while await asyncio.to_thread(sys.stdin.readline):
            print(min(parts), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for name in ("host", "path", "cookie"):
        parser.add_argument(f"--{name}", required=True)
    for name in ("port", "count"):
        parser.add_argument(f"--{name}", required=True, type=int)
    asyncio.run(run(**vars(parser.parse_args())))
