"""What operators are told of their settings: where a mistake is, what is wrong, and how to fix it."""

from bot.core.texts import Text

# Which settings, and where from

THE_SETTINGS = Text("the settings")
NO_CONFIG_FILE = Text("no config file")
COMMAND_LINE = Text("the command line")
KEY_AT = Text("the key {key}")

# The config file

NOT_OURS = Text(
    "{path}: this file is in the current folder, but none of its keys is a setting of Retinue, so it seems to belong "
    "to another program; name your own config with --config FILE, or change to another folder"
)
FILE_NOT_READABLE = Text("{path}: cannot read this file: {reason}")
NOT_UTF8 = Text("{path}: this is not UTF-8 text; save it as UTF-8")
NOT_JSON = Text("{path}:{line}: not valid JSON: {reason} (column {column})")
TOO_DEEP = Text("{path}: not valid JSON: nested too deep")
NOT_AN_OBJECT = Text("{path}: this file must contain one JSON object: {{ … }}")
HALF_A_CHARACTER = Text("{path}: {key} contains a broken character (a lone surrogate); write the whole character")
KEY_TWICE = Text("the key {key} occurs twice in one JSON object")
NO_NUMBER = Text("not valid JSON: {value} is not a number")

# Secrets

SECRETS_FOLDER_NOT_READABLE = Text("{path}: cannot read this folder of secrets ({name}): {reason}")
SECRET_NOT_READABLE = Text("{path}: cannot read this secret: {reason}")
SECRET_NOT_UTF8 = Text("{path}: this secret is not UTF-8 text")
SECRET_EMPTY = Text("{path}: this secret is empty; write the secret into it, or remove the file")
CONFIG_FILE_SHARED = Text("others on this machine can read {path}, which holds a key or token; run: chmod 600 {path}")
SENT_IN_CLEAR = Text(
    "{key} begins with {scheme}://, so keys, tokens and messages are sent to {host} unencrypted; set {key} to an "
    "address that begins with {secure}://"
)

# Keys and their values

UNKNOWN_SETTING = Text("{key} is not a setting; the nearest is {nearest}")
WRONG_VALUE = Text("{key} {problem}")

# Folders that roles must not reach

ROLES_IN_WORKSPACE = Text(
    "{origin}: swarm.roles_dir must not be in the workspace, where a role could create a role for itself; set "
    "swarm.roles_dir or workspace to another folder"
)
GROUPS_IN_WORKSPACE = Text(
    "{origin}: swarm.groups_dir must not be in the workspace, where a role could create a group for itself; set "
    "swarm.groups_dir or workspace to another folder"
)
LANGUAGES_IN_WORKSPACE = Text(
    "{origin}: languages_dir must not be in the workspace, where a role could change what the bot says; set "
    "languages_dir or workspace to another folder"
)
DATA_IN_WORKSPACE = Text(
    "{origin}: data_dir must not be in the workspace, where a role could read other chats; set data_dir or workspace "
    "to another folder"
)
SECRETS_IN_WORKSPACE = Text(
    "{origin}: {name} must not be in the workspace, where a role could read the secrets; set {name} or workspace to "
    "another folder"
)
FIXED_SECRETS_IN_WORKSPACE = Text(
    "{origin}: {name} must not be in the workspace, where a role could read it; set workspace to another folder"
)
SOCKET_IN_WORKSPACE = Text(
    "{origin}: the metrics socket (metrics.socket) must not be in the workspace, where a role could replace the "
    "socket; set metrics.socket to another path, or workspace to another folder"
)
CONFIG_IN_WORKSPACE = Text(
    "{origin}: the config file must not be in the workspace, where a role could read and change the config; set "
    "workspace to another folder"
)
WORKSPACE_IN_GROUPS = Text(
    "{origin}: workspace must not be in swarm.groups_dir, where each group's files are for that group alone; set one "
    "of the two to another folder"
)

# Tools of the operator's own

OWN_TOOL_FAULT = Text("{where}: {fault}")
TOOLS_FOLDER_NOT_READABLE = Text("{path}: cannot be read ({reason})")
TOOL_LINK_INTO_WORKSPACE = Text("is a link to a place where roles write; put the file itself here")
HOLDS_NO_TOOL = Text("holds no tool; put @tool(…) before a function")
NO_SUCH_PACKAGE = Text(
    "tool_packages: {name} is not installed, or declares no entry point in the group {group}; packages that do: {known}"
)
NO_PACKAGES = Text("none")
IN_PACKAGE = Text("package {name} ({point})")
TOOL_NAME_NOT_VALID = Text(
    "{name} cannot be the name of a tool; use letters, digits and single underscores, a letter first, at most 64"
)
TOOL_NAME_TAKEN = Text("{name} is the name of a tool of Retinue; give yours another name")
TOOL_NAME_TWICE = Text("{name} is also the name of a tool in {other}; give one of them another name")
TOOL_KIND_NOT_OWN = Text("{name} is of the kind “{kind}”; a tool of your own is READ or CHANGE")
TOOL_WITHOUT_DESCRIPTION = Text("{name} has no docstring; the model reads it, and knows from it when to use the tool")
TOOL_WITH_INVISIBLE_CHARACTERS = Text("{name} has invisible characters in its description; remove them")
TOOLS_IN_WORKSPACE = Text(
    "{origin}: tools_dir must not be in the workspace, where a role could write code that the bot runs; set tools_dir "
    "or workspace to another folder"
)

# Skills

SKILL_FAULT = Text("{path}: {fault}")
SKILLS_FOLDER_NOT_READABLE = Text("{path}: cannot be read ({reason})")
SKILL_LINK_INTO_WORKSPACE = Text("is a link to a place where roles write; put the folder itself here")
SKILL_NAME_TWICE = Text("{name} is also the name of the skill in {other}; give one of them another name")
TOO_MANY_SKILLS = Text("there are already {most} skills, the most that are used")
SKILL_NAME_NOT_VALID = Text("the name may have at most {most} letters, digits, hyphens and spaces")
SKILL_WITHOUT_DESCRIPTION = Text("has no description; the model knows from it when to use the skill")
SKILL_WITHOUT_BODY = Text("has no text below the front matter; write the instructions there")
SKILL_VALUE_NOT_TEXT = Text("{key} must be a text")
SKILL_VALUE_TOO_LONG = Text("{key} has more than {most:,} characters")
SKILL_TOOLS_UNKNOWN = Text("tools names what is no tool here: {tools}")
SKILL_WITH_INVISIBLE = Text("line {line} has a character that nobody sees ({code}); remove it")
SKILL_WITH_CONTROLS = Text("line {line} has a character that is none of a text ({code}); remove it")
SKILL_WITH_LONG_WORD = Text("line {line} has a word of more than {most:,} characters, which nobody has read")
SKILLS_IN_WORKSPACE = Text(
    "{origin}: skills_dir must not be in the workspace, where a role could write instructions; set skills_dir or "
    "workspace to another folder"
)
CLIENTS_SHARE_TOKEN = Text("two clients have the same token; each needs its own")
SCOPES_WITHOUT_TOKEN = Text("clients.{client}.scopes: a token is what opens them; set clients.{client}.token too")
