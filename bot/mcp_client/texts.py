"""What models and operators read about MCP servers."""

from bot.core.texts import Plural, Text

# For the model: why a call failed

SERVER_AWAY = Text("The server of this tool cannot be reached now ({fault}). Nothing was done.")
NOT_CONNECTED_YET = Text("the connection is being made")
CALL_CUT_OFF = Text(
    "The connection to the server ended during the call ({fault}). Nobody knows whether it was carried out."
)
CALL_TOO_SLOW = Text(
    "The server has not answered within {seconds} s. Nobody knows whether the call was carried out, or will be."
)
CALLS_ALL_BUSY = Text(
    "The server is busy with other calls and has not taken this one for {seconds} s. Nothing was done."
)
RESULT_TOO_LARGE = Text("The call was carried out, but {reason}. Ask for less of it.")
CALL_REFUSED = Text("The server refuses the call: {reason}")
CALL_FAILED = Text("The tool says that it failed: {text}")
NO_RESULT_TEXT = Text("(an empty result)")
NO_ERROR_TEXT = Text("(without a reason)")
NOT_A_RESULT = Text("The server has sent something that is no result.")
TOOL_WAITS_FOR_OWNER = Text(
    "The tool {tool} says something else about itself than before, so it is off until the owner allows it."
)
RESULT_PART_LEFT_OUT = Text("({kind} of {size:,} bytes is left out: {reason})")
ONE_PICTURE_ONLY = Text("a result shows one picture at most")
NOT_SHOWN_HERE = Text("it cannot be shown here")
RESOURCE_LINK = Text("(a link to {name}: {uri})")
STRUCTURED_PART = Text("Structured result:\n{json}")

# For operators: what is wrong with a server or with one of its tools

NO_SDK = Text("the package mcp is not installed; install it with: pip install 'retinue[mcp]'")
NO_VALUE = Text("{key} is null and has no value from a secret file or a variable")
NO_SANDBOX_AT_ALL = Text("this version has none")
NO_SANDBOX = Text("no sandbox can start ({fault}), so the program is not started; see sandbox in docs/mcp.md")
PROGRAM_NOT_STARTED = Text("{command} cannot be started: {reason}")
PROGRAM_ENDED = Text("the program has ended with status {status}")
PROGRAM_ENDED_SAYING = Text("the program has ended with status {status} and says: {text}")
CONNECTION_ENDED = Text("the connection has ended")
FLOODED = Text("it sent too many messages")
ANSWER_TOO_LARGE = Text("the answer has more than {most:,} bytes")
CONNECT_TOO_SLOW = Text("it has not answered within {seconds:g} s")
LISTS_TOO_MANY_PAGES = Text("its list of tools does not end")
SPEAKS_WRONGLY = Text("it does not speak MCP as expected ({reason})")
STATUS = Text("it answers with the status {status}")
LEADS_ELSEWHERE = Text("it leads on to another address; write that address into url")
PRIVATE_ADDRESS = Text("{reason}; allow_private_address allows it")
UNKNOWN_PACKING = Text("it packs its answers, which was not asked for")

TOO_MANY_TOOLS = Plural(
    "lists more than {most} tools; {count} is not used", "lists more than {most} tools; {count} are not used"
)
BAD_TOOL_NAME = Text("the tool {tool} has a name that models cannot use")
TOOL_NAMES_COLLIDE = Text("the tools {tool} and {other} have the same name here; the second is not used")
BAD_SCHEMA = Text("the schema of the tool {tool} cannot be used: {reason}")
SCHEMA_NOT_OBJECT = Text("it is not of the type object")
SCHEMA_TOO_LARGE = Text("it has more than {most:,} characters")
SCHEMA_TOO_DEEP = Text("it is nested more than {most} times")
SCHEMA_COMBINES = Text("it combines others at the top ({key})")
SCHEMA_BAD_PROPERTY = Text("the argument {name} has a name that is not allowed")
SCHEMA_NOT_VALID = Text("it is no JSON Schema ({reason})")
DECLARED_UNKNOWN_TOOL = Text("mcp.servers.{server}.tools.{tool}: the server lists no such tool")
DECLARED_UNKNOWN_ARGUMENT = Text("mcp.servers.{server}.tools.{tool}: the tool has no argument {argument}")

# For the log

SERVER_FAULT = Text("MCP server %s: %s")
SERVER_NAME = Text("MCP server {server}")
SERVER_READY = Text("MCP server %s: connected, %d tools")
LISTING_FAULT = Text("MCP server %s: %s")
LINE_IGNORED = Text("MCP server %s: wrote a line that is no message")
