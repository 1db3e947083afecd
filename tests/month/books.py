"""The books of the whole month: what people wrote, what the bot's rows say of it, and what must be true of all of it.

Situations look at what they do themselves. The books hold everything together, until the end: a message that a later
kill has lost, a request that is made again days later, or a reminder that comes once more, belongs to no situation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

SETTLED = frozenset({"kept", "refused", "failed", "removed"})
REMINDER = "⏰ "
POSTED = "reminder posted"
SECONDS_BEFORE_A_KILL = 10.0  # in which a reply may have come whole, and not yet have been written
Rows = Callable[..., Sequence[tuple[Any, ...]]]


@dataclass(frozen=True)
class Written:
    """A message for the bot, which must be answered."""

    key: str  # as the bot's rows name it
    by: str  # the situation
    files: int = 0


@dataclass(frozen=True)
class FileRow:
    message: str
    state: str
    sha256: str
    sent: str  # the hash of what was sent, where the platform knows it


@dataclass(frozen=True)
class Request:
    """A request to the model. `text` names all that it shows."""

    chat: str
    text: str
    is_whole: bool  # it was answered to the end
    ended: float = 0.0  # by the loop's clock


@dataclass(frozen=True)
class Kill:
    requests: int  # how many there were
    at: float  # by the loop's clock


@dataclass(frozen=True)
class Schedule:
    address: str
    text: str
    is_reminder: bool
    state: str


@dataclass
class Books:
    written: dict[str, Written] = field(default_factory=dict)
    inbox: dict[str, tuple[str, str | None]] = field(default_factory=dict)  # by message: its state, and its turn
    turns: dict[str, str] = field(default_factory=dict)
    files: dict[str, FileRow] = field(default_factory=dict)
    schedules: dict[int, Schedule] = field(default_factory=dict)
    occurrences: dict[tuple[int, str], str] = field(default_factory=dict)
    requests: list[Request] = field(default_factory=list)
    kills: list[Kill] = field(default_factory=list)
    reminders: dict[tuple[str, str], int] = field(default_factory=Counter)  # that people have read, by chat and text
    never: set[str] = field(default_factory=set)  # reminders that were paused over their only time
    replies: dict[tuple[str, str], int] = field(default_factory=Counter)  # by the message that is answered, and text

    def read_rows(self, rows: Rows, sent: Callable[[str], str]) -> None:
        """Take over what the rows say now. What is forgotten there stays here."""
        self.inbox |= {key: (state, turn) for key, state, turn in rows("SELECT key, state, turn FROM inbox")}
        self.turns |= dict(rows("SELECT id, state FROM turns"))
        for id, message, state, sha256, reference in rows(
            "SELECT id, message, state, sha256, reference FROM incoming_files"
        ):
            self.files[id] = FileRow(message, state, sha256, sent(reference))
        for number, address, text, is_reminder, state in rows(
            "SELECT number, address, text, is_reminder, state FROM schedules"
        ):
            known = self.schedules.get(number)
            self.schedules[number] = Schedule(address, text or (known.text if known else ""), bool(is_reminder), state)
        for number, due_at, outcome in rows("SELECT schedule, due_at, outcome FROM occurrences"):
            self.occurrences[number, due_at] = outcome

    def find_faults(self) -> list[str]:
        return [*self.lost_messages(), *self.lost_files(), *self.asked_twice(), *self.not_once(), *self.said_twice()]

    def lost_messages(self) -> Iterable[str]:
        """Nothing is lost: each message for the bot has a row, is done, and its turn has ended."""
        for each in self.written.values():
            state, turn = self.inbox.get(each.key, ("nowhere", None))
            if state != "done":
                yield f"lost: message {each.key} of {each.by} is {state}"
            elif turn and self.turns.get(turn) != "ended":
                yield f"lost: turn {turn} for message {each.key} of {each.by} is {self.turns.get(turn)}"

    def lost_files(self) -> Iterable[str]:
        """Each picture and file that came is settled, and what is kept is what was sent."""
        found = Counter(each.message for each in self.files.values())
        for each in self.written.values():
            if found[each.key] < each.files:
                yield f"lost: {each.files - found[each.key]} of {each.files} files of {each.key} of {each.by}"
        for id, row in self.files.items():
            if row.state not in SETTLED:
                yield f"lost: {id} is {row.state}"
            elif row.state == "kept" and row.sent and row.sha256 != row.sent:
                yield f"lost: {id} is not what was sent"

    def asked_twice(self) -> Iterable[str]:
        """Nothing is asked of the model twice, unless a kill took the reply before it was written."""
        last: dict[str, int] = {}  # by what is asked: the newest one that was answered
        newest: dict[str, int] = {}  # by chat: the newest request
        for number, each in enumerate(self.requests):
            if each.is_whole:
                before = last.get(each.text)
                if before is not None and not self.is_lost_by_a_kill(before, number):
                    yield f"asked twice in {each.chat}: requests {before} and {number}"
                last[each.text] = number
            newest[each.chat] = number

    def is_lost_by_a_kill(self, before: int, again: int) -> bool:
        first = self.requests[before]
        between = self.requests[before + 1 : again]
        return any(
            before < kill.requests <= again
            and kill.at - first.ended < SECONDS_BEFORE_A_KILL
            and not any(each.chat == first.chat and each.is_whole for each in between)
            for kill in self.kills
        )

    def not_once(self) -> Iterable[str]:
        """Each reminder comes as often as it was due, in its chat, and no other comes."""
        due = Counter[tuple[str, str]]()
        for (number, _), outcome in self.occurrences.items():
            schedule = self.schedules[number]
            if schedule.is_reminder and outcome == POSTED:
                due[schedule.address, schedule.text] += 1
        for each in sorted({*due, *self.reminders}):
            came = self.reminders.get(each, 0)
            if due[each] != came:
                yield f"the reminder {each[1]!r} in {each[0]} was due {due[each]} times and came {came}"
        heard = {number for (number, _), outcome in self.occurrences.items() if outcome == POSTED}
        for number, schedule in self.schedules.items():
            is_over = schedule.is_reminder and schedule.state == "over" and schedule.text not in self.never
            if is_over and number not in heard:
                yield f"the reminder {schedule.text!r} in {schedule.address} is over and never came"

    def said_twice(self) -> Iterable[str]:
        """No answer to a message is there twice."""
        for (message, text), count in self.replies.items():
            if count > 1:
                yield f"{message} has the answer {text!r} {count} times"

    def summary(self) -> list[str]:
        kept = sum(each.state == "kept" for each in self.files.values())
        again = len(self.requests) - len({each.text for each in self.requests})
        came = sum(self.reminders.values())
        faults = len(list(self.find_faults()))
        return [
            f"{len(self.written)} messages for the bot, and {len(self.inbox)} rows of all that came",
            f"{len(self.files)} pictures, files and voice notes: {kept} kept, the others refused, failed or removed",
            f"{len(self.requests)} requests to the model, {again} of them again after a kill or a fault of its server",
            f"{came} reminders came, and there were {len(self.occurrences)} times at which a schedule was due",
            f"{len(self.kills)} kills",
            f"{faults} faults: lost, asked twice, not what was sent, not once, or said twice",
        ]
