"""What `retinue doctor` says to operators: what it looked at, what is wrong, and how to mend it."""

from bot.core.texts import Plural, Text

# Any check

FOLDER_OR_FILE_FAILS = Text("{check}: {path}: {reason}")
MEND_RIGHTS = Text("mend the rights of that file or folder")
MENDED = Text("{finding} (mended)")
NOT_MENDED = Text("{remedy} (--fix could not: {reason})")
OR_RUN_SETUP = Text("or run {command}")
MEND_THAT = Text("mend that, then look again")
DOES_NOT_START = Text("mend that; the bot does not start with it")

# Versions, and the config

VERSIONS = Text("versions: python {python}, sqlite {sqlite}")
NEWER_SQLITE = Text("install a Python with SQLite 3.35 or newer")
CONFIG = Text("config: {path}")
NO_CONFIG_FILE = Text("config: no config file: defaults and environment")
WRONG_CONFIG = Text("config: {fault}")

# Folders

WORKSPACE = Text("workspace: {folder}")
DATA_FOLDER = Text("data folder: {folder}, {gigabytes:.1f} GB free")
DATA_FOLDER_SHARED = Text("data folder: others on this machine may look into {path}")
CHANGE_MODE = Text("chmod {mode:o} {path}")
LITTLE_ROOM = Text("data folder: only {megabytes:.0f} MB are free there")
MAKE_ROOM = Text("make room on that disk")
FOLDER_NOT_YET = Text("{name}: {folder} is not there yet, and is made at the first start")
NO_NEW_FOLDER = Text("{name}: {folder} takes no new folder")
SET_OR_MEND = Text("set {key}, or mend the rights of that folder")
NO_FOLDER = Text("{name}: {folder} is no folder")
SET_OR_MOVE = Text("set {key} to another one, or move that away")
FOLDER_NOT_WRITABLE = Text("{name}: nothing can be written in {folder}")
CHANGE_OWNER = Text("chown it to the user of the bot: {user}")
WORKSPACE_OF_GROUP = Text("workspace of the group {group}")
WORKSPACE_IS_HOME = Text(
    "{name}: {folder} is a home folder, and everybody who may talk to the bot can read what is in it"
)
OWN_FOLDER = Text("set it to a folder of its own")
SECRET_IN_WORKSPACE = Text("{name}: {path} looks like a secret, and everybody who may talk to the bot can read it")
MOVE_OUTSIDE = Text("move it to a folder outside")
FILE_TOOLS = Text("file tools: kept in the workspace by {keeper}; searched by {searcher}")
THE_KERNEL = Text("the kernel")
LINK_BY_LINK = Text("walking link by link, because there is no openat2")
RIPGREP = Text("ripgrep")
PYTHON = Text("Python, because there is no ripgrep")

# Secrets, and the network

SECRET_FILES = Plural("secrets: {count} file, for its owner alone", "secrets: {count} files, for their owner alone")
NO_SECRET_FILES = Text("secrets: in no files")
SECRET_EXPOSED = Text("secrets: {fault}")
SECRET_READABLE_BY_GROUP = Text("secrets: the group may read {path}")
UNLESS_MEANT = Text("chmod 600 {path}, unless that is meant")
CONFIG_READABLE = Text("secrets: others may read {path}, which holds one")
NETWORK = Text("network: {fault}")
ONE_MACHINE = Text("or keep it to one machine")

# The process, and the database

PROCESS_RUNS = Text("process: the bot runs as process {process}")
NO_PROCESS = Text("process: no bot is running here")
NO_DATABASE = Text("database: there is none yet")
DATABASE_FAILS = Text("database: {fault}")
SEE_ABOVE = Text("see above")
MEND_FIRST = Text("mend that first")
DATABASE_WHOLE = Text("database: it is whole")
DATABASE_DAMAGED = Text("database: it is damaged ({damage})")
DATABASE_OLD = Text("database: {path} is of an earlier version; the next start brings it up to date")
TABLES = Text("tables: as this version of Retinue makes them")
UNKNOWN_TABLES = Plural("tables: {names} in {path} is not Retinue's", "tables: {names} in {path} are not Retinue's")
NOT_NEEDED = Text("nothing needs them here; a back-up with them cannot be restored")

