"""Make, change and delete schedules: by a call of the model, or by a person's command or button."""

from collections.abc import Collection
from datetime import datetime, timedelta, tzinfo
from functools import partial
from typing import Any

from bot.core.limits import DecisionTerms
from bot.core.messages import Address, PersonId
from bot.core.reply_plan import ChangeSchedule, MakeSchedule
from bot.core.request_reading.own_words import own_words
from bot.core.settings import micros_from_usd
from bot.core.texts import model_schedules
from bot.core.turn import SCHEDULE_MESSAGE_ID_PREFIX, CallId, Turn
from bot.journal import call_evidence, provenance
from bot.journal.clock import zone_by_name
from bot.journal.people import person_key
from bot.journal.withheld_links import withhold_unseen_links
from bot.schedules.rules import (
    MAX_MISSED_TIMES_COUNTED,
    ScheduleRule,
    next_occurrence,
    next_occurrences,
    occurrences_until,
)
from bot.store import held_calls, inbox, schedules, sessions, transcript
from bot.store.connection import Connection
from bot.store.people import PersonKey
from bot.store.schedules import Schedule

SHOWN_OCCURRENCES = 3
MAX_JUST_OVER = 5  # of a chat, that the model is told of
SHOWN_TIME = "%a %Y-%m-%d %H:%M"
PAUSE, RESUME, DELETE = "pause", "resume", "delete"


def make_schedule_for_call(
    db: Connection, turn: Turn, call: CallId, wanted: MakeSchedule, terms: DecisionTerms
) -> None:
    """Make a schedule, and tell the model the next times. Refuse it if the person has too many already."""
    most, settings = terms.settings.schedules.per_person, terms.settings.schedules
    if refusal := why_not_made(db, turn, wanted, most, terms):
        transcript.finish_call(db, call, refusal, is_error=True)
        return
    rule = ScheduleRule(once=wanted.once, start=wanted.start, repeat=wanted.repeat)
    next_at = next_occurrence(rule, zone_by_name(wanted.zone, terms), terms.now) or wanted.once
    if next_at is None:  # the clock was set forward since the tool has read the rule
        transcript.finish_call(db, call, model_schedules.TIMES_ARE_PAST, is_error=True)
        return
    schedule = Schedule(
        key=call,
        address=turn.address,
        group_chat=inbox.find_group_chat_of_turn(db, turn.id),
        person=turn.person,
        name=turn.asker,
        zone=wanted.zone,
        rule=rule,
        is_reminder=wanted.is_reminder,
        text=withhold_unseen_links(db, turn, wanted.text, terms),
        is_silent=wanted.is_silent,
        tools=wanted.tools,
        condition=note_agreement(db, call, wanted.condition),
        run_micros=micros_from_usd(settings.run_usd),
        day_micros=micros_from_usd(settings.day_usd),
        sources=sessions.load_session_sources(db, turn.session),
        words=call_evidence.load_words_of_request(db, turn),
        next_at=next_at,
        made_at=terms.now,
        changed_at=terms.now,
    )
    number = schedules.add_schedule(db, schedule)
    zone = zone_by_name(wanted.zone, terms)
    times = next_times_text(schedule, terms)
    said = model_schedules.SCHEDULE_MADE(number=number, times=times, zone=zone)
    if rule.is_once:
        said = model_schedules.SCHEDULE_MADE_ONCE(number=number, times=times, zone=zone)
    is_zone_asked = not wanted.is_zone_known and not (wanted.is_reminder and rule.is_once)
    said += f". {model_schedules.ZONE_IS_OPERATORS}" if is_zone_asked else ""
    transcript.finish_call(db, call, said)


