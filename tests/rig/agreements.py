"""Check that roles that will cost much began only when the person who was asked had agreed, and that each of their
messages did one thing."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from typing import TYPE_CHECKING

from bot.core.texts import model, people
from tests.rig.costs import DECISIONS, LEAST_USD, START
from tests.rig.script import TAG

if TYPE_CHECKING:
    from tests.rig.checks import Played

ABOUT_COST = """SELECT * FROM questions WHERE arguments ->> '$.held_calls' IS NOT NULL
    AND arguments ->> '$.is_approval' IS NULL ORDER BY after, rowid"""
TOLD_TO_ANSWER = "SELECT inbox.text FROM inbox JOIN outbox ON outbox.key = inbox.key || ':told' WHERE outbox.text = ?"
NOT_AGREED = model.COST_NOT_AGREED.partition("{")[0]
# The messages of people that may decide: they joined no turn, no stop came before their turn, and nobody was told
# anything about them.
DECIDING = """SELECT * FROM inbox WHERE kind != 'report' AND turn IS NULL AND state = 'done'
    AND NOT EXISTS (SELECT 1 FROM outbox WHERE outbox.key IN (inbox.key || ':told', inbox.key || ':done'))
    AND NOT EXISTS (SELECT 1 FROM outbox WHERE outbox.address = inbox.address
        AND outbox.text LIKE 'Stopped before%' AND instr(outbox.text, '“' || inbox.text || '”'))
    ORDER BY kind, seq"""
UNASKED = """SELECT turns.id, earlier.id AS earlier FROM turns JOIN calls USING (id) JOIN turns AS earlier
    ON earlier.role = turns.role AND earlier.depth > 0 AND earlier.status = 'completed' AND earlier.cost > 1
    AND earlier.ended_at < turns.opened_at WHERE turns.depth > 0 AND turns.agent_depth = 0"""


def held_calls(question: sqlite3.Row) -> list[str]:
    return list(json.loads(question["arguments"])["held_calls"])


def tags_told_to_answer(db: sqlite3.Connection) -> set[str]:
    """Return the tags of messages that were closed with a word about the question that is open."""
    return {
        tag for (text,) in db.execute(TOLD_TO_ANSWER, (people.COST_QUESTION_IS_OPEN(),)) for tag in TAG.findall(text)
    }


def costs(db: sqlite3.Connection, run: Played) -> Iterator[str]:
    """What was held began once its person had agreed, and otherwise never; then its turn was told why."""
    turns = {row["id"]: row for row in db.execute("SELECT * FROM turns")}
    calls = {row["id"]: row for row in db.execute("SELECT * FROM calls")}
    held: set[str] = set()
    for question in db.execute(ABOUT_COST).fetchall():
        has_agreed, asking = question["answer"] == START, turns[question["turn"]]
        state = "agreed" if has_agreed else "refused" if question["state"] == "answered" else question["state"]
        run.figures[f"costs {state}"] += 1
        if question["state"] == "open":
            yield f"{question['id']} is open"
        for id in held_calls(question):
            result = str(calls[id]["result"])
            if id in held:
                yield f"{id} was asked about twice"
            if id in turns and not has_agreed:
                yield f"{id} began, and {question['id']} is {question['state']}: {question['answer']}"
            was_cut = asking["status"] != "completed" and result in (model.CALL_NOT_RUN, model.NO_TIME_FOR_CALL)
            if has_agreed and id not in turns and not was_cut:
                yield f"{id} was agreed to, and its result is {result}"
            was_told = result == model.COST_NOT_AGREED_IN_TIME or result.startswith(NOT_AGREED)
            if not has_agreed and not was_told and not was_cut:
                yield f"{id} was not agreed to, and its result is {result}"
            held.add(id)
    if run.settings.get("swarm__ask_above_usd") == LEAST_USD:
        for row in db.execute(UNASKED):
            if row["id"] not in held:
                yield f"{row['id']} began unasked, after {row['earlier']}"


def decisions(db: sqlite3.Connection, run: Played) -> Iterator[str]:
    """Each answer about costs is what the asked person wrote in one message, and each such message did one thing."""
    questions = db.execute(ABOUT_COST).fetchall()
    if not questions:
        return
    shown = {
        id: row["key"]
        for row in db.execute("SELECT key, platform_ids FROM outbox")
        for id in json.loads(row["platform_ids"])
    }
    deciding = {row["key"]: row for row in db.execute(DECIDING) if decision_in(row)}
    for question in questions:
        if question["state"] != "answered":
            continue
        found = [key for key, row in deciding.items() if decides(row, question, shown)]
        if not found:
            yield f"{question['id']} is answered {question['answer']}, which {question['person']} never said"
        for key in found[:1]:
            del deciding[key]
    yield from (f"{key}, {row['text']!r} by {row['person']}, did nothing" for key, row in deciding.items())


def decision_in(message: sqlite3.Row) -> str | None:
    """Return what a message decides if it is about costs, by its words."""
    text = str(message["text"])
    return DECISIONS.get(text.split(maxsplit=2)[-1] if text.startswith("/tell ") else text)


def decides(message: sqlite3.Row, question: sqlite3.Row, shown: dict[str, str]) -> bool:
    """Return True if this message may be what answered the question. A reply to what a kill has left twice may reply to
    a message that the bot does not know; then its words count alone."""
    if (message["address"], message["person"]) != (question["address"], question["person"]):
        return False
    if message["seq"] <= question["after"] or decision_in(message) != question["answer"]:
        return False
    if message["kind"] == "answer":
        return bool(message["question"] == question["id"])
    return bool(shown.get(message["reply_to"], question["id"]) == question["id"])


CHECKS = (costs, decisions)
