"""What the commands of `retinue` say to operators. Those that are packages have catalogues of their own."""

from bot.core.texts import Text

# The command line

NO_SUCH_COMMAND = Text("there is no command {command!r}")
NO_SUCH_COMMAND_BUT = Text("there is no command {command!r}; did you mean {nearest}?")
OPTION_OF_CHAT = Text("there is no option {option} here; did you mean `{command}`?")
CANNOT_WRITE_TO_STDOUT = Text("cannot write to stdout: {reason}")

# Which bot this is

WHEREABOUTS = Text("config: {config} · workspace: {workspace}")
NO_CONFIG_FILE = Text("none, the defaults hold")
CONFIG_PASSED_OVER = Text("{ignored} is not read, since there is {path}; --config {name} reads it")
SETTINGS_FROM_FILE = Text("from {path}")
SETTINGS_FROM_NO_FILE = Text("no config file: defaults and environment")
SETTING_FROM = Text("{key} is from {origin}")

# The data folder, and who holds it

CANNOT_USE_DATA_FOLDER = Text("data_dir: cannot use the folder {folder}: {reason}")
NO_BOT_RUNS = Text("{folder}: no bot is running there")
NOBODY_HAS_ASKED = Text("{folder}: no bot has run there yet, so nobody has asked to be let in")
NO_LOG = Text("there is no log in {folder} yet: no bot has run there")

# Orders to a running bot

NOT_YET = Text("the bot has not answered yet; it will do this when it does")
NOT_YET_STOPPED = Text("the bot has not answered yet; it will stop everything when it does")

# The conversation in the terminal (chat)

TO_SAY_AT_ONCE = Text("to say something at once: {command}")
WAITING_FOR_STDIN = Text(
    "waits for the end of stdin, which joins the message (Ctrl-D ends it; </dev/null goes without)"
)
MESSAGE_IS_EMPTY = Text("-m needs a text that is not empty")
LINES_ARE_FOR_MANY = Text("--lines is for many messages, and -m and --json are for one")
JSON_NEEDS_A_MESSAGE = Text("--json needs -m TEXT, or a text from a pipe: it tells of one message")
DEMO_ANSWERS = Text("No API key, so a script answers: the demo. To add one: export ANTHROPIC_API_KEY=sk-ant-…")
BOT_AWAY = Text("The bot has gone away. I am waiting until it is back.")
BOT_BACK = Text("The bot is back.")
BOT_LOST = Text("the bot has not come back; what was said before is kept, and `{command}` goes on with it")
BOT_GOES_ON = Text("this ends with something unanswered; the bot goes on with it, and `{command}` shows it")
ENDS_UNANSWERED = Text("this ends with something unanswered; the next `{command}` answers it first")
STILL_IN_BACKGROUND = Text("still at work in the background: {roles}; `{command}` goes on and shows the report")

# Answering on platforms (run)

NO_CHANNEL = Text("{origin}: no channel is enabled; run {command}, or set {keys} to true")
NO_TOKEN = Text(
    "{origin}: channels.{channel}.enabled is true, but there is no token; set channels.{channel}.token ({variable})"
)
NO_MODEL = Text(
    "{origin}: there is no model; set model.api_key (ANTHROPIC_API_KEY) or model.base_url, "
    "or try it without one: run --demo"
)
ANSWERING = Text("answering on {channels}")
DEMO_ANSWERING = Text("answering on {channels}, by a script: this is the demo")

# How the bot is doing (health)


# The log, and reading it (logs)

NOT_A_TIME = Text("--since {time}: write it as 10m, 2h or 3d, as 21:30, or as 2026-11-22 or 2026-11-22T21:30")

# What helps to find a fault (report)

READ_BEFORE_PASTING = Text(
    "Read it before you paste it: it should hold no secret, no name, no id and nothing that anybody wrote."
)
CHECKOUT = Text("retinue {version}, a checkout; {platform}; Python {python}")
INSTALLED = Text("retinue {version}, installed; {platform}; Python {python}")
COMMIT = Text("commit: {commit}")
UNUSUAL_SETTINGS = Text("settings that are not the usual ones:")
FINDINGS = Text("doctor:")
HEALTH = Text("health:")
LAST_LINES_OF_LOG = Text("the last {lines} lines of the log:")
NO_LINES_OF_LOG = Text("(there is none)")

# Bringing the rows up to date (migrate)

NOT_MIGRATED = Text("not migrated: {reason}")
MEND_FIRST = Text("mend that first")
MEND_RIGHTS = Text("mend the rights of that file or folder")
NO_ROWS_YET = Text("rows: there are none yet; the first start makes them")
ROWS_UP_TO_DATE = Text("rows: at step {step}, as this version has them")
ROWS_MIGRATED = Text("rows: from step {before} to {step}")

# Letting people in (pair)

USE_LIST = Text("to see the list, give --list")
GIVE_CODE_OR_OPTION = Text("give a code, or --list, or --revoke ID")
LET_IN = Text("Let in:")
NOBODY_LET_IN = Text("Nobody was let in. (The owner and allow_from stand in the settings.)")
SENT_AWAY = Text("Sent away:")
ASKING_TO_BE_LET_IN = Text("Asking to be let in:")
NOBODY_ASKS_TO_BE_LET_IN = Text("Nobody asks to be let in.")
GUEST = Text("  {channel}  {person}  {name}, by {granter}, since {time}")
REQUEST_TO_BE_LET_IN = Text("  {code}  {channel}  {person}  {name}, until {time}")

# The roles, and what they are played with (roles)

ROLE_SHIPPED = Text("{path} (shipped)")
ROLE_OWN = Text("{path} (yours)")
ROLE_REPLACING_SHIPPED = Text("{path} (yours, in place of the shipped one)")
ROLE_AMONG_SHIPPED = Text("{path} (yours, among the shipped ones: better in a roles/ beside your own config)")
ROLE_IN_CONFIG = Text("swarm.roles.{role} in the config")
ROLE_IN_CONFIG_OVER = Text("swarm.roles.{role} in the config, over {source}")
ROLE_MODEL = Text("{model}, effort {effort}")
ROLE_LIMITS = Text("{steps:,} steps, {tokens:,} tokens, {seconds:,.0f} s")
ASKS_NOBODY = Text("nobody it could name")
TOOLS_OFF = Text("{tools}: {reason}")
LEAD_CANNOT_ASK = Text("the lead cannot ask it: its delegates_to does not name it")
LEAD_SPEAKS_BY_TEXT = Text("the lead speaks by its text")
NO_UPDATES = Text("swarm.max_updates is 0")
NO_CLAUDE = Text("{model} is no Claude: its server has no tools for the web")
TOOL_OF_LATER_VERSION = Text("this version has no such tool")
TOOL_SWITCHED_OFF = Text("switched off here")
NO_SUCH_TOOL = Text("there is no such tool here")
LEAD_LACKS_IT = Text("the lead does not have it, and nobody below the lead has more")
SWARM_IS_OFF = Text("swarm.enabled is false")
TOO_DEEP = Text("swarm.max_depth is {depth}")
LEAD_ASKS_NOBODY = Text("The lead asks nobody: {reason}.")
LEAD_HAS_NO_DELEGATE = Text("The lead asks nobody: its tools do not name delegate.")
LEAD_MAY_MAKE_UP_ROLES = Text("Besides these the lead may make up specialists by their names (swarm.allow_adhoc).")
LEAD_ASKS_THOSE_NAMED = Text("The lead asks only those that its delegates_to names.")
LEAD_ASKS_ONLY_THESE = Text("The lead asks only these (swarm.allow_adhoc is false).")
