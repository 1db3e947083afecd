"""`/schedules` and `/timezone`: people see and change their schedules, by buttons or in words, and set their zone."""

from bot.core import phrases
from bot.core.limits import DecisionTerms
from bot.core.messages import InboundMessage, OutboundId, OutboundKind, OutboundMessage, match_option
from bot.core.texts import people, people_schedules
from bot.core.time_zones import find_zone_as_typed, suggest_zones, zone_name
from bot.core.turn import SCHEDULE_MESSAGE_ID_PREFIX
from bot.journal import questions, schedule_money, schedule_runs
from bot.journal.bus import post_notice
from bot.journal.clock import own_zone_name, zone_by_name
from bot.journal.people import person_key
from bot.journal.schedules import (
    DELETE,
    PAUSE,
    RESUME,
    change_schedule,
    find_schedule_of_person,
    list_schedules_of_person,
    move_schedules_to_zone,
)
from bot.store import inbox
from bot.store import people as people_rows
from bot.store.connection import Connection
from bot.store.questions import ButtonQuestion, list_open_questions
from bot.store.schedules import Schedule

SCHEDULE_BUTTON_ACTION = "schedules"  # marks the questions that change schedules
RUN = "run"
MORE = "more"  # of the button that asks for the next schedules; its number is how many come before them
CHANGES = (PAUSE, RESUME, RUN, DELETE)
MAX_SCHEDULES_WITH_BUTTONS = 5  # each has three
MAX_SHOWN_TEXT_CHARACTERS = 80


def answer_schedules_command(db: Connection, message: InboundMessage, terms: DecisionTerms) -> str:
    """Do what `/schedules` or `/schedules pause 2` says. Return what to answer; empty if a question is the answer."""
    words = message.text.split()[1:]
    if not words:
        return ask_what_to_change(db, message, terms)
    change = words[0].casefold()
    if len(words) != 2 or change not in CHANGES or not words[1].lstrip("#").isdecimal():
        return people_schedules.SCHEDULES_USAGE()
    return change_numbered_schedule(db, message, change, int(words[1].lstrip("#")[:9]), terms)


def apply_tapped_change(db: Connection, button: ButtonQuestion, message: InboundMessage, terms: DecisionTerms) -> str:
    """Change the tapped schedule, and ask again with the new state. Return what to answer."""
    channel = message.address.channel
    if person_key(db, channel, message.sender.id, terms) != button.arguments["person"]:
        return people.QUESTION_FOR_ANOTHER()
    option = match_option(button.options, message.text)
    if not option or not button.is_open:
        return people.QUESTION_CLOSED()
    change, number = button.arguments["choices"][button.options.index(option)]
    questions.close_question_and_remove_buttons(db, button.id, "answered", option)
    if change == MORE:
        return ask_what_to_change(db, message, terms, skipped=number)
    said = change_numbered_schedule(db, message, change, number, terms)
    ask_what_to_change(db, message, terms)
    return said


def ask_what_to_change(db: Connection, message: InboundMessage, terms: DecisionTerms, skipped: int = 0) -> str:
    """Ask which schedule to change, by buttons. So many schedules have had theirs already. Return what to say if there
    are none; otherwise empty."""
    channel, is_private = message.address.channel, message.group_chat is None
    chat = None if is_private else message.address.whole_chat
    found = list_schedules_of_person(db, channel, message.sender.id, terms, chat)
    if not found:
        return people_schedules.NO_SCHEDULES()
    person = person_key(db, channel, message.sender.id, terms)
    for earlier in list_open_questions(db, ButtonQuestion, address=message.address):
        if earlier.arguments["does"] == SCHEDULE_BUTTON_ACTION and earlier.arguments["person"] == person:
            questions.close_question_and_remove_buttons(db, earlier.id, "withdrawn")
    zone = zone_by_name(own_zone_name(db, channel, message.sender.id, terms), terms)
    lines = [
        people_schedules.SCHEDULES_EVERYWHERE() if is_private else people_schedules.SCHEDULES_HERE(),
        *(schedule_line(each, terms) for each in found),
        people_schedules.SCHEDULE_TIMES_ARE_OF_ZONE(zone=zone_name(zone)),
        people_schedules.SCHEDULES_USAGE(),
    ]
    skipped = skipped if skipped < len(found) else 0
    shown_until = skipped + MAX_SCHEDULES_WITH_BUTTONS
    buttons = [each for schedule in found[skipped:shown_until] for each in buttons_of_schedule(schedule)]
    if len(found) > MAX_SCHEDULES_WITH_BUTTONS:
        buttons.append((people_schedules.MORE_BUTTON(), MORE, shown_until if shown_until < len(found) else 0))
    question = OutboundMessage(
        id=OutboundId(f"b{inbox.inbox_number_of_message(db, message.id)}"),
        address=message.address,
        kind=OutboundKind.QUESTION,
        text="\n".join(lines),
        options=tuple(option for option, _, _ in buttons),
    )
    choices = [(change, number) for _, change, number in buttons]
    about = {"does": SCHEDULE_BUTTON_ACTION, "person": person, "choices": choices}
    questions.ask_harness_question(db, question, about, terms.now)
    return ""


