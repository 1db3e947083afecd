"""What the engine says to operators: in the log, where logging fills in each `%s` itself, and as errors."""

from bot.core.texts import Plural, Text

# What comes in

BATCH_ONE_BY_ONE = Text("a batch of %d could not be taken in whole: one by one, then")
EVENT_SET_ASIDE = Text("an event is set aside")
CHANNEL_NOT_HEARD = Text("%s is not heard: %s")

# Turns

ROOTS_ONE_BY_ONE = Text("root turns could not be opened together: one by one, then")
NO_ROOT_OPENED = Text("no root turn can be opened at %s")
TURN_FAILED = Text("turn %s failed")
TOOL_FAILED = Text("tool %r failed in %s")
TOOL_NOT_PLANNED = Text("tool %r could not be planned in %s")
MODEL_DECLINED = Text("the model declined: {category}")
MODEL_DECLINED_WITHOUT_CATEGORY = Text("the model declined: no category")

# What goes out

ARRIVAL_UNKNOWN = Text("nobody knows whether %s has arrived: %s")
NOT_SHOWN = Text("%s could not be shown")
NOT_SHOWN_BECAUSE = Text("%s could not be shown: %s")
CHAT_TAKES_NOTHING = Text("%s takes nothing: %s")
STILL_THERE = Text("%s is still there: %s")
DRAFT_FAILED = Text("a draft of %s was let go")
DRAFT_FAILED_BECAUSE = Text("a draft of %s was let go: %s")

# Files

FILES_OF_MOVED_CHAT = Text("the files of a chat that has moved are still in %s: %s")
FOLDER_FAULT = Text("%s: %s")
FAULT_MENDED = Text("%s: mended: %s")
LOOK_FAILED = Text("looking for changed %s went wrong")
SECRET_EXPOSED = Text("{path}: everybody on this machine can read this secret")
SECRET_EXPOSED_REMEDY = Text("{path}: everybody on this machine can read this secret; run: {command}")

# How the model's server and the platforms are reached

NO_CERTIFICATE = Text("network.ca_file: {path} holds no certificate in PEM form")
CANNOT_READ_CERTIFICATES = Text("network.ca_file: cannot read {path}: {reason}")

# What another process has asked for: deleting a conversation, and stopping all turns

NO_SUCH_CONVERSATION = Text("there is no conversation {id}")
CONVERSATION_AT_WORK = Plural(
    "{id} is at work ({count} of its turns is open): /stop in its chat ends that, or {command} all that the bot is at; "
    "then delete it",
    "{id} is at work ({count} of its turns are open): /stop in its chat ends that, or {command} all that the bot is "
    "at; then delete it",
)
CONVERSATION_OPEN = Plural(
    "{id} is at work ({count} of its turns is open): no bot is running, and the next start would go on with it: start "
    "the bot, then /stop in its chat ends that, or {command} all that the bot is at; then delete it",
    "{id} is at work ({count} of its turns are open): no bot is running, and the next start would go on with it: start "
    "the bot, then /stop in its chat ends that, or {command} all that the bot is at; then delete it",
)
CONVERSATION_HELD = Text(
    "{id} went on with a delegation of {other}, which holds what was said then: delete {other} first"
)
CONVERSATION_DELETED = Plural("deleted {id}: {count} turn, {below} below", "deleted {id}: {count} turns, {below} below")
TURNS_STOPPED = Text("stopped {turns}")
