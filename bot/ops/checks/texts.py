"""What `retinue doctor` says to operators: what it looked at, what is wrong, and how to fix it."""

from bot.core.texts import Plural, Text

# Any check

FOLDER_OR_FILE_FAILS = Text("{check}: {path}: {reason}")
MEND_RIGHTS = Text("fix the permissions of that file or folder")
MENDED = Text("{finding} (fixed)")
NOT_MENDED = Text("{remedy} (--fix could not do this: {reason})")
OR_RUN_SETUP = Text("or run {command} to set up the bot again")
MEND_THAT = Text("fix that error, then run doctor again")
DOES_NOT_START = Text("fix that error first: until then, the bot does not start")

# Versions, and the config

VERSIONS = Text("versions: python {python}, sqlite {sqlite}")
NEWER_SQLITE = Text("install a Python with SQLite 3.35 or newer")
CONFIG = Text("config: {path}")
NO_CONFIG_FILE = Text("config: there is no config file: the settings are from the defaults and the environment")
WRONG_CONFIG = Text("config: {fault}")

# Folders

WORKSPACE = Text("workspace: {folder}")
DATA_FOLDER = Text("data folder: {folder}, {gigabytes:.1f} GB free")
DATA_FOLDER_SHARED = Text("data folder: other users of this machine can open {path}")
CHANGE_MODE = Text("chmod {mode:o} {path}")
LITTLE_ROOM = Text("data folder: only {megabytes:.0f} MB are free on its disk")
MAKE_ROOM = Text("make room on the disk of the data folder")
FOLDER_NOT_YET = Text("{name}: {folder} does not exist yet; the first start creates it")
NO_NEW_FOLDER = Text("{name}: no folder can be created in {folder}")
SET_OR_MEND = Text("set {key} to another folder, or fix the permissions of this folder")
NO_FOLDER = Text("{name}: {folder} is not a folder")
SET_OR_MOVE = Text("set {key} to a folder, or move away the file that has this path")
FOLDER_NOT_WRITABLE = Text("{name}: cannot write in {folder}")
CHANGE_OWNER = Text("the bot runs as user {user}: run chown {user} on that folder")
WORKSPACE_OF_GROUP = Text("workspace of the group {group}")
WORKSPACE_IS_HOME = Text("{name}: {folder} is a home folder, and all who may talk to the bot can read what is in it")
OWN_FOLDER = Text("choose a separate folder for the workspace")
SECRET_IN_WORKSPACE = Text("{name}: {path} looks like a secret, and everybody who may talk to the bot can read it")
MOVE_OUTSIDE = Text("move the secret to a folder outside the workspace")
FILE_TOOLS = Text("file tools: confined to the workspace by {keeper}; files are searched by {searcher}")
THE_KERNEL = Text("the kernel")
LINK_BY_LINK = Text("a check of each link in a path (the kernel has no openat2)")
RIPGREP = Text("ripgrep")
PYTHON = Text("Python (ripgrep is not installed)")

# Secrets, and the network

SECRET_FILES = Plural(
    "secrets: {count} file, readable only by its owner",
    "secrets: {count} files, readable only by their owner",
)
NO_SECRET_FILES = Text("secrets: there are no secret files")
SECRET_EXPOSED = Text("secrets: {fault}")
SECRET_READABLE_BY_GROUP = Text("secrets: the Unix group of {path} can read this file")
UNLESS_MEANT = Text("run chmod 600 {path}, unless the file's Unix group should be able to read it")
CONFIG_READABLE = Text("secrets: others on this machine can read {path}, which contains a secret")
NETWORK = Text("network: {fault}")
ONE_MACHINE = Text("or use a model server on this machine")

# The process, and the database