# What was set aside or not delivered

SET_ASIDE = Text("set aside: a message at {address} ({time}): {reason}")
NO_KNOWN_REASON = Text("for no known reason")
WRITER_KNOWS = Text("the person who wrote it was told; it is kept in the inbox, and may be sent once more")
MORE_SET_ASIDE = Text("set aside: {count} more, older")
KEPT_FOR_KEEP_DAYS = Text("they are kept for keep_days")
NOTHING_SET_ASIDE = Text("set aside: nothing")
NOT_DELIVERED = Text("not delivered, and nobody told: to {address} ({time}): {reason}")
MEND_THE_REASON = Text("mend the reason; the text is kept in the outbox")
MORE_NOT_DELIVERED = Text("not delivered, and nobody told: {count} more, older")
ALL_DELIVERED = Text("not delivered, and nobody told: nothing")
CHAT_SHUT = Text("chats: {address} takes nothing: {reason}")
OPENS_AGAIN = Text("it opens again with the next message from there")
MORE_CHATS_SHUT = Plural("chats: {count} more takes nothing", "chats: {count} more take nothing")
AS_ABOVE = Text("as above")
FAULT = Text("{name}: {fault} (since {time})")
FAULT_BEFORE = Text("{name}: {fault} (since {time}), when it last ran")
UNKNOWN_TIME = Text("an unknown time")
AS_IT_SAYS = Text("mend it as it says")
START_IT = Text("start it")
STRANGER_ASKS = Text("pairing: {name} (id {id}) asks to be let in on {channel}")

# Roles and groups

ROLES = Text("roles: {roles}")
ROLES_PARTLY_OFF = Text("roles: {roles}; off here: {missing}")
ROLE_WITHOUT = Text("{role} is without {tools}")
WRONG_ROLES = Text("roles: {fault}")
IGNORED_IN_ROLE = Text("roles: {ignored}")
LEAVE_OR_TAKE_OUT = Text("the rest of it works; take that out, or leave it")
GROUPS = Text("groups: {groups}")
NO_GROUPS = Text("groups: none")
MAIN_GROUP = Text("{group} (main)")
WRONG_GROUPS = Text("groups: {fault}")
GROUP_IS_OFF = Text("till then nobody answers in its chat; the other groups go on")

# Channels, and the web

CHANNELS = Text("channels: {channels}")
NO_CHANNEL = Text("channels: none is enabled")
ENABLE_ONE = Text("run {command}, or enable one in the config")
TERMINAL_ALONE = Text("channels: none is enabled; `{chat}` talks in the terminal, `{setup}` adds {platforms}")
WEB_OFF = Text("web: off, since {reason}")
WEB_OFF_AND_WANTED = Text("web: off, since {reason}; {roles} would use it")
WEB = Text("web: searched and fetched by the model's server")
WEB_NOT_BY_ALL = Text("web: searched and fetched by the model's server; not by {roles}, whose model is no Claude")

# What only others can say: the model's server

CHECK_FAILS = Text("{name}: {fault}")
NO_ANSWER = Text("{name}: could not be checked: no answer within {seconds:g} s")
NOT_CHECKED = Text("{name}: could not be checked: {reason}")
ANOTHER_TIME = Text("try again once the network is there")
NO_MODEL = Text("model: there is none")
SET_MODEL = Text("set model.api_key (ANTHROPIC_API_KEY) or model.base_url")
MODEL_THERE = Text("model: {model} is there")
WRONG_MODEL = Text("model: {fault}")
LOOK_AFTER_COSTS = Text("or look after it yourself")

# The platforms

NO_TOKEN = Text("{channel}: it is enabled and has no token")
SET_TOKEN = Text("set channels.{channel}.token ({variable}), or run {command}")
EVERYBODY = Text("{channel}: everybody on it may talk to the bot, at your cost")
LIST_PEOPLE = Text("list those who may in channels.{channel}.allow_from, unless that is meant")
NO_OWNER = Text("{channel}: it has no owner, so nobody there hears of faults, lets others in or has all rights")
SET_OWNER = Text("set channels.{channel}.owner to your numeric id, or run {command}")
