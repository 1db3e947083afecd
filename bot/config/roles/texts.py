"""What is wrong with a role file, and how to fix it: for operators, and for authors of role files."""

from bot.core.texts import Text

# The folder and the file

ROLES_FOLDER_NOT_READABLE = Text("{path}: cannot read this folder of roles (swarm.roles_dir): {reason}")
NO_FILE = Text("{path}: this is not a regular file")
FILE_NOT_READABLE = Text("{path}: cannot read this file: {reason}")
FILE_TOO_LARGE = Text("{path}: this file may have {kib} KiB at most; make it shorter")
PICTURE_ELSEWHERE = Text(
    "{path}: picture: {name} must be a file in the same folder, with a name that ends with .png, .jpg, .jpeg or .gif; "
    "a link to a file elsewhere is not read"
)
NOT_A_PICTURE = Text("{path}: this is no PNG, JPEG or GIF picture; save it as one of these")
FILE_NOT_UTF8 = Text("{path}: this is not UTF-8 text; save it as UTF-8")
LINK_INTO_WORKSPACE = Text(
    "{path}: this file is a link into the workspace, where a role could create a role for itself; put the file itself "
    "here instead of the link"
)

# Names

NAME_NOT_VALID = Text("{path}: the name of a role must be 1 to 64 letters, digits, spaces, hyphens or underscores")
PRESET_NAME_NOT_VALID = Text("{where}: a role's name must be 1 to 64 letters, digits, spaces, hyphens or underscores")
NAME_TWICE = Text("{path}: this role has the same name as the one in {other}; rename one of them")

# What a role is told, its tools, and those it delegates to

NO_PROMPT = Text("{path}: there is no text below the front matter; write what the role is told about itself")
NO_PRESET_PROMPT = Text("{where}: this role has neither a system_prompt nor a role file; write one of the two")
NO_SUCH_TOOL = Text("{where}tools of {role}: there is no tool {tool}; the nearest is {nearest}")
NO_SUCH_DELEGATE = Text("{where}delegates_to of {role}: {other} is not a role to delegate to; the nearest is {nearest}")
NO_ROLE_OF_SECRET = Text("{origin}: {key}: there is no role {role}; the nearest is {nearest}")
LIMITS_OF_LEAD = Text(
    "{where}limits: these do not apply to the lead; set limits.turn_iterations, turn_tokens and turn_seconds instead"
)
UNKNOWN_KEY = Text("{key} is not a key of a role; the nearest is {nearest}")
TWO_KEYS_FOR_ONE = Text("{key} and {other} mean the same; keep one of them")
NOT_TOOLS = Text("{key} must be a list of names, for example [read_file, glob], or the same without brackets")
EVERY_TOOL = Text("{key}: there is no tool *; for all tools of the agent that delegates to the role, leave {key} out")
BRACKETS_NOT_CLOSED = Text("{key}: the brackets of {tool} do not match; close each, as in Agent(one, two)")
NO_TOOL_LEFT = Text("disallowedTools takes away every tool that the role has; leave at least one")

# What means nothing here, in a file that was written for another program

IGNORED = Text("{path}: these parts of the file are ignored: {parts}")
IGNORED_KEYS = Text("unknown keys: {names}")
IGNORED_TOOLS = Text("unknown tools: {names}")
IGNORED_ROLES = Text("roles that do not exist: {names}")

# Front matter

NO_FRONT_MATTER = Text(
    "this file must begin with front matter: a line ---, lines with name: and description:, then a line ---"
)
FRONT_MATTER_OPEN = Text("the front matter does not end; close it with a line ---")
NO_KEYS = Text("the front matter must contain keys, for example name: writer")
NOT_YAML = Text("the front matter is not valid YAML: {problem}")
NOT_YAML_FOR_WANT_OF_QUOTES = Text("the front matter is not valid YAML: {problem}; put a value with ': ' in quotes")
FORBIDDEN_CHARACTER = Text("the front matter contains a character that YAML does not allow")
NO_ANCHORS = Text("the front matter must not contain anchors (&) or aliases (*); if this is plain text, quote it")
NO_TAGS = Text("the front matter must not contain tags (!); if this is plain text, quote it")
TOO_DEEP = Text("the front matter is nested too deep")
KEY_NOT_A_WORD = Text("each key in the front matter must be a word")
KEY_TWICE = Text("the key {key} occurs twice in the front matter")

# Changes while the bot runs

ROLES_STAY = Text("{fault}; until this is fixed, the bot keeps the roles that it had before")
