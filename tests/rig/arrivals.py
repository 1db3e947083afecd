"""Files that people send while the bot is killed: each is kept and read once, and nothing of a deleted one is left."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.rig.files import HAS_DESK
from tests.rig.script import TAG
from tests.rig.voices import DEAF, times_to_be_read

if TYPE_CHECKING:
    from tests.rig.chat import Chat, Plot
    from tests.rig.checks import Played

SLOW, GONE = "slow", "gone"  # in the name of a file: it takes its time and fails at first; nobody can fetch it
HALVES = ("left half", "slow right half")  # of an album
GONE_WORDS = "The platform has lost it."
SLOW_SECONDS = 0.08


def sends(chat: Chat, text: str, *names: str, by: str = "ann", album: str = "", is_answered: bool = True) -> int:
    """Send files with a text. Return the number of the update."""
    files = [f"{name} of {chat.address}" for name in names]
    if is_answered:
        tag = f"#{len(chat.tags) + 1}"
        chat.tags[tag] = chat.address
        text = f"{text} {tag}"
    chat.world.tell(chat.address, by, "text", text, files=files, album=album)
    return chat.world.updates_made


async def receiving(chat: Chat) -> None:
    """Ann sends files, slow ones too. Others do not wait for them. She deletes one message before it is read."""
    sends(chat, "look", "cat", "slow list")
    chat.says("and")  # it must not overtake its sender's files
    chat.says("bob asks", "bob")
    await chat.pause(0.02)
    doomed = sends(chat, "drop", "slow secret", is_answered=False)
    sends(chat, "look", "gone list", "map")
    await chat.pause(0.1)
    chat.world.delete(chat.address, doomed)
    await chat.sees("reply")
    doomed = sends(chat, "drop", "slow letter", by="bob", is_answered=False)
    chat.says("and", "bob")
    await chat.pause(0.02)
    chat.world.delete(chat.address, doomed)
    album = f"album of {chat.address}"
    sends(chat, "", HALVES[0], album=album, is_answered=False)
    sends(chat, "look", HALVES[1], album=album)
    chat.says("more")


ARRIVALS: dict[str, dict[str, Plot]] = {"arrivals": {"tg:1": receiving, "dc:2": receiving, "wh:3": receiving}}
ARRIVALS_SETTINGS: dict[str, dict[str, Any]] = {"arrivals": {HAS_DESK: True}}


def content_of(reference: str) -> str:
    return f"what is in {reference}."


def arrivals(db: sqlite3.Connection, run: Played) -> Iterator[str]:
    """Each file lies in the inbox as its row says, and was read once. Nothing lies there without a row."""
    inbox, rows = run.folder / "workspace" / "inbox", db.execute("SELECT * FROM incoming_files").fetchall()
    lying = {f"inbox/{path.name}": path for path in (inbox.iterdir() if inbox.is_dir() else ())}
    entries = [row["body"] for row in db.execute("SELECT body FROM entries WHERE role = 'user'")]
    for row in rows:
        run.figures[f"files {row['state']}"] += 1
        times = sum(body.count(content_of(row["name"])) for body in entries)
        if row["state"] == "failed":
            told = db.execute("SELECT count(*) FROM outbox WHERE key LIKE ?", (f"{row['message']}:files:%",)).fetchone()
            if (GONE not in row["name"]) or times or told[0] != 1:
                yield f"{row['name']} has failed, was read {times} times and told {told[0]} times"
        elif row["state"] == "refused" and run.scenario == DEAF:
            continue
        elif row["state"] != "kept" or GONE in row["name"] or times != times_to_be_read(row["name"]):
            yield f"{row['name']} is {row['state']}, and was read {times} times"
        elif (path := lying.pop(row["path"], None)) is None or path.read_text() != content_of(row["name"]):
            yield f"{row['name']} does not lie at {row['path']}"
    for address in {row["address"] for row in rows}:
        halves = [[content_of(f"{half} of {address}") in body for body in entries] for half in HALVES]
        if halves[0] != halves[1]:
            yield f"the album at {address} was read in pieces"
    yield from (f"{name} lies there without a row" for name in lying)
    [data] = [row["file"] for row in db.execute("PRAGMA database_list") if row["name"] == "main"]
    spool = Path(data).parent / "incoming"
    names = {hashlib.sha256(row["id"].encode()).hexdigest()[:32] for row in rows}  # others go at the next start
    left = [path.name for path in (spool.iterdir() if spool.is_dir() else ()) if path.stem in names]
    yield from (f"{name} was left on the way" for name in left)


def own_order(db: sqlite3.Connection, run: Played) -> Iterator[str]:
    """Where files hold messages up, each person is still answered in the order of what they wrote."""
    if run.scenario not in ARRIVALS:
        return
    writers = {tag: row["person"] for row in db.execute("SELECT * FROM inbox") for tag in TAG.findall(row["text"])}
    answered = [
        tag
        for row in db.execute("SELECT * FROM outbox WHERE kind = 'reply' ORDER BY seq")
        for tag in TAG.findall(row["text"])
    ]
    for address, person in {(run.tags[tag], writers[tag]) for tag in answered}:
        own = [int(tag[1:]) for tag in answered if (run.tags[tag], writers[tag]) == (address, person)]
        if own != sorted(own):
            yield f"{person} at {address} was answered in disorder: {own}"


CHECKS = (arrivals, own_order)
