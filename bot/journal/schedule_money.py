"""What the runs of a schedule may cost: in a day by the schedule itself, and by the day's money of its chat, its person
and everybody."""

from datetime import UTC, datetime, time, timedelta

from bot.core import phrases
from bot.core.limits import DecisionTerms
from bot.core.prices import Micros, format_micro_dollars
from bot.core.texts import people_schedules, reasons
from bot.journal import budgets
from bot.journal.budgets import BudgetHeadroom
from bot.store import schedules
from bot.store.connection import Connection
from bot.store.schedules import Schedule


def begin_of_day(terms: DecisionTerms, days_from_now: int = 0) -> datetime:
    """Return when a day of the operator begins, in UTC."""
    day = datetime.combine(terms.today + timedelta(days=days_from_now), time.min)
    return day.replace(tzinfo=terms.resolved_settings.operator_time_zone).astimezone(UTC)


def has_used_its_day(db: Connection, schedule: Schedule, terms: DecisionTerms) -> bool:
    """Return True if less than a run may cost is left of what the schedule may cost in a day."""
    spent = schedules.cost_of_runs_since(db, schedule.number, begin_of_day(terms))
    return schedule.day_micros - spent < schedule.money_of_run


def find_used_budget(db: Connection, schedule: Schedule, terms: DecisionTerms, least: int = 1) -> BudgetHeadroom | None:
    """Return a budget of the day that has less than `least` micros for the schedule, also when all that is reserved in
    it now has come back; None if there is none."""
    chat, channel = str(schedule.address.whole_chat), schedule.address.channel
    rooms = budgets.list_day_headroom(db, chat, channel, schedule.person, terms)
    return next((each for each in rooms if each.left_micros + each.reserved_by_others_micros < least), None)


def no_money_text(db: Connection, schedule: Schedule, terms: DecisionTerms) -> str:
    """Return what its person is told of a schedule that is due and has no money left today."""
    words = phrases.first_words(schedule.text)
    if has_used_its_day(db, schedule, terms):
        cost = format_micro_dollars(schedule.day_micros)
        return people_schedules.DAY_BUDGET_USED(number=schedule.number, cost=cost, beginning=words)
    reason = budget_reason(db, schedule, terms)
    return people_schedules.NO_MONEY_TODAY(number=schedule.number, reason=reason, beginning=words)


def no_money_now_text(db: Connection, schedule: Schedule, text: str, terms: DecisionTerms) -> str:
    """Return what its person is told who wants a run now for which no money is left today."""
    if has_used_its_day(db, schedule, terms):
        return people_schedules.SCHEDULE_BUDGET_USED(cost=format_micro_dollars(schedule.day_micros), text=text)
    return people_schedules.NO_MONEY_NOW(reason=budget_reason(db, schedule, terms), text=text)


def budget_reason(db: Connection, schedule: Schedule, terms: DecisionTerms) -> str:
    used = find_used_budget(db, schedule, terms, schedule.money_of_run)
    kind = used.budget.value if used else budgets.BudgetKind.DAY.value
    return reasons.NO_MONEY[kind](time_zone=str(terms.resolved_settings.operator_time_zone))


def money_ran_out_today(db: Connection, schedule: Schedule, spent: Micros, terms: DecisionTerms) -> bool:
    """Return True if a budget of the day had less for a run than the run's own one, and the run has spent that."""
    return find_used_budget(db, schedule, terms, schedule.money_of_run - spent) is not None
