"""What operators, and authors of groups' files, are told of what is wrong with a group, and how to mend it."""

from bot.core.texts import Text

# The folder of all groups

GROUPS_FOLDER_NOT_READABLE = Text("{path}: cannot read this folder, which is swarm.groups_dir: {reason}")
GROUPS_FOLDER_GONE = Text("{path}: the folder of all groups is not there; put it back")
GROUPS_STAY = Text("{fault}; till then the groups stay as they are")

# A group's file

FILE_NOT_READABLE = Text("{path}: cannot read this file: {reason}")
FILE_IN_WORKSPACE = Text(
    "is a link into the workspace, where a role could write itself a group; put the file itself here"
)
NO_PROMPT = Text("there is no text below the front matter; write what the group is for")
UNKNOWN_KEY = Text("{key} is not a key of a group; the nearest is {nearest}")

# Names

NAME_NOT_VALID = Text(
    "the name of a group's folder must be 1 to 40 letters, digits, spaces, hyphens or underscores;"
    " rename the folder {name}"
)
NAME_NOT_OF_A_FOLDER = Text(
    "must be 1 to 40 letters, digits, spaces, hyphens or underscores: it is the name of its folder"
)
NAME_NOT_THE_FOLDERS = Text("name must be that of its folder, {name}; leave it out")
NAME_IS_LEAD = Text("no group can be called lead, the agent that answers elsewhere; rename its folder")
NAME_IS_A_ROLES = Text("there is a role {role}, and a group needs a name of its own; rename its folder")
NAMES_ALIKE = Text("its name differs only in case from that of the group {other}; rename one folder")

# Addresses, and main

ADDRESS_NOT_TEXT = Text("must be text, as telegram:-1001234")
NO_CHANNEL = Text("must begin with {channels}, as {example}")
NO_CHAT = Text("names no chat there; write it as {example}")
TERMINAL_ADDRESS_EXAMPLE = Text("terminal:local")
ADDRESS_TAKEN = Text("address: {other} is at {address} too, and one chat has one group; change the address of one")
OWNERS_CHAT_TAKEN = Text(
    "address: {other} is at {address} too, and one chat has one group; give main an address of its own"
)
TWO_MAINS = Text("main: {other} is main too, and only one can be; take main out of one")

# Tools, and which groups it may ask

NO_SUCH_TOOL = Text("tools: there is no tool {tool}; the nearest is {nearest}")
NO_SUCH_GROUP = Text("allow_delegation: there is no group {group}; the nearest is {nearest}")
NO_OTHER_GROUP = Text("allow_delegation: there is no group {group}; there is no other group yet")
MAY_NOT_ASK_MAIN = Text("allow_delegation: {group} is main, which nobody may ask; take it out of the list")

# Its workspace

WORKSPACE_NOT_MADE = Text("workspace: cannot make the folder {path}: {reason}; make it yourself")
WORKSPACE_NO_FOLDER = Text("workspace: {path} is no folder, and leads to none; put one in its place")
WORKSPACE_ELSEWHERE = Text("workspace: leads to another place in swarm.groups_dir; lead its link to another folder")
WORKSPACE_IN_ANOTHER = Text("workspace: lies in that of {other}; lead its link to another folder")
WORKSPACE_HOLDS_ANOTHER = Text("workspace: that of {other} lies in it; lead its link to another folder")
WORKSPACE_IN_DATA = Text("workspace: lies in data_dir, where it could read every chat; lead its link to another folder")
WORKSPACE_HOLDS_DATA = Text(
    "workspace: data_dir lies in it, where it could read every chat; lead its link to another folder"
)
WORKSPACE_IN_SECRETS = Text(
    "workspace: lies in the folder of secrets, which it could read; lead its link to another folder"
)
WORKSPACE_HOLDS_SECRETS = Text(
    "workspace: the folder of secrets lies in it, which it could read; lead its link to another folder"
)
WORKSPACE_IN_SOCKET = Text("workspace: lies in metrics.socket, which it could replace; lead its link to another folder")
WORKSPACE_HOLDS_SOCKET = Text(
    "workspace: metrics.socket lies in it, which it could replace; lead its link to another folder"
)
WORKSPACE_IN_ROLES = Text(
    "workspace: lies in swarm.roles_dir, where it could write itself a role; lead its link to another folder"
)
WORKSPACE_HOLDS_ROLES = Text(
    "workspace: swarm.roles_dir lies in it, where it could write itself a role; lead its link to another folder"
)
WORKSPACE_IN_CONFIG = Text(
    "workspace: lies in the config file, which it could read and change; lead its link to another folder"
)
WORKSPACE_HOLDS_CONFIG = Text(
    "workspace: the config file lies in it, which it could read and change; lead its link to another folder"
)
WORKSPACE_IN_GROUP_FILE = Text(
    "workspace: lies in the file of {group}, which it could change; lead its link to another folder"
)
WORKSPACE_HOLDS_GROUP_FILE = Text(
    "workspace: the file of {group} lies in it, which it could change; lead its link to another folder"
)

# Changes by `retinue groups`

CANNOT_WRITE = Text(
    "{path}: nothing can be written here: {reason}; a tenant's groups are changed as root on the host, with --config"
)
NO_ROOM = Text("{path}: nothing can be written here: {reason}; make room there")
BUSY = Text("{path}: another command is changing the groups; try again later")
KEYS_NOT_ON_LINES = Text("its front matter is no list of keys, one a line; write them so")
CANNOT_BE_CHANGED = Text("{path}: its front matter is not written so that it can be changed; do it by hand")
NOT_YAML = Text("not valid YAML")
