"""Run the stand-in by hand: python -m tests.stand_ins.claude [--port N] [--key KEY] [--script FILE]."""

import argparse
import asyncio
import contextlib
import json
from pathlib import Path

from tests.stand_ins.by_hand import bot_commands
from tests.stand_ins.claude import ClaudeStandIn
from tests.stand_ins.claude.canonical import Json

POINT_A_BOT_AT_IT = """
To point a bot at it, paste this in a second terminal, in the same folder:

{command}

Each reply of a script is sent once. After that, and without a script, the answer is an echo: "You said: ...".
Ctrl-C ends this.
"""


async def run(port: int, key: str | None, script: list[Json]) -> None:
    server = ClaudeStandIn(port=port)
    if key:
        server.api_key = key
    server.script.read(script)
    async with server:
        print(server.base_url)
        settings = {"RETINUE_MODEL__BASE_URL": server.base_url, "RETINUE_MODEL__API_KEY": server.api_key}
        [command] = bot_commands(settings, "chat")
        print(POINT_A_BOT_AT_IT.format(command=command), flush=True)
        await asyncio.Event().wait()


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.stand_ins.claude", description="A stand-in for Claude's API."
    )
    parser.add_argument("--port", type=int, default=0, help="any free one by default")
    parser.add_argument("--key", help="the API key that it takes (sk-ant-stand-in)")
    parser.add_argument(
        "--script", type=Path, help='JSON: [{"model": …, "system": …, "replies": [{"text": …, "tools": […]}]}]'
    )
    given = parser.parse_args()
    script = json.loads(given.script.read_text()) if given.script else []
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(run(given.port, given.key, script))


if __name__ == "__main__":
    main()
