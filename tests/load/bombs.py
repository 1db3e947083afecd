"""Files that are made to do harm, sent to a running bot: `scripts/torture bombs`, or with a number of albums.

A bot in a process of its own is sent every bomb of the tests over the stand-in of Telegram: a gigabyte that is
announced as 10 KB, an endless download, documents, pictures and PDFs that unpack to gigabytes, wrong types, and then a
flood of albums. Meanwhile somebody else talks with it. The exit status is 1 if it took more than 200 MiB more memory,
child processes included, if a bomb was not answered in words, or if the other person waited for long.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import quantiles

from tests.stand_ins.downloads import DownloadFault
from tests.stand_ins.telegram import Room, TelegramStandIn, document, photo
from tests.stand_ins.telegram.rates import Limits
from tests.support.bombs import BOMBS as DOCUMENTS
from tests.support.places.telegram import ANN
from tests.support.sample_media import jpeg, png
from tests.tools.test_bounded_memory import BOMBS as PDFS_AND_PICTURES

EVE, FLOOD = 9, 10
MIB = 2**20
ALBUMS, PICTURES = 10_000, 2
MOST_MORE_BYTES = 200 * MIB
QUEUED = 400  # updates that wait at Telegram, at most: an answer to somebody else waits behind them
LONGEST_WAIT_SECONDS = 30.0
PATIENCE = 900.0
SAMPLE_SECONDS, ASK_SECONDS = 0.01, 0.2
WRONG_TYPES: Mapping[str, Callable[[], bytes]] = {
    "a program.jpg": lambda: b"\x7fELF" + bytes(5_000),
    "a picture.pdf": png,
    "nothing.docx": lambda: b"PK\3\4" + bytes(5_000),
}


@dataclass
class Watch:
    """What a process and all its children have in memory, at most."""

    pid: int
    most_bytes: int = 0
    waits: list[float] = field(default_factory=list)  # of the other person, in seconds

    async def look(self) -> None:
        while True:
            self.most_bytes = max(self.most_bytes, await asyncio.to_thread(resident_bytes, self.pid))
            await asyncio.sleep(SAMPLE_SECONDS)

    async def talk(self, server: TelegramStandIn, room: Room) -> None:
        while True:
            awaited, asked_at = len(room.answers()) + 1, time.monotonic()
            room.say(room.chat.person, "hi")
            await server.until(partial(has_answers, room, awaited))
            self.waits.append(time.monotonic() - asked_at)
            await asyncio.sleep(ASK_SECONDS)


def has_answers(room: Room, count: int) -> bool:
    return len(room.answers()) >= count


def resident_bytes(pid: int) -> int:
    """Return what a process and its children have in memory now. What they share counts for each."""
    total = 0
    for each in [pid, *children_of(pid)]:
        try:
            total += int(Path(f"/proc/{each}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        except OSError:  # it has ended
            continue
    return total


def children_of(pid: int) -> Iterator[int]:
    try:
        lists = [path.read_text().split() for path in Path(f"/proc/{pid}/task").glob("*/children")]
    except OSError:
        return
    for child in (int(word) for words in lists for word in words):
        yield child
        yield from children_of(child)


async def send_bombs(server: TelegramStandIn, room: Room) -> int:
    """Send every bomb, one after the other, and wait until each is answered. Return how many were not."""
    unanswered = 0
    for name, fault in (("1 GB.bin", DownloadFault.ENDLESS), ("twice.bin", DownloadFault.LARGER)):
        server.downloads.next(fault)
        unanswered += not await is_answered(server, room, name, bytes(10_000))
    for name, make in {**DOCUMENTS, **PDFS_AND_PICTURES, **WRONG_TYPES}.items():
        content = await asyncio.to_thread(make)
        if len(content) <= 20 * MIB:  # Telegram gives bots no larger file
            unanswered += not await is_answered(server, room, name, content)
    return unanswered


async def is_answered(server: TelegramStandIn, room: Room, name: str, content: bytes) -> bool:
    awaited = len(room.answers()) + 1
    room.say(room.chat.person, media=server.holding(document(name, size=len(content)), content))
    try:
        async with asyncio.timeout(60):
            await server.until(partial(has_answers, room, awaited))
    except TimeoutError:
        print(f"{name} was not answered", flush=True)
        return False
    words = room.answers()[-1].text
    print(f"   {name}: {words[:110]}", flush=True)
    return True


async def send_albums(server: TelegramStandIn, room: Room, albums: int) -> None:
    """Send albums as fast as they are taken, and wait until the last is answered."""
    picture = server.holding(photo("cat"), jpeg())
    for _ in range(albums):
        room.album(room.chat.person, *[picture] * PICTURES)
        await server.until(lambda: len(server.world.updates.waiting) < QUEUED)
    await server.until(lambda: not server.world.updates.waiting)


async def main(*words: str) -> int:
    albums = int(words[0]) if words else ALBUMS
    people = [ANN, EVE, FLOOD]
    with tempfile.TemporaryDirectory() as folder:
        async with TelegramStandIn(limits=Limits.none()) as server:
            ann, eve, flood = (server.private(server.person(number, f"P{number}")) for number in people)
            for room in (ann, eve, flood):
                room.say(room.chat.person, "hi")
            command = ("-m", "tests.load.bombed_bot", server.base_url, server.token, folder, *map(str, people))
            bot = await asyncio.create_subprocess_exec(sys.executable, *command, stdin=asyncio.subprocess.PIPE)
            try:
                async with asyncio.timeout(PATIENCE):
                    await server.until(lambda: all(room.answers() for room in (ann, eve, flood)))
                    return await bombard(bot.pid, server, ann, eve, flood, albums)
            finally:
                assert bot.stdin
                bot.stdin.close()
                await bot.wait()


async def bombard(pid: int, server: TelegramStandIn, ann: Room, eve: Room, flood: Room, albums: int) -> int:
    before, watch = resident_bytes(pid), Watch(pid)
    tasks = [asyncio.create_task(watch.look()), asyncio.create_task(watch.talk(server, ann))]
    began = time.monotonic()
    unanswered = await send_bombs(server, eve)
    of_bombs, seconds = watch.most_bytes - before, time.monotonic() - began
    begun = time.monotonic()
    await send_albums(server, flood, albums)
    of_all, more_seconds = watch.most_bytes - before, time.monotonic() - begun
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    said = len(flood.answers())
    p95, longest = quantiles(watch.waits, n=20)[-1], max(watch.waits)
    print(f"before: {before / MIB:.0f} MiB; with all bombs in {seconds:.0f} s at most {of_bombs / MIB:.0f} MiB more")
    print(f"with {albums} albums in {more_seconds:.0f} s at most {of_all / MIB:.0f} MiB more, {said} answers to them")
    print(f"{len(watch.waits)} others were answered: p95 {p95:.2f} s, at most {longest:.2f} s")
    return unanswered + (of_all > MOST_MORE_BYTES) + (longest > LONGEST_WAIT_SECONDS)


if __name__ == "__main__":
    sys.exit(asyncio.run(main(*sys.argv[1:])))
