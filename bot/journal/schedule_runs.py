"""What happens when a schedule is due: a reminder is posted, or a run of the schedule begins and ends.

All of it is decided by rows. One transaction notes that a schedule was due, posts the reminder or stores the message
that begins a run, and moves the schedule to its next time. So if anything dies in between, each time comes once. Times
that were missed, because the bot was away or its clock was set forward, are joined into one, and that is told. The last
time of a schedule has no other after it that could tell: if it cannot be used when it comes, it is tried again.
"""

import logging
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import NamedTuple

from bot.core import phrases
from bot.core.content_blocks import indent_lines_after_first, sanitize_and_shorten_name
from bot.core.languages import set_language
from bot.core.limits import DecisionTerms
from bot.core.messages import InboundMessage, InboundOrigin, MessageId, Sender
from bot.core.prices import Micros
from bot.core.reply_plan import ResolvedRole
from bot.core.rights import Right
from bot.core.texts import logs, model_schedules, people, people_schedules
from bot.core.turn import SCHEDULE_MESSAGE_ID_PREFIX, Turn, TurnOutcome
from bot.journal import admission
from bot.journal import schedule_money as money
from bot.journal.bus import post_notice
from bot.journal.clock import zone_by_name
from bot.journal.languages import language_of_person
from bot.schedules.rules import MAX_MISSED_TIMES_COUNTED, next_occurrence, occurrences_until
from bot.store import inbox, schedules
from bot.store.connection import MESSAGES_WAITING_TOPIC, Connection
from bot.store.schedules import Schedule

log = logging.getLogger(__name__)

LATE_SECONDS = 120.0  # later than this after its time, a schedule says that it is late
FAILURES_BEFORE_PAUSE = 5  # of its runs, one after the other
FAILED_CHECKS_BEFORE_NOTICE = 5  # of its condition, one after the other
RETRY_MINUTES_IF_BUSY, RETRY_MINUTES_IF_NOT_ALLOWED = 5, 60  # of the last time of a schedule
LONGEST_POSTPONEMENT = timedelta(days=30)
NOW_MARK = ":now:"  # in the id of the message of a run that somebody wants now
# Outcomes of occurrences
REMINDED, RUN, QUIET, FAILED = "reminder posted", "run", "nothing to tell", "failed"
BUSY, NO_MONEY, NOT_ALLOWED, NO_RIGHT = "still at work", "day's budget used", "not allowed", "right missing"
IS_FALSE, NOT_SEEN = "condition does not hold", "condition not seen"  # no occurrence is noted then


class CheckedCondition(NamedTuple):
    """What came of looking whether a schedule has something to do."""

    holds: bool
    last_seen: str | None  # what to compare with at the next check
    checked_at: datetime | None  # when that was seen
    has_failed: bool = False  # nothing could be seen


@dataclass(frozen=True, slots=True, kw_only=True)
class DueTime:
    """A time when a schedule is due, worked out from its row outside a transaction."""

    schedule: Schedule
    due_at: datetime  # the last time that has come
    missed: int  # the times before that which came since the last run
    next_at: datetime | None

    @property
    def missed_count(self) -> int:
        return self.missed + self.schedule.missed_count


def compute_due_time(schedule: Schedule, terms: DecisionTerms) -> DueTime:
    zone, first = zone_by_name(schedule.zone, terms), schedule.next_at
    assert first, f"schedule {schedule.number} is not due"
    if schedule.postponed_due_at:
        return DueTime(schedule=schedule, due_at=schedule.postponed_due_at, missed=0, next_at=None)
    more, last = occurrences_until(schedule.rule, zone, first, terms.now, MAX_MISSED_TIMES_COUNTED)
    due_at = last or first
    return DueTime(
        schedule=schedule,
        due_at=due_at,
        missed=more,
        next_at=next_occurrence(schedule.rule, zone, max(terms.now, due_at)),
    )