def buttons_of_schedule(schedule: Schedule) -> list[tuple[str, str, int]]:
    """Return the buttons of a schedule: what each says, what it does, and with which schedule."""
    number = schedule.number
    rest = (people_schedules.RESUME_BUTTON(number=number), RESUME, number)
    if schedule.is_active:
        rest = (people_schedules.PAUSE_BUTTON(number=number), PAUSE, number)
    return [
        rest,
        (people_schedules.RUN_BUTTON(number=number), RUN, number),
        (people_schedules.DELETE_BUTTON(number=number), DELETE, number),
    ]


def schedule_line(schedule: Schedule, terms: DecisionTerms) -> str:
    text = phrases.first_words(schedule.text, MAX_SHOWN_TEXT_CHARACTERS)
    if not schedule.is_active or schedule.next_at is None:
        return people_schedules.SCHEDULE_LINE_PAUSED(number=schedule.number, text=text)
    number, next_time = schedule.number, schedule.next_at.astimezone(zone_by_name(schedule.zone, terms))
    if schedule.rule.is_once:
        return people_schedules.SCHEDULE_LINE(number=number, next=next_time, text=text)
    return people_schedules.SCHEDULE_LINE_REPEATING(number=number, next=next_time, text=text)


def change_numbered_schedule(
    db: Connection, message: InboundMessage, change: str, number: int, terms: DecisionTerms
) -> str:
    """Change a schedule of the message's sender, or run it now. Return what to answer."""
    schedule = find_schedule_of_person(db, message.address.channel, message.sender.id, number, terms)
    is_elsewhere = schedule and message.group_chat and schedule.address.whole_chat != message.address.whole_chat
    if schedule is None or is_elsewhere:
        return people_schedules.NO_SUCH_SCHEDULE(number=number)
    text = phrases.first_words(schedule.text, MAX_SHOWN_TEXT_CHARACTERS)
    if change == RUN:
        return run_schedule_now(db, schedule, message, text, terms)
    changed = change_schedule(db, schedule, change, terms)
    match changed.state:
        case "deleted":
            return people_schedules.SCHEDULE_DELETED(text=text)
        case "paused":
            return people_schedules.SCHEDULE_PAUSED(text=text)
        case "active" if changed.next_at:
            next_time = changed.next_at.astimezone(zone_by_name(changed.zone, terms))
            return people_schedules.SCHEDULE_RESUMED(next=next_time, text=text)
    return people_schedules.SCHEDULE_HAS_NO_MORE_TIMES(text=text)


def run_schedule_now(
    db: Connection, schedule: Schedule, message: InboundMessage, text: str, terms: DecisionTerms
) -> str:
    match schedule_runs.why_not_now(db, schedule, terms):
        case schedule_runs.BUSY:
            return people_schedules.SCHEDULE_AT_WORK(text=text)
        case schedule_runs.NO_MONEY:
            return schedule_money.no_money_now_text(db, schedule, text, terms)
        case schedule_runs.NOT_ALLOWED:
            return people_schedules.SCHEDULE_NOT_ALLOWED(text=text)
        case schedule_runs.NO_RIGHT:
            return people_schedules.SCHEDULE_RIGHT_MISSING(text=text)
    if schedule.is_reminder:
        id = f"{SCHEDULE_MESSAGE_ID_PREFIX}{schedule.number}:now:{message.id}"
        post_notice(db, id, schedule.address, people_schedules.REMINDER(text=schedule.text), terms.now)
    else:
        schedule_runs.begin_run_wanted_now(db, schedule, message.id, terms)
    return people_schedules.SCHEDULE_RUNS(text=text)


def answer_timezone_command(db: Connection, message: InboundMessage, terms: DecisionTerms) -> str:
    """Say which time zone counts for the sender, or set another one."""
    channel, name = message.address.channel, message.text.partition(" ")[2].strip()
    own = own_zone_name(db, channel, message.sender.id, terms)
    zone = zone_by_name(own, terms)
    if not name:
        now = terms.now.astimezone(zone)
        if own:
            return people_schedules.TIME_ZONE_IS(zone=zone_name(zone), now=now)
        return people_schedules.TIME_ZONE_IS_OPERATORS(zone=zone_name(zone), now=now)
    found = find_zone_as_typed(name)
    shown = phrases.first_words(name)
    if found is None:
        if names := suggest_zones(name):
            return people_schedules.NO_SUCH_TIME_ZONE_BUT_LIKE(name=shown, names=phrases.join_with_or(names))
        return people_schedules.NO_SUCH_TIME_ZONE(name=shown)
    person = person_key(db, channel, message.sender.id, terms)
    people_rows.save_person_setting(db, person, "time_zone", found.key)
    count = move_schedules_to_zone(db, channel, message.sender.id, found.key, terms)
    now = terms.now.astimezone(found)
    if count:
        return people_schedules.TIME_ZONE_SET_FOR_SCHEDULES(count, zone=found.key, now=now)
    return people_schedules.TIME_ZONE_SET(zone=found.key, now=now)
