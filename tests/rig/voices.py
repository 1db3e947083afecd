"""Voice notes while the bot is killed: each is read once as text and paid for once, or its sender is told why not."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bot.core.errors import TranscriptionFailed
from bot.core.prices import Micros
from bot.core.texts import people_files as texts
from bot.core.transcriber import Transcriber, Transcript
from tests.rig.files import HAS_DESK
from tests.rig.wire import WayToWorld

if TYPE_CHECKING:
    from tests.rig.chat import Chat, Plot
    from tests.rig.checks import Played

SCENARIO, DEAF = "voices", "deaf"  # the second has nothing that turns speech into text
HAS_EARS = "has_ears"  # the setting of a scenario in which the world turns speech into text
VOICE = "voice"  # names of voice notes begin with it
SLOW, MUMBLED = "slow", "mumbled"  # in the name of a recording: it fails at first; nobody understands it
MUMBLED_WORDS = "Nobody understands that."
SPOKEN_TWICE = "echo"  # a recording that two people send
COST_MICROS = 6_000


def speaks(chat: Chat, name: str, by: str = "ann", *, is_answered: bool = True) -> int:
    """Send a voice note. Return the number of the update."""
    text = ""
    if is_answered:
        text = f"#{len(chat.tags) + 1}"
        chat.tags[text] = chat.address
    chat.world.tell(chat.address, by, "text", text, files=[f"{VOICE} {name} of {chat.address}"])
    return chat.world.updates_made


async def talking(chat: Chat) -> None:
    """Ann talks, slowly too, and deletes a note. Bob sends one that nobody understands, and one that she has sent."""
    speaks(chat, SPOKEN_TWICE)
    chat.says("and")  # it must not overtake its sender's voice note
    speaks(chat, f"{SLOW} second")
    await chat.sees("reply")
    doomed = speaks(chat, f"{SLOW} third", is_answered=False)
    await chat.pause(0.03)
    chat.world.delete(chat.address, doomed)
    speaks(chat, MUMBLED, "bob", is_answered=False)
    speaks(chat, SPOKEN_TWICE, "bob")
    chat.says("more", "bob")


async def talking_in_vain(chat: Chat) -> None:
    """Ann and Bob talk to somebody who is deaf, and write."""
    speaks(chat, "first", is_answered=False)
    speaks(chat, "second", "bob", is_answered=False)
    chat.says("and")
    speaks(chat, "third", is_answered=False)
    await chat.sees("reply")
    chat.says("more")


VOICES: dict[str, dict[str, Plot]] = {
    SCENARIO: {"tg:1": talking, "dc:2": talking},
    DEAF: {"tg:1": talking_in_vain, "wh:3": talking_in_vain},
}
VOICES_SETTINGS: dict[str, dict[str, Any]] = {
    SCENARIO: {HAS_DESK: True, HAS_EARS: True, "voice__base_url": "http://ears.invalid"},
    DEAF: {HAS_DESK: True},
}


class WorldTranscriber(Transcriber):
    """The world listens."""

    def __init__(self, wire: WayToWorld) -> None:
        self.wire = wire

    async def transcribe(self, path: Path, *, seconds: int | None) -> Transcript:
        answer = await self.wire.ask("transcribe", recording=path.read_text())  # noqa: ASYNC240 -- a short one
        if "failed" in answer:
            raise TranscriptionFailed(answer["failed"], seconds=answer["seconds"])
        return Transcript(text=answer["text"], cost=Micros(answer["cost"]))


def hear(recording: str, times: int) -> dict[str, Any]:
    """Return what the world says is spoken in a recording, or why it does not know. It was asked so many times."""
    if MUMBLED in recording:
        return {"failed": MUMBLED_WORDS, "seconds": None}
    if SLOW in recording and times == 1:
        return {"failed": "busy", "seconds": 0.01}
    return {"text": words_of(recording), "cost": COST_MICROS}


def times_to_be_read(name: str) -> int:
    """Return how often the content of a file is read. Words that nobody understands need no answer of the model."""
    return 0 if MUMBLED in name else 2 if SPOKEN_TWICE in name else 1


def words_of(recording: str) -> str:
    return f"heard: {recording.upper()}"


def voices(db: sqlite3.Connection, run: Played) -> Iterator[str]:
    """Each voice note was read once, or its sender was told why not. What was heard is paid."""
    if run.scenario != SCENARIO:
        return
    entries = [row["body"] for row in db.execute("SELECT body FROM entries WHERE role = 'user'")]
    of_content = "content ->> 'said' AS said, content ->> 'said_cost_micros' AS cost"
    rows = db.execute(f"SELECT incoming_files.*, {of_content} FROM incoming_files").fetchall()
    paid = 0
    for row in rows:
        run.figures[f"voice notes {row['state']}"] += 1
        paid += row["cost"] or 0
        spoken = words_of(f"what is in {row['name']}.")
        if row["state"] != "kept":
            continue
        if (MUMBLED in row["name"]) == bool(row["said"]) or (row["said"] and row["said"] != spoken):
            yield f"{row['name']} says {row['said']}"
        told = db.execute("SELECT count(*) FROM outbox WHERE text LIKE ?", (f"%{MUMBLED_WORDS}%",)).fetchone()[0]
        if MUMBLED in row["name"] and told != sum(MUMBLED in each["name"] for each in rows):
            yield f"{told} were told that nobody understands them"
    for spoken in {row["said"] for row in rows if row["said"] and row["state"] == "kept"}:
        times = sum(body.count(spoken) for body in entries)
        wanted = sum(row["said"] == spoken and row["state"] == "kept" for row in rows)
        if times != wanted:
            yield f"{spoken} was read {times} times, of {wanted}"
    of_requests = db.execute("SELECT ifnull(sum(ifnull(cost, reserved)), 0) FROM requests").fetchone()[0]
    of_day = db.execute("SELECT ifnull(sum(cost), 0) FROM spending WHERE chat = ''").fetchone()[0]
    heard = run.world.transcriptions.total() * COST_MICROS
    if not paid <= of_day - of_requests <= heard:
        yield f"{heard} was billed for what was heard, {of_day - of_requests} paid, {paid} noted"
    if run.killed == 0 == run.figures["sigterm"] and of_day - of_requests != heard:
        yield f"{heard} was billed for what was heard, and {of_day - of_requests} paid"


def deaf(db: sqlite3.Connection, run: Played) -> Iterator[str]:
    """Who talks to a deaf bot is told so each time, at length once in a chat, and the model is not asked about it."""
    if run.scenario != DEAF:
        return
    for address in set(run.tags.values()):
        told = [
            text for (text,) in db.execute("SELECT text FROM outbox WHERE kind = 'notice' AND address = ?", (address,))
        ]
        found = (told.count(texts.VOICE_NOT_SUPPORTED_AT_LENGTH()), told.count(texts.VOICE_NOT_SUPPORTED()))
        run.figures["voice notes in vain"] += sum(found)
        if found != (1, 2):
            yield f"{address} was told at length and in short {found}"
    asked = db.execute("SELECT count(*) FROM turns WHERE depth = 0").fetchone()[0]
    if asked > len(run.tags):
        yield f"{asked} turns for {len(run.tags)} messages in words"


CHECKS = (voices, deaf)