PROCESS_RUNS = Text("process: the bot runs as process {process}")
NO_PROCESS = Text("process: no bot is running with this data folder")
NO_DATABASE = Text("database: there is no database yet")
DATABASE_FAILS = Text("database: {fault}")
SEE_ABOVE = Text("the error itself says how to fix it")
MEND_FIRST = Text("fix that error first")
DATABASE_WHOLE = Text("database: it is intact")
DATABASE_DAMAGED = Text("database: it is damaged ({damage})")
DATABASE_OLD = Text("database: {path} was written by an earlier version; the next start migrates it")
TABLES = Text("tables: all tables of the database belong to this version of Retinue")
UNKNOWN_TABLES = Plural(
    "tables: {names} in {path} is not a table of Retinue", "tables: {names} in {path} are not tables of Retinue"
)
NOT_NEEDED = Text("remove these tables, unless another program needs them: a back-up with them cannot be restored")

# What was set aside or not delivered

SET_ASIDE = Text("set aside: a message from {address} ({time}) is kept, but not answered: {reason}")
NO_KNOWN_REASON = Text("the reason is unknown")
WRITER_KNOWS = Text("the person was told, and can send the message again; the text stays in the table inbox")
MORE_SET_ASIDE = Text("set aside: messages older than the listed ones: {count}")
KEPT_FOR_KEEP_DAYS = Text("the setting keep_days says how long these messages are kept")
NOTHING_SET_ASIDE = Text("set aside: no messages")
NOT_DELIVERED = Text("undelivered: a message to {address} ({time}): {reason}; nobody in that chat was told")
MEND_THE_REASON = Text("fix the cause that this line names; the text of the message stays in the table outbox")
MORE_NOT_DELIVERED = Text("undelivered: messages older than the listed ones: {count}; nobody in their chats was told")
ALL_DELIVERED = Text("undelivered: no messages")
CHAT_SHUT = Text("chats: {address} accepts no messages: {reason}")
OPENS_AGAIN = Text("the bot writes to that chat again as soon as somebody writes there")
MORE_CHATS_SHUT = Plural("chats: {count} more chat accepts no messages", "chats: {count} more chats accept no messages")
AS_ABOVE = Text("do the same as for the chats that are listed")
FAULT = Text("{name}: {fault} (since {time})")
FAULT_BEFORE = Text("{name}: when the bot last ran: {fault} (since {time})")
UNKNOWN_TIME = Text("an unknown time")
AS_IT_SAYS = Text("do what the fault says; if it names no remedy, wait: the bot keeps trying")
START_IT = Text("start the bot to see whether the fault is gone")
STRANGER_ASKS = Text("pairing: {name} (id {id}) asks for permission to use the bot on {channel}")

# Schedules

SCHEDULES = Text("schedules: active {active}, paused {paused}")
SCHEDULE_FAILED = Text("schedules: number {number} of {name} in {address} is paused, because its runs failed")
RESUME_SCHEDULE = Text("read why in that chat or in the log; then the person writes there: /schedules resume {number}")
MORE_SCHEDULES_FAILED = Plural(
    "schedules: {count} more is paused, because its runs failed",
    "schedules: {count} more are paused, because their runs failed",
)
SEE_SCHEDULES = Text("`{command}` lists them")
SCHEDULE_IS_LATE = Plural(
    "schedules: {count} is due for {seconds:.0f} s, and nothing was done yet",
    "schedules: {count} are due, the first for {seconds:.0f} s, and nothing was done yet",
)
RESTART_IT = Text("read the log for the reason; then restart the bot")

# Languages, roles and groups

