"""What several parts of the bot say to operators: as errors of a command, in the log, or as findings."""

from bot.core.texts import Plural, Text

# The folders

CANNOT_USE_DATA = Text("data_dir: cannot use {path}: {reason}")
FOLDER_IN_USE = Text("{folder} is in use by process {process}: stop that process first")
CANNOT_MAKE_WORKSPACE = Text("workspace: cannot create the folder {folder}: {reason}")

# The process

EVENT_LOOP_HANGS = Text(
    "the event loop has been stuck for {seconds:g} s, so this process ends and can be started again; the event loop "
    "was stuck here:\n{stack}"
)

# The model and its server

WEB_IS_OFF = Text("the web is switched off (web.enabled is false in the config)")
SERVER_HAS_NO_WEB = Text(
    "model.base_url is not Anthropic's own address, the server there has no tools for the web, and web.run_here is "
    '"never"'
)
NOBODY_SEARCHES = Text("web.provider names no service that searches")
PRICES_UNKNOWN = Plural(
    "The price of {models} is not known: limits in dollars do not apply to it, only limits in tokens do. Set "
    "model.prices in the config.",
    "The prices of {models} are not known: limits in dollars do not apply to them, only limits in tokens do. Set "
    "model.prices in the config.",
)

# The demo

CANNOT_COPY_PAGES = Text("data_dir: cannot copy the demo's pages to {folder}: {reason}")
DEMO_TITLE = Text("demo: a script answers")

# Tools whose declaration is not complete

TOOL_WITHOUT_EFFECTS = Text(
    "the tool {tool} is not loaded: it does not declare its effects; give `effects` as a set of these, empty if it has "
    "none: {effects}"
)
TOOL_CHANGES_WITHOUT_EFFECT = Text(
    "the tool {tool} is not loaded: it is of the kind “change”, but declares nothing that it changes; add to `effects` "
    "one of: {effects}"
)
TOOL_READS_WITH_EFFECT = Text(
    "the tool {tool} is not loaded: its effects are “{effects}”, and a call of the kind “read” runs again after a "
    "crash; declare `kind=CallKind.CHANGE`"
)
TOOL_CRITICAL_WRONG = Text(
    "the tool {tool} is not loaded: `critical_arguments` must be a dict from names of arguments to Critical(Part.X), "
    "with X one of: {parts}"
)
TOOL_ARGUMENTS_NOT_DECLARED = Text(
    "the tool {tool} is not loaded: its effects are “{effects}”, so each argument must be declared; add to "
    "`critical_arguments` (who, where, which, how much) or to `uncritical_arguments`: {arguments}"
)
TOOL_ARGUMENT_IS_BOTH = Text(
    "the tool {tool} is not loaded: these arguments are declared both critical and uncritical: {arguments}"
)

SKILL_NOT_LOADED = Text("A skill is left out: {fault}")
OWN_TOOL_NOT_LOADED = Text("A tool of your own is left out: {fault}")

# Memories of everybody (`retinue memory`)

SAVED_FOR_EVERYBODY = Text("Saved as memory {number}. It is told to everybody at the start of a conversation.")
MEMORY_HAS_WRONG_LENGTH = Text("a memory must have 1 to {most:,} characters")
NOT_EVERYBODYS = Text(
    "everybody has no memory with the number {number}; `retinue memory list` shows those that there are"
)
FORGOTTEN_FOR_EVERYBODY = Text("Memory {number} is deleted.")

# Schedules of people (`retinue schedules`)

NO_SUCH_SCHEDULE = Text("there is no schedule {number}; `retinue schedules` lists those that there are")
SCHEDULE_IS_PAUSED = Text("Schedule {number} is paused. Its person can let it go on: /schedules resume {number}")
SCHEDULE_IS_DELETED = Text("Schedule {number} is deleted.")

# Why there is no tool `shell`

SHELL_IS_OFF = Text("the shell is switched off (shell.enabled is false in the config)")

# Why no sandbox can start here, so that there is no tool `shell`

SANDBOX_NOT_LINUX = Text("programs run in a sandbox only on Linux, and this is {system}")
SANDBOX_WITHOUT_PROGRAM = Text("the program {program} is missing: install the package {package}")
SANDBOX_REFUSED = Text(
    "bubblewrap cannot start a sandbox here: {reason}. Usually user namespaces are refused: by a container engine "
    "(docs/MULTI-TENANT.md, `add-tenant --shell`), by AppArmor (a profile for bwrap with `userns`), or by "
    "`sysctl user.max_user_namespaces`"
)
SANDBOX_WITHOUT_LIMIT = Text(
    "the bot runs as root, and nothing would limit how many processes a command starts: run it as another user, or let "
    "it make control groups in /sys/fs/cgroup"
)
SANDBOX_IS_NONE = Text("the program bwrap starts commands without a sandbox")
SANDBOX_WITHOUT_PYTHON = Text(
    "a sandbox that may reach named hosts needs {program} in /usr: install the package {program}, or name no hosts"
)
SANDBOX_TOO_SLOW = Text("it has not started within {seconds:.0f} s")
SANDBOX_SAID_NOTHING = Text("it ended with status {status}")

# MCP servers

NO_MCP_TOOLS_WAIT = Text("No tool of the MCP server {server} waits to be allowed.")
MCP_TOOLS_ALLOWED = Text("Allowed, as the MCP server {server} describes them now: {tools}")
