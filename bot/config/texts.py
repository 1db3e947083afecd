"""What operators are told of their settings: where a mistake is, what is wrong, and how to mend it."""

from bot.core.texts import Text

# Which settings, and where from

THE_SETTINGS = Text("the settings")
NO_CONFIG_FILE = Text("no config file")
COMMAND_LINE = Text("the command line")
KEY_AT = Text("the key {key}")

# The config file

NOT_OURS = Text(
    "{path}: this is in the folder that you are in, but it seems to be another program's: no key in it is a setting of"
    " Retinue; name your own with --config FILE, or go to another folder"
)
FILE_NOT_READABLE = Text("{path}: cannot read this file: {reason}")
NOT_UTF8 = Text("{path}: is not UTF-8 text")
NOT_JSON = Text("{path}:{line}: not valid JSON: {reason} (column {column})")
TOO_DEEP = Text("{path}: not valid JSON: too many levels inside one another")
NOT_AN_OBJECT = Text("{path}: must hold one object: {{ … }}")
HALF_A_CHARACTER = Text("{path}: {key} holds half a character (a lone surrogate); write the whole one")
KEY_TWICE = Text("the key {key} stands twice in one object")
NO_NUMBER = Text("not valid JSON: {value} is no number")

# Secrets

SECRETS_FOLDER_NOT_READABLE = Text("{path}: cannot read this folder, which is {name}: {reason}")
SECRET_NOT_READABLE = Text("{path}: cannot read this secret: {reason}")
SECRET_NOT_UTF8 = Text("{path}: this secret is not UTF-8 text")
SECRET_EMPTY = Text("{path}: this secret is empty; write it, or remove the file")
CONFIG_FILE_SHARED = Text("others on this machine may read {path}, which holds a key or token; run: chmod 600 {path}")
SENT_IN_CLEAR = Text(
    "{key} is {scheme}:// to {host}, so keys, tokens and messages cross the network unencrypted; set {key} to an"
    " address that begins with {secure}://"
)

# Keys and their values

UNKNOWN_SETTING = Text("{key} is not a setting; the nearest is {nearest}")
WRONG_VALUE = Text("{key} {problem}")

# Folders that roles must not reach

ROLES_IN_WORKSPACE = Text(
    "{origin}: swarm.roles_dir must not lie in the workspace, where a role could write itself a role;"
    " set swarm.roles_dir or workspace to another folder"
)
GROUPS_IN_WORKSPACE = Text(
    "{origin}: swarm.groups_dir must not lie in the workspace, where a role could write itself a group;"
    " set swarm.groups_dir or workspace to another folder"
)
DATA_IN_WORKSPACE = Text(
    "{origin}: data_dir must not lie in the workspace, where a role could read other chats;"
    " set data_dir or workspace to another folder"
)
SECRETS_IN_WORKSPACE = Text(
    "{origin}: {name} must not lie in the workspace, where a role could read it;"
    " set {name} or workspace to another folder"
)
FIXED_SECRETS_IN_WORKSPACE = Text(
    "{origin}: {name} must not lie in the workspace, where a role could read it; set workspace to another folder"
)
SOCKET_IN_WORKSPACE = Text(
    "{origin}: metrics.socket must not lie in the workspace, where a role could put something else in its place;"
    " set metrics.socket or workspace to another folder"
)
CONFIG_IN_WORKSPACE = Text(
    "{origin}: the config file must not lie in the workspace, where a role could read and change it;"
    " set workspace to another folder"
)
WORKSPACE_IN_GROUPS = Text(
    "{origin}: workspace must not lie in swarm.groups_dir, where a group's files are its own alone;"
    " set one of both to another folder"
)
