"""Check the rows, and what the world has seen, after a run has come to rest."""

from __future__ import annotations

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bot.core.limits import MAX_CRASHES_PER_TURN
from bot.core.texts import people
from bot.core.turn import SCHEDULE_MESSAGE_ID_PREFIX
from bot.journal.bus import Urgency
from bot.store.connection import Connection
from tests.rig import (
    agreements,
    approvals,
    arrivals,
    clubs,
    effects,
    files,
    persons,
    rebuilding,
    schedules,
    threads,
    voices,
    within,
)
from tests.rig.costs import DECISIONS, OTHER_WORDS
from tests.rig.held import SAYINGS, WHY_NOT
from tests.rig.script import DIRECT_REPORT, QUOTED, TAG
from tests.rig.troubles import REFUSED
from tests.support.wording import REPEAT_MARK

if TYPE_CHECKING:
    from tests.rig.world import World

Json = dict[str, Any]
COSMETIC = ("board", "draft")
IS_DIRECT = "depth > 0 AND instr(turns.id, '/') = 0"  # a turn that words to an ended delegation have opened
DIRECT_TURNS = f"SELECT turns.id FROM turns WHERE {IS_DIRECT}"
IS_STEERING = f"inbox.kind = 'text' AND (instr(inbox.turn, '/') > 0 OR inbox.turn IN ({DIRECT_TURNS}))"
# Those of the simulator, whose people write at any moment
BUSY_SCENARIOS = ("crowd", "hostile", "wary", "asked", "planners", "kin", "town", "village")
ANSWERS = ("red", OTHER_WORDS, *DECISIONS, WHY_NOT, *SAYINGS)
MARKED = re.compile(rf"(\[[^\]]+\]: (#\d+ · )?)?{re.escape(REPEAT_MARK)}")  # behind the label of a role
MAY_FAIL = {
    "bomb": {"bomb"},
    "one_bomb": {"bomb"},
    "suicide": {"lead"},
    "hop_bomb": {"beta"},
}  # by scenario: the roles that kill the bot; all others must not fail
MAY_BE_STOPPED = {
    **dict.fromkeys(("stop", "short", "stop_midway", "stop_hops", "stop_searching", "stop_threads", "mix")),
    **dict.fromkeys(("costly_stop", "held_stop", "crowd", "hostile", "wary", "asked", "planners", "town", "village")),
    "stop_one": {"analyst"},
    "several": {"analyst"},
    "background": {"researcher", "lead"},  # their report may have come just before the stop
}


@dataclass
class Played:
    """What a run leaves to be checked, besides the rows."""

    seed: int
    scenario: str
    kill: str = ""  # the moment of a kill, if it was chosen beforehand
    killed: int = 0
    commits: int = 0
    has_closed: bool = True  # the last bot has ended cleanly, and no kill came in between
    counts: Counter[str] = field(default_factory=Counter)
    tags: dict[str, str] = field(default_factory=dict)  # of messages that must be answered: tag → address
    faults: list[str] = field(default_factory=list)
    figures: Counter[str] = field(default_factory=Counter)
    world: World = field(init=False)
    settings: dict[str, Any] = field(init=False)
    folder: Path = field(init=False)


def check(path: Path, run: Played) -> list[str]:
    """Return every fault found, each with the name of its check."""
    db = sqlite3.connect(path, factory=Connection)
    try:
        checks = (
            delivery,
            order,
            answers,
            steering,
            direct_turns,
            said,
            *effects.CHECKS,
            endings,
            questions,
            money,
            transcripts,
            *within.CHECKS,
            *agreements.CHECKS,
            *approvals.CHECKS,
            *threads.CHECKS,
            *files.CHECKS,
            *arrivals.CHECKS,
            *persons.CHECKS,
            *clubs.CHECKS,
            *voices.CHECKS,
            *schedules.CHECKS,
            *rebuilding.CHECKS,
        )
        return [f"{each.__name__}: {fault}" for each in checks for fault in each(db, run)]
    finally:
        db.close()


def first_sends(run: Played) -> list[Json]:
    """Return the first sending of each part that people saw. Leave out boards and drafts."""
    first: dict[str, Json] = {}
    for send in run.world.sends:
        if send["kind"] not in COSMETIC:
            first.setdefault(send["key"], send)
    return list(first.values())