def is_late(due: DueTime, now: datetime) -> bool:
    return now - due.due_at > timedelta(seconds=LATE_SECONDS)


def fire_schedule(db: Connection, due: DueTime, checked: CheckedCondition | None, terms: DecisionTerms) -> str:
    """Do what a schedule is for, once. If the schedule has changed since its time was computed, change nothing: it is
    computed again. Return the outcome, which is counted; empty if there is none, or if it was counted before."""
    schedule = load_unless_changed(db, due)
    if schedule is None:
        return ""
    set_language(language_of_person(db, schedule.address.channel, schedule.person, terms))  # in this transaction
    outcome = why_not_now(db, schedule, terms) or (REMINDED if schedule.is_reminder else RUN)
    is_done = outcome in (REMINDED, RUN)
    if not is_done and due.next_at is None and terms.now - due.due_at < LONGEST_POSTPONEMENT:
        postpone_last_time(db, due, outcome, terms)
        return "" if schedule.postponed_due_at else outcome
    if not schedules.add_occurrence(db, schedule.number, due.due_at, terms.now, due.missed_count, outcome):
        outcome = ""  # it was due at that time before: only move on
    elif outcome == REMINDED:
        post_reminder(db, due, terms)
    elif outcome == RUN:
        begin_run(db, due, terms)
    else:
        tell_why_not(db, due, outcome, terms)
    is_done = outcome in (REMINDED, RUN)
    columns: dict[str, object] = {"missed_count": 0 if is_done else due.missed_count + bool(outcome)}
    if checked and is_done:  # what nobody was told stays new
        columns |= {"last_seen": checked.last_seen, "checked_at": checked.checked_at, "failed_checks": 0}
    schedules.update_schedule(
        db,
        schedule.number,
        next_at=due.next_at,
        last_at=due.due_at,
        postponed_due_at=None,
        state="paused" if outcome == NO_RIGHT else "over" if due.next_at is None else schedule.state,
        changed_at=terms.now,
        **columns,
    )
    return outcome


def postpone_last_time(db: Connection, due: DueTime, outcome: str, terms: DecisionTerms) -> None:
    """Let the last time of a schedule be tried again, because no later one could tell that it was left out."""
    retry_at = terms.now + timedelta(minutes=RETRY_MINUTES_IF_BUSY)
    if outcome == NO_MONEY:
        retry_at = money.begin_of_day(terms, days_from_now=1)
    elif outcome == NOT_ALLOWED:
        retry_at = terms.now + timedelta(minutes=RETRY_MINUTES_IF_NOT_ALLOWED)
    if due.schedule.postponed_due_at is None or outcome == NO_RIGHT:
        tell_why_not(db, due, outcome, terms)
    schedules.update_schedule(
        db,
        due.schedule.number,
        next_at=retry_at,
        postponed_due_at=due.due_at,
        state="paused" if outcome == NO_RIGHT else due.schedule.state,
        missed_count=due.missed_count,
        changed_at=terms.now,
    )


def note_condition_that_does_not_hold(
    db: Connection, due: DueTime, checked: CheckedCondition, terms: DecisionTerms
) -> str:
    """Move a schedule to its next time without a run. Tell its person if nothing could be seen for a while. Return the
    outcome, which is counted."""
    schedule = load_unless_changed(db, due)
    if schedule is None:
        return ""
    set_language(language_of_person(db, schedule.address.channel, schedule.person, terms))  # in this transaction
    failed = schedule.failed_checks + 1 if checked.has_failed else 0
    if checked.checked_at == schedule.checked_at and not checked.has_failed:
        failed = schedule.failed_checks  # it did not look, because it had looked just before
    schedules.update_schedule(
        db,
        schedule.number,
        next_at=due.next_at,
        last_at=due.due_at,
        last_seen=checked.last_seen,
        checked_at=checked.checked_at,
        failed_checks=failed,
        missed_count=due.missed_count,
        state="over" if due.next_at is None else schedule.state,
        changed_at=terms.now,
    )
    if failed == FAILED_CHECKS_BEFORE_NOTICE and checked.has_failed:
        tell_that_checks_fail(db, schedule, failed, terms)
    if due.next_at is None and due.missed_count:
        said = people_schedules.OVER_AFTER_MISSED_TIMES(
            due.missed_count, number=schedule.number, beginning=phrases.first_words(schedule.text)
        )
        post_notice(db, message_id_about(schedule, "over", terms), schedule.address, said, terms.now)
    return NOT_SEEN if checked.has_failed else IS_FALSE


