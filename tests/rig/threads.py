"""Requests that open threads: all that is said about one is said in its thread, and one line returns to the channel.

A thread has the number of the message that opens it, so the request has the thread's address before the thread exists.
The first message to that address opens it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import TYPE_CHECKING

from bot.core.messages import Address
from tests.rig.chat import Chat, Plot

if TYPE_CHECKING:
    from tests.rig.checks import Played

TOO_EARLY = """SELECT outbox.key, turns.id FROM outbox JOIN turns ON turns.root || ':summary' = outbox.key
    WHERE is_summary AND ended_at > said_at"""
REQUESTS = "SELECT DISTINCT turn, address FROM inbox WHERE wants_summary AND turn IS NOT NULL"


async def opens_threads(chat: Chat) -> None:
    """Ann opens a thread, and goes on in it, while Bob opens one of his own, where a role asks him."""
    first = chat.opens("nested")
    await first.sees("update", "reply")
    bobs = chat.opens("go", "bob")
    first.says("also")
    if await bobs.sees("question", "reply") == "question":
        bobs.taps("red", "bob")
    await first.sees("reply")
    first.says("more")
    await bobs.sees("reply")
    chat.opens("background")


async def stops_in_thread(chat: Chat) -> None:
    """A stop in one thread leaves the other as it is."""
    first, second = chat.opens("nested"), chat.opens("pair")
    await first.sees("update")
    first.types("/stop")
    await second.sees("reply")
    first.says("and")
    chat.opens("and")


THREADS: dict[str, dict[str, Plot]] = {
    "threads": {"dc:2": opens_threads, "dc:5": opens_threads},
    "stop_threads": {"dc:2": stops_in_thread},
}


def channel_of(address: str) -> str:
    return str(Address.parse(address).whole_chat)


def shown_at(row: sqlite3.Row) -> str:
    """Return where a message has to be shown: a summary in the channel, everything else at its address."""
    return channel_of(row["address"]) if row["is_summary"] else str(row["address"])


def threads(db: sqlite3.Connection, run: Played) -> Iterator[str]:
    """Each request has its thread, and one summary in the channel, after its answer. Nothing else is said there."""
    requests = dict(db.execute(REQUESTS).fetchall())
    summaries = {row["key"]: row for row in db.execute("SELECT * FROM outbox WHERE is_summary")}
    status = dict(db.execute("SELECT id, status FROM turns"))
    for turn, address in requests.items():
        run.figures["threads"] += 1
        if address not in run.world.threads:
            yield f"{address} was never opened"
        if summaries.pop(f"{turn}:summary", None) is None and status[turn] == "completed":
            yield f"{turn} has no summary"
    yield from (f"{key} sums up no request" for key in summaries)
    yield from (f"{key} came before {id} had ended" for key, id in db.execute(TOO_EARLY))
    channels = {channel_of(address) for address in requests.values()}
    answered = set()
    for send in run.world.sends:
        key = send["key"].rsplit(":", 1)[0]
        answered.add(key.removesuffix(":reply"))
        if send["address"] in channels and not key.endswith(":summary"):
            yield f"{key} was said in the channel: {send['text']}"
        if key.endswith(":summary") and key.removesuffix(":summary") not in answered:
            yield f"{key} came before the answer"


CHECKS = (threads,)