def delivery(db: sqlite3.Connection, run: Played) -> Iterator[str]:
    """Nothing was lost, doubled without a mark, or shown in another chat."""
    rows = {row["key"]: row for row in db.execute("SELECT * FROM outbox")}
    sent = [send for send in run.world.sends if send["do"] == "send" and send["kind"] not in COSMETIC]
    plain = Counter(send["key"] for send in sent if not MARKED.match(send["text"]))
    run.figures["marked"] += len(sent) - plain.total()
    boards = [send for send in run.world.sends if send["do"] == "send" and send["kind"] == "board"]
    plain += Counter(  # a later part may go and come back
        send["key"] for send in boards if send["key"].endswith(":0") and not MARKED.match(send["text"])
    )
    yield from (f"{key} doubled" for key, times in plain.items() if times - run.world.replaced[key] > 1)
    for send in run.world.sends:
        row = rows.get(send["key"].rsplit(":", 1)[0])  # a draft has no row
        if row and threads.shown_at(row) != send["address"]:
            yield f"{send['key']} shown at {send['address']}"
    for key, row in rows.items():
        if row["kind"] not in COSMETIC:
            yield from not_as_said(key, row, run)
    left = Counter(each["kind"] for each in run.world.shown.values())
    run.figures["drafts left"] += left["draft"]
    # If the bot dies while it sends a draft, it forgets the draft: at most one for each chat and kill.
    cuts = (run.killed + run.figures["sigterm"]) * len(set(run.tags.values())) + run.world.troubles.seen["cut anyway"]
    if left["draft"] > cuts:
        yield f"{left['draft']} drafts left to be seen"


def said(db: sqlite3.Connection, run: Played) -> Iterator[str]:
    """Each text that a root turn wrote beside its calls was said once, and so was each post of a role."""
    rows = {row["key"]: row for row in db.execute("SELECT * FROM outbox")}
    again = {row["replaces"]: row["text"] for row in rows.values() if row["kind"] == "reply" and row["replaces"]}
    entries = "SELECT entries.* FROM entries JOIN turns ON turns.id = entries.turn WHERE depth = 0 AND schedule = 0"
    for entry in db.execute(f"{entries} AND entries.role = 'assistant'"):
        blocks, key = json.loads(entry["body"]), f"{entry['turn']}/{entry['seq']}"
        text = "\n".join(block["text"] for block in blocks if block["type"] == "text")
        if text and any(block["type"] == "tool_use" for block in blocks):
            run.figures["said beside calls"] += 1
            run.figures["said again at the end"] += key in again
            if key not in rows or text not in (rows[key]["text"], again.get(key)):
                yield f"{key} was not said: {text}"
    for call in db.execute("SELECT * FROM calls WHERE name = 'message' AND NOT is_error"):
        if call["id"] not in rows:
            yield f"{call['id']} was not posted: {call['arguments']}"


def not_as_said(key: str, row: sqlite3.Row, run: Played) -> Iterator[str]:
    """Yield what is wrong with how a message is shown. All its parts must be there, or a word about it if it was
    refused. An update that its turn's reply repeats must be gone."""
    if row["kind"] == "update" and not row["text"] and row["files"] == "[]":
        if row["platform_ids"] != "[]":
            yield f"{key} is still to be seen"
        return
    if row["state"] == "failed" and REFUSED in row["text"] and row["is_told"]:
        run.figures["refused"] += 1
        return
    parts = json.loads(row["platform_ids"])
    seen = [run.world.shown.get(id, {"key": "nothing"})["key"] for id in parts]
    if row["state"] != "sent" or seen != [f"{key}:{number}" for number in range(len(parts))] or not parts:
        yield f"{key} is {row['state']}, and {seen} is to be seen"


def order(db: sqlite3.Connection, run: Played) -> Iterator[str]:
    """In each lane, the messages of a root turn and of all below it are shown in the order in which they were said,
    part by part. Only more urgent messages of other turns may come before earlier ones."""
    rows = {row["key"]: row for row in db.execute("SELECT * FROM outbox")}
    for address in set(run.tags.values()):
        keys = [send["key"].rsplit(":", 1) for send in first_sends(run) if send["address"] == address]
        keys = [(key, part) for key, part in keys if key in rows or not key.startswith(SCHEDULE_MESSAGE_ID_PREFIX)]
        trees: dict[str, list[tuple[int, int]]] = {}
        for key, part in keys:
            if key not in rows:
                continue  # it was deleted with a person who was forgotten
            if rows[key]["kind"] in ("question", "approval") and part != "0":
                continue  # the outcome below a question may have made it longer
            trees.setdefault(rows[key]["tree"], []).append((rows[key]["seq"], int(part)))
        yield from (f"{address} saw {keys}, of {tree} in disorder" for tree, at in trees.items() if at != sorted(at))
        kept = [rows[key] for key, _ in keys if key in rows]
        usual = [row["seq"] for row in kept if row["urgency"] == Urgency.USUAL and alone(row)]
        if usual != sorted(usual):
            yield f"{address} saw {keys}, though nothing urgent was in between"


