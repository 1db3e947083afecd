"""Check what calls have changed: effects in the world, and memories."""

from __future__ import annotations

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from bot.core.texts import model
from tests.rig import within

if TYPE_CHECKING:
    from tests.rig.checks import Played

NUMBER = re.compile(r"\d+")


def effects(db: sqlite3.Connection, run: Played) -> Iterator[str]:
    """A call that changes things happens at most once, and its result says what happened."""
    happened = Counter(run.world.effects)
    yield from (f"{call} happened {times} times" for call, times in happened.items() if times > 1)
    for row in db.execute("SELECT * FROM calls WHERE name = 'change' AND state = 'done'"):
        run.figures["unknown"] += row["result"] in (model.CALL_INTERRUPTED, model.CALL_OUT_OF_TIME)
        if row["result"] == "change ok" and not happened[row["id"]]:
            yield f"{row['id']} says it happened"
        if row["result"] in (model.CALL_NOT_RUN, model.NO_TIME_FOR_CALL) and happened[row["id"]]:
            yield f"{row['id']} says it did not happen"


def memory(db: sqlite3.Connection, run: Played) -> Iterator[str]:
    """Each memory that was saved and not forgotten is there once, of its person or group, by the role that saved it."""
    calls = db.execute(
        "SELECT calls.*, address, person, role, depth FROM calls JOIN turns ON turns.id = calls.turn"
    ).fetchall()
    done = [call for call in calls if call["state"] == "done" and not call["is_error"]]
    saved = {int(NUMBER.findall(call["result"])[0]): call for call in done if call["name"] == "memory_save"}
    gone = [json.loads(call["arguments"])["id"] for call in done if call["name"] == "memory_forget"]
    walls = within.Walls(db)
    run.figures["saved"] += len(saved)
    run.figures["forgotten"] += len(gone)
    wanted = {
        (
            id,
            call["id"],
            "" if walls.of(call["turn"]) else f"@{call['address'].partition(':')[0]}:{call['person']}",
            walls.of(call["turn"]) or None,
            json.loads(call["arguments"])["text"],
            call["role"] if call["depth"] else None,
        )
        for id, call in saved.items()
        if id not in gone
    }
    found = {tuple(row) for row in db.execute("SELECT id, call, chat, group_name, text, role FROM memories")}
    is_judged = run.scenario == "kin"  # by its own rules: there people forget memories, and save some for a group chat
    if not is_judged and (found != wanted or len(saved) != sum(call["name"] == "memory_save" for call in calls)):
        yield f"remembered {sorted(found)}, should be {sorted(wanted)}"
    db.execute("CREATE VIRTUAL TABLE temp.indexed USING fts5vocab(main, memory_words, instance)")
    words = {id for (id,) in db.execute("SELECT DISTINCT doc FROM temp.indexed")}
    db.execute("DROP TABLE temp.indexed")
    if words != {id for (id,) in db.execute("SELECT id FROM memories WHERE stems IS NOT NULL")}:
        yield f"the words of {sorted(words)} are kept"


CHECKS = (effects, memory)
