"""What the model reads about schedules."""

from bot.core.texts import Plural, Text

# A run of a schedule

SCHEDULED_RUN = Text(
    "[Schedule {number}, which {person} has made, is due: {time:%a %Y-%m-%d %H:%M}. Nobody has written just now. This "
    "is what to do:]\n  {task}\n[{notes}]"
)
SCHEDULED_RUN_WANTED_NOW = Text(
    "[{person} wants schedule {number} to run now. This is what to do:]\n  {task}\n[{notes}]"
)
WAS_LEFT_OUT = Plural(
    "Before this it was due {count} time when it did not run (you were away or at work, or it was not allowed or had "
    "no money left): say so briefly.",
    "Before this it was due {count} times when it did not run (you were away or at work, or it was not allowed or had "
    "no money left): say so briefly.",
)
IS_LATE = Text("It is late, because you were away or at work then: say so briefly.")
CONDITION_HOLDS = Text("Its condition holds: {condition}.")
END_SILENTLY = Text(
    "If there is nothing worth telling, answer with the one word {word}: then nothing is posted. Otherwise write only "
    "what is to be told; nothing that you write on the way is shown."
)
TOOLS_OF_RUN = Text("Tools for this run: {tools}.")
NO_TOOLS_OF_RUN = Text("No tools are for this run.")
NOT_IN_THIS_RUN = Text("{tool} is not for this run; its schedule allows: {tools}")
NOTHING_TO_REPORT = Text("NOTHING_TO_REPORT")

# Conditions, in words

CONDITION_WINDOW = Text("the time is between {what}")
CONDITION_FILE_THERE = Text("the file {what} exists")
CONDITION_FILE_CHANGED = Text("the file {what} has changed")
CONDITION_PAGE_CHANGED = Text("the text of {what} has changed")
CONDITION_MEMORY_CHANGED = Text("the memories about “{what}” have changed")
CONDITION_TOOL_CHANGED = Text("the result of {what} has changed")

# Results of the tools

SCHEDULE_MADE = Text("schedule {number} is made; next: {times} ({zone})")
SCHEDULE_MADE_ONCE = Text("schedule {number} is made for {times} ({zone})")
ZONE_IS_OPERATORS = Text(
    "The person's own time zone is not known, so these are times of the operator's. Say which zone you took, and ask "
    "once whether it is theirs; /timezone NAME sets it."
)
SCHEDULE_CHANGED = Text("schedule {number} is changed; next: {times} ({zone})")
SCHEDULE_IS_PAUSED = Text("schedule {number} is paused")
SCHEDULE_IS_DELETED = Text("schedule {number} is deleted")
SCHEDULE_IS_OVER = Text("schedule {number} has no more times to come")
NO_SUCH_SCHEDULE = Text("{person} has no schedule {number} in this chat; schedule_list lists those there are")
NO_SCHEDULES = Text("{person} has no schedules in this chat")
SCHEDULE_LINE = Text("{number}: {state}; next: {times} ({zone}){last}; {kind}: {text}")
LAST_TIME = Text("; last: {time:%a %Y-%m-%d %H:%M}")
SCHEDULE_JUST_OVER = Text("{number}: over; was due {time:%a %Y-%m-%d %H:%M} ({zone}); {kind}: {text}")
KINDS = {"reminder": Text("reminder"), "task": Text("task")}
STATES = {"active": Text("active"), "paused": Text("paused"), "over": Text("over")}
TOO_MANY_SCHEDULES = Plural(
    "{person} has {count} schedule already, which is the most; delete one first",
    "{person} has {count} schedules already, which is the most; delete one first",
)
ONLY_AGENT_MAKES_SCHEDULES = Text("only the agent that talks with the person makes or changes schedules, not a role")
RUN_MAKES_NO_SCHEDULES = Text("a run of a schedule makes no schedules; it may pause or delete its own")
TEXT_IS_EMPTY = Text(
    "the text of a reminder, or the task of a schedule, is empty; it must say what to remind of, or what to do"
)
TEXT_TOO_LONG = Text(
    "the text of a reminder, or the task of a schedule, has {characters:,} characters, but only {most:,} are allowed"
)
TIMES_ARE_PAST = Text("all times of this rule are past already")
TIME_IS_MISSING = Text("'when' or 'repeat' must say when it is due")
UNKNOWN_TOOLS = Text("these are no tools of yours: {tools}; yours are {known}")
WINDOW_WRONG = Text("'what' must be a span of the day such as 08:00-18:00")
CONDITION_WITHOUT_WHAT = Text("'only_if' needs 'what': a span of the day, a file, an address, words, or a tool's name")
WHAT_WITHOUT_CONDITION = Text("'what' needs 'only_if', which says what kind of condition it is")
ARGUMENTS_NOT_JSON = Text("'tool_arguments' must be a JSON object")
TOOL_IS_NOT_READING = Text("{tool} is no tool of yours that only reads; these are: {tools}")
RIGHT_MISSING = Text("{person} may not use the bot for that ({right}), so no condition can look there")
ADDRESS_IS_NOT_THEIRS = Text(
    "this conversation holds words of others, so only an address that {person} has written can be watched; ask for it"
)
PAGE_IS_NEVER_FETCHED = Text("this page cannot be watched: {reason}")
PAGES_ARE_OFF = Text("the operator has switched the web off, so no page can be watched")
