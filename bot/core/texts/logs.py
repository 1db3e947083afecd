"""What the engine says to operators: in the log, where logging fills in each `%s` itself, and as errors."""

from bot.core.texts import Plural, Text

# What comes in

BATCH_ONE_BY_ONE = Text("a batch of %d incoming events could not be processed together; processing them one by one")
EVENT_SET_ASIDE = Text("an incoming event could not be processed and was set aside")
FILE_GIVEN_UP = Text("the file %s is given up, because of a bug")
FILE_NOT_TAKEN_IN = Text("the file %s could not be taken in, so its message is set aside")
FILE_TRIED_AGAIN = Text("the file %s could not be fetched, and is tried again: %s")
NOT_TURNED_INTO_TEXT = Text("the recording %s could not be turned into text: %s")
FILES_NOT_DELETED = Text("cannot delete %d files that people sent, and will try again in ten minutes; the last one: %s")
NO_WORKSPACE_NOW = Text("its workspace is not there, or its group has an error")
FOLDER_TO_BE_MOVED = Text("the folder of its chat is still to be moved")
CHANNEL_NOT_HEARD = Text("cannot receive messages from %s: %s")

# Turns

ROOTS_ONE_BY_ONE = Text("could not start the turns of several chats together; starting them one by one")
NO_ROOT_OPENED = Text("no turn can be started for a message in the chat %s, so the message is set aside")
WORDS_GO_TO_LEAD = Text("a role that has ended cannot take up what people wrote to it, so the lead gets that")
TURN_FAILED = Text("turn %s failed")
TOOL_FAILED = Text("tool %r failed in turn %s")
TOOL_NOT_PLANNED = Text("the call of tool %r could not be prepared in turn %s")
MODEL_DECLINED = Text("the model declined the request (refusal category {category})")
MODEL_DECLINED_WITHOUT_CATEGORY = Text("the model declined the request and named no refusal category")

# What goes out

ARRIVAL_UNKNOWN = Text("it is unknown whether message %s arrived: %s")
NOT_SHOWN = Text("the bot's message %s could not be shown in its chat")
NOT_SHOWN_BECAUSE = Text("the bot's message %s could not be shown in its chat: %s")
CHAT_TAKES_NOTHING = Text("the chat %s accepts no more messages: %s")
FILE_NOT_REWRITTEN = Text("%s: what was forgotten may still be in the file (%s); the bot will try again")
COPIES_NOT_REMOVED = Text("%s: the copies of sent files could not be removed (%s); the bot will try again")
SECRET_KEPT_BACK = Text(
    "the secret of %s was about to go out with %s, and was kept back; find out who has asked for it"
)
STILL_THERE = Text("message %s could not be deleted: %s")
DRAFT_FAILED = Text("a draft of the answer of turn %s could not be shown")
DRAFT_FAILED_BECAUSE = Text("a draft of the answer of turn %s could not be shown: %s")
GROUP_NOT_LEFT = Text("the group chat %s %s could not be left: %s")
MARK_NOT_SHOWN = Text("the reaction to the message %s could not be shown: %s")
MARK_FAILED = Text("the reaction to the message %s could not be shown")

# Files

FILES_OF_MOVED_CHAT = Text("a chat has moved, but its files could not be moved and are still in %s: %s")
FOLDER_FAULT = Text("a problem with the %s: %s")
FAULT_MENDED = Text("the problem with the %s is fixed: %s")
LOOK_FAILED = Text("cannot check whether the files of the %s have changed")
SECRET_EXPOSED = Text("{path}: everybody on this machine can read this secret")
SECRET_EXPOSED_REMEDY = Text("{path}: everybody on this machine can read this secret; run: {command}")

# How the model's server and the platforms are reached

NO_CERTIFICATE = Text("network.ca_file: {path} contains no certificate in PEM form")
CANNOT_READ_CERTIFICATES = Text("network.ca_file: cannot read {path}: {reason}")

# What another process has asked for: deleting a conversation, and stopping all turns

NO_SUCH_CONVERSATION = Text("there is no conversation {id}")
CONVERSATION_AT_WORK = Plural(
    "the conversation {id} is still at work ({count} unfinished task): send /stop in its chat, or stop all work with "
    "{command}; then delete it",
    "the conversation {id} is still at work ({count} unfinished tasks): send /stop in its chat, or stop all work with "
    "{command}; then delete it",
)
CONVERSATION_OPEN = Plural(
    "the conversation {id} has {count} unfinished task, and no bot is running: start the bot, send /stop in its chat "
    "or run {command}, then delete the conversation",
    "the conversation {id} has {count} unfinished tasks, and no bot is running: start the bot, send /stop in its chat "
    "or run {command}, then delete the conversation",
)
CONVERSATION_HELD = Text(
    "the conversation {id} continued a delegation of the conversation {other}, so it contains a part of {other}: "
    "delete {other} first"
)
CONVERSATION_DELETED = Plural(
    "deleted the conversation {id}: {count} turn; delegations: {below}",
    "deleted the conversation {id}: {count} turns; delegations: {below}",
)
TURNS_STOPPED = Text("turns stopped: {turns}")

# Schedules

SCHEDULE_NOT_ALLOWED = Text(
    "schedule %s in %s did not run: its person may not speak there now; it runs again when they may"
)
SCHEDULE_FAILED = Text("schedule %s cannot be worked out and is paused; that is a bug")
CONDITION_FAILED = Text("the condition of schedule %s failed and counts as not fulfilled; that is a bug")
PAGE_NOT_FETCHED = Text("a page that a schedule watches was not fetched: %s")

# The shell

NO_SHELL = Text("There is no tool `shell`, though shell.enabled is true: {reason}")
