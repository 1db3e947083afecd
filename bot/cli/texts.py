"""What the commands of `retinue` say to operators. Commands that are packages have catalogues of their own."""

from bot.core.texts import Plural, Text

# The command line

NO_SUCH_COMMAND = Text("there is no command {command!r}")
NO_SUCH_COMMAND_BUT = Text("there is no command {command!r}; did you mean {nearest}?")
OPTION_OF_CHAT = Text("there is no option {option} here; did you mean `{command}`?")
CANNOT_WRITE_TO_STDOUT = Text("cannot write to stdout: {reason}")

# Which bot this is

WHEREABOUTS = Text("config: {config} · workspace: {workspace}")
NO_CONFIG_FILE = Text("no config file, so the defaults apply")
CONFIG_PASSED_OVER = Text("{ignored} is not used, because {path} exists; to use it, add --config {name}")
SETTINGS_FROM_FILE = Text("the settings are from {path}")
SETTINGS_FROM_NO_FILE = Text("there is no config file: the settings are from the defaults and the environment")
SETTING_FROM = Text("{key} is from {origin}")

# The data folder, and who holds it

NO_BOT_RUNS = Text("{folder}: no bot is running there")
NOBODY_HAS_ASKED = Text("{folder}: no bot has run there yet, so nobody has asked to be let in")
NO_LOG = Text("there is no log in {folder} yet: no bot has run there")

# Orders to a running bot

NOT_YET = Text("the bot has not answered yet; it will carry out this command as soon as it can")
NOT_YET_STOPPED = Text("the bot has not answered yet; it will stop everything as soon as it can")
BOT_KEEPS_RUNNING = Text("the bot itself keeps running; to end it, press Ctrl-C in its terminal, or stop its service")

# Clients (mcp)

NO_SUCH_CLIENT = Text("there is no client {name!r}; the clients are: {names}")
DATA_FOLDER_CHANGED = Text("the settings name another data folder now, {folder}; start `retinue mcp` again")
NO_MCP_LIBRARY = Text("the MCP library is missing; install it with: pip install 'retinue[mcp]'")
NO_CLIENT_WITH_TOKEN = Text(
    "no client has a token, so nobody could connect; add one to `clients`, as docs/mcp-server.md says"
)
CANNOT_LISTEN = Text("mcp.listen: cannot listen at {address}: {reason}")
LISTENS_BEYOND_MACHINE = Text(
    "mcp.listen: {address} can be reached from other machines, and tokens cross the network in clear; let a proxy with "
    "TLS connect to 127.0.0.1 instead"
)
SERVING = Text("serving clients at {url}")

# The conversation in the terminal (chat)

TO_SAY_AT_ONCE = Text("to send these words as a message, run: {command}")
WAITING_FOR_STDIN = Text(
    "waiting for the end of stdin, which is added to the message (Ctrl-D ends it; to send without it: </dev/null)"
)
MESSAGE_IS_EMPTY = Text("-m needs a text that is not empty")
LINES_ARE_FOR_MANY = Text("use --lines without -m and --json: --lines is for many messages, the other two are for one")
ATTACH_NEEDS_A_MESSAGE = Text("--attach needs a message that the file goes with: add -m TEXT, or pipe the words in")
JSON_NEEDS_A_MESSAGE = Text("--json needs one message: -m TEXT, or a text from a pipe")
DEMO_ANSWERS = Text(
    "There is no API key, so the demo answers: a script, not a model. To add a key: export ANTHROPIC_API_KEY=sk-ant-…"
)
BOT_AWAY = Text("The connection to the bot is lost. I am waiting until it is back.")
BOT_BACK = Text("The bot is back.")
BOT_LOST = Text("the bot has not come back; the conversation so far is saved, and `{command}` continues it")
BOT_GOES_ON = Text("this chat ends before everything is answered; the bot continues, and `{command}` shows the answer")
ENDS_UNANSWERED = Text("this chat ends before everything is answered; the next `{command}` answers the rest first")
STILL_IN_BACKGROUND = Text(
    "not finished in the background: {roles}; `{command}` continues this chat and shows the report"
)

# Answering on platforms (run)

NO_CHANNEL = Text("{origin}: no channel is enabled; run {command}, or set {keys} to true")
NO_TOKEN = Text(
    "{origin}: channels.{channel}.enabled is true, but there is no token; set channels.{channel}.token ({variable})"
)
NO_MODEL = Text(
    "{origin}: no model is set; set model.api_key (ANTHROPIC_API_KEY) or model.base_url, or add --demo to try the bot "
    "without a model"
)
ANSWERING = Text("answering on {channels}")
DEMO_ANSWERING = Text("answering on {channels} with the demo: a script, not a model")

