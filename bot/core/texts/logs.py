"""What the engine says to operators: in the log, where logging fills in each `%s` itself, and as errors."""

from bot.core.texts import Plural, Text

# What comes in

BATCH_ONE_BY_ONE = Text("a batch of %d events could not be taken in together: taking them in one by one")
EVENT_SET_ASIDE = Text("an event could not be processed and was set aside")
CHANNEL_NOT_HEARD = Text("cannot receive from %s: %s")

# Turns

ROOTS_ONE_BY_ONE = Text("root turns could not be opened together: opening them one by one")
NO_ROOT_OPENED = Text("no root turn can be opened at %s")
TURN_FAILED = Text("turn %s failed")
TOOL_FAILED = Text("tool %r failed in %s")
TOOL_NOT_PLANNED = Text("tool %r could not be planned in %s")
MODEL_DECLINED = Text("the model declined: {category}")
MODEL_DECLINED_WITHOUT_CATEGORY = Text("the model declined and gave no category")

# What goes out

ARRIVAL_UNKNOWN = Text("it is unknown whether %s arrived: %s")
NOT_SHOWN = Text("%s could not be shown")
NOT_SHOWN_BECAUSE = Text("%s could not be shown: %s")
CHAT_TAKES_NOTHING = Text("%s accepts no more messages: %s")
STILL_THERE = Text("%s could not be deleted: %s")
DRAFT_FAILED = Text("a draft of %s was dropped")
DRAFT_FAILED_BECAUSE = Text("a draft of %s was dropped: %s")

# Files

FILES_OF_MOVED_CHAT = Text("a chat has moved, but its files are still in %s: %s")
FOLDER_FAULT = Text("%s: %s")
FAULT_MENDED = Text("%s: fixed: %s")
LOOK_FAILED = Text("cannot look for changed %s")
SECRET_EXPOSED = Text("{path}: everybody on this machine can read this secret")
SECRET_EXPOSED_REMEDY = Text("{path}: everybody on this machine can read this secret; run: {command}")

# How the model's server and the platforms are reached

NO_CERTIFICATE = Text("network.ca_file: {path} contains no certificate in PEM form")
CANNOT_READ_CERTIFICATES = Text("network.ca_file: cannot read {path}: {reason}")

# What another process has asked for: deleting a conversation, and stopping all turns

NO_SUCH_CONVERSATION = Text("there is no conversation {id}")
CONVERSATION_AT_WORK = Plural(
    "{id} is still working ({count} open turn): send /stop in its chat, or stop the whole bot's work with {command}; "
    "then delete it",
    "{id} is still working ({count} open turns): send /stop in its chat, or stop the whole bot's work with {command}; "
    "then delete it",
)
CONVERSATION_OPEN = Plural(
    "{id} has {count} open turn, which continues at the next start, and no bot is running: start the bot, send /stop "
    "in its chat or stop the whole bot's work with {command}, then delete it",
    "{id} has {count} open turns, which continue at the next start, and no bot is running: start the bot, send /stop "
    "in its chat or stop the whole bot's work with {command}, then delete it",
)
CONVERSATION_HELD = Text(
    "{id} continued a delegation that {other} began, so a part of {other} is in it: delete {other} first"
)
CONVERSATION_DELETED = Plural(
    "deleted {id}: {count} turn (delegations below it: {below})",
    "deleted {id}: {count} turns (delegations below them: {below})",
)
TURNS_STOPPED = Text("stopped {turns}")
