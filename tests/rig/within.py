"""Check groups after a run has come to rest: who was asked, where the answers were said, and who knows the secrets."""

from __future__ import annotations

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from bot.core.texts import people
from bot.tools.workspace import TEMPORARY_FILE_PREFIX
from tests.rig import groups
from tests.rig.asking import ANSWER, MARK, answer

if TYPE_CHECKING:
    from tests.rig.checks import Played

OPENER = re.compile(r"t(\d+)\b")  # the number of the message that began the tree of an id
SECRET = re.compile(r"\$(?:file|memory)-of-(\w+)")


class Walls:
    """Tell which group each turn belongs to, by its chat and its calls, and which turns answer other groups (hops)."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self.turns = {row["id"]: row for row in db.execute("SELECT * FROM turns")}
        self.arguments = {row["id"]: json.loads(row["arguments"]) for row in db.execute("SELECT * FROM calls")}
        self.heard = {row["seq"]: row["address"] for row in db.execute("SELECT seq, address FROM inbox")}
        self.readers = dict(db.execute("SELECT key, turn FROM inbox WHERE kind = 'report'").fetchall())

    def asked(self, turn: str) -> str:
        """Return the group that the turn's call asked, or "" if it asked none."""
        return str(self.arguments.get(turn, {}).get("group", ""))

    def hops(self) -> list[sqlite3.Row]:
        return [row for id, row in self.turns.items() if self.asked(id)]

    def of(self, turn: str) -> str:
        """Return the group of the nearest question above the turn, or of the chat where its tree began."""
        while "/" in turn:
            if asked := self.asked(turn):
                return asked
            turn = self.parent(turn)
        return groups.at(self.place(turn) or "")

    def parent(self, turn: str) -> str:
        return turn.rsplit("/", 2)[0]

    def place(self, id: str) -> str | None:
        """Return the address of the message that began the tree of an id. Return None if no message did."""
        found = OPENER.match(id)
        return self.heard[int(found.group(1))] if found else None

    def has_told_person(self, turn: str) -> bool:
        """Return True if the turn was completed, and also each turn that its report went through to a root's reply."""
        row = self.turns[turn]
        if row["status"] != "completed" or row["report"] == people.ROLES_GO_ON():  # that reply holds no report
            return False
        reader = self.readers.get(f"report:{turn}") if row["background"] else self.parent(turn)
        return "/" not in turn or (reader is not None and self.has_told_person(reader))


def places(db: sqlite3.Connection, run: Played) -> Iterator[str]:
    """Everything said for a message is said in that message's chat, even by a group that has its own chat."""
    walls = Walls(db)
    for row in db.execute("SELECT key, address, text FROM outbox WHERE kind != 'approval'"):
        if (walls.place(row["key"]) or row["address"]) != row["address"]:
            yield f"{row['key']} was said at {row['address']}"
    for send in run.world.sends:
        if send["kind"] == "approval":
            continue  # `approvals` checks these: the owner is asked in private about what a group chat wants
        tags = {f"#{mark[1:].split('.')[0]}" for mark in MARK.findall(send["text"])}
        if any(run.tags.get(tag) != send["address"] for tag in tags):
            yield f"at {send['address']} was shown: {send['text']}"


def hops(db: sqlite3.Connection, run: Played) -> Iterator[str]:
    """A group that asks gets the answer to its own question, once. The person also hears it once."""
    walls, asked = Walls(db), {row["id"]: row for row in db.execute("SELECT * FROM calls")}
    said: Counter[tuple[str | None, str]] = Counter()
    for row in db.execute("SELECT address, text FROM outbox WHERE kind = 'reply'"):
        said.update((row["address"], found) for found in ANSWER.findall(row["text"]))
    reports = dict(db.execute("SELECT key, text FROM inbox WHERE kind = 'report'").fetchall())
    for turn in walls.hops():
        id, group = turn["id"], walls.asked(turn["id"])
        run.figures[f"hops {turn['status']}"] += 1
        words = answer(group, MARK.findall(walls.arguments[id]["task"])[0])
        told = str(reports.get(f"report:{id}") if turn["background"] else asked[id]["result"])
        if strangers := set(ANSWER.findall(told)) - answers_below(walls, id):
            yield f"{id} was told {sorted(strangers)}, and should have been told {words}"
        if turn["status"] == "completed" and words not in told:
            yield f"{id} was told {told}, not {words}"
        times = said.pop((walls.place(id), words), 0)
        if times > 1 or (walls.has_told_person(id) and not times):
            yield f"{words} was said {times} times"
    yield from (f"at {address} was said: {words}" for address, words in said)
    run.figures["hops busy"] += sum(str(call["result"]).startswith("busy:") for call in asked.values())
    if run.scenario == "hops" and not walls.hops():
        yield "nobody was asked"


def answers_below(walls: Walls, id: str) -> set[str]:
    """Return the answers that a hop may report: its own, and those of the groups below it."""
    found = [turn["id"] for turn in walls.hops() if f"{turn['id']}/".startswith(f"{id}/")]
    return {answer(walls.asked(each), MARK.findall(walls.arguments[each]["task"])[0]) for each in found}


def secrets(db: sqlite3.Connection, run: Played) -> Iterator[str]:
    """A transcript holds no secret of another group's files or memory, and a group read only its own notes."""
    walls = Walls(db)
    for row in db.execute("SELECT * FROM turns"):
        if row["group_name"] != walls.of(row["id"]):
            yield f"{row['id']} is in the walls of {row['group_name']!r}, not of {walls.of(row['id'])!r}"
    for entry in db.execute("SELECT turn, body FROM entries"):
        strange = set(SECRET.findall(entry["body"])) - {walls.of(entry["turn"])}
        if strange:
            yield f"{entry['turn']}, of {walls.of(entry['turn'])!r}, knows of {sorted(strange)}: {entry['body']}"
    for call in db.execute("SELECT * FROM calls WHERE name = 'read_file' AND state = 'done' AND NOT is_error"):
        run.figures["notes read"] += 1
        if groups.file_of(walls.of(call["turn"])) not in call["result"]:
            yield f"{call['id']} of {walls.of(call['turn'])} read {call['result']}"


def files(db: sqlite3.Connection, run: Played) -> Iterator[str]:
    """A file that a group wrote is in its own workspace and in no other."""
    walls = Walls(db)
    wanted = {
        (walls.of(call["turn"]), json.loads(call["arguments"])["path"])
        for call in db.execute("SELECT * FROM calls WHERE name = 'write_file' AND state = 'done' AND NOT is_error")
    }
    found = {(group, path.name) for group in groups.CHATS for path in groups.workspace(run.folder, group).iterdir()}
    drafts = {(group, name) for group, name in found if name.startswith(TEMPORARY_FILE_PREFIX)}
    if len(drafts) > run.killed:  # a kill may leave a draft, which the tools do not show
        yield f"{sorted(drafts)} are left"
    found -= drafts | {(group, groups.NOTES) for group in groups.CHATS}
    if missing := wanted - found:
        yield f"{sorted(missing)} is not there"
    begun = {
        (walls.of(call["turn"]), json.loads(call["arguments"])["path"])
        for call in db.execute("SELECT * FROM calls WHERE name = 'write_file' AND state = 'done'")
    }
    if strange := found - begun:
        yield f"{sorted(strange)} is there"


CHECKS = (places, hops, secrets, files)