# The log, and reading it (logs)

NOT_A_TIME = Text("--since {time}: not a time; write for example 10m, 2h, 3d, 21:30, 2026-11-22 or 2026-11-22T21:30")

# What helps to find a fault (report)

READ_BEFORE_PASTING = Text(
    "Read this report before you paste it: it should contain no secret, no name, no id and nothing that anybody wrote."
)
CHECKOUT = Text("retinue {version}, a checkout; {platform}; Python {python}")
INSTALLED = Text("retinue {version}, installed; {platform}; Python {python}")
COMMIT = Text("commit: {commit}")
UNUSUAL_SETTINGS = Text("settings that differ from the defaults:")
FINDINGS = Text("findings of retinue doctor:")
HEALTH = Text("findings of retinue health:")
LAST_LINES_OF_LOG = Text("the last {lines} lines of the log:")
NO_LINES_OF_LOG = Text("(the log is empty)")

# Bringing the rows up to date (migrate)

NOT_MIGRATED = Text("the database was not migrated: {reason}")
MEND_FIRST = Text("fix this error, then run this command again")
MEND_RIGHTS = Text("fix the permissions of that file or folder")
NO_ROWS_YET = Text("database: there is none yet; the first start creates it")
ROWS_UP_TO_DATE = Text("database: up to date, at migration step {step}")
ROWS_MIGRATED = Text("database: migrated from step {before} to step {step}")

# Letting people in (pair)

USE_LIST = Text("to list the people who were let in or ask to be let in, use --list")
GIVE_CODE_OR_OPTION = Text("write one of these: the code of a person, --list, --invite, or --revoke ID")
INVITATION = Text("This invitation lets in one person, the first who uses it within an hour.")
INVITATION_LINK = Text("  {platform}  {link}  or in a private chat with the bot: /pair {code}")
INVITATION_IN_WORDS = Text("  {platform}  in a private chat with the bot: /pair {code}")
NO_INVITATION_LINK = Text("  {platform}  no link ({reason}); in a private chat with the bot: /pair {code}")
NO_BOT_HAS_RUN = Text("no bot has run in {folder}: start it once with retinue run, then invite people")
LET_IN = Text("People who were let in:")
NOBODY_LET_IN = Text("Nobody was let in. (The owner and allow_from are in the settings.)")
CAME_BY_LINK = Text("Accounts that are linked with another one:")
LINKED_ACCOUNT = Text("  {channel}  {id}  {name}, by a code of {first}, {time}")
GROUP_CHATS = Text("Group chats that the bot was added to:")
GROUP_CHAT = Text("  {line}")
SENT_AWAY = Text("People who were sent away:")
ASKING_TO_BE_LET_IN = Text("People who ask to be let in:")
NOBODY_ASKS_TO_BE_LET_IN = Text("Nobody asks to be let in.")
GUEST = Text("  {channel}  {person}  {name}, let in by {granter}, {time}")
REQUEST_TO_BE_LET_IN = Text("  {code}  {channel}  {person}  {name}, code valid until {time}")

# The roles, and what they are played with (roles)

