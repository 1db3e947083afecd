"""Check that calls that were held ran only once their person had agreed, with the arguments that were shown, and no
more than once; and that each answer is what that person said."""

from __future__ import annotations

import json
import re
import sqlite3
import sys
from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from bot.core.texts import model
from tests.rig import clubs
from tests.rig.held import AGAIN, SAYINGS
from tests.rig.mail import GUARDED, HAS_MAIL, ONCE, ROW
from tests.support.wording import REPEAT_MARK

if TYPE_CHECKING:
    from tests.rig.checks import Played

APPROVALS = "SELECT * FROM questions WHERE arguments ->> '$.is_approval' ORDER BY after, rowid"
CUT_OFF = (model.CALL_INTERRUPTED, model.CALL_NOT_RUN, model.NO_TIME_FOR_CALL, model.CALL_OUT_OF_TIME)
REFUSED = {  # by how a question ended: how the result of its calls begins
    "answered": str(model.NOT_AGREED).partition("{")[0],
    "withdrawn": str(model.APPROVAL_WITHDRAWN).partition("{")[0],
    "expired": str(model.NOT_AGREED_IN_TIME),
}
TOO_MANY = str(model.TOO_MANY_HELD).partition("{")[0]
LATEST = sys.maxsize  # of a call that was not done in the world, when nobody knows
SPACE = re.compile(r"\s+")
WRITTEN = "SELECT * FROM inbox WHERE kind IN ('answer', 'text', 'command') AND state = 'done' ORDER BY seq"


