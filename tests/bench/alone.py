"""The bot with one channel, and nothing else in its process: it reads where all is, and then answers each line with the
memory that it takes now, as JSON."""

import asyncio
import json
import sys
from dataclasses import asdict

from tests.bench.memory import memory_of_this_process
from tests.bench.rig import running
from tests.bench.shipped import Where, channel_at


async def main() -> None:
    lines = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    begun = json.loads(await lines.readline())
    async with channel_at(Where(**begun["where"])) as channel, running(begun["url"], channels=[channel]):
        print("running", flush=True)
        while await lines.readline():
            print(json.dumps(asdict(memory_of_this_process())), flush=True)


if __name__ == "__main__":
    asyncio.run(main())