LANGUAGES = Text("languages: {languages}; the operator's is {language}")
OPERATORS_LANGUAGE_UNUSABLE = Text('language: the file of "{name}" cannot be used, so English stands in for it')
MEND_LANGUAGE_FILE = Text("correct the file as docs/languages.md says, and start the bot again")
MEND_LEXICON_FILE = Text("compare it with bot/core/languages/acts/en.toml, correct it, and start the bot again")
MEND_SENTENCE = Text("compare it with bot/core/languages/de.toml, correct the file, and start the bot again")
MORE_FAULTS_IN_LANGUAGE = Plural("{path}: {count} more fault", "{path}: {count} more faults")
SENTENCES_MISSING = Plural(
    "{path}: {count} sentence is missing, so people read it in English: {names}",
    "{path}: {count} sentences are missing, so people read them in English, such as {names}",
)
TRANSLATE_THEM = Text("translate them from bot/core/languages/de.toml, if you wish")
ROLES = Text("roles: {roles}")
ROLES_PARTLY_OFF = Text("roles: {roles}; some of their tools are switched off: {missing}")
ROLE_WITHOUT = Text("{role} lacks {tools}")
WRONG_ROLES = Text("roles: {fault}")
IGNORED_IN_ROLE = Text("roles: {ignored}")
LEAVE_OR_TAKE_OUT = Text("the rest of the file works; remove the ignored parts, or leave them")
OWN_TOOLS = Text("own tools: {tools}")
OWN_TOOL_FAULT = Text("own tools: {fault}")
OWN_TOOL_IS_OFF = Text("until this is fixed, the bot runs without this tool")
PACKAGE_NOT_USED = Text("own tools: {name} is installed and has tools; add it to tool_packages to use them")
SKILLS = Text("skills: {skills}")
SKILLS_OF_OTHERS = Text(
    "skills: {skills}; trusted_skills does not name {others}, so conversations count as having read others' words"
)
SKILL_FAULT = Text("skills: {fault}")
SKILL_IS_OFF = Text("until this is fixed, the bot runs without this skill")
GROUPS = Text("groups: {groups}")
GROUPS_WITHOUT_MAIN = Text(
    "groups: {groups}; none is main, so the lead asks them in the owner's private chat and in the terminal"
)
NO_GROUPS = Text("groups: none")
MAIN_GROUP = Text("{group} (main)")
WRONG_GROUPS = Text("groups: {fault}")
GROUP_IS_OFF = Text("until this is fixed, nobody answers in the chat of this group; the other groups still work")

# Channels, and the web

CHANNELS = Text("channels: {channels}")
NO_CHANNEL = Text("channels: none is enabled")
ENABLE_ONE = Text("run {command}, or enable a channel in the config")
TERMINAL_ALONE = Text("channels: none is enabled; `{chat}` opens a chat in the terminal, `{setup}` adds {platforms}")
SHELL_OFF = Text("shell: off, because {reason}")
SHELL_WANTED = Text("shell: off, although shell.enabled is true: {reason}")
MEND_SANDBOX = Text("fix that, or set shell.enabled to false")
SHELL = Text("shell: on; roles that list it run commands in a sandbox")
SHELL_WITHOUT_HOSTS = Text("shell: commands of roles that name hosts cannot run: {reason}")
MEND_HOSTS = Text("fix that, or leave shell.hosts empty")
SHELL_WITHOUT_PROC = Text(
    "shell: on; roles that list it run commands in a sandbox, without /proc, which this machine does not let it have"
)
WEB_OFF = Text("web: off, because {reason}")
WEB_OFF_AND_WANTED = Text("web: off, because {reason}; these roles list web tools, and run without them: {roles}")
WEB = Text("web: on; the model's server searches and fetches pages")
WEB_HERE = Text("web: on; this bot fetches pages itself, and {provider} searches")
WEB_WITHOUT_SEARCH = Text(
    "web: on; this bot fetches pages itself; nobody searches, because {reason}: set it to searxng, brave or tavily"
)
WEB_SEARCHED = Plural(
    "web: {service} answers; a search found {count} page", "web: {service} answers; a search found {count} pages"
)
WEB_FOUND_NOTHING = Text("web: {service} answers, but a search for “{query}” found nothing")
LOOK_AT_ENGINES = Text("look in the service's own log: its search engines may refuse it")
MEND_SEARCH = Text("until then, searches fail, and the model is told so")
WEB_NOT_BY_ALL = Text(
    "web: on (the model's server searches and fetches pages), but not for {roles}, whose model is not a Claude model"
)

# What only others can say: the model's server