class Rows:
    """The rows that these checks compare."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self.turns = {row["id"]: row for row in db.execute("SELECT * FROM turns")}
        self.calls = {row["id"]: row for row in db.execute("SELECT * FROM calls ORDER BY rowid")}
        self.asked = db.execute(APPROVALS).fetchall()
        self.written = db.execute(WRITTEN).fetchall()
        self.shown = keys_by_message(db)
        self.question_of = {call: row for row in self.asked for call in held_calls(row)}

    def conversation_of(self, call: str) -> str:
        return str(self.turns[call.split("/")[0]]["session"])

    def may_run(self, call: str, moment: int) -> bool:
        """Return True if a person had agreed to this call, or allowed it before, when there were so many updates."""
        question = self.question_of.get(call)
        return self.has_agreed_by(question, moment) if question else self.is_granted(call, moment)

    def has_agreed_by(self, question: sqlite3.Row, moment: int) -> bool:
        """Return True if the person has agreed, and had said so when there were so many updates."""
        said = (row for row in self.written if is_of_asked_person(row, question) and says(row, question, self.shown))
        return has_agreed(question) and any(number_of_update(row) <= moment for row in said)

    def is_granted(self, call: str, moment: int) -> bool:
        """Return True if a person had allowed what this call does for the whole conversation."""
        row = self.calls[call]
        targets = [str(each).casefold() for each in json.loads(row["arguments"]).values()]
        allowing = (each for each in self.asked if self.allows_again(each, call) and self.has_agreed_by(each, moment))
        grants = [json.loads(each["arguments"])["grant"] for each in allowing]
        return any(tool == row["name"] and value in targets for tool, value in grants)

    def allows_again(self, question: sqlite3.Row, call: str) -> bool:
        is_same = self.conversation_of(held_calls(question)[0]) == self.conversation_of(call)
        return is_same and question["answer"] == AGAIN and AGAIN in json.loads(question["options"])


def held_calls(question: sqlite3.Row) -> list[str]:
    return list(json.loads(question["arguments"])["held_calls"])


def has_agreed(question: sqlite3.Row) -> bool:
    return question["state"] == "answered" and question["answer"] in json.loads(question["options"])[:-1]


def approvals(db: sqlite3.Connection, run: Played) -> Iterator[str]:
    """What was held ran by its own yes, with its own arguments, and at most once. What nobody was asked about was
    allowed before."""
    rows, done = Rows(db), defaultdict[str, list[dict[str, Any]]](list)
    begun: dict[str, int] = {}  # by call: the moment at which it was done first
    for call, arguments, moment in run.world.mailbox.done:
        done[call].append(arguments)
        begun.setdefault(call, moment)
    for key, text in db.execute("SELECT key, text FROM schedules"):
        done[key].append({**json.loads(rows.calls[key]["arguments"]), "text": text})
    for id, row in rows.calls.items():
        if row["name"] not in GUARDED or not run.settings.get(HAS_MAIL):
            continue
        times = len(done[id])
        yield from (f"{id} was done as {each}" for each in done.pop(id, []) if each != json.loads(row["arguments"]))
        if row["arguments"] != said_by_model(db, row):
            yield f"{id} has other arguments than the model gave: {row['arguments']}"
        question = rows.question_of.get(id)
        moment = begun.get(id, LATEST)
        may_run = rows.may_run(id, moment)
        run.figures[f"guarded calls {'done' if times else 'not done'}"] += 1
        if times and not may_run:
            yield f"{id} was done {'before its yes' if rows.may_run(id, LATEST) else 'and nobody has agreed'}"
        if times > 1 and row["name"] in (*ONCE, *ROW):
            yield f"{id} was done {times} times"
        if fault := wrong_result(row, question, times, may_run=may_run):
            yield fault
    if run.settings.get(HAS_MAIL):
        yield from (f"{call} was done, and there is no such call" for call in done)


def wrong_result(row: sqlite3.Row, question: sqlite3.Row | None, times: int, *, may_run: bool) -> str:
    """Return what is wrong with what a call has told the model; empty if nothing is."""
    result = str(row["result"])
    if row["state"] != "done":
        return f"{row['id']} is {row['state']}"
    if result in CUT_OFF:  # a kill or a stop: whether it has run is then not known, or it has not
        return f"{row['id']} says it did not run" * (result == model.CALL_NOT_RUN and times > 0)
    if may_run:
        is_right = not row["is_error"] and times > 0
    elif question:
        is_right = question["state"] in REFUSED and result.startswith(REFUSED[question["state"]])
    else:
        is_right = result.startswith(TOO_MANY)
    return "" if is_right else f"{row['id']} was done {times} times, and its result is {result}"


def said_by_model(db: sqlite3.Connection, call: sqlite3.Row) -> str:
    """Return the arguments that a call has in the reply that made it."""
    wanted = "SELECT body FROM entries WHERE turn = ? AND seq = ? AND role = 'assistant'"
    for (body,) in db.execute(wanted, (call["turn"], call["step"])):
        for block in json.loads(body):
            if block["type"] == "tool_use" and block["id"] == call["tool_use_id"]:
                same = block["input"] == json.loads(call["arguments"])
                return str(call["arguments"]) if same else json.dumps(block["input"])
    return "nothing"


def approval_questions(db: sqlite3.Connection, run: Played) -> Iterator[str]:
    """Each question was put to who may decide, shows all that its calls would do, and has ended."""
    rows, shown = Rows(db), shown_texts(run)
    for question in rows.asked:
        state = "agreed" if has_agreed(question) else "refused" if question["answer"] else question["state"]
        run.figures[f"approvals {state}"] += 1
        turn, id = rows.turns[question["turn"]], question["id"]
        is_owners = clubs.is_club(turn["address"])
        wanted = (clubs.OWNER_CHAT, clubs.OWNER) if is_owners else (turn["address"], turn["person"])
        if (question["address"], question["person"]) != wanted:
            yield f"{id} was put to {question['person']} at {question['address']}"
        if question["state"] == "open" and turn["state"] == "ended":
            yield f"{id} is open"
        values = [str(each) for call in held_calls(question) for each in arguments_of(rows.calls[call])]
        if question["answer"] is not None and (unseen := [each for each in values if squeeze(each) not in shown[id]]):
            yield f"{id} does not show {unseen}"
    if len(rows.question_of) != sum(len(held_calls(each)) for each in rows.asked):
        yield "a call was asked about twice"


def arguments_of(call: sqlite3.Row) -> list[Any]:
    return [call["name"], *json.loads(call["arguments"]).values()]


def squeeze(text: str) -> str:
    return SPACE.sub("", text)


def shown_texts(run: Played) -> defaultdict[str, str]:
    """Return what people saw of each question when it was shown first, without spaces."""
    parts: dict[str, str] = {}
    for send in run.world.sends:
        if send["kind"] == "approval":
            parts.setdefault(send["key"], squeeze(send["text"].replace(REPEAT_MARK, "")))
    found = defaultdict[str, str](str)
    for key in sorted(parts, key=lambda each: int(each.rsplit(":", 1)[1])):
        found[key.rsplit(":", 1)[0]] += parts[key]
    return found


def approval_answers(db: sqlite3.Connection, run: Played) -> Iterator[str]:
    """Each answer is the first that the person who was asked gave, and no message answers two questions."""
    shown = keys_by_message(db)
    written, used = db.execute(WRITTEN).fetchall(), set[str]()
    for question in db.execute(APPROVALS).fetchall():
        if question["state"] != "answered":
            continue
        theirs = [row for row in written if is_of_asked_person(row, question)]
        found = [row for row in theirs if says(row, question, shown) and row["key"] not in used]
        if not found:
            yield f"{question['id']} is answered {question['answer']}, which {question['person']} never said"
            continue
        used.add(found[0]["key"])
        # A reply may come before the bot knows the id of what it replies to: then it is a message to a turn.
        named = [row for row in theirs if question_named(row, shown) == question["id"] and row["turn"] is None]
        for row in [row for row in named if row["seq"] < found[0]["seq"]]:
            if answer_in(row) != question["answer"]:
                yield f"{question['id']} is answered {question['answer']}, after {row['text']!r}"


def keys_by_message(db: sqlite3.Connection) -> dict[str, str]:
    """Return which message of the outbox people see under which id."""
    rows = db.execute("SELECT key, platform_ids FROM outbox")
    return {id: row["key"] for row in rows for id in json.loads(row["platform_ids"])}


def number_of_update(message: sqlite3.Row) -> int:
    return int(message["key"].rsplit(":", 1)[1])


def is_of_asked_person(message: sqlite3.Row, question: sqlite3.Row) -> bool:
    is_theirs = (message["address"], message["person"]) == (question["address"], question["person"])
    return is_theirs and message["seq"] > question["after"]


def question_named(message: sqlite3.Row, shown: dict[str, str]) -> str | None:
    """Return the question that a message taps or replies to. A kill may have left one twice: then a reply to it names
    none that the bot knows."""
    return message["question"] if message["kind"] == "answer" else shown.get(message["reply_to"])


def answer_in(message: sqlite3.Row) -> str:
    text = str(message["text"])
    words = text.split(maxsplit=2)[-1] if text.startswith("/tell ") else text
    return words if message["kind"] == "answer" else SAYINGS.get(words, words)


def says(message: sqlite3.Row, question: sqlite3.Row, shown: dict[str, str]) -> bool:
    """Return True if this message may be what answered the question. If it names none, its words count alone."""
    return question_named(message, shown) in (None, question["id"]) and answer_in(message) == question["answer"]


CHECKS = (approvals, approval_questions, approval_answers)
