"""The state of the bot as the page shows it: its health, what waits, what failed, and what it keeps."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from bot.core.findings import CheckFinding, CheckState
from bot.core.limits import DecisionTerms
from bot.journal.people import person_key
from bot.store import page_rows, schedules, waiting_rows
from bot.store.connection import Connection
from bot.store.page_rows import KeptMemory
from bot.store.people import OWNER_KEY
from bot.store.schedules import Schedule
from bot.store.waiting_rows import AskedQuestion, NotedMessage
from bot.web_page import texts

MAX_ROWS = 50  # of each kind

ListFindings = Callable[[], Iterator[CheckFinding]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownSchedule:
    schedule: Schedule
    outcome: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownQuestion:
    question: AskedQuestion
    is_for_owner: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class OverviewRows:
    """What the rows hold about the state of the bot."""

    asked: Sequence[ShownQuestion]
    notes: dict[str, Sequence[NotedMessage]]  # by the heading
    failed: Sequence[NotedMessage]  # turns
    schedules: Sequence[ShownSchedule]
    memories: Sequence[KeptMemory]


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedThing:
    """A role or a group: its name, and what it is for."""

    name: str
    description: str


def load_overview(db: Connection, terms: DecisionTerms) -> OverviewRows:
    return OverviewRows(
        asked=[
            ShownQuestion(
                question=asked, is_for_owner=person_key(db, asked.address.channel, asked.who, terms) == OWNER_KEY
            )
            for asked in waiting_rows.list_asked_questions(db, MAX_ROWS)
        ],
        notes={
            texts.WAITING(): waiting_rows.list_unanswered_messages(db, MAX_ROWS),
            texts.UNDELIVERED(): waiting_rows.list_undelivered_messages(db, MAX_ROWS),
            texts.ASIDE(): waiting_rows.list_messages_aside(db, MAX_ROWS),
        },
        failed=waiting_rows.list_failed_turns(db, MAX_ROWS),
        schedules=[
            ShownSchedule(schedule=schedule, outcome=outcome)
            for schedule, _, outcome in schedules.list_schedules_with_last_outcome(db)[:MAX_ROWS]
        ],
        memories=page_rows.list_newest_memories_of_all(db, MAX_ROWS),
    )


def findings_worst_first(findings: Sequence[CheckFinding]) -> list[CheckFinding]:
    order = [CheckState.WRONG, CheckState.WARNING, CheckState.OK]
    return sorted(findings, key=lambda finding: order.index(finding.state))
