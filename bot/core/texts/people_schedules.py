"""What people read about reminders, schedules and time zones, in English."""

from bot.core.texts import CountedSentence, Sentence

# When a schedule is due

REMINDER = Sentence("⏰ {text}")
LATE_REMINDER = Sentence("⏰ {text}\n(This was for {time:%A %H:%M}. I was away then.)")
LATE_REMINDERS = CountedSentence(
    "⏰ {text}\n(This was for {time:%A %H:%M}. I was away then, and left out {count} time before it.)",
    "⏰ {text}\n(This was for {time:%A %H:%M}. I was away then, and left out {count} times before it.)",
)
DAY_BUDGET_USED = Sentence(
    "Schedule {number} has used up what it may cost in a day ({cost}). It goes on tomorrow: “{beginning}”"
)
PAUSED_AFTER_FAILURES = CountedSentence(
    "Schedule {number} has failed {count} time, so I have paused it: “{beginning}”. /schedules resume {number} lets "
    "it go on.",
    "Schedule {number} has failed {count} times, so I have paused it: “{beginning}”. /schedules resume {number} lets "
    "it go on.",
)
PAUSED_AFTER_BUG = Sentence(
    "Something went wrong with schedule {number}, so I have paused it: “{beginning}”. /schedules resume {number} lets "
    "it go on."
)

# /schedules

NO_SCHEDULES = Sentence(
    "There are no schedules. Ask me for one: “remind me at 8”, or “every Monday, tell me what is new”."
)
SCHEDULES_HERE = Sentence("Your schedules in this chat:")
SCHEDULES_EVERYWHERE = Sentence("Your schedules:")
SCHEDULE_LINE = Sentence("{number}: {next:%a %Y-%m-%d %H:%M}, {text}")
SCHEDULE_LINE_REPEATING = Sentence("{number}: {next:%a %Y-%m-%d %H:%M} and again, {text}")
SCHEDULE_LINE_PAUSED = Sentence("{number}: paused, {text}")
SCHEDULE_TIMES_ARE_OF_ZONE = Sentence("Times are those of {zone}.")
SCHEDULES_USAGE = Sentence(
    "/schedules pause 2 lets one rest, /schedules resume 2 lets it go on, /schedules run 2 runs it now, and "
    "/schedules delete 2 removes it."
)
NO_SUCH_SCHEDULE = Sentence("You have no schedule {number}. /schedules lists those that you have.")
SCHEDULE_PAUSED = Sentence("Paused: {text}")
SCHEDULE_RESUMED = Sentence("It goes on, the next time on {next:%A, %Y-%m-%d at %H:%M}: {text}")
SCHEDULE_HAS_NO_MORE_TIMES = Sentence("It has no more times to come: {text}")
SCHEDULE_DELETED = Sentence("Deleted: {text}")
SCHEDULE_RUNS = Sentence("I do it now: {text}")
SCHEDULE_AT_WORK = Sentence("I am already doing it: {text}")
PAUSE_BUTTON = Sentence("Pause {number}")
RESUME_BUTTON = Sentence("Resume {number}")
RUN_BUTTON = Sentence("Run {number} now")
DELETE_BUTTON = Sentence("Delete {number}")

# /timezone

TIME_ZONE_IS = Sentence("Your time zone is {zone}; it is {now:%H:%M} there. /timezone Europe/Berlin would change it.")
TIME_ZONE_IS_OPERATORS = Sentence(
    "You have set no time zone, so I use that of the person who runs me: {zone}; it is {now:%H:%M} there. "
    "/timezone Europe/Berlin would set yours."
)
TIME_ZONE_SET = Sentence("Your time zone is {zone} now; it is {now:%H:%M} there.")
TIME_ZONE_SET_FOR_SCHEDULES = CountedSentence(
    "Your time zone is {zone} now; it is {now:%H:%M} there. {count} schedule of yours follows it.",
    "Your time zone is {zone} now; it is {now:%H:%M} there. {count} schedules of yours follow it.",
)
NO_SUCH_TIME_ZONE = Sentence("I do not know the time zone {name}. Names are like Europe/Berlin or America/New_York.")
NO_SUCH_TIME_ZONE_BUT_LIKE = Sentence("I do not know the time zone {name}. Do you mean {names}?")
