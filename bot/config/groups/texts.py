"""What operators, and authors of groups' files, are told of what is wrong with a group, and how to fix it."""

from bot.core.texts import Text

# The folder of all groups

GROUPS_FOLDER_NOT_READABLE = Text("{path}: cannot read this folder of groups (swarm.groups_dir): {reason}")
GROUPS_FOLDER_GONE = Text("{path}: this folder of groups (swarm.groups_dir) is missing; put it back")
GROUPS_STAY = Text("{fault}; until this is fixed, the bot keeps the groups that it had before")

# A group's file

FILE_NOT_READABLE = Text("{path}: cannot read this file: {reason}")
FILE_IN_WORKSPACE = Text(
    "this is a link into the workspace, where a role could create a group for itself; put the file itself here"
)
NO_PROMPT = Text("there is no text below the front matter; write what the group is for")
UNKNOWN_KEY = Text("{key} is not a key of a group; the nearest is {nearest}")

# Names

NAME_NOT_VALID = Text(
    "the name of a group's folder must be 1 to 40 letters, digits, spaces, hyphens or underscores;"
    " rename the folder {name}"
)
NAME_NOT_OF_A_FOLDER = Text(
    "must be the name of a group's folder: 1 to 40 letters, digits, spaces, hyphens or underscores"
)
NAME_NOT_THE_FOLDERS = Text("name: the name of this group must be that of its folder, {name}; leave the key name out")
NAME_IS_LEAD = Text(
    "a group cannot be called lead, which is the agent of all chats without a group; rename the group's folder"
)
NAME_IS_A_ROLES = Text("a role is called {role} too, but a group needs a name of its own; rename the group's folder")
NAMES_ALIKE = Text("the name of this group differs only in case from that of the group {other}; rename one folder")

# Addresses, and main

ADDRESS_NOT_TEXT = Text("must be an address in text, for example telegram:-1001234")
NO_CHANNEL = Text("must begin with the name of a channel ({channels}); for example {example}")
NO_CHAT = Text("must be the address of a chat, for example {example}")
TERMINAL_ADDRESS_EXAMPLE = Text("terminal:local")
ADDRESS_TAKEN = Text(
    "address: the group {other} has {address} too, but a chat can have only one group; change one of the addresses"
)
OWNERS_CHAT_TAKEN = Text(
    "address: the group {other} has {address} too, but a chat can have only one group; give main an address of its own"
)
TWO_MAINS = Text("main: {other} is main too, but only one group can be main; remove the key main from one of them")

# Tools, and which groups it may ask

NO_SUCH_TOOL = Text("tools: there is no tool {tool}; the nearest is {nearest}")
NO_SUCH_GROUP = Text("allow_delegation: there is no group {group}; the nearest is {nearest}")
NO_OTHER_GROUP = Text("allow_delegation: there is no group {group}, nor any other group yet")
MAY_NOT_ASK_MAIN = Text("allow_delegation: {group} is main, to which no other group may delegate; remove {group} here")

# Its workspace

WORKSPACE_NOT_MADE = Text("workspace: cannot create the folder {path}: {reason}; create it yourself")
WORKSPACE_NO_FOLDER = Text("workspace: {path} must be a folder, or a link to one; put a folder there")
WORKSPACE_ELSEWHERE = Text(
    "workspace: this link points to another place in swarm.groups_dir; point it to a folder outside swarm.groups_dir"
)
WORKSPACE_IN_ANOTHER = Text("workspace: this link points into the workspace of {other}; point it to another folder")
WORKSPACE_HOLDS_ANOTHER = Text(
    "workspace: this link points to a folder that contains the workspace of {other}; point it to another folder"
)
WORKSPACE_IN_DATA = Text(
    "workspace: this link points into data_dir, so the group could read every chat; point it to another folder"
)
WORKSPACE_HOLDS_DATA = Text(
    "workspace: this link points to a folder that contains data_dir, so the group could read every chat; point it to "
    "another folder"
)
WORKSPACE_IN_SECRETS = Text(
    "workspace: this link points into the folder of secrets, which the group could then read; point it elsewhere"
)
WORKSPACE_HOLDS_SECRETS = Text(
    "workspace: this link points to a folder that contains the folder of secrets, so the group could read the secrets; "
    "point it to another folder"
)
WORKSPACE_IN_SOCKET = Text(
    "workspace: this link points to the metrics socket (metrics.socket), so the group could replace the socket; point "
    "it to another folder"
)
WORKSPACE_HOLDS_SOCKET = Text(
    "workspace: this link points to a folder that contains the metrics socket (metrics.socket), so the group could "
    "replace the socket; point it to another folder"
)
WORKSPACE_IN_ROLES = Text(
    "workspace: this link points into swarm.roles_dir, so the group could create roles for itself; point it to "
    "another folder"
)
WORKSPACE_HOLDS_ROLES = Text(
    "workspace: this link points to a folder that contains swarm.roles_dir, so the group could create roles for "
    "itself; point it to another folder"
)
WORKSPACE_IN_CONFIG = Text(
    "workspace: this link points to the config file, so the group could read and change the config; point it to "
    "another folder"
)
WORKSPACE_HOLDS_CONFIG = Text(
    "workspace: this link points to a folder that contains the config file, so the group could read and change the "
    "config; point it to another folder"
)
WORKSPACE_IN_GROUP_FILE = Text(
    "workspace: this link points to the file of the group {group}, so this group could change that file; point it to "
    "another folder"
)
WORKSPACE_HOLDS_GROUP_FILE = Text(
    "workspace: this link points to a folder that contains the file of the group {group}, so this group could change "
    "that file; point it to another folder"
)

# Changes by `retinue groups`

CANNOT_WRITE = Text(
    "{path}: cannot write here: {reason}; if this bot is a tenant, change its groups as root on the host, with --config"
)
NO_ROOM = Text("{path}: cannot write here: {reason}; make room there")
BUSY = Text("{path}: another command is changing the groups; try again later")
KEYS_NOT_ON_LINES = Text("the front matter must have one key on each line")
CANNOT_BE_CHANGED = Text(
    "{path}: the front matter is written in a way that this command cannot change safely; edit the file by hand"
)
NOT_YAML = Text("the front matter is not valid YAML")
