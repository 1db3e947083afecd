"""Measure the bot against the bare SDK, in one run.

scripts/bench                   everything: six minutes or more
scripts/bench turns chats       some rows only
scripts/bench --keep            everything, and write the table into docs/performance.md
scripts/bench --rivals          the same loads for nanobot, side by side
scripts/bench public-suite      a public suite of tasks and attacks (tests/public_suite/__main__.py has its words)

The rows: turns (time and processor of a turn, and their growth), fresh (its processor in fresh chats, with a short
answer and with a real one), calls (of functions), platforms (a turn through each), ingest (messages
taken in a second from each), chats (200 at once), roles (ten and fifty at once), waiting (a turn while 50,000
messages wait at other chats), start (the command's first answer and its end), memory, channels (memory with each),
scale (a chat among 10,000, with a million entries), prompt and conversation (tokens and price), counts, stalls (what a
long text holds up while it is rendered), watching (a turn while ten pages in browsers watch it, and first pages
of lists and searches among 10,000 conversations). Only ratios and counts say anything: the absolute times are the
machine's.
"""

import asyncio
import logging
import os
import platform
import re
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path

from tests.bench import (
    calls,
    channels,
    counts,
    crowd,
    ingest,
    memory,
    money,
    platforms,
    rivals,
    scale,
    stalls,
    starting,
    turns,
    waiting,
    watching,
)
from tests.bench.table import Row, markdown
from tests.public_suite import __main__ as public_suite

PAGE = Path(__file__).parents[2] / "docs" / "performance.md"
BETWEEN = re.compile(r"(?<=<!-- the last run -->\n).*(?=<!-- until here -->)", re.DOTALL)
ROWS: dict[str, Callable[[], Awaitable[list[Row]]]] = {
    "turns": turns.rows,
    "fresh": turns.fresh,
    "calls": calls.rows,
    "platforms": platforms.rows,
    "ingest": ingest.rows,
    "chats": crowd.chats,
    "roles": crowd.roles,
    "waiting": waiting.rows,
    "start": starting.rows,
    "memory": memory.rows,
    "channels": channels.rows,
    "scale": scale.rows,
    "prompt": money.prompt,
    "conversation": money.conversation,
    "counts": counts.rows,
    "stalls": stalls.rows,
    "watching": watching.rows,
}


async def measure(names: list[str]) -> list[Row]:
    found = []
    for name in names:
        began = time.monotonic()
        print(f"{name} …", end=" ", file=sys.stderr, flush=True)
        found += await ROWS[name]()
        print(f"{time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
    return found


def machine() -> str:
    """Where and when, and what else was running: enough to judge the figures by."""
    told = ["git", "describe", "--always", "--dirty"]
    commit = subprocess.run(told, capture_output=True, text=True, check=False, cwd=PAGE.parent).stdout.strip()
    load = " ".join(f"{each:.1f}" for each in os.getloadavg())
    return (
        f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC, commit {commit or 'unknown'}, {os.cpu_count()} cores,"
        f" Python {platform.python_version()}, {platform.system()}; load before the run (1, 5, 15 minutes): {load}"
    )


def main(*words: str) -> None:
    if words[:1] == ("public-suite",):
        sys.exit(public_suite.main(words[1:]))
    if words == ("--rivals",):
        print(f"{machine()}\n\n{markdown(asyncio.run(rivals.rows()))}")
        return
    names = [word for word in words if word != "--keep"] or list(ROWS)
    if unknown := [name for name in names if name not in ROWS]:
        sys.exit(f"there is no row {unknown[0]!r}; there are {', '.join(ROWS)}\n\n{__doc__}")
    logging.basicConfig(level=logging.WARNING)
    where = machine()
    table = f"{where}\n\n{markdown(asyncio.run(measure(names)))}\n"
    print(table)
    if "--keep" in words:
        PAGE.write_text(BETWEEN.sub(lambda _: f"\n{table}\n", PAGE.read_text()))


if __name__ == "__main__":
    main(*sys.argv[1:])
