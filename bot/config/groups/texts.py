"""What is wrong with a group, and how to fix it: for operators, and for authors of groups' files."""

from bot.core.texts import Text

# The folder of all groups

GROUPS_FOLDER_NOT_READABLE = Text("{path}: cannot read this folder of groups (swarm.groups_dir): {reason}")
GROUPS_FOLDER_GONE = Text("{path}: this folder of groups (swarm.groups_dir) is missing; put it back")
GROUPS_STAY = Text("{fault}; until this is fixed, the bot keeps the groups that it had before")

# A group's file

FILE_NOT_READABLE = Text("{path}: cannot read this file: {reason}")
FILE_IN_WORKSPACE = Text(
    "this file is a link into the workspace, where a role could create a group for itself; put the file itself here "
    "instead of the link"
)
NO_PROMPT = Text("there is no text below the front matter; write what the group is for")
UNKNOWN_KEY = Text("{key} is not a key of a group; the nearest is {nearest}")

# Names

NAME_NOT_VALID = Text(
    "the name of a group's folder must be 1 to 40 letters, digits, spaces, hyphens or underscores;"
    " rename the folder {name}"
)
NAME_NOT_OF_A_FOLDER = Text("must be a group's folder name: 1 to 40 letters, digits, spaces, hyphens or underscores")
NAME_NOT_THE_FOLDERS = Text("name: this must be the name of the group's folder, {name}; remove the line `name: …`")
NAME_IS_LEAD = Text("a group cannot be called lead, which is the agent of all chats without a group; rename its folder")
NAME_IS_A_ROLES = Text("a role is called {role} too, but a group needs a name of its own; rename the group's folder")
NAMES_ALIKE = Text("this group's name and that of the group {other} differ only in case; rename one of their folders")

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
MAY_NOT_ASK_MAIN = Text("allow_delegation: {group} is main, and no other group may delegate to it; remove {group} here")

# Its workspace

WORKSPACE_NOT_MADE = Text("workspace: cannot create the folder {path}: {reason}; create it yourself")
WORKSPACE_NO_FOLDER = Text("workspace: {path} must be a folder, or a link to one; put a folder there")
WORKSPACE_ELSEWHERE = Text(
    "workspace: this link points to another place in swarm.groups_dir; point the link to a folder outside it"
)
WORKSPACE_IN_ANOTHER = Text("workspace: this link points into {other}'s workspace; point the link to another folder")
WORKSPACE_HOLDS_ANOTHER = Text(
    "workspace: this link points to a folder that contains the workspace of {other}; point the link to another folder"
)
WORKSPACE_IN_DATA = Text(
    "workspace: this link points into data_dir, so the group could read every chat; point the link to another folder"
)
WORKSPACE_HOLDS_DATA = Text(
    "workspace: this link points to a folder that contains data_dir, so the group could read every chat; point the "
    "link to another folder"
)
WORKSPACE_IN_SECRETS = Text(
    "workspace: this link points into the folder of secrets, so the group could read the secrets; point the link to "
    "another folder"
)
WORKSPACE_HOLDS_SECRETS = Text(
    "workspace: this link points to a folder that contains the folder of secrets, so the group could read the secrets; "
    "point the link to another folder"
)
WORKSPACE_IN_SOCKET = Text(
    "workspace: this link points to the metrics socket (metrics.socket), so the group could replace the socket; point "
    "the link to another folder"
)
WORKSPACE_HOLDS_SOCKET = Text(
    "workspace: this link points to a folder that contains the metrics socket (metrics.socket), so the group could "
    "replace the socket; point the link to another folder"
)
WORKSPACE_IN_ROLES = Text(
    "workspace: this link points into swarm.roles_dir, so the group could create roles for itself; point the link to "
    "another folder"
)
WORKSPACE_HOLDS_ROLES = Text(
    "workspace: this link points to a folder that contains swarm.roles_dir, so the group could create roles for "
    "itself; point the link to another folder"
)
WORKSPACE_IN_CONFIG = Text(
    "workspace: this link points to the config file, so the group could read and change the config; point the link to "
    "another folder"
)
WORKSPACE_HOLDS_CONFIG = Text(
    "workspace: this link points to a folder that contains the config file, so the group could read and change the "
    "config; point the link to another folder"
)
WORKSPACE_IN_GROUP_FILE = Text(
    "workspace: this link points to the instructions.md of the group {group}, so all who work in this workspace could "
    "change that file; point the link to a folder without such files"
)
WORKSPACE_HOLDS_GROUP_FILE = Text(
    "workspace: this link points to a folder that contains the instructions.md of the group {group}, so all who work "
    "in this workspace could change that file; point the link to another folder"
)

# Changes by `retinue groups`

CANNOT_WRITE = Text(
    "{path}: cannot write here: {reason}; if this bot is a tenant, change its groups as root on the host, with --config"
)
NO_ROOM = Text("{path}: cannot write here: {reason}; make room there")
BUSY = Text("{path}: another command is changing the groups; try again later")
KEYS_NOT_ON_LINES = Text("each key in the front matter must be on a line of its own")
CANNOT_BE_CHANGED = Text(
    "{path}: the front matter is written in a way that this command cannot change safely; edit the file by hand"
)
NOT_YAML = Text("the front matter is not valid YAML")