def alone(row: sqlite3.Row) -> bool:
    """Return True if no more urgent message of the same turn can have moved this one forward."""
    return bool(row["tree"] == row["key"])


def answers(db: sqlite3.Connection, run: Played) -> Iterator[str]:
    """Every message was answered once, in its own chat and in order. The model read it at most once."""
    said: dict[str, list[str]] = {address: [] for address in run.tags.values()}
    for row in db.execute("SELECT * FROM outbox WHERE kind = 'reply' OR text LIKE 'Stopped before%' ORDER BY seq"):
        said.setdefault(row["address"], []).extend(
            TAG.findall(row["text"]) or tags_not_named(db, row["key"], row["text"])
        )
    steered = {
        tag for (text,) in db.execute(f"SELECT text FROM inbox WHERE {IS_STEERING}") for tag in TAG.findall(text)
    }
    closed = steered | agreements.tags_told_to_answer(db)
    for address, found in said.items():
        wanted = [tag for tag, where in run.tags.items() if where == address and tag not in closed]
        in_order = (
            run.scenario in ("stop_unbegun", *arrivals.ARRIVALS, voices.SCENARIO, *BUSY_SCENARIOS) or found == wanted
        )
        if sorted(found) != sorted(wanted) or not in_order:
            yield f"{address} wrote {wanted}, was answered {found}"
    # The reports of stopped work and of direct turns may still wait for the person's next message.
    stopped = "address IN (SELECT address FROM turns WHERE status = 'cancelled'"
    stopped += " UNION SELECT address FROM inbox WHERE text LIKE '%stop%')"
    direct = f"key IN (SELECT 'report:' || id FROM ({DIRECT_TURNS}))"
    newer = "newer.address = inbox.address AND newer.person = inbox.person AND newer.seq > inbox.seq"
    newer += " AND newer.kind = 'text' AND newer.turn IN (SELECT id FROM turns WHERE depth = 0)"
    halt = "halt.address = newer.address AND halt.seq > newer.seq AND halt.text LIKE '%stop%'"  # it holds them again
    newer += f" AND NOT EXISTS (SELECT 1 FROM inbox AS halt WHERE {halt})"
    overtaken = f"EXISTS (SELECT 1 FROM inbox AS newer WHERE {newer})"
    may_be_set_aside = run.scenario == "suicide" or run.killed >= MAX_CRASHES_PER_TURN
    is_held = f"held_until >= '9999' AND ({stopped} OR {direct}) AND NOT {overtaken}"
    yield from (
        f"inbox {row['key']} is {row['state']}"
        for row in db.execute(f"SELECT *, {is_held} AS is_held FROM inbox WHERE state != 'done'")
        if not (row["state"] == "aside" and (row["why"] == "rubbish" or may_be_set_aside))
        and not (row["state"] == "received" and row["is_held"])
    )
    given_up = "SELECT key FROM inbox JOIN turns ON turns.id = inbox.turn WHERE turns.is_set_aside"
    yield from (
        f"inbox {row['key']} is not kept, though its turn was set aside"
        for row in db.execute(f"{given_up} AND turns.depth = 0 AND inbox.state != 'aside'")
    )
    # An empty row may begin a conversation, and nobody wrote what a schedule begins
    written = "kind != 'report' AND origin != 'schedule' AND key NOT LIKE 'left:%'"
    if len({row["key"] for row in db.execute(f"SELECT key FROM inbox WHERE {written}")}) != run.world.told:
        yield "not every message is in the inbox"
    read = [row["body"] for row in db.execute("SELECT body FROM entries WHERE role = 'user' AND session LIKE '%#%'")]
    texts = [block["text"] for body in read for block in json.loads(body) if block["type"] == "text"]
    texts = [QUOTED.sub("", text) for text in texts if not text.startswith("<summary>")]  # it may quote them
    yield from (f"{tag} read {n} times" for tag, n in Counter(TAG.findall(" ".join(texts))).items() if n > 1)


