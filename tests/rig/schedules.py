"""Reminders and schedules while the bot is killed and its clock is set: each time comes once, or is told.

People say what the lead calls: `plan remind_me text=tea when=PT0S | schedule_create task=water …`. Nobody waits until
an hour has passed: the world sets the bot's clock.
"""

from __future__ import annotations

import re
import sqlite3
import time
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bot.core.texts import model_schedules, people_schedules
from bot.core.turn import SCHEDULE_MESSAGE_ID_PREFIX

if TYPE_CHECKING:
    from tests.rig.checks import Played

Row = sqlite3.Row | dict[str, Any]
Call = tuple[str, dict[str, Any]]
PLAN = "plan"  # the plot of a lead that makes what it is told
WATER, IDLE, NEWS = "water", "idle", "news"  # tasks: one changes something, one has nothing to tell, one only tells
RUN_OF_SCHEDULE = re.compile(r"\[(?:Schedule \d+, which|.+? wants schedule \d+).*?\]\n  (\S+)", re.DOTALL)
MADE = re.compile(r"schedule (\d+) is made")
HAS_CLOCK = "has_clock"  # the setting of a scenario whose world sets the bot's clock
STARTED_VARIABLE = "STARTED"  # of the bot: when the world began
CLOCK_FILE = "clock"  # it says how many seconds the world has added to the bot's clock
BEGINNING = datetime(2026, 1, 1, 12, 0, 10, tzinfo=UTC)
HOUR_SECONDS = 3_600
OFFSETS = {"": 0, "UTC": 0, "Asia/Tokyo": 9, "America/Phoenix": -7}  # hours: zones whose clocks never jump
PERIODS = {"MINUTELY": timedelta(minutes=1), "HOURLY": timedelta(hours=1), "DAILY": timedelta(days=1)}
REMINDED, RAN = "reminder posted", ("run", "nothing to tell", "failed")


def calls_of_plan(words: str) -> list[Call]:
    """Return the calls that a message of a person names, without its first word and its tag."""
    found = []
    for part in words.split("|"):
        name, *arguments = part.split()
        given: dict[str, Any] = dict(each.split("=", 1) for each in arguments if "=" in each)
        if "tools" in given:
            given["tools"] = given["tools"].split(",")
        found.append((name, given))
    return found


def read_clock(folder: Path, started: float) -> datetime:
    """Return the time on the bot's clock: what has passed since the world began, and what the world has added."""
    file = folder / CLOCK_FILE
    added = float(file.read_text() or 0) if file.exists() else 0.0
    return BEGINNING + timedelta(seconds=time.time() - started + added)


# Checks


def times_named(row: Row, after: datetime, until: datetime) -> list[datetime]:
    """Return the times of a schedule after one moment and not after another."""
    found = []
    for moment in iterate_times(row, after):
        if moment > until:
            break
        found.append(moment)
    return found


def first_time_after(row: Row, after: datetime) -> datetime | None:
    return next(iterate_times(row, after), None)


