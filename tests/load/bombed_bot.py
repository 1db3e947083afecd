"""A bot on Telegram whose model says the same each time, in a process of its own: `python -m tests.load.bombed_bot
BASE_URL TOKEN FOLDER`. It runs until its stdin ends."""

import asyncio
import sys
from dataclasses import replace
from pathlib import Path

from bot import app
from bot.core.limits import Timings
from bot.core.messages import PersonId
from bot.core.model import Model, ModelReply, ModelRequest, ShowTextCallback
from bot.core.role import LEAD_ROLE_NAME
from channels.file_streams import DownloadTiming
from channels.telegram.channel import Telegram
from tests.support.engine_options import engine_options
from tests.support.fakes import reply, role
from tests.support.places.telegram import HASTY, UNPACED, owned_by

SAID = "seen"
TIMING = replace(HASTY, download=DownloadTiming(connect_seconds=5.0, silence_seconds=5.0, whole_seconds=60.0))
TIMINGS = Timings(draft_delay_seconds=60.0, file_patience_seconds=5.0)


class Answering(Model):
    async def reply(self, request: ModelRequest, show: ShowTextCallback) -> ModelReply:
        return reply({"type": "text", "text": SAID})


async def main(base_url: str, token: str, folder: str, *people: str) -> None:
    until = asyncio.Event()
    access = owned_by(*map(int, people))
    options = {**engine_options(writable_workspace=Path(folder) / "workspace", day=10**12, chat_day=10**12)}
    async with Telegram(token, base_url, timing=TIMING, rates=UNPACED) as telegram:
        assembly = app.Assembly(
            model=Answering(),
            roles={LEAD_ROLE_NAME: role("lead")},
            channels=[telegram],
            data=Path(folder),
            access={name: replace(each, owner_id=PersonId(people[0])) for name, each in access.items()},
            **{**options, "timings": TIMINGS},
        )
        watching = asyncio.create_task(asyncio.to_thread(sys.stdin.read))
        watching.add_done_callback(lambda _: until.set())
        await app.run_bot(assembly, until)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