ROLE_SHIPPED = Text("{path} (shipped)")
ROLE_OWN = Text("{path} (yours)")
ROLE_REPLACING_SHIPPED = Text("{path} (yours, in place of the shipped one)")
ROLE_AMONG_SHIPPED = Text(
    "{path} (yours, in the folder of the shipped roles: better move it to a roles/ folder beside your config)"
)
ROLE_IN_CONFIG = Text("swarm.roles.{role} in the config")
ROLE_IN_CONFIG_OVER = Text("swarm.roles.{role} in the config, which changes keys of {source}")
ROLE_MODEL = Text("{model}, effort {effort}")
ROLE_LIMITS = Text("{steps:,} steps, {tokens:,} tokens, {seconds:,.0f} s")
ASKS_NOBODY = Text("nobody (this role's delegates_to names no role to which it may delegate)")
TOOLS_OFF = Text("{tools}: {reason}")
REACHES_NO_HOST = Text("none (it needs the tool shell, and a host that shell.hosts names too)")
LEAD_CANNOT_ASK = Text("the lead cannot delegate to this role, because the lead's delegates_to does not name it")
LEAD_SPEAKS_BY_TEXT = Text("the lead needs no tool to speak to people, because they see its text")
NO_UPDATES = Text("the setting swarm.max_updates is 0, so no role can post")
NO_CLAUDE = Text("{model} is not a Claude model: its server has no tools for the web")
NO_SKILLS = Text("there are no skills in {folder}")
TOOL_SWITCHED_OFF = Text("this tool is switched off")
NO_SUCH_TOOL = Text("Retinue has no tool with this name")
LEAD_LACKS_IT = Text("the lead does not have this tool, and no role has more tools than the lead")
SWARM_IS_OFF = Text("the setting swarm.enabled is false")
TOO_DEEP = Text("the setting swarm.max_depth is {depth}, so no further delegation is possible")
LEAD_ASKS_NOBODY = Text("The lead delegates to nobody: {reason}.")
LEAD_HAS_NO_DELEGATE = Text("The lead delegates to nobody: it does not have the tool delegate.")
LEAD_MAY_MAKE_UP_ROLES = Text("The lead may also make up roles for other specialists (swarm.allow_adhoc is true).")
LEAD_ASKS_THOSE_NAMED = Text("The lead delegates only to the roles that are named in its delegates_to.")
LEAD_ASKS_ONLY_THESE = Text("The lead delegates only to the roles listed above (swarm.allow_adhoc is false).")

# MCP servers (`retinue mcp-servers`)

NO_MCP_SERVERS = Text("No MCP server is configured. docs/mcp.md says how to add one to mcp.servers in config.json.")
NO_MCP_SERVER_AT_ALL = Text("there is none")
NO_SUCH_MCP_SERVER = Text("there is no MCP server {server} in the settings; there is: {servers}")
MCP_CONNECTED = Plural("{server}: connected, {count} tool", "{server}: connected, {count} tools")
MCP_NEVER_CONNECTED = Text("{server}: not connected, since the bot has not run with it yet")
MCP_AWAY = Text("{server}: not connected: {fault}")
MCP_FAULT = Text("  ! {fault}")
MCP_TOOL_ON = Text("  {tool} ({effects})")
MCP_TOOL_OFF = Text("  {tool} is off, because the server describes it differently now; to allow that: {command}")
MCP_TOOL_SAYS = Text("    says: {text}")
MCP_TOOL_ARGUMENTS = Text("    its arguments: {arguments}")
MCP_HIDDEN = Plural(
    "    hidden: {count} invisible character, which was taken out",
    "    hidden: {count} invisible characters, which were taken out",
)
NO_EFFECTS = Text("no effects")
SAYS_NOTHING = Text("nothing")

# Memories of everybody (`retinue memory`)

NOTHING_FOR_EVERYBODY = Text("Nothing is remembered for everybody yet. Save something with: retinue memory add TEXT")
MEMORY_OF_EVERYBODY = Text("{number}  {date:%Y-%m-%d}  {text}")
MEMORY_NOT_CONFIRMED = Text(
    "{memory}  (saved after reading {sources}; the owner confirms it with /memory keep {number})"
)

# People (`retinue people`)

NOBODY_KNOWN = Text("Nobody has written yet.")
KNOWN_ACCOUNT = Text(
    "{channel}  {id}  {name}: messages kept {messages}, conversations {conversations}, memories {memories}"
)
SAME_PERSON = Text("  the same person: {account}")
NO_SUCH_PERSON = Text("nobody with the id {id} has written; `retinue people` lists everybody")
NO_SUCH_LINK = Text("no account with the id {id} is linked; `retinue pair --list` lists those that are")
PERSON_ON_SEVERAL = Text("several accounts have the id {id}; add --channel and one of: {channels}")
DELETE_PERSON = Text("Delete all that is kept of this person? Nobody can bring it back, except from a back-up.")

# Schedules of everybody (`retinue schedules`)

NO_SCHEDULES = Text("Nobody has a reminder or a schedule.")
SCHEDULE = Text("{number}  {address}  {name} ({person})  {state}; {outcome}; {kind}: {text}")
SCHEDULE_NEXT = Text("next {time:%a %Y-%m-%d %H:%M} ({zone})")
SCHEDULE_PAUSED = Text("paused")
SCHEDULE_FAILED = Text("paused, because its runs failed")
SCHEDULE_NEVER_DUE = Text("never due yet")
SCHEDULE_KINDS = {"reminder": Text("reminder"), "task": Text("task")}

# Trying a turn again

OWNER_WHO_TRIES_AGAIN = Text("owner")