def texts_of(body: str) -> list[str]:
    return [block["text"] for block in json.loads(body) if block["type"] == "text"]


def steering(db: sqlite3.Connection, run: Played) -> Iterator[str]:
    """What was written to a delegation was read there once, unless a person stopped it first, or there was no money to
    let an ended one work again."""
    entries = [
        (row["turn"], " ".join(QUOTED.sub("", text) for text in texts_of(row["body"]) if not DIRECT_REPORT.match(text)))
        for row in db.execute("SELECT turn, body FROM entries WHERE role = 'user'")
    ]
    at_limit = {row["id"] for row in db.execute("SELECT id FROM turns WHERE status IN ('budget', 'timeout')")}
    for row in db.execute(f"SELECT inbox.*, status FROM inbox JOIN turns ON turns.id = turn WHERE {IS_STEERING}"):
        read = [turn for turn, body in entries if re.search(re.escape(row["text"]) + r"(?!\d)", body)]
        run.figures["steered"] += 1
        is_unread = row["status"] == "cancelled" or (row["status"] == "budget" and "/" not in row["turn"])
        if row["text"] in ANSWERS:  # it came too late, or from somebody else, and others have written the same
            read = [turn for turn in read if turn == row["turn"]][:1]
        read = [turn for turn in read if turn == row["turn"] or turn not in at_limit]  # it has not replied to them
        if read != [row["turn"]] and (read or not is_unread):
            yield f"{row['key']}, to {row['turn']}, was read by {read}"


def direct_turns(db: sqlite3.Connection, run: Played) -> Iterator[str]:
    """A direct turn answers the message that opened it, once, unless a person has stopped it."""
    replies = "SELECT count(*) FROM outbox WHERE key = turns.id || ':reply' AND kind = 'reply' AND role NOT NULL"
    for row in db.execute(f"SELECT id, stopped_by, ({replies}) AS replies FROM turns WHERE {IS_DIRECT}"):
        run.figures["direct turns"] += 1
        if row["replies"] != 1 and not row["stopped_by"]:
            yield f"{row['id']} has {row['replies']} replies"


def tags_not_named(db: sqlite3.Connection, key: str, text: str) -> list[str]:
    """Return the tags of the messages to a turn whose reply does not name them: the turn was stopped while it wrote, or
    ended while its roles went on."""
    is_so = f"({text == people.ROLES_GO_ON()} OR status = 'cancelled') AND depth = 0"
    stopped = f"SELECT id FROM turns WHERE {is_so} AND id = ?"
    named = f"SELECT text FROM inbox WHERE turn IN ({stopped}) AND kind != 'report' ORDER BY seq"
    rows = db.execute(named, (key.removesuffix(":reply"),))
    return [tag for (text,) in rows for tag in TAG.findall(text)]


def endings(db: sqlite3.Connection, run: Played) -> Iterator[str]:
    """Every turn ended as it had to, and its parent was told so."""
    may_fail, may_be_stopped = MAY_FAIL.get(run.scenario, set()), MAY_BE_STOPPED.get(run.scenario, set())
    for row in db.execute("SELECT * FROM turns"):
        status, role = row["status"], row["role"]
        run.figures[f"turns {status}"] += 1
        wrong_stop = status == "cancelled" and may_be_stopped is not None and role not in may_be_stopped
        wrong_budget = status in ("budget", "timeout") and run.scenario not in (
            "poor",
            "short",
            "slow",
            "thirsty",
            "hostile",
            "planners",
        )
        wrong_failure = status == "failed" and role not in may_fail
        has_other_crashes = (run.kill and may_fail) or run.killed >= MAX_CRASHES_PER_TURN
        if wrong_failure and has_other_crashes and row["is_set_aside"]:
            # Our kills, alone or on top of those by a role, found this turn open each time: the bot must suspect it.
            run.figures["set aside beside"] += 1
            wrong_failure = False
        if row["state"] != "ended" or wrong_failure or wrong_stop or wrong_budget:
            yield f"{row['id']} ({role}) is {row['state']}, {status}: {row['reason']}"
    stopped = {row["address"] for row in db.execute("SELECT * FROM turns WHERE status = 'cancelled'")}
    if run.scenario == "stop_midway" and stopped != set(run.tags.values()):
        yield f"stopped only at {stopped}: a stop that a crash undoes is none"
    for row in db.execute("SELECT * FROM turns JOIN calls USING (id) WHERE NOT background"):
        told = str(row["result"])
        if f" · {row['status']}" not in told and not (row["status"] == "failed" and " failed: " in told):
            yield f"the parent of {row['id']}, {row['status']}, was told {told}"


