"""Why a turn ended, as a clause that the database keeps: people read it in a reply, the model in a report."""

from bot.core.texts import CountedSentence, Sentence

# Somebody has ended it

STOPPED_BY = Sentence("stopped by {person}")
STOPPED_BY_OPERATOR = Sentence("stopped by the operator")
CANCELLED_BY = Sentence("cancelled by {role}")
ABOVE_ENDED = Sentence("the larger task that this was part of has ended")

# It failed

WENT_WRONG = Sentence("something went wrong, and it has been logged")
TOO_MANY_CRASHES = Sentence("set aside, because the bot stopped {times} times while working on it")
MODEL_AT_FAULT = Sentence("my language model is not available right now, and the person who runs me has to fix that")
MODEL_AWAY = Sentence("my language model does not answer right now")
MODEL_TOOK_NOTHING = Sentence("my language model does not accept this conversation")
NO_SUMMARY = Sentence("the model wrote no summary of the earlier conversation")

# The model declined: why a turn could not be finished, for its person, and why a delegation, for who began it

DECLINED = Sentence(
    "my language model declined, because this looked like {subject} (harmless requests are sometimes declined too; try "
    "other words, leave that part out, or begin again with /new)"
)
TASK_DECLINED = Sentence(
    "the model declined the task, because it looked like {subject} (harmless tasks are sometimes declined too; try "
    "other words, or leave that part out)"
)
TASK_DECLINED_WITH_CATEGORY = Sentence(
    "the model declined the task, because it looked like {subject} (refusal category {category}; harmless tasks are "
    "sometimes declined too; try other words, or leave that part out)"
)
TAKEN_FOR = {
    "cyber": Sentence("something that could harm computers or networks"),
    "bio": Sentence("help with dangerous biology"),
    "frontier_llm": Sentence("help with building a competing AI model"),
    "reasoning_extraction": Sentence("a request to write out the model's inner reasoning"),
    "general_harms": Sentence("something that could do harm"),
}
TAKEN_FOR_SOMETHING = Sentence("something that the model must not help with")

# A limit is reached

STEPS_USED = CountedSentence("the limit of {count} step is reached", "the limit of {count} steps is reached")
TOKENS_USED = Sentence("the limit of {tokens:,} tokens is reached")
TURN_BUDGET_USED = Sentence("the budget for this work is used up")
CONTEXT_FULL = Sentence("the model's context window is full")
SECONDS_USED = Sentence("the time limit of {seconds:g} s is reached")

NO_PROGRESS = Sentence("there was no progress for {minutes:g} minutes")

CALL_REPEATED = CountedSentence(
    "{tool} was called {count} time with the same arguments", "{tool} was called {count} times with the same arguments"
)

# A budget is used up

NO_MONEY = {
    "turn": TURN_BUDGET_USED,
    "chat": Sentence("today's budget for this chat is used up; the next budget begins at midnight ({time_zone})"),
    "person": Sentence("your share of today's budget is used up; the next budget begins at midnight ({time_zone})"),
    "day": Sentence("today's budget is used up; the next budget begins at midnight ({time_zone})"),
    "shared day": Sentence(
        "today's budget for everybody except the owner is used up; the next budget begins at midnight ({time_zone})"
    ),
}

# Why a message was set aside

GROUP_OUT_OF_ORDER = Sentence("this chat belongs to the group {group}, which has an error")
REPORT_FOR_LEAD = Sentence("the message is a report for the lead, but this chat no longer belongs to the lead")
REPORT_FOR_GROUP = Sentence(
    "the message is a report for the group {group}, but this chat no longer belongs to that group"
)

# Why a message could not be shown

NOT_SHOWN_BY_MISTAKE = Sentence("something went wrong, and it has been logged")
FILE_COPY_GONE = Sentence("my copy of the file {name} is gone; ask me to send it again")
NOT_ARRIVED = Sentence("the message did not arrive")
DELAYED = Sentence("the platform asked the bot to wait {seconds:g} s")
CHAT_MOVED = Sentence("the chat has moved to {chat}")
