"""What people read about reminders, schedules and time zones, in English."""

from bot.core.texts import CountedSentence, Sentence

# When a schedule is due

REMINDER = Sentence("⏰ {text}")
LATE_REMINDER = Sentence("⏰ {text}\n(This was for {time:%A, %Y-%m-%d %H:%M}. I could not tell you then.)")
LATE_REMINDERS = CountedSentence(
    "⏰ {text}\n(This was for {time:%A, %Y-%m-%d %H:%M}. I could not tell you then, nor {count} time before it.)",
    "⏰ {text}\n(This was for {time:%A, %Y-%m-%d %H:%M}. I could not tell you then, nor {count} times before it.)",
)
REMINDER_AFTER_MISSED_TIMES = CountedSentence(
    "⏰ {text}\n(Before this I could not tell you {count} time.)",
    "⏰ {text}\n(Before this I could not tell you {count} times.)",
)
DAY_BUDGET_USED = Sentence(
    "Schedule {number} has used up what it may cost in a day ({cost}). It goes on tomorrow: “{beginning}”"
)
NO_MONEY_TODAY = Sentence("Schedule {number} does nothing more today, because {reason}: “{beginning}”")
PAUSED_AFTER_FAILURES = CountedSentence(
    "Schedule {number} has failed {count} time, so I have paused it: “{beginning}”. /schedules resume {number} lets "
    "it go on.",
    "Schedule {number} has failed {count} times, so I have paused it: “{beginning}”. /schedules resume {number} lets "
    "it go on.",
)
PAUSED_WITHOUT_RIGHT = Sentence(
    "Schedule {number} was due, but you may not let me do tasks at set times any more, so I have paused it: "
    "“{beginning}”. My owner can allow it; then /schedules resume {number} lets it go on."
)
CONDITION_NOT_SEEN = CountedSentence(
    "I could not look at {what} the last {count} time, so I do not know whether schedule {number} has something to "
    "do: “{beginning}”. I keep trying.",
    "I could not look at {what} the last {count} times, so I do not know whether schedule {number} has something to "
    "do: “{beginning}”. I keep trying.",
)
OVER_AFTER_MISSED_TIMES = CountedSentence(
    "Schedule {number} has no more times to come: “{beginning}”. I could not look {count} time before its end.",
    "Schedule {number} has no more times to come: “{beginning}”. I could not look {count} times before its end.",
)
PAUSED_AFTER_BUG = Sentence(
    "Something went wrong with schedule {number}, so I have paused it: “{beginning}”. /schedules resume {number} lets "
    "it go on."
)
PAUSED_BY_OPERATOR = Sentence(
    "The person who runs me has paused schedule {number}: “{beginning}”. /schedules resume {number} lets it go on."
)
DELETED_BY_OPERATOR = Sentence("The person who runs me has deleted schedule {number}: “{beginning}”.")

# /schedules

NO_SCHEDULES = Sentence(
    "There are no schedules. Ask me for one: “remind me at 8”, or “every Monday, tell me what is new”."
)
SCHEDULES_HERE = Sentence("Your schedules in this chat:")
SCHEDULES_EVERYWHERE = Sentence("Your schedules:")
SCHEDULE_LINE = Sentence("{number}: {next:%a %Y-%m-%d %H:%M}, {text}")
SCHEDULE_LINE_REPEATING = Sentence("{number}: {next:%a %Y-%m-%d %H:%M}, repeats: {text}")
SCHEDULE_LINE_PAUSED = Sentence("{number}: paused, {text}")
SCHEDULE_TIMES_ARE_OF_ZONE = Sentence("Times are those of {zone}.")
SCHEDULES_USAGE = Sentence(
    "/schedules pause 2 lets one rest, /schedules resume 2 lets it go on, /schedules run 2 runs it now, and "
    "/schedules delete 2 removes it."
)
NO_SUCH_SCHEDULE = Sentence("You have no schedule {number}. /schedules lists those that you have.")
SCHEDULE_PAUSED = Sentence("Paused: {text}")
SCHEDULE_RESUMED = Sentence("Resumed. Next: {next:%A, %Y-%m-%d at %H:%M}: {text}")
SCHEDULE_HAS_NO_MORE_TIMES = Sentence("It has no more times to come: {text}")
SCHEDULE_DELETED = Sentence("Deleted: {text}")
SCHEDULE_RUNS = Sentence("I do it now: {text}")
SCHEDULE_AT_WORK = Sentence("I am already doing it: {text}")
SCHEDULE_NOT_ALLOWED = Sentence("You may not talk to me in the chat of that schedule, so I cannot do it: {text}")
SCHEDULE_RIGHT_MISSING = Sentence("My owner has not allowed you tasks at set times, so I cannot do it: {text}")
NO_MONEY_NOW = Sentence("I cannot do it now, because {reason}: {text}")
SCHEDULE_BUDGET_USED = Sentence("It has used up what it may cost in a day ({cost}), so I cannot do it today: {text}")
PAUSE_BUTTON = Sentence("Pause {number}")
RESUME_BUTTON = Sentence("Resume {number}")
RUN_BUTTON = Sentence("Run {number} now")
DELETE_BUTTON = Sentence("Delete {number}")
MORE_BUTTON = Sentence("Buttons of others")

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