def load_unless_changed(db: Connection, due: DueTime) -> Schedule | None:
    schedule, known = schedules.find_schedule(db, due.schedule.number), due.schedule
    if schedule is None or not schedule.is_active:
        return None
    is_same = (schedule.next_at, schedule.changed_at) == (known.next_at, known.changed_at)
    return schedule if is_same else None


def why_not_now(db: Connection, schedule: Schedule, terms: DecisionTerms) -> str:
    """Return the outcome of a schedule that may do nothing now; empty if it may."""
    sender = Sender(id=schedule.person, name=schedule.name)
    rights = admission.rights_of_sender(db, schedule.address, sender, schedule.group_chat, terms)
    if Right.TALK not in rights:
        return NOT_ALLOWED
    if schedule.is_reminder:
        return ""
    if Right.SCHEDULE not in rights:
        return NO_RIGHT
    if schedules.is_run_open(db, schedule.number):
        return BUSY
    has_money = not (money.has_used_its_day(db, schedule, terms) or money.find_used_budget(db, schedule, terms))
    return "" if has_money else NO_MONEY


def post_reminder(db: Connection, due: DueTime, terms: DecisionTerms) -> None:
    schedule, was_late = due.schedule, is_late(due, terms.now)
    due_at = due.due_at.astimezone(zone_by_name(schedule.zone, terms))
    text = people_schedules.REMINDER(text=schedule.text)
    if due.missed_count and was_late:
        text = people_schedules.LATE_REMINDERS(due.missed_count, text=schedule.text, time=due_at)
    elif due.missed_count:
        text = people_schedules.REMINDER_AFTER_MISSED_TIMES(due.missed_count, text=schedule.text)
    elif was_late:
        text = people_schedules.LATE_REMINDER(text=schedule.text, time=due_at)
    id = schedules.schedule_message_id(schedule.number, due.due_at)
    post_notice(db, id, schedule.address, text, terms.now, rings=not schedule.is_silent)


def begin_run(db: Connection, due: DueTime, terms: DecisionTerms) -> None:
    schedule = due.schedule
    notes = [model_schedules.WAS_LEFT_OUT(due.missed_count)] if due.missed_count else []
    notes += [model_schedules.IS_LATE] if is_late(due, terms.now) and not due.missed_count else []
    text = model_schedules.SCHEDULED_RUN(
        number=schedule.number,
        person=sanitize_and_shorten_name(schedule.name),
        time=due.due_at.astimezone(zone_by_name(schedule.zone, terms)),
        task=task_of_run(schedule),
        notes=notes_of_run(schedule, notes),
    )
    add_message_of_run(db, schedule, schedules.schedule_message_id(schedule.number, due.due_at), text, terms.now)


def begin_run_wanted_now(db: Connection, schedule: Schedule, message: MessageId, terms: DecisionTerms) -> None:
    """Begin a run because its person wants it now, by this message."""
    text = model_schedules.SCHEDULED_RUN_WANTED_NOW(
        number=schedule.number,
        person=sanitize_and_shorten_name(schedule.name),
        task=task_of_run(schedule),
        notes=notes_of_run(schedule, []),
    )
    id = MessageId(f"{SCHEDULE_MESSAGE_ID_PREFIX}{schedule.number}{NOW_MARK}{message}")
    add_message_of_run(db, schedule, id, text, terms.now)