def iterate_times(row: Row, after: datetime) -> Iterator[datetime]:
    """Yield the times of a schedule after a moment, by plain arithmetic."""
    if row["once"]:
        once = datetime.fromisoformat(row["once"])
        if once > after:
            yield once
        return
    parts = dict(part.split("=") for part in row["repeat"].split(";"))
    period = PERIODS[parts["FREQ"]] * int(parts.get("INTERVAL", "1"))
    offset = timedelta(hours=OFFSETS[row["zone"]])
    start = datetime.fromisoformat(row["start"]).replace(tzinfo=UTC) - offset
    most = int(parts.get("COUNT", 10**9))
    for number in range(max(0, (after - start) // period + 1), most):
        yield start + number * period


def schedules(db: sqlite3.Connection, run: Played) -> Iterator[str]:
    """Each time of a schedule is there once, with what it is for, or the next one has told that it was left out."""
    posted = {key for (key,) in db.execute("SELECT key FROM outbox WHERE key LIKE 'schedule:%'")}
    begun = {row["key"]: row for row in db.execute("SELECT * FROM inbox WHERE origin = 'schedule'")}
    turns = {row["id"]: row for row in db.execute("SELECT * FROM turns")}
    replies = {key for (key,) in db.execute("SELECT key FROM outbox WHERE kind = 'reply' AND key LIKE '%:reply'")}
    commands = [text.split() for (text,) in db.execute("SELECT text FROM inbox WHERE text LIKE '/schedules %'")]
    changed = {int(words[2]) for words in commands if words[1] in ("pause", "resume") and words[2:]}
    stopped = "SELECT address FROM inbox WHERE text LIKE '/stop%' OR lower(text) = 'stop'"
    stops = {address for (address,) in db.execute(stopped)}
    known = set()
    for row in db.execute("SELECT * FROM schedules ORDER BY number"):
        number, id = row["number"], f"{SCHEDULE_MESSAGE_ID_PREFIX}{row['number']}:"
        times = db.execute("SELECT * FROM occurrences WHERE schedule = ? ORDER BY due_at", (number,)).fetchall()
        run.figures["schedules"] += 1
        done = [each for each in times if each["outcome"] in (REMINDED, *RAN)]
        for each in times:
            due = datetime.fromisoformat(each["due_at"])
            key = f"{id}{due:%Y-%m-%dT%H:%M:%S}"
            known.add(key)
            run.figures[f"times {each['outcome']}"] += 1
            if (each["outcome"] == REMINDED) != (key in posted):
                yield f"{key} is {each['outcome']}, and its reminder is {'' if key in posted else 'not '}there"
            if (each["outcome"] in RAN) != (key in begun):
                yield f"{key} is {each['outcome']}, and its run is {'' if key in begun else 'not '}there"
            if key in begun:
                is_gone = row["state"] == "deleted" or (begun[key]["state"] == "done" and row["address"] in stops)
                yield from run_as_noted(each["outcome"], begun[key], turns, replies, is_gone=is_gone)
        is_judged = run.scenario == "planners"  # at each transaction
        if is_judged or number in changed or row["condition"] or not row["last_at"]:
            continue
        named = times_named(row, datetime.fromisoformat(row["made_at"]), datetime.fromisoformat(row["last_at"]))
        wanted, told = 1 if row["once"] else len(named), sum(1 + each["missed_count"] for each in done)
        told += row["missed_count"]
        if told != wanted:
            yield f"schedule {number} was due {wanted} times, and {told} came or were told"
    wanted_now = Counter(key.split(":")[1] for key in (*posted, *begun) if ":now:" in key)
    run.figures["runs wanted"] += wanted_now.total()
    answered = db.execute(
        "SELECT inbox.text FROM inbox JOIN outbox ON outbox.key = inbox.key || ':done' WHERE inbox.text LIKE"
        " '/schedules run %' AND outbox.text LIKE ?",
        (f"{str(people_schedules.SCHEDULE_RUNS(text='')).rstrip()}%",),
    )
    if wanted_now != Counter(text.split()[2] for (text,) in answered) and not run.figures["forgotten schedules"]:
        yield f"wanted now and done: {dict(wanted_now)}"
    numbers = {row["number"] for row in db.execute("SELECT number FROM schedules")}
    for key in (*posted, *begun):
        _, number, *what = key.split(":", 2)
        if what and what[0][:2] == "20" and int(number) in numbers and key not in known:
            yield f"{key} is there, and was never due"


def run_as_noted(
    outcome: str, message: sqlite3.Row, turns: dict[str, sqlite3.Row], replies: set[str], *, is_gone: bool
) -> Iterator[str]:
    """Yield what is wrong with the turn of a run, by what was noted about it."""
    turn = turns.get(message["turn"])
    if turn is None:
        if not is_gone:
            yield f"{message['key']} has no turn"
        return
    if not turn["schedule"] and turn["status"] == "cancelled":  # what waits is stopped together with what is at work
        return
    if not turn["schedule"]:
        yield f"{message['key']} was worked on though its schedule was gone"
    has_reply = f"{turn['id']}:reply" in replies
    if has_reply and outcome == "nothing to tell":
        yield f"{turn['id']} had nothing to tell, and posted something"
    if outcome == "run" and turn["status"] == "completed" and not has_reply and not is_gone:
        yield f"{turn['id']} told nothing"


def numbers_of_plan(results: list[str]) -> str:
    """Return the numbers of what was made, short enough for one part of a message."""
    return f"made {' '.join(number for result in results for number in MADE.findall(result))}."


def last_words_of_run(task: str) -> str:
    return model_schedules.NOTHING_TO_REPORT if task == IDLE else f"about the {task}"


def silent_ends(db: sqlite3.Connection, run: Played) -> Iterator[str]:
    """Nobody sees the word by which a run ends that has nothing to tell."""
    for send in run.world.sends:
        if model_schedules.NOTHING_TO_REPORT in send["text"]:
            yield f"{send['key']} shows that there is nothing to tell"


CHECKS = (schedules, silent_ends)
