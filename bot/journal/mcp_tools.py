"""What MCP servers say about their tools. The first listing of a server is taken as it is. A tool that says something
else later, or comes later, is off until the owner says yes: the words could be there to mislead the model."""

import hashlib
import json
import shlex
from collections.abc import Sequence

from bot.core.access import owner_addresses
from bot.core.languages import speaking
from bot.core.limits import DecisionTerms
from bot.core.mcp_tools import ListedTool
from bot.core.messages import InboundMessage, OutboundId, OutboundKind, OutboundMessage, match_option
from bot.core.program_names import retinue_command
from bot.core.texts import escape_unprintable, operators, people, people_mcp
from bot.journal import questions
from bot.journal.languages import language_of_owner
from bot.store import mcp_tools as rows
from bot.store.connection import Connection
from bot.store.mcp_tools import McpToolRow
from bot.store.orders import OrderAnswer
from bot.store.questions import ButtonQuestion, list_open_questions

MCP_BUTTON_ACTION = "mcp"  # marks the questions about the tools of a server
MAX_CHARACTERS_ASKED = 6_000  # of the words of servers in one question; what does not fit is asked about afterwards


def save_listing(
    db: Connection, server: str, tools: Sequence[ListedTool], faults: Sequence[str], terms: DecisionTerms
) -> None:
    """Write down what a server lists, and what is wrong with its list. Ask the owner about what it says now."""
    rows.save_listing_faults(db, server, faults)
    known = {row.listed.name: row for row in rows.list_mcp_tools(db, server)}
    for tool in tools:
        row = known.get(tool.name)
        if row is None or row.listed.hash != tool.hash or not row.is_listed:
            rows.save_listed_tool(db, tool, terms.now, is_accepted=not known)
    if {name for name, row in known.items() if row.is_listed} - {tool.name for tool in tools}:
        rows.mark_unlisted_tools(db, server, [tool.name for tool in tools])
    ask_owner_about_changes(db, server, terms)


def ask_owner_about_changes(db: Connection, server: str, terms: DecisionTerms) -> None:
    """Ask about all tools of a server that wait for the owner. An earlier question about other forms of them ends."""
    waiting, _ = fit_into_question([row for row in rows.list_mcp_tools(db, server) if row.is_waiting])
    forms = {row.listed.name: row.listed.hash for row in waiting}
    is_asked = False
    for asked in list_open_questions(db, ButtonQuestion):
        if asked.arguments["does"] == MCP_BUTTON_ACTION and asked.arguments["server"] == server:
            is_asked = asked.arguments["forms"] == forms
            if not is_asked:
                questions.close_question_and_remove_buttons(db, asked.id, "withdrawn")
    owner_at = next(iter(owner_addresses(terms.access_by_channel, "")), None)
    if not waiting or is_asked or owner_at is None:
        return
    with speaking(language_of_owner(db, owner_at.channel, terms)):
        _, lines = fit_into_question(waiting)
        options = people_mcp.ALLOW_OPTION(), people_mcp.KEEP_OFF_OPTION()
        text = people_mcp.TOOLS_CHANGED(server=server, changes="\n".join(lines))
    seed = f"{server} {sorted(forms.items())} {terms.now.isoformat()}"
    id = OutboundId(f"mcp{hashlib.sha256(seed.encode()).hexdigest()[:20]}")
    question = OutboundMessage(id=id, address=owner_at, kind=OutboundKind.QUESTION, text=text, options=options)
    about = {"does": MCP_BUTTON_ACTION, "server": server, "forms": forms}
    questions.ask_harness_question(db, question, about, terms.now)


def fit_into_question(waiting: Sequence[McpToolRow]) -> tuple[list[McpToolRow], list[str]]:
    """Return the first tools whose words fit into a question, at least one, and a line for each with all these words:
    a yes counts for nothing that it does not show."""
    asked, lines = list[McpToolRow](), list[str]()
    for row in waiting:
        line = change_line(row)
        if lines and sum(map(len, lines)) + len(line) > MAX_CHARACTERS_ASKED:
            break
        asked.append(row)
        lines.append(line)
    return asked, lines


def change_line(row: McpToolRow) -> str:
    """Return a tool's name and all that it says of itself now, for people."""
    tool, before = row.listed.full_name, row.accepted
    description = escape_unprintable(row.listed.description)
    arguments = escape_unprintable(json.dumps(row.listed.input_schema, ensure_ascii=False))
    if before is None:
        return people_mcp.NEW_TOOL(tool=tool, description=description, arguments=arguments)
    if before.input_schema != row.listed.input_schema:
        return people_mcp.CHANGED_PARAMETERS(tool=tool, description=description, arguments=arguments)
    return people_mcp.CHANGED_DESCRIPTION(tool=tool, description=description)


def apply_owner_decision(db: Connection, button: ButtonQuestion, message: InboundMessage, terms: DecisionTerms) -> str:
    """Write the owner's decision about what a server says. It counts only for the forms that the question showed.
    Return what to answer."""
    server, forms = button.arguments["server"], button.arguments["forms"]
    option = match_option(button.options, message.text)
    if not option or not button.is_open:
        return people.QUESTION_CLOSED()
    decided = [row for row in rows.list_mcp_tools(db, server) if forms.get(row.listed.name) == row.listed.hash]
    questions.close_question_and_remove_buttons(db, button.id, "answered", message.text, f"✅ {option}")
    if not decided:
        return people_mcp.NOTHING_TO_DECIDE()
    is_allowed = button.options.index(option) == 0
    for row in decided:
        decide = rows.accept_listed_form if is_allowed else rows.refuse_listed_form
        decide(db, server, row.listed.name)
    ask_owner_about_changes(db, server, terms)  # what did not fit into this question
    names = ", ".join(row.listed.full_name for row in decided)
    if is_allowed:
        return people_mcp.TOOLS_ON(server=server, tools=names)
    command = retinue_command(shlex.join(["mcp-servers", "allow", server]))
    return people_mcp.TOOLS_OFF(server=server, tools=names, command=command)


def allow_for_operator(db: Connection, server: str, terms: DecisionTerms) -> OrderAnswer:
    """Accept all tools of a server as it lists them now, also those that the owner did not want."""
    off = [row for row in rows.list_mcp_tools(db, server) if row.is_listed and not row.is_on]
    if not off:
        return OrderAnswer(operators.NO_MCP_TOOLS_WAIT(server=server), is_done=False)
    for row in off:
        rows.accept_listed_form(db, server, row.listed.name)
    ask_owner_about_changes(db, server, terms)  # nothing waits now, so this ends the question
    return OrderAnswer(operators.MCP_TOOLS_ALLOWED(server=server, tools=", ".join(row.listed.full_name for row in off)))
