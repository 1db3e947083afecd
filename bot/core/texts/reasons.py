"""Why a turn ended, as a clause that stands in its row: people read it in a reply, the model in a report."""

from bot.core.texts import Plural, Text

# Somebody has ended it

STOPPED_BY = Text("stopped by {person}")
STOPPED_BY_OPERATOR = Text("stopped by the operator")
CANCELLED_BY = Text("cancelled by {role}")
ABOVE_ENDED = Text("the turn that asked for it ended")

# It failed

WENT_WRONG = Text("something went wrong, and it has been logged")
TOO_MANY_CRASHES = Text("set aside, because the bot stopped {times} times while working on it")
MODEL_AT_FAULT = Text("my language model is not available right now, and the person who runs me has to fix that")
MODEL_AWAY = Text("my language model does not answer right now")
MODEL_TOOK_NOTHING = Text("my language model did not accept what was said here")
NO_SUMMARY = Text("the model wrote no summary")

# The model declined: why a turn could not be finished, for its person, and why a delegation, for who began it

DECLINED = Text(
    "my language model took it for {subject} and stopped (harmless requests are sometimes caught too; saying it in "
    "other words, leaving that part out, or /new may help)"
)
TASK_DECLINED = Text(
    "the model declined the task, because it looked like {subject} (harmless tasks are sometimes declined too; other "
    "words, or leaving that part out, may help)"
)
TASK_DECLINED_WITH_CATEGORY = Text(
    "the model declined the task, because it looked like {subject} (category {category}; harmless tasks are sometimes "
    "declined too; other words, or leaving that part out, may help)"
)
TAKEN_FOR = {
    "cyber": Text("something that could harm computers or networks"),
    "bio": Text("help with dangerous biology"),
    "frontier_llm": Text("help with building a competing AI model"),
    "reasoning_extraction": Text("asking it to write out its inner reasoning"),
    "general_harms": Text("something that could do harm"),
}
TAKEN_FOR_SOMETHING = Text("something that it must not help with")

# A limit is reached

STEPS_USED = Plural("its limit of {count} step is reached", "its limit of {count} steps is reached")
TOKENS_USED = Text("its limit of {tokens:,} tokens is reached")
TURN_BUDGET_USED = Text("its budget is used up")
CONTEXT_FULL = Text("its context window is full")
SECONDS_USED = Text("its time limit of {seconds:g} s is reached")

# A budget is used up

NO_MONEY = {
    "turn": TURN_BUDGET_USED,
    "chat": Text("the chat's budget of today is used up, until midnight ({time_zone})"),
    "person": Text("your share of today's budget is used up, until midnight ({time_zone})"),
    "day": Text("the budget of today is used up, until midnight ({time_zone})"),
    "shared day": Text("today's budget for everybody except the owner is used up, until midnight ({time_zone})"),
}

# Why a message was set aside

GROUP_OUT_OF_ORDER = Text("its chat belongs to the group {group}, which has an error")
REPORT_FOR_LEAD = Text("it is a report for the lead, and this chat no longer belongs to the lead")
REPORT_FOR_GROUP = Text("it is a report for the group {group}, and this chat no longer belongs to that group")

# Why a message could not be shown

NOT_SHOWN_BY_MISTAKE = Text("something went wrong, and it has been logged")
NOT_ARRIVED = Text("it did not arrive")
DELAYED = Text("asked to wait {seconds:g} s")
CHAT_MOVED = Text("the chat has moved to {chat}")