def questions(db: sqlite3.Connection, run: Played) -> Iterator[str]:
    """Each question was answered by the person asked, or given up for their next message, and never late."""
    asked_directly = {id for (id,) in db.execute(DIRECT_TURNS)}  # the people of a plot do not wait for these
    tells = db.execute("SELECT text FROM inbox WHERE kind = 'command' AND text LIKE '/tell % %'")
    answers = {"red", None, *(text.split(maxsplit=2)[2] for (text,) in tells)}
    for row in db.execute("SELECT questions.*, calls.result FROM questions JOIN calls USING (id)"):
        run.figures[f"questions {row['state']}"] += 1
        # In a busy scenario others wait, and the bot is away for long.
        may_expire = row["turn"] in asked_directly or run.scenario in BUSY_SCENARIOS
        if row["state"] in (("open",) if may_expire else ("open", "expired")) or row["answer"] not in answers:
            yield f"{row['id']} is {row['state']}: {row['answer']}"
        if row["state"] == "answered" and run.scenario == "instead":
            yield f"{row['id']} was answered, which nobody did"


def money(db: sqlite3.Connection, run: Played) -> Iterator[str]:
    """Everything that was billed was charged, and no cap was passed."""
    if run.scenario in (persons.SCENARIO, "kin"):
        return  # the requests of a forgotten person are deleted
    rows = db.execute("SELECT *, ifnull(cost, reserved) AS charge FROM requests").fetchall()
    turns = db.execute("SELECT * FROM turns").fetchall()
    caps = {turn["id"]: turn["max_cost"] for turn in turns}
    for root, billed in run.world.billed_by_root.items():
        if billed > caps.get(root, billed):  # a root turn's own requests are counted by its session
            yield f"{root} was billed {billed}, of {caps[root]}"
    if run.world.billed > run.settings.get("day", run.world.billed):
        yield f"{run.world.billed} billed on a day"
    run.figures["requests"] += len(rows)
    run.figures["lost"] += sum(row["state"] == "lost" for row in rows)
    if any(row["state"] == "open" for row in rows):
        yield "a request is open"
    if len(rows) < run.world.billings or sum(row["charge"] for row in rows) < run.world.billed:
        yield f"{run.world.billed} billed in {run.world.billings} requests, charged {len(rows)}"
    for turn in turns:
        below = [row for row in rows if f"{row['turn']}/".startswith(f"{turn['id']}/") and row["root"] == turn["root"]]
        spent = sum(row["charge"] for row in below)
        apart = sum(
            each["max_cost"] for each in turns if each["root"] == each["id"] and each["id"].startswith(f"{turn['id']}/")
        )
        if (spent + apart, 0) != (turn["cost"], turn["reserved"]) or spent > turn["max_cost"]:
            yield f"{turn['id']} has spent {spent} and {apart}, of {turn['max_cost']}; its row has {turn['cost']}"
    people = {turn["id"]: f"@{turn['address'].partition(':')[0]}:{turn['person']}" for turn in turns}
    for row in db.execute("SELECT * FROM spending"):
        of_day = [each for each in rows if row["day"] == each["day"]]
        there = [each["charge"] for each in of_day if row["chat"] in ("", each["chat"], people[each["turn"]])]
        if (
            row["cost"] < sum(there)
            or row["reserved"]
            or (row["cost"] > sum(there) and run.scenario != voices.SCENARIO)
        ):
            yield f"the day at {row['chat']!r} has {row['cost']}, not {sum(there)}"
        if row["chat"] == "" and row["cost"] > run.settings.get("day", row["cost"]):
            yield f"the day has {row['cost']}, which is more than its cap"


def transcripts(db: sqlite3.Connection, run: Played) -> Iterator[str]:
    """Every transcript is closed: it does not end with the user, so the next entry has its place."""
    last = "SELECT session, role, max(seq) FROM entries GROUP BY session"
    yield from (f"{row['session']} ends with the {row['role']}" for row in db.execute(last) if row["role"] == "user")