CHECK_FAILS = Text("{name}: {fault}")
NO_ANSWER = Text("{name}: could not be checked: no answer within {seconds:g} s")
NOT_CHECKED = Text("{name}: could not be checked: {reason}")
ANOTHER_TIME = Text("run doctor again when the network works")
NO_MODEL = Text("model: none is set")
DEMO_ANSWERS = Text("model: none is set, so the demo answers: a script that stands in for a model")
SET_MODEL = Text("set model.api_key (ANTHROPIC_API_KEY) or model.base_url")
MODEL_THERE = Text("model: {model} is available")
WRONG_MODEL = Text("model: {fault}")
LOOK_AFTER_COSTS = Text("or watch the model's costs yourself, because the bot cannot limit them in dollars")

# Voice notes

VOICE_THERE = Text("voice: {model} turns speech into text")
VOICE_COMMAND_THERE = Text("voice: the command {command} exists")
NO_VOICE_COMMAND = Text("voice: there is no command {command}")
SET_VOICE_COMMAND = Text("set voice.command to a program that exists, with its whole path, or take it out")
MEND_VOICE = Text("until this is fixed, voice notes are not turned into text")

# MCP servers

NO_MCP_SDK = Text("MCP: servers are configured, and the package mcp is not installed, so none is used")
INSTALL_MCP_SDK = Text("pip install 'retinue[mcp]'")
MCP_SERVER = Plural("MCP server {server}: {count} tool", "MCP server {server}: {count} tools")
MCP_SERVER_OUTSIDE = Plural(
    "MCP server {server}: {count} tool, outside of the sandbox",
    "MCP server {server}: {count} tools, outside of the sandbox",
)
MCP_NOT_SEEN = Text("MCP server {server}: the bot has not run with it yet")
MCP_SERVER_FAULT = Text("MCP server {server}: {fault}")
MCP_RETRIES = Text("the bot tries again by itself; until then calls of its tools fail")
MCP_WITHOUT_IT = Text("the bot works without that")
MCP_TOOLS_OFF = Text("MCP server {server}: these tools are off, because it describes them differently now: {tools}")
MCP_ALLOW = Text("read what they say ({list}), and allow them: {command}")
MCP_NO_VALUE = Text("MCP: {key} is null, and no secret file or variable has its value")
MCP_SET_VALUE = Text("write it into the file {file} in the secrets folder")
MCP_NO_PROGRAM = Text("MCP server {server}: there is no command {command}")
MCP_SET_PROGRAM = Text("set mcp.servers.{server}.command to a program that exists, with its whole path")
MCP_NO_SANDBOX = Text("MCP server {server}: no sandbox can start here ({fault}), so it is off")
MCP_SANDBOX_OFF = Text(
    "make the sandbox work, or set mcp.servers.{server}.sandbox to false: then the program can read and change what "
    "this user can"
)

# The platforms

NO_TOKEN = Text("{channel}: the channel is enabled, but has no token")
SET_TOKEN = Text("set channels.{channel}.token ({variable}), or run {command}")
EVERYBODY = Text("{channel}: everybody there may talk to the bot, at your cost")
LIST_PEOPLE = Text("list the people who may talk to the bot in channels.{channel}.allow_from, unless everybody should")
NO_OWNER = Text(
    "{channel}: no owner is set, so the bot tells nobody there about faults, and nobody there can let others in or has "
    "all rights"
)
SET_OWNER = Text("set channels.{channel}.owner to your numeric id, or run {command}")

# Group chats that the bot was added to

GROUP_UNDECIDED = Text("{channel}: nobody has decided who may talk to the bot in “{title}” ({chat})")
DECIDE_ABOUT_GROUP = Text(
    "answer the bot's question in private, or write /people {channel} {chat} to it there; if it has no owner, set "
    "channels.{channel}.owner, or add the group's id to channels.{channel}.allow_from"
)
MORE_GROUPS_UNDECIDED = Plural(
    "{count} more group chat without a decision", "{count} more group chats without a decision"
)
