"""Tools as an operator declares them, each of whose calls is recorded: mails, payments, a calendar, pages, commands."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bot.core.acts import ActKind, Critical, Effect, Part
from bot.core.mcp_settings import CriticalArgument, McpServerSettings, McpToolSettings
from bot.core.mcp_tools import ListedTool
from bot.core.messages import GroupName
from bot.core.rights import Right
from bot.core.turn import CallKind
from bot.mcp_client.declarations import make_tool
from bot.tools import Arguments, Tool, ToolContext
from bot.tools.parameters import closed_object_schema

READS, SENDS, SPENDS = Effect.READS_UNTRUSTED, Effect.SENDS_OUT, Effect.SPENDS
SERVER = "office"
MAILS, NOTES = f"{SERVER}__mails", f"{SERVER}__notes"  # a declared tool of an MCP server, and one that nobody declared
PAGE_TOOL, MAIL_TOOL, PAY_TOOL, EVENT_TOOL, SHARE_TOOL, RUN_TOOL, PONDER_TOOL = (
    "browse",
    "send_mail",
    "pay",
    "delete_event",
    "share_file",
    "run",
    "ponder",
)
MAIL, ACCOUNT = r"@", r"^[A-Z]{2}\d{2}"  # what an address and an account look like
NAMES = (PAGE_TOOL, MAIL_TOOL, PAY_TOOL, EVENT_TOOL, SHARE_TOOL, RUN_TOOL, PONDER_TOOL, MAILS, NOTES)


@dataclass(frozen=True, slots=True)
class Done:
    """A call that has run."""

    tool: str
    arguments: Arguments
    group: GroupName


@dataclass
class RecordedTools:
    """`found` has what the reading tools return, by name; others' words. Where a tool is offered that nobody has
    declared, each conversation begins with the words of its description, so it is offered only if `has_notes`."""

    found: dict[str, str] = field(default_factory=dict)
    done: list[Done] = field(default_factory=list)
    has_notes: bool = False
    notes_description: str = "Find notes."

    def tools(self) -> list[Tool]:
        def named(name: str, effects: Sequence[Effect], critical: Mapping[str, Critical], **more: Any) -> Tool:
            free = more.pop("free", ())
            schema = closed_object_schema({each: {"type": "string"} for each in (*critical, *free)})
            kind = CallKind.READ if READS in effects or not effects else CallKind.CHANGE
            return Tool(
                name=name,
                description=f"{name}.",
                input_schema=schema,
                kind=kind,
                effects=frozenset(effects),
                critical_arguments=critical,
                uncritical_arguments=frozenset(free),
                run=self.recorder(name),
                **more,
            )

        whom, paths = Critical(Part.WHO, "mail", MAIL), Critical(Part.WHICH, "path")
        account, amount = Critical(Part.WHO, "account", ACCOUNT), Critical(Part.MUCH, "amount")
        acts = {kind: frozenset({kind}) for kind in ActKind}
        return [
            named(PONDER_TOOL, [], {}),
            named(PAGE_TOOL, [READS, SENDS], {"url": Critical(Part.WHERE)}, is_query=True, needed_right=Right.WEB),
            named(MAIL_TOOL, [SENDS], {"to": whom}, free=("text",), acts=acts[ActKind.SEND]),
            named(PAY_TOOL, [SPENDS, SENDS], {"to": account, "amount": amount}, acts=acts[ActKind.PAY]),
            named(
                EVENT_TOOL,
                [Effect.DESTROYS, SENDS],
                {"id": Critical(Part.WHICH, "id")},
                acts=acts[ActKind.DELETE],
                things=frozenset({"event"}),
            ),
            named(SHARE_TOOL, [SENDS], {"path": paths, "with": whom}, acts=acts[ActKind.SHARE]),
            named(RUN_TOOL, [Effect.RUNS_CODE, SENDS], {"command": Critical(Part.VALUE)}, acts=acts[ActKind.RUN]),
            *self.tools_of_server(),
        ]

    def tools_of_server(self) -> list[Tool]:
        reads = McpToolSettings(
            effects=(READS, Effect.READS_PRIVATE), critical={"box": CriticalArgument(part=Part.NAME)}
        )
        server = McpServerSettings(command="office", right=Right.TALK, tools={"mails": reads})
        described = {"mails": "Read the mails of a box."}
        described |= {"notes": self.notes_description} if self.has_notes else {}
        return [
            make_tool(
                ListedTool(
                    server=SERVER,
                    name=name,
                    description=description,
                    input_schema=closed_object_schema({"box": {"type": "string"}}),
                    hash="",
                ),
                server,
                self.recorder(f"{SERVER}__{name}"),
            )
            for name, description in described.items()
        ]

    def recorder(self, name: str) -> Any:
        async def run(context: ToolContext, arguments: Arguments) -> str:
            self.done.append(Done(name, arguments, context.turn.group))
            return self.found.get(name, "Nothing is there.")

        return run

    def has_done(self, tool: str, **arguments: str) -> bool:
        return any(each.tool == tool and arguments.items() <= each.arguments.items() for each in self.done)