def note_agreement(db: Connection, call: CallId, condition: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return the condition of a schedule, with a note if a person has agreed to the call that makes it: they have seen
    the condition, so its checks are not judged."""
    return {**condition, "is_agreed": True} if condition and held_calls.is_approved(db, call) else condition


def why_not_made(db: Connection, turn: Turn, wanted: MakeSchedule, most: int, terms: DecisionTerms) -> str:
    """Return why a schedule cannot be made; empty if it can."""
    if len(list_schedules_of_person(db, turn.address.channel, turn.person, terms)) >= most:
        return model_schedules.TOO_MANY_SCHEDULES(most, person=turn.asker)
    condition = wanted.condition or {}
    if condition.get("kind") == "page_changed" and provenance.list_sources_of_others(db, turn):
        own = [own_words(message.written_text) for message in inbox.list_messages_of_turn(db, turn.id)]
        if not any(condition["what"] in text for text in own):  # somebody else's words may have made it up
            return model_schedules.ADDRESS_IS_NOT_THEIRS(person=turn.asker)
    return ""


def change_schedule_for_call(
    db: Connection, turn: Turn, call: CallId, wanted: ChangeSchedule, terms: DecisionTerms
) -> None:
    schedule = find_schedule_of_person(db, turn.address.channel, turn.person, wanted.schedule, terms)
    if schedule is None or schedule.address.whole_chat != turn.address.whole_chat:
        said = model_schedules.NO_SUCH_SCHEDULE(person=turn.asker, number=wanted.schedule)
        transcript.finish_call(db, call, said, is_error=True)
        return
    if turn.schedule and (turn.schedule != schedule.number or wanted.change == RESUME):
        transcript.finish_call(db, call, model_schedules.RUN_MAKES_NO_SCHEDULES, is_error=True)
        return
    transcript.finish_call(db, call, model_schedules_text(change_schedule(db, schedule, wanted.change, terms), terms))


def model_schedules_text(schedule: Schedule, terms: DecisionTerms) -> str:
    """Return what the model reads about a schedule that was changed."""
    match schedule.state:
        case "active":
            times, zone = next_times_text(schedule, terms), zone_by_name(schedule.zone, terms)
            return model_schedules.SCHEDULE_CHANGED(number=schedule.number, times=times, zone=zone)
        case "paused":
            return model_schedules.SCHEDULE_IS_PAUSED(number=schedule.number)
        case "deleted":
            return model_schedules.SCHEDULE_IS_DELETED(number=schedule.number)
    return model_schedules.SCHEDULE_IS_OVER(number=schedule.number)


def change_schedule(db: Connection, schedule: Schedule, change: str, terms: DecisionTerms) -> Schedule:
    """Pause, resume or delete a schedule. Return it as it is then. Times that came while it was paused are left out,
    except a last time that was being tried again."""
    number, columns = schedule.number, dict[str, object]()
    if change == RESUME and schedule.state != "paused":
        return schedule
    if change == PAUSE:
        columns = {"state": "paused"}
    elif change == RESUME:
        next_at: datetime | None = terms.now
        if schedule.postponed_due_at is None:
            after = max(terms.now, schedule.last_at or terms.now)  # the clock may have been set back
            next_at = next_occurrence(schedule.rule, zone_by_name(schedule.zone, terms), after)
        columns = {"state": "active" if next_at else "over", "next_at": next_at, "missed_count": 0, "failures": 0}
    elif change == DELETE:
        columns = {"state": "deleted", "next_at": None, "text": "", "last_seen": None}
        inbox.close_waiting_messages_with_prefix(db, f"{SCHEDULE_MESSAGE_ID_PREFIX}{number}:")
    schedules.update_schedule(db, number, changed_at=terms.now, **columns)
    [changed] = schedules.select_schedules(db, "number = ?", number)
    return changed


def move_schedules_to_zone(db: Connection, channel: str, person: PersonId, zone: str, terms: DecisionTerms) -> int:
    """Let the repeating schedules of a person follow the clock of another zone. Return how many there are. What is due
    once stays at its moment. What is due just now stays due."""
    found = [each for each in list_schedules_of_person(db, channel, person, terms) if not each.rule.is_once]
    for each in [each for each in found if each.zone != zone]:
        if each.is_active and each.next_at and each.next_at <= terms.now:
            more, last = occurrences_until(
                each.rule, zone_by_name(each.zone, terms), each.next_at, terms.now, MAX_MISSED_TIMES_COUNTED
            )
            due = {"next_at": last or each.next_at, "missed_count": each.missed_count + more}
            schedules.update_schedule(db, each.number, zone=zone, changed_at=terms.now, **due)
        elif each.postponed_due_at is None:
            compute_next_time_on_clock(db, each, zone, terms)
        else:
            schedules.update_schedule(db, each.number, zone=zone, changed_at=terms.now)
    return len(found)


def list_schedules_off_their_clock(db: Connection, terms: DecisionTerms) -> list[int]:
    """Return the numbers of the repeating schedules whose next time is none on the clock that counts for them: since it
    was computed, the operator has set another zone, or a country has changed its clock. What is due stays due."""
    return [
        each.number
        for each in schedules.list_all_schedules(db)
        if is_off_its_clock(each, zone_by_name(each.zone, terms), terms)
    ]


def is_off_its_clock(schedule: Schedule, zone: tzinfo, terms: DecisionTerms) -> bool:
    next_at = schedule.next_at
    if schedule.rule.is_once or schedule.postponed_due_at or not schedule.is_active or not next_at:
        return False
    return next_at > terms.now and next_occurrence(schedule.rule, zone, next_at - timedelta(seconds=1)) != next_at


def follow_clock(db: Connection, numbers: Collection[int], terms: DecisionTerms) -> None:
    """Compute the next times of these schedules again."""
    for each in map(partial(schedules.find_schedule, db), numbers):
        if each and is_off_its_clock(each, zone_by_name(each.zone, terms), terms):
            compute_next_time_on_clock(db, each, each.zone, terms)


def compute_next_time_on_clock(db: Connection, schedule: Schedule, zone: str, terms: DecisionTerms) -> None:
    """Let a schedule be due at its next time on the clock of this zone."""
    after = max(terms.now, schedule.last_at or terms.now)
    next_at = next_occurrence(schedule.rule, zone_by_name(zone, terms), after)
    state = "over" if next_at is None else schedule.state
    schedules.update_schedule(db, schedule.number, zone=zone, next_at=next_at, state=state, changed_at=terms.now)


def list_schedules_of_person(
    db: Connection, channel: str, account: PersonId, terms: DecisionTerms, whole_chat: Address | None = None
) -> list[Schedule]:
    """Return the schedules that a person has made with any account and that may be due again, the first due first; with
    `whole_chat` only those of this chat."""
    return filter_by_person(db, schedules.list_all_schedules(db), channel, account, terms, whole_chat)


def list_schedules_just_over(
    db: Connection, channel: str, account: PersonId, terms: DecisionTerms, whole_chat: Address
) -> list[Schedule]:
    """Return the schedules of a person in a chat whose very last time came within a day, the latest last."""
    found = schedules.list_schedules_over_since(db, terms.now - timedelta(days=1))
    return filter_by_person(db, found, channel, account, terms, whole_chat)[-MAX_JUST_OVER:]


def filter_by_person(
    db: Connection,
    found: Collection[Schedule],
    channel: str,
    account: PersonId,
    terms: DecisionTerms,
    whole_chat: Address | None,
) -> list[Schedule]:
    keys: dict[tuple[str, str], PersonKey] = {}

    def key_of(channel: str, account: str) -> PersonKey:
        if (channel, account) not in keys:
            keys[channel, account] = person_key(db, channel, account, terms)
        return keys[channel, account]

    person = key_of(channel, account)
    if whole_chat:
        found = [each for each in found if each.address.whole_chat == whole_chat]
    return [each for each in found if key_of(each.address.channel, each.person) == person]


def find_schedule_of_person(
    db: Connection, channel: str, person: PersonId, number: int, terms: DecisionTerms
) -> Schedule | None:
    found = list_schedules_of_person(db, channel, person, terms)
    return next((each for each in found if each.number == number), None)


def next_times_text(schedule: Schedule, terms: DecisionTerms) -> str:
    """Return the next times of a schedule on its own clock, as in "Tue 2026-12-01 08:00, Wed …"."""
    zone = zone_by_name(schedule.zone, terms)
    found: Collection[datetime] = next_occurrences(schedule.rule, zone, terms.now, SHOWN_OCCURRENCES)
    if not found and schedule.next_at:
        found = [schedule.next_at]
    return ", ".join(f"{each.astimezone(zone):{SHOWN_TIME}}" for each in found)
