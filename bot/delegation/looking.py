"""The tools that look after delegations: which there are, what became of one, and to end one."""

from datetime import datetime
from typing import Annotated

from bot import reports
from bot.delegation.arguments import needed
from bot.delegation.history import pages
from bot.delegation.knowing import Knowing
from bot.errors import ToolError
from bot.limits import TermsNow
from bot.phrases import shown
from bot.plan import Cancel
from bot.prices import Usage
from bot.store import delegations, transcript
from bot.store.connection import Connection
from bot.store.delegations import MOST_LISTED, Delegation
from bot.tools import Arguments, Effect, Tool, ToolContext, tool
from bot.turn import CallKind, TurnState

NONE_YET = "no delegations in this conversation yet"
CANCEL = "cancel_delegation"


def looking_tools(knowing: Knowing, terms: TermsNow) -> list[Tool]:
    looking = Looking(knowing, terms)
    return [
        tool(kind=CallKind.READ, effects=())(looking.list_delegations),
        tool(kind=CallKind.READ, effects={Effect.READS_PRIVATE, Effect.READS_UNTRUSTED})(looking.get_delegation),
        Tool(
            name=CANCEL,
            description="End one that runs. Gives what it has.",
            input_schema={"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]},
            kind=CallKind.WAIT,
            effects=frozenset(),
            plan=looking.cancel,
        ),
    ]


class Looking:
    def __init__(self, knowing: Knowing, terms: TermsNow) -> None:
        self.knowing = knowing
        self.terms = terms

    async def list_delegations(self, context: ToolContext) -> str:
        """List this conversation's delegations, newest first."""
        found = await self.knowing.read(delegations.known, context.turn, MOST_LISTED + 1)
        lines = [self.line(each) for each in found[:MOST_LISTED]]
        older = [f"(older ones are not listed: these are the newest {MOST_LISTED})"] if len(found) > MOST_LISTED else []
        return "\n".join([*lines, *older]) or NONE_YET

    async def get_delegation(
        self,
        context: ToolContext,
        id: Annotated[str, ""],
        transcript: Annotated[bool, "its history instead"] = False,
        page: Annotated[int, ""] = 1,
    ) -> str:
        """Look at one: its figures and report, or that it still runs."""
        found = await self.knowing.one(context.turn, id)
        if transcript:
            return await self.history(found, page)
        if page != 1:
            raise ToolError("only a transcript has pages: add 'transcript': true")
        return await self.knowing.read(record, found, self.terms().now)

    async def cancel(self, context: ToolContext, arguments: Arguments) -> Cancel:
        id = needed(arguments, "id", "Missing 'id' argument: list_delegations shows them")
        return Cancel(delegation=(await self.knowing.one(context.turn, id)).turn.id)

    async def history(self, found: Delegation, page: int) -> str:
        all_pages = pages(await self.knowing.read(transcript.history, found.turn))
        if not 1 <= page <= len(all_pages):
            raise ToolError(f"there is no page {page}: the last is {len(all_pages)}")
        return f"transcript of {found.turn.id}, page {page} of {len(all_pages)}\n\n{all_pages[page - 1]}"

    def line(self, each: Delegation) -> str:
        return f"{shown(each.turn.role)}: {facts(each, self.terms().now)} · {each.task}"


def record(db: Connection, found: Delegation, now: datetime) -> str:
    """What there is to say of a delegation: its figures, those below it, and its report, if it has ended."""
    turn, below = found.turn, delegations.below(db, found.turn)
    lines = [facts(found, now), usage_in_words(delegations.usage(db, turn)), f"task: {found.task}"]
    lines += [f"below it: {shown(each.turn.role)}: {facts(each, now)}" for each in below]
    if turn.state is TurnState.ENDED:
        return "\n".join([*lines, reports.labelled(turn)])
    return "\n".join([*lines, "still running: its report is not there yet"])


def facts(each: Delegation, now: datetime) -> str:
    turn = each.turn
    seconds = ((turn.ended_at or now) - (turn.opened_at or now)).total_seconds()
    return reports.facts(turn, each.state, seconds)


def usage_in_words(usage: Usage) -> str:
    return f"input {usage.prompt:,} tokens ({usage.cache_read:,} from the cache), output {usage.output:,}"
