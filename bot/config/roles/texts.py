"""What operators, and authors of role files, are told of what is wrong in one, and how to mend it."""

from bot.core.texts import Text

# The folder and the file

ROLES_FOLDER_NOT_READABLE = Text("{path}: cannot read this folder, which is swarm.roles_dir: {reason}")
NO_FILE = Text("{path}: is no file")
FILE_NOT_READABLE = Text("{path}: cannot read this file: {reason}")
FILE_TOO_LARGE = Text("{path}: this file may have {kib} KiB at most; make it shorter")
FILE_NOT_UTF8 = Text("{path}: is not UTF-8 text; save it as that")
LINK_INTO_WORKSPACE = Text(
    "{path}: is a link into the workspace, where a role could write itself a role; put the file itself here"
)

# Names

NAME_NOT_VALID = Text("{path}: name must be 1 to 40 letters, digits, spaces, hyphens or underscores")
PRESET_NAME_NOT_VALID = Text(
    "{where}: the name of a role must be 1 to 40 letters, digits, spaces, hyphens or underscores"
)
NAME_TWICE = Text("{path}: its role has the same name as that of {other}; rename one")

# What a role is told, its tools, and those it delegates to

NO_PROMPT = Text("{path}: there is no text below the front matter; write what the role is told about itself")
NO_PRESET_PROMPT = Text("{where}.system_prompt is missing, and there is no role file of that name; write one of both")
NO_SUCH_TOOL = Text("{where}tools of {role}: there is no tool {tool}; the nearest is {nearest}")
NO_SUCH_DELEGATE = Text("{where}delegates_to of {role}: nobody can delegate to {other}; the nearest is {nearest}")
LIMITS_OF_LEAD = Text("{where}limits: the lead's are limits.turn_iterations, turn_tokens, turn_seconds; set those")
UNKNOWN_KEY = Text("{key} is not a key of a role; the nearest is {nearest}")
TWO_KEYS_FOR_ONE = Text("{key} and {other} say the same; keep one of them")
NOT_TOOLS = Text("{key} must be a list of names, as [read_file, glob] or read_file, glob")
EVERY_TOOL = Text(
    "{key}: there is no tool *; leave {key} out, and the role has all tools of the agent that delegates to it"
)
BRACKETS_NOT_CLOSED = Text("{key}: the brackets of {tool} do not match; close each, as in Agent(one, two)")
NO_TOOL_LEFT = Text("disallowedTools leaves none of its tools; name at least one that it may use")

# What means nothing here, in a file that was written for another program

IGNORED = Text("{path}: ignored {parts}")
IGNORED_KEYS = Text("keys: {names}")
IGNORED_TOOLS = Text("tools that are not known here: {names}")
IGNORED_ROLES = Text("roles that nobody defined: {names}")

# Front matter

NO_FRONT_MATTER = Text("must begin with front matter: a line ---, then name: and description:, then a line ---")
FRONT_MATTER_OPEN = Text("its front matter does not end; close it with a line ---")
NO_KEYS = Text("its front matter must hold keys, as in name: writer")
NOT_YAML = Text("not valid YAML: {problem}")
NOT_YAML_FOR_WANT_OF_QUOTES = Text("not valid YAML: {problem}; a value that holds ': ' needs quotes")
FORBIDDEN_CHARACTER = Text("its front matter holds a character that YAML does not allow")
NO_ANCHORS = Text("anchors (&) and aliases (*) are not read; put such a text in quotes")
NO_TAGS = Text("tags (!) are not read; put such a text in quotes")
TOO_DEEP = Text("too many levels inside one another")
KEY_NOT_A_WORD = Text("a key must be a word")
KEY_TWICE = Text("the key {key} stands twice")

# Changes while the bot runs

ROLES_STAY = Text("{fault}; till then the roles stay as they are")
