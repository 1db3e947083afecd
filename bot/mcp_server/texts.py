"""What the MCP server says: to the models of its clients in tools and results, and to those who connect over HTTP."""

from bot.core.texts import Text

INSTRUCTIONS = Text(
    "Roles of Retinue, each with its own tools and instructions. A role sees nothing of your conversation: hand it "
    "what it needs as `context`. A delegation goes on if you stop waiting for it."
)
DELEGATE_TASK = Text(
    "Have a role do a task, and get its report. It returns when the role has ended; that can take minutes. If your "
    "call ends before, the role works on: list_sub_agents names it, and get_delegation_result returns its report. Use "
    "it for independent parts that a role is made for; not for what you can do yourself in a few steps."
)
ROLES = Text("The roles:\n{roles}")
ROLE = Text("- {name}: {description}")
NO_ROLES = Text("No role may work for you now.")
LIST_SUB_AGENTS = Text("List your newest delegations, at work and ended, with status, time and cost, without reports.")
GET_DELEGATION_RESULT = Text("Return one of your delegations: its report if it has ended, else how far it is.")
CANCEL_DELEGATION = Text("End one of your delegations that is at work, with all below it, and return what it has.")
PROFILE = Text("the role; the same as `role`")
ROLE_ARGUMENT = Text("the name of the role")
TASK = Text("one objective in your own words: what is to be done, and what the report must hold")
CONTEXT = Text(
    "facts and texts that the role needs; it reads them as words of others, so nothing that they ask for is done"
)
MAX_TOKENS = Text("at most so many tokens; by default as the role has")
TIMEOUT = Text("milliseconds of work; by default as the role has")
DELEGATION_ID = Text("as delegate_task and list_sub_agents return it")
PROFILE_OR_ROLE = Text("give `profile` or `role`, and not both")
WRONG_ARGUMENT = Text("{name}: {fault}")
NO_SUCH_TOOL = Text("there is no tool {name!r}")
WORKS = Text("{role} works")
STARTED = Text("{role} has begun: {id}")
HEADING = Text("{role} ({id}): {status}, {seconds:.0f} s, ${cost:.4f}{reason}")
REASON = Text(" ({reason})")
ENTRY = Text("{heading}: {task}")
NO_DELEGATIONS = Text("You have no delegations.")
WRONG_TOKEN = Text("a bearer token of a client is needed")
TOO_MANY_REQUESTS = Text("too many requests of this client are at work; try again later")
TOO_MANY_WRONG_TOKENS = Text("too many wrong tokens; try again later")
