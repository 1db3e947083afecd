"""What a message of a person must do: the rules of docs/delegation.md, written once more and as short as they go."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from bot.store.connection import Connection

MOST_IN_BACKGROUND = 10


@dataclass(frozen=True)
class Act:
    """A message as it came in."""

    key: str
    number: int  # of its row in the inbox; 0 if it has none yet
    address: str
    person: str
    text: str
    kind: str
    question: str | None
    reply_to: str | None
    is_edit: bool

    @property
    def words(self) -> str:
        return self.text.split(maxsplit=2)[2] if self.text.startswith("/tell") else self.text


@dataclass(frozen=True)
class Fate:
    """What becomes of a message: it answers a question, is told to delegations at work, lets one work again, stops
    some, changes an earlier text, goes to the lead, or does nothing but be answered."""

    does: str
    turns: tuple[str, ...] = ()
    session: str = ""  # of the delegation that is told


@dataclass(frozen=True)
class Here:
    """The rows of one chat."""

    turns: dict[str, dict[str, Any]]  # all, in the order in which they were opened
    questions: dict[str, dict[str, Any]]
    shown: dict[str, tuple[str, str]]  # by platform id: key and kind of a role's message
    inbox: dict[str, dict[str, Any]]

    def open_turns(self) -> list[dict[str, Any]]:
        return [turn for turn in self.turns.values() if turn["state"] != "ended"]

    def at_work(self) -> list[dict[str, Any]]:
        return [turn for turn in self.open_turns() if turn["depth"] and turn["state"] != "stopping"]

    def with_what_is_below(self, tops: list[dict[str, Any]]) -> tuple[str, ...]:
        """Return these turns and those below them that are not in the background, except what is stopped already."""
        found = set()
        for turn in self.open_turns():
            above: str | None = turn["id"]
            while above and above not in {top["id"] for top in tops}:
                is_apart = self.turns[above]["background"] or not self.turns[above]["depth"]
                above = None if is_apart else above.rsplit("/", 2)[0]
            found |= {turn["id"]} if above and turn["state"] != "stopping" else set()
        return tuple(sorted(found))


def look(db: Connection, address: str) -> Here:
    def rows(sql: str, *values: str) -> list[dict[str, Any]]:
        return [dict(row) for row in db.fetch_rows(sql, *values)]

    said = rows("SELECT key, kind, platform_ids FROM outbox WHERE address = ? AND role NOT NULL ORDER BY seq", address)
    return Here(
        turns={row["id"]: row for row in rows("SELECT * FROM turns WHERE address = ? ORDER BY rowid", address)},
        questions={
            row["id"]: row for row in rows("SELECT * FROM questions WHERE address = ? AND kind = 'question'", address)
        },
        shown={id: (row["key"], row["kind"]) for row in said for id in json.loads(row["platform_ids"])},
        inbox={row["key"]: row for row in rows("SELECT * FROM inbox WHERE address = ?", address)},
    )


def find_fate(act: Act, here: Here) -> Fate:
    """Return what must become of a message, by the rows before it."""
    if act.is_edit:
        row = here.inbox.get(act.key)
        is_changed = row and is_unread(row, here) and row["kind"] in ("text", "command") and row["text"] != act.text
        return Fate("changed" if is_changed else "nothing")
    before = here.inbox.get(act.key)
    if before and before["state"] == "done" and not before["turn"]:
        return Fate("nothing")  # it comes again, after a kill
    if act.kind == "answer" and (act.question or "").endswith(":board"):
        return fate_of_board_tap(act, here)
    if act.kind == "answer":
        return answer_of(act, here.questions.get(act.question or ""), otherwise=Fate("nothing"))
    if act.text.startswith("/tell"):
        number = int(act.text.split()[1])
        named = [turn for turn in here.turns.values() if turn["depth"] and turn["number"] == number]
        if not named:
            return Fate("nothing")
        asking = [turn["id"] for turn in here.open_turns() if turn["session"] == named[-1]["session"]]
        asked = [q for q in here.questions.values() if q["state"] == "open" and q["turn"] in asking]
        mine = next((q for q in asked if q["person"] == act.person), None)
        return answer_of(act, mine, otherwise=fate_of_words(act, named[-1], here))
    if act.text.partition(" ")[0] in ("/stop", "stop"):
        return fate_of_stop(act, here)
    if act.text.startswith("/"):
        return Fate("nothing")
    key, kind = here.shown.get(act.reply_to or "", ("", ""))
    open_to_me = [q for q in here.questions.values() if q["state"] == "open" and q["person"] == act.person]
    if kind == "question":
        return answer_of(act, here.questions.get(key), otherwise=fate_of_reply(act, key, here))
    if key:
        return fate_of_reply(act, key, here)
    matching = [q for q in open_to_me if is_option(q, act.text, may_number=not here.turns[q["turn"]]["depth"])]
    return Fate("answers", (matching[0]["turn"],)) if len(matching) == 1 else Fate("lead")


def answer_of(act: Act, question: dict[str, Any] | None, otherwise: Fate) -> Fate:
    """Only the person who was asked can answer, and only while the question is open."""
    if question and question["state"] == "open" and question["person"] == act.person:
        return Fate("answers", (question["turn"],))
    return otherwise


def fate_of_reply(act: Act, key: str, here: Here) -> Fate:
    """A reply to a role is for that role, if it comes from the person it works for. Otherwise the lead reads it."""
    speaker = here.turns.get(key.partition(":")[0].rsplit("/", 2)[0])
    fate = fate_of_words(act, speaker, here) if speaker and speaker["depth"] else Fate("nothing")
    return Fate("lead") if fate.does == "nothing" else fate


def fate_of_words(act: Act, turn: dict[str, Any], here: Here) -> Fate:
    if turn["person"] != act.person:
        return Fate("nothing")
    for other in here.open_turns():
        if other["session"] == turn["session"]:
            is_at_work = other["state"] != "stopping" and other["person"] == act.person
            return Fate("told", (other["id"],), turn["session"]) if is_at_work else Fate("nothing")
    in_background = [other for other in here.open_turns() if other["depth"] and other["background"]]
    if len(in_background) >= MOST_IN_BACKGROUND:
        return Fate("nothing")
    return Fate("again", session=turn["session"])


def fate_of_stop(act: Act, here: Here) -> Fate:
    which, at_work = act.text.partition(" ")[2], here.at_work()
    if which not in ("", "all"):
        return stops([turn for turn in at_work if which in (str(turn["number"]), turn["role"])], here)

    def went_on_for(person: str) -> list[dict[str, Any]]:
        apart = [
            turn for turn in here.open_turns() if turn["depth"] and turn["background"] and turn["person"] == person
        ]
        return [turn for turn in apart if turn["root"] != turn["id"] or "/" not in turn["id"]]

    root = next((turn for turn in here.open_turns() if not turn["depth"]), None)
    is_mine, mine = bool(root and root["person"] == act.person), went_on_for(act.person)
    if act.text == "stop" and not (is_mine or mine):
        return Fate("lead")
    waits = any(
        row["state"] == "received" and row["person"] == act.person and row["kind"] != "report"
        for row in here.inbox.values()
    )
    stopped = [root] if root and (is_mine or not (waits or mine)) else []
    if stopped and not is_mine:
        mine = went_on_for(stopped[0]["person"])
    if which == "all" or not (root or waits or mine):
        mine = [turn for turn in at_work if turn["background"]]
    return stops([*stopped, *mine], here)


def fate_of_board_tap(act: Act, here: Here) -> Fate:
    """A button of a board stops one of its delegations, or all. Anybody may."""
    root, (action, _, number) = str(act.question).removesuffix(":board"), act.text.partition(".")
    on_board = [turn for turn in here.at_work() if turn["root"] == root]
    if action == "details":
        return Fate("nothing")
    return stops([turn for turn in on_board if action == "stop-all" or str(turn["number"]) == number], here)


def stops(tops: list[dict[str, Any]], here: Here) -> Fate:
    found = here.with_what_is_below(tops)
    return Fate("stops", found) if found else Fate("nothing")


def fate_of(act: Act, before: Here, after: Here) -> Fate:
    """Return what has become of a message, by the rows before and after it."""
    row = after.inbox.get(act.key)
    if act.is_edit:
        return Fate("changed" if row and row["text"] == act.text != before.inbox[act.key]["text"] else "nothing")
    if row is None:
        return Fate("lost")
    stopped = {turn["id"] for turn in before.open_turns() if turn["state"] != "stopping"}
    stopped &= {id for id, turn in after.turns.items() if turn["status"] == "cancelled"}
    answered = [id for id, question in after.questions.items() if question["state"] == "answered"]
    answered = [id for id in answered if before.questions[id]["state"] == "open"]
    if stopped:
        return Fate("stops", tuple(sorted(stopped)))
    if answered:
        return Fate("answers", tuple(after.questions[id]["turn"] for id in answered))
    if row["state"] == "received":
        return Fate("lead")
    if not row["turn"]:
        return Fate("nothing")
    reader = after.turns[row["turn"]]
    if not reader["depth"]:
        return Fate("lead")
    if row["turn"] in before.turns:
        return Fate("told", (row["turn"],), reader["session"])
    return Fate("again", session=reader["session"])


def is_unread(row: dict[str, Any], here: Here) -> bool:
    """A message that a turn has taken is read at once by the lead, and by a role in its next entry."""
    return row["state"] == "received" or (row["state"] == "taken" and bool(here.turns[row["turn"]]["depth"]))


def is_option(question: dict[str, Any], text: str, *, may_number: bool) -> bool:
    """A plain number answers only what the lead has asked."""
    options = json.loads(question["options"])
    return text in options or (may_number and text in [str(n) for n, _ in enumerate(options, 1)])


def act_of_event(event: Any, db: Connection) -> Act:
    """Return a message as the adapter has published it."""
    number = db.fetch_number("SELECT seq FROM inbox WHERE key = ?", event.id)
    return Act(
        key=event.id, number=number, address=str(event.address), person=event.sender.id, text=event.text,
        kind=event.kind.value, question=event.question, reply_to=event.reply_to, is_edit=event.is_edit,
    )  # fmt: skip
