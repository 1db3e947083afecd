"""What operators do with the schedules of people: `retinue schedules` pauses and deletes them. Their person is told."""

from bot.core import phrases
from bot.core.languages import set_language
from bot.core.limits import DecisionTerms
from bot.core.texts import operators, people_schedules
from bot.journal.bus import post_notice
from bot.journal.languages import language_of_person
from bot.journal.schedule_runs import message_id_about
from bot.journal.schedules import DELETE, PAUSE, change_schedule
from bot.store import schedules
from bot.store.connection import Connection
from bot.store.orders import OrderAnswer

MAX_DIGITS = 18  # of a schedule's number: SQLite takes no longer ones


def pause_for_operator(db: Connection, number: str, terms: DecisionTerms) -> OrderAnswer:
    return change_for_operator(db, number, PAUSE, terms)


def delete_for_operator(db: Connection, number: str, terms: DecisionTerms) -> OrderAnswer:
    return change_for_operator(db, number, DELETE, terms)


def change_for_operator(db: Connection, number: str, change: str, terms: DecisionTerms) -> OrderAnswer:
    is_number = number.isdecimal() and len(number) <= MAX_DIGITS
    schedule = schedules.find_schedule(db, int(number)) if is_number else None
    if schedule is None or schedule.state not in ("active", "paused"):
        return OrderAnswer(operators.NO_SUCH_SCHEDULE(number=number), is_done=False)
    if change == PAUSE and not schedule.is_active:
        return OrderAnswer(operators.SCHEDULE_IS_PAUSED(number=number))
    words = phrases.first_words(schedule.text)
    change_schedule(db, schedule, change, terms)
    set_language(language_of_person(db, schedule.address.channel, schedule.person, terms))  # in this transaction
    said = people_schedules.PAUSED_BY_OPERATOR(number=schedule.number, beginning=words)
    answer = operators.SCHEDULE_IS_PAUSED(number=number)
    if change == DELETE:
        said = people_schedules.DELETED_BY_OPERATOR(number=schedule.number, beginning=words)
        answer = operators.SCHEDULE_IS_DELETED(number=number)
    post_notice(db, message_id_about(schedule, f"{change} by operator", terms), schedule.address, said, terms.now)
    return OrderAnswer(answer)
