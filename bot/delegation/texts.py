"""What the model is told by the tools of delegation, and of the roles and groups that it may delegate to."""

from bot.core.texts import Text

# Roles and groups that it may delegate to: in its prompt

YOUR_ROLES = Text("You can delegate to these roles:")
NO_ROLES = Text("You can delegate to nobody.")
SPECIALISTS = Text("- or a specialist of any other name, who is told only that name and your brief")
YOUR_GROUPS = Text(
    "You can ask the agents of these groups (delegate, 'group'). Each has files and a memory of its own:"
)
SPECIALIST_PROMPT = Text(
    "You are a specialist with the role: {role}. Complete the task given to you thoroughly and return your findings."
)

# Arguments

NOT_A_TEXT = Text("{argument!r} must be a text")
NOT_A_TRUTH = Text("{argument!r} must be true or false")
NOT_A_LIST_OF_NAMES = Text("{argument!r} must be a list of names; an empty one means none")
NOT_A_NUMBER = Text("{argument!r} must be a whole number above 0")
NO_TASK = Text("Missing 'task' argument: say what is to be done")
NO_ROLE = Text("Missing 'role' argument: name one of {roles}")
NO_ROLE_OR_GROUP = Text("Missing 'role' argument: name one of {roles}; or as 'group' one of {groups}")
NO_MESSAGE = Text("Missing 'text' argument: say what the person is to read")
NO_QUESTION = Text("Missing 'question' argument: say what the person is to answer")
NO_ID = Text("Missing 'id' argument: list_delegations shows them")
TASKS_STAND_ALONE = Text("'tasks' stands alone: a list of objects, each with what one call may have")
GROUP_AND_ANOTHER = Text("name 'group' or {argument!r}, and not both")
NOT_AN_OUTPUT_FORMAT = Text("'output_format' must be words for what the report is to look like, or a JSON Schema")
NOT_A_SCHEMA = Text("'output_format' is no JSON Schema that can be used: {flaw}; mend it, or use words")
BACKGROUND_BELOW = Text(
    "'background' is only for the agent that answers people: a delegation waits for what it delegates"
)
TOOLS_NOT_HELD = Text("'tools': {role} cannot be given {tools}; only: {held}")
NO_TOOLS = Text("none")
TOO_MANY_OPTIONS = Text("'options' must be a list of at most {most} texts")
NOT_MINUTES = Text("'minutes' must be a number above 0, and at most {most}")

# Which role may delegate to which

TOO_DEEP = Text("Cannot delegate from within a delegated task (recursion limit): do the work yourself")
SWITCHED_OFF = Text("Delegation is disabled in configuration: do the work yourself")
NOT_A_ROLE_OF_YOURS = Text("{delegating} cannot delegate to {role!r}; only to: {roles}")
NO_ROLE_AT_ALL = Text("nobody")
ROLES_OR_A_NEW_ONE = Text("{roles}, or a new role by a name of 1 to 40 letters, digits, spaces or hyphens")
NAME_NOT_POSSIBLE = Text("no new role can be called {role!r}: {flaw}; choose another name")

# Who may ask which group

ROLE_IS_A_GROUP = Text("{role!r} is a group, and no role: name it as 'group', if you may ask it")
ROLE_IS_A_GROUP_ELSEWHERE = Text(
    "{role!r} is a group, and no role: only a group may ask a group, and this chat belongs to none: do without"
)
GROUP_IS_A_ROLE = Text("{role} is a role, and no group: name it as 'role'")
CHAT_OF_NO_GROUP = Text("only a group may ask a group, and this chat belongs to none: do without")
ROLE_ASKS_NO_GROUP = Text("your role lists the roles that it delegates to, and groups are not among them: do without")
YOUR_GROUP_OUT_OF_ORDER = Text("your group is no longer in order, so it can ask nobody: do without")
NO_SUCH_GROUP = Text("there is no group {group!r}; {asking} may ask {groups}")
GROUP_OUT_OF_ORDER = Text(
    "the group {group!r} is not there now, or not in order: tell the person; {asking} may ask {groups}"
)
MAY_NOT_ASK_MAIN = Text("{asking} may not ask {group}: it is main, which no other group may; {asking} may ask {groups}")
MAY_NOT_ASK = Text("{asking} may not ask {group}: it is not in {asking}'s allow_delegation; {asking} may ask {groups}")
NO_OTHER_GROUP = Text("no other group")

# Going on with a delegation

UNKNOWN_ID = Text("unknown delegation id {delegation!r}; this conversation has {known}")
UNKNOWN_ID_OF_NONE = Text("unknown delegation id {delegation!r}; this conversation has none yet")
IS_A_QUESTION = Text("{group} is a group: ask it again, with what it must know of its earlier answer")
IS_ANOTHER_ROLES = Text("delegation {delegation} is {role}'s; leave 'role' out, or 'continue_from'")

# Looking after delegations

NO_DELEGATIONS = Text("no delegations in this conversation yet")
ONLY_THE_NEWEST = Text("(these are the newest {most}; older ones are found by their ids)")
TOKENS_USED = Text("input {input:,} tokens ({cached:,} from the cache), output {output:,}")
TASK = Text("task: {task}")
BELOW = Text("below it: {delegation}")
STILL_RUNNING = Text("still running: its report is not there yet")
TRANSCRIPT_PAGE = Text("transcript of {delegation}, page {page} of {pages}")
NO_SUCH_PAGE = Text("there is no page {page}: the last is {last}")
NO_TRANSCRIPT_NO_PAGES = Text("only a transcript has pages: add 'transcript': true")
TRANSCRIPT_STAYS = Text("what {group} has read and done stays with its group: ask it what you need")
