"""Deliberate bugs of schedules, as changes of the source."""

from tests.simulation.mutation import Mutation
from tests.simulation.planners import PLANNERS

RUNS = "bot/journal/schedule_runs.py"
PLANS = "bot/journal/schedules.py"
OF_SCHEDULES = (
    Mutation(
        name="times that were missed are not counted",
        path=RUNS,
        old="        missed=more,\n",
        new="        missed=0,\n",
        scenario=PLANNERS,
    ),
    Mutation(
        name="what was left out while a run was at work is forgotten",
        path=RUNS,
        old="0 if is_done else due.missed_count + bool(outcome)}",
        new="0}",
        scenario=PLANNERS,
    ),
    Mutation(
        name="the last time of a schedule is lost if it cannot be used",
        path=RUNS,
        old="    if not is_done and due.next_at is None and",
        new="    if not is_done and due.next_at is ... and",
        scenario=PLANNERS,
    ),
    Mutation(
        name="a late reminder does not tell what was missed",
        path=RUNS,
        old="    if due.missed_count and was_late:",
        new="    if due.missed_count and not was_late:",
        scenario=PLANNERS,
    ),
    Mutation(
        name="a check in vain forgets what was missed",
        path=RUNS,
        old='        missed_count=due.missed_count,\n        state="over" if',
        new='        missed_count=0,\n        state="over" if',
        scenario=PLANNERS,
    ),
    Mutation(
        name="a run without anything to tell posts its word",
        path=RUNS,
        old="        outcome, failures = QUIET, 0",
        new="        outcome, failures = RUN, 0",
        scenario=PLANNERS,
    ),
    Mutation(
        name="what is due is lost when its person moves to another zone",
        path=PLANS,
        old="        if each.is_active and each.next_at and each.next_at <= terms.now:",
        new="        if not each.is_active and each.next_at and each.next_at <= terms.now:",
        scenario=PLANNERS,
    ),
    Mutation(
        name="to resume what is not paused drops what is due",
        path=PLANS,
        old='    if change == RESUME and schedule.state != "paused":',
        new='    if change == RESUME and schedule.state == "deleted":',
        scenario=PLANNERS,
    ),
    Mutation(
        name="a time is noted and its reminder is not posted",
        path=RUNS,
        old="    elif outcome == REMINDED:\n        post_reminder(db, due, terms)",
        new="    elif outcome == REMINDED and not due.missed_count:\n        post_reminder(db, due, terms)",
        scenario=PLANNERS,
    ),
)
