"""The tools that look after delegations: which there are, what became of one, and to end one."""

from datetime import datetime
from typing import Any

from bot import reports
from bot.delegation import texts
from bot.delegation.arguments import needed, number_in, truth_in
from bot.delegation.history import pages
from bot.delegation.knowing import Knowing
from bot.errors import ToolError
from bot.limits import TermsNow
from bot.phrases import shown
from bot.plan import Cancel
from bot.prices import Usage
from bot.rights import Right
from bot.store import delegations, transcript
from bot.store.connection import Connection
from bot.store.delegations import MOST_LISTED, Delegation
from bot.tools import Arguments, Effect, Tool, ToolContext
from bot.tools.parameters import check_known
from bot.turn import CallKind, TurnState

ONE = {"id": {"type": "string", "description": "as list_delegations shows it"}}
OF_ITS_HISTORY = {
    "transcript": {"type": "boolean", "description": "true: all it has read and said, in place of the report"},
    "page": {"type": "integer", "description": "of the transcript; 1 if left out"},
}


def looking_tools(knowing: Knowing, terms: TermsNow) -> list[Tool]:
    looking = Looking(knowing, terms)
    return [
        Tool(
            name="list_delegations",
            description=(
                "List this conversation's delegations, newest first: id, role, state, what each has used, and its "
                "task. Use it to find an id, or to see what still runs in the background. Do not call it to wait for "
                "a report: reports come by themselves."
            ),
            input_schema={"type": "object", "properties": {}, "additionalProperties": False},
            kind=CallKind.READ,
            effects=frozenset(),
            needs=Right.DELEGATE,
            run=looking.list,
        ),
        Tool(
            name="get_delegation",
            description=(
                "Get one delegation's figures and its report, or that it still runs. Use it to read a report again "
                "that is no longer before you, or with `transcript` to see how a doubtful result came about. A "
                "transcript is long, and comes in pages. A report that you have just been given needs no call."
            ),
            input_schema=taking(ONE | OF_ITS_HISTORY),
            kind=CallKind.READ,
            effects=frozenset({Effect.READS_PRIVATE, Effect.READS_UNTRUSTED}),  # its history holds what it has read
            needs=Right.DELEGATE,
            run=looking.get,
        ),
        Tool(
            name="cancel_delegation",
            description=(
                "End a delegation that runs in the background, with all below it, and get what it has so far. Use it "
                "when the person no longer wants the work, or when it has become pointless. What it has done stays "
                "done; `delegate` with continue_from can go on with it later."
            ),
            input_schema=taking(ONE),
            kind=CallKind.WAIT,
            effects=frozenset(),
            needs=Right.DELEGATE,
            plan=looking.cancel,
        ),
    ]


def taking(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": [*ONE], "additionalProperties": False}


class Looking:
    """What each tool does."""

    def __init__(self, knowing: Knowing, terms: TermsNow) -> None:
        self.knowing = knowing
        self.terms = terms

    async def list(self, context: ToolContext, arguments: Arguments) -> str:
        check_known(arguments, "list_delegations", ())
        found = await self.knowing.read(delegations.known, context.turn, MOST_LISTED + 1)
        lines = [f"{facts(each, self.terms().now)} · {each.task}" for each in found]
        if len(lines) > MOST_LISTED:
            lines[MOST_LISTED] = texts.ONLY_THE_NEWEST(most=MOST_LISTED)
        return "\n".join(lines) or texts.NO_DELEGATIONS

    async def get(self, context: ToolContext, arguments: Arguments) -> str:
        id = needed(arguments, "id", texts.NO_ID)
        check_known(arguments, "get_delegation", ONE | OF_ITS_HISTORY)
        page = number_in(arguments, "page")
        found = await self.knowing.one(context.turn, id)
        if truth_in(arguments, "transcript"):
            if found.turn.group != context.turn.group:
                raise ToolError(texts.TRANSCRIPT_STAYS(group=found.turn.role))
            return await self.history(found, page or 1)
        if page:
            raise ToolError(texts.NO_TRANSCRIPT_NO_PAGES)
        return await self.knowing.read(record, found, self.terms().now)

    async def cancel(self, context: ToolContext, arguments: Arguments) -> Cancel:
        id = needed(arguments, "id", texts.NO_ID)
        check_known(arguments, "cancel_delegation", ONE)
        return Cancel(delegation=(await self.knowing.one(context.turn, id)).turn.id)

    async def history(self, found: Delegation, page: int) -> str:
        all_pages = pages(await self.knowing.read(transcript.history, found.turn))
        if not 1 <= page <= len(all_pages):
            raise ToolError(texts.NO_SUCH_PAGE(page=page, last=len(all_pages)))
        heading = texts.TRANSCRIPT_PAGE(delegation=found.turn.id, page=page, pages=len(all_pages))
        return f"{heading}\n\n{all_pages[page - 1]}"


def record(db: Connection, found: Delegation, now: datetime) -> str:
    """What there is to say of a delegation: its figures, those below it, and its report, if it has ended."""
    turn, below = found.turn, delegations.below(db, found.turn)
    lines = [facts(found, now), used(delegations.usage(db, turn)), texts.TASK(task=found.task)]
    lines += [texts.BELOW(delegation=facts(each, now)) for each in below]
    if turn.state is TurnState.ENDED:
        return "\n".join([*lines, reports.labelled(turn)])
    return "\n".join([*lines, texts.STILL_RUNNING])


def facts(each: Delegation, now: datetime) -> str:
    """Whose it is, and the line of facts."""
    return f"{shown(each.turn.role)}: {reports.facts(each.turn, each.state, each.turn.took(now))}"


def used(usage: Usage) -> str:
    return texts.TOKENS_USED(input=usage.prompt, cached=usage.cache_read, output=usage.output)