def task_of_run(schedule: Schedule) -> str:
    """Return the task so that it cannot pass for a note of ours."""
    return indent_lines_after_first(schedule.text).replace("[", "(").replace("]", ")")


def notes_of_run(schedule: Schedule, notes: list[str]) -> str:
    if schedule.condition:
        notes = [model_schedules.CONDITION_HOLDS(condition=describe_condition(schedule.condition)), *notes]
    tools = ", ".join(sorted(schedule.tools))
    notes += [model_schedules.TOOLS_OF_RUN(tools=tools) if tools else model_schedules.NO_TOOLS_OF_RUN]
    return " ".join([*notes, model_schedules.END_SILENTLY(word=model_schedules.NOTHING_TO_REPORT)])


def describe_condition(condition: dict[str, object]) -> str:
    what = condition["what"]
    match condition["kind"]:
        case "window":
            return model_schedules.CONDITION_WINDOW(what=what)
        case "file_there":
            return model_schedules.CONDITION_FILE_THERE(what=what)
        case "file_changed":
            return model_schedules.CONDITION_FILE_CHANGED(what=what)
        case "page_changed":
            return model_schedules.CONDITION_PAGE_CHANGED(what=what)
        case "memory_changed":
            return model_schedules.CONDITION_MEMORY_CHANGED(what=what)
    return model_schedules.CONDITION_TOOL_CHANGED(what=what)


def add_message_of_run(db: Connection, schedule: Schedule, id: MessageId, text: str, now: datetime) -> None:
    """Store the message that begins a run, and wake the dispatcher, which opens its turn."""
    message = InboundMessage(
        id=id,
        address=schedule.address,
        sender=Sender(id=schedule.person, name=schedule.name, origin=InboundOrigin.SCHEDULE),
        text=text,
        sent_at=now,
        group_chat=schedule.group_chat,
    )
    if inbox.add_inbound_message(db, message, now):
        db.add_wake_up(MESSAGES_WAITING_TOPIC, str(schedule.address))


# What its person is told when it does nothing


def tell_why_not(db: Connection, due: DueTime, outcome: str, terms: DecisionTerms) -> None:
    """Tell the chat that the day's budget is used, or that a right is missing. A person who may not talk is told
    nothing, but the operator is. What is still at work is told by its next run."""
    schedule, words = due.schedule, phrases.first_words(due.schedule.text)
    if outcome == NO_MONEY:
        tell_that_money_is_used(db, schedule, terms)
    elif outcome == NO_RIGHT:
        said = people_schedules.PAUSED_WITHOUT_RIGHT(number=schedule.number, beginning=words)
        post_notice(db, message_id_about(schedule, "right", terms), schedule.address, said, terms.now)
    elif outcome == NOT_ALLOWED and not schedule.missed_count:
        log.warning(logs.SCHEDULE_NOT_ALLOWED, schedule.number, schedule.address)


def tell_that_money_is_used(db: Connection, schedule: Schedule, terms: DecisionTerms) -> None:
    """Tell the chat once a day why a schedule does nothing more today."""
    said = money.no_money_text(db, schedule, terms)
    post_notice(db, message_id_about(schedule, f"money:{terms.today}"), schedule.address, said, terms.now)


def tell_that_checks_fail(db: Connection, schedule: Schedule, failed: int, terms: DecisionTerms) -> None:
    said = people_schedules.CONDITION_NOT_SEEN(
        failed,
        number=schedule.number,
        what=phrases.first_words(str((schedule.condition or {}).get("what", ""))),
        beginning=phrases.first_words(schedule.text),
    )
    post_notice(db, message_id_about(schedule, "unseen", terms), schedule.address, said, terms.now)


def message_id_about(schedule: Schedule, what: str, terms: DecisionTerms | None = None) -> str:
    """Return the id of a message that is posted once, or once at that time."""
    moment = f":{terms.now:%Y-%m-%dT%H:%M:%S}" if terms else ""
    return f"{SCHEDULE_MESSAGE_ID_PREFIX}{schedule.number}:{what}{moment}"


