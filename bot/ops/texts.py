"""What operators read of a running bot: its health, its log, its data folder, and other processes beside it."""

from bot.core.texts import Plural, Text

# The data folder, and who holds it

CHAT_IS_OPEN = Text("{folder} is in use: a chat is open in a terminal (process {process}); leave that chat first")

# How the bot is doing (health)

HEALTHY = Text("healthy: process {process}; {facts}")
UNHEALTHY = Text("unhealthy: {problems}")
WARNING = Text("warning: {warning}")
NO_BOT_IN_FOLDER = Text("no bot is running in {folder}")
PROCESS_HAS_NOT_MOVED = Text("the bot (process {process}) has shown no sign of life for {seconds:.0f} s")
CHANNEL_NOT_HEARD_YET = Text("the bot has had no contact with {channel} yet")
CHANNEL_NOT_HEARD = Text("the bot has had no contact with {channel} for {seconds:.0f} s")
CHANNEL_FAILS = Text("{channel}: {fault}")
CHANNEL_HEARD = Text("last contact with {channel} {seconds:.0f} s ago")
MODEL_FAILS = Text("model: {fault}")
MCP_SERVER_FAILS = Text("MCP server {server}: {fault}")
MESSAGE_UNATTENDED = Text("a message has waited for {seconds:.0f} s, and nothing is working on it")
MESSAGE_UNANSWERED = Text("a message has not been answered for {seconds:.0f} s")
ANSWER_UNDELIVERED = Text("a message from the bot has not been delivered for {seconds:.0f} s")
OLDEST_MESSAGE = Text("the oldest unanswered message is {seconds:.0f} s old")
OUTBOX_WAITS = Text("the oldest undelivered message is {seconds:.0f} s old")
NOTHING_WAITS = Text("no message is waiting")
SCHEDULE_IS_LATE = Text("a schedule was due {seconds:.0f} s ago, and nothing was done yet")
SCHEDULES_FAILED = Plural(
    "{count} schedule is paused, because its runs failed: `{command}` lists it",
    "{count} schedules are paused, because their runs failed: `{command}` lists them",
)
DISK_IS_SCARCE = Text("only {megabytes:.0f} MB are free on the disk of {folder}")
DISK_FREE = Text("{gigabytes:.1f} GB free on the disk")
BUDGET_USED_UP = Text(
    "the day's budget is used up (${spent:.2f} of ${limit:.2f}): raise limits.day_usd, or wait for the next day"
)
BUDGET_NEARLY_USED_UP = Text("the day's budget is nearly used up (${spent:.2f} of ${limit:.2f})")
SPENT_TODAY = Text("${spent:.2f} of ${limit:.2f} spent today")

# The page in a browser, beside the bot

PAGE_SAYS = Text("the page: {line}")
PAGE_ENDED = Text(
    "the page in a browser has ended ({outcome}) and is started again in {seconds:.0f} s; the bot goes on"
)
EXIT_STATUS = Text("exit status {status}")

# The log, and reading it (logs)

UNFORESEEN_ERROR = Text("unexpected error")
TEMPLATE_IS_WRONG = Text("a log message's placeholders do not match its values: {template} (at {path}, line {line})")
WARNING_OF_PYTHON = Text("Python issued a warning in {place}: {kind}")
LIBRARY_LOGS = Text("a library logged something that is not shown here (in {function}, {module}.py, line {line})")
AND_THEN = Text("after the error above, this error occurred:")