# The turn of a run


def schedule_of_run(db: Connection, message: InboundMessage) -> Schedule | None:
    """Return the schedule that a message begins a run of; None if it begins none. Only runs read a row for that."""
    if message.sender.origin is not InboundOrigin.SCHEDULE:
        return None
    return schedules.find_schedule(db, schedules.number_of_schedule_message(message.id))


def limit_role_to_schedule(resolved: ResolvedRole, schedule: Schedule) -> ResolvedRole:
    """Return the role with the tools and the money of a run. The rights of the person limit its tools already."""
    cost = Micros(min(resolved.limits.cost, schedule.money_of_run))
    return replace(resolved, tools=resolved.tools & schedule.tools, limits=replace(resolved.limits, cost=cost))


def settle_run(db: Connection, turn: Turn, status: TurnOutcome, report: str, terms: DecisionTerms) -> tuple[bool, bool]:
    """Note how a run has ended. Return whether its report is posted, and whether it is to make no sound. A run without
    anything to tell posts nothing. Of several failures one after the other, only the first is posted, and the last
    before the schedule is paused; of a schedule that is paused or over, and of a run that somebody wants now, each. It
    is no failure if the day's money has run out: that is told once a day."""
    schedule = schedules.find_schedule(db, turn.schedule)
    if schedule is None:
        return not is_nothing_to_report(report), False
    if status is TurnOutcome.COMPLETED and is_nothing_to_report(report):
        outcome, failures = QUIET, 0
    elif status in (TurnOutcome.COMPLETED, TurnOutcome.CANCELLED):
        outcome, failures = RUN, 0
    elif status is TurnOutcome.BUDGET and money.money_ran_out_today(db, schedule, turn.spent.cost, terms):
        outcome, failures = NO_MONEY, schedule.failures
        tell_that_money_is_used(db, schedule, terms)
    else:
        outcome, failures = FAILED, schedule.failures + 1
    begun_by = inbox.list_messages_of_turn(db, turn.id)
    for message in begun_by:
        schedules.set_outcome_of_run(db, message.id, outcome)
    if failures != schedule.failures:
        schedules.update_schedule(db, schedule.number, failures=failures)
    if failures >= FAILURES_BEFORE_PAUSE and schedule.is_active:
        schedules.update_schedule(db, schedule.number, state="paused", changed_at=terms.now)
        words = phrases.first_words(schedule.text)
        said = people_schedules.PAUSED_AFTER_FAILURES(failures, number=schedule.number, beginning=words)
        post_notice(db, f"{turn.id}:paused", schedule.address, said, terms.now, rings=True)
    is_awaited = failures == 1 or not schedule.is_active or any(NOW_MARK in message.id for message in begun_by)
    return outcome == RUN or (outcome == FAILED and is_awaited), schedule.is_silent


def is_nothing_to_report(report: str) -> bool:
    word = report.strip().strip("`*_.\"'").strip()
    return word in ("", model_schedules.NOTHING_TO_REPORT) or report.strip() == people.NO_ANSWER()


def pause_schedule_after_bug(db: Connection, number: int, terms: DecisionTerms) -> None:
    """Pause a schedule that cannot even be worked out. Otherwise it would be tried again for ever."""
    if schedule := schedules.find_schedule(db, number):
        failures = FAILURES_BEFORE_PAUSE  # the operator is told of it as of those that failed
        schedules.update_schedule(db, number, state="paused", failures=failures, changed_at=terms.now)
        set_language(language_of_person(db, schedule.address.channel, schedule.person, terms))  # in this transaction
        said = people_schedules.PAUSED_AFTER_BUG(number=number, beginning=phrases.first_words(schedule.text))
        post_notice(db, message_id_about(schedule, "bug", terms), schedule.address, said, terms.now)
