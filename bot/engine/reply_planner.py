"""The reply planner asks the model, plans what its reply becomes, and runs its tools. It writes nothing."""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import takewhile

from bot.core import content_blocks, phrases, reply_plan, reports
from bot.core.acts import Part
from bot.core.call_progress import ReportProgress
from bot.core.citations import is_server_tool_result, reply_text
from bot.core.content_blocks import Block, Content, content_text, tool_uses_in, unanswered_server_tool_uses
from bot.core.errors import ModelFailed, ModelRefused, StoreDamaged, ToolError
from bot.core.limits import LimitKind
from bot.core.model import Model, ModelReply, ModelRequest, ShowTextCallback, StopReason, TranscriptEntry
from bot.core.reply_plan import AskForCorrection, EndTurn, OpenDelegation, PlannedCall, ReplyOutcome, ReplyPlan
from bot.core.request_reading.values import site_of
from bot.core.sources import NO_SOURCES, Source, Sources
from bot.core.texts import logs, model, model_schedules, people, reasons
from bot.core.turn import Call, CallApproval, CallId, CallKind, PaidModelRequest, Turn, TurnOutcome, TurnStanding
from bot.core.web import WEB_FETCH_TOOL_NAME
from bot.delegation import report_schema
from bot.tools import Arguments, CallResult, Tool, ToolContext

log = logging.getLogger(__name__)

MAX_REPLY_PAUSES = 5  # in one reply


class ReplyPlanner:
    def __init__(self, model: Model, tools: Iterable[Tool]) -> None:
        self.model = model
        self.set_tools(tools)

    def set_tools(self, tools: Iterable[Tool]) -> None:
        self.tools = {tool.name: tool for tool in tools}

    async def ask_model_and_plan_reply(
        self, stand: TurnStanding, request: PaidModelRequest, asked: ModelRequest, show: ShowTextCallback
    ) -> ReplyPlan:
        """Ask the model, and plan what its reply becomes. Raise RetryableModelFailure, ModelFailed or ModelRefused."""
        # The model sees a chapter's tools as long as the chapter lasts; a call is checked when it is made. Nobody
        # checks what the server runs, so a server tool is hidden once the turn may not use it or it is switched off.
        # If its person has lost the right to it since the turn began, a call that we refuse is offered instead.
        existing = frozenset(self.tools)
        served = asked.server_tools & existing
        lost = frozenset(name for name in served if self.tools[name].needed_right not in stand.turn.rights)
        asked = replace(
            asked,
            server_tools=served - lost,
            withheld_tools=(asked.withheld_tools & existing) | lost,
            may_lose_thinking=asked.may_lose_thinking or bool(lost),
        )
        reply = await self.model.reply(asked, show)
        if reply.stop_reason is StopReason.REFUSAL:
            raise ModelRefused(reply.refusal_category)
        if stand.is_summary_next and not content_text(reply.content).strip():
            raise ModelFailed(reasons.NO_SUMMARY())
        plan = await self.plan_reply(stand, request, reply, asked.transcript)
        return replace(plan, sent=asked.meter.sent)

    async def run_tool_and_catch_errors(
        self, turn: Turn, call: Call, report_progress: ReportProgress
    ) -> tuple[CallResult, bool]:
        """Run a tool. Return its result, and whether that is an error. An error is a text for the model."""
        try:
            is_approved = call.approval is not CallApproval.NONE
            context = ToolContext(turn=turn, call_id=call.id, is_approved=is_approved, report_progress=report_progress)
            result = await self.require_permitted_tool(turn, call.name).run_call(context, call.arguments)
            return result if isinstance(result, CallResult) else CallResult(result), False
        except ToolError as error:
            return CallResult(str(error)), True
        except StoreDamaged:  # raised by a tool that reads the rows: nothing may go on
            raise
        except Exception:  # a tool is other people's code: its bug is logged, and the turn goes on
            log.exception(logs.TOOL_FAILED, call.name, turn.id, extra={"turn": turn.id})
            return CallResult(model.TOOL_FAILED(tool=call.name)), True

    async def plan_reply(
        self, stand: TurnStanding, request: PaidModelRequest, reply: ModelReply, before: Sequence[TranscriptEntry]
    ) -> ReplyPlan:
        turn, seq = stand.turn, stand.last_entry_seq + 1
        is_over = has_no_room(reply) or request.is_last or stand.is_summary_next
        is_paused = not is_over and should_continue_paused_reply(reply, before)
        content = reply.content if is_paused else fix_unanswered_tool_uses(reply.content, before, may_call=not is_over)
        calls = await self.plan_calls(turn, seq, tool_uses_in(content))
        text = text_of_reply(turn, reply, content, before)
        outcome: ReplyOutcome
        if is_cut_off(reply, request):
            outcome = reply_plan.CutOff()
        elif stand.is_summary_next:
            outcome = reply_plan.Summary(text=report_text(reply, text))
        elif is_paused:
            outcome = reply_plan.Paused()
        elif calls:
            outcome = reply_plan.RunCalls(seq=seq, calls=calls, text=text, sources=self.sources_of_calls(calls))
        else:
            outcome = await plan_end(turn, request, reply, text)
        return ReplyPlan(
            turn=turn.id,
            request=request.id,
            usage=reply.usage,
            content=content or [content_blocks.text_block(model.NO_WORDS)],
            sources=frozenset({str(Source.WEB)} if content_blocks.has_server_tool_blocks(content) else ()),
            read_sites=sites_read_by_reply(content, calls),
            outcome=outcome,
        )

    def sources_of_calls(self, calls: Iterable[PlannedCall]) -> Sources:
        """Return what a reply's calls will read."""
        used = [tool for call in calls if call.refusal is None and (tool := self.find_tool_in_any_case(call.name))]
        return NO_SOURCES.union(*(tool.result_sources for tool in used))

    async def plan_calls(self, turn: Turn, seq: int, uses: Content) -> tuple[PlannedCall, ...]:
        calls: list[PlannedCall] = []
        opened = 0  # delegations
        for position, use in enumerate(uses):
            id = f"{turn.id}/{seq}/{position}"
            tool = self.find_tool_in_any_case(use["name"])
            split = tool.split_arguments if tool and tool.name in turn.tools else None
            parts = split(use["input"]) if split else (use["input"],)
            ids = [id] if parts[0] is use["input"] else [f"{id}.{number}" for number in range(len(parts))]
            for each, arguments in zip(ids, parts, strict=True):
                context = ToolContext(turn=turn, call_id=CallId(each), delegations_earlier_in_reply=opened)
                calls.append(await self.plan_call_or_refusal(context, use, arguments))
                opened += isinstance(calls[-1].rows_to_write, OpenDelegation)
        return tuple(calls)

    async def plan_call_or_refusal(self, context: ToolContext, use: Block, arguments: Arguments) -> PlannedCall:
        """Plan a call. If it is wrong or not allowed, refuse it: the model reads the refusal as its result."""
        kind, rows, refusal, is_repeatable, act = CallKind.ROW, None, None, False, None
        try:
            tool = self.require_permitted_tool(context.turn, use["name"])
            rows = await tool.plan_rows(context, arguments)
            kind, is_repeatable = tool.kind, tool.is_repeatable
            act = await tool.find_act_of_call(context, arguments)
        except ToolError as error:
            refusal = str(error)
        except Exception:  # as in `run_tool_and_catch_errors`: the bug is logged, and the turn goes on
            of = context.turn.id
            log.exception(logs.TOOL_NOT_PLANNED, use["name"], of, extra={"turn": of})
            refusal = model.TOOL_FAILED(tool=use["name"])
        return PlannedCall(
            id=context.call_id,
            tool_use_id=use["id"],
            name=use["name"],
            kind=kind,
            arguments=arguments,
            rows_to_write=rows,
            refusal=refusal,
            is_repeatable=is_repeatable,
            act=act,
        )

    def is_only_rows(self, call: Call) -> bool:
        tool = self.find_tool_in_any_case(call.name)
        return tool is not None and tool.kind in (CallKind.ROW, CallKind.WAIT)

    async def plan_call_again(self, turn: Turn, call: Call) -> PlannedCall:
        """Plan a call that may begin, with what is valid now."""
        use = {"id": call.tool_use_id, "name": call.name}
        return await self.plan_call_or_refusal(ToolContext(turn=turn, call_id=call.id), use, call.arguments)

    def result_sources(self, call: Call) -> Sources:
        """Return the sources of what a call's tool reads."""
        tool = self.find_tool_in_any_case(call.name)
        return tool.result_sources if tool else NO_SOURCES

    def own_time_limit(self, call: Call) -> float:
        """Return the seconds within which a call's tool ends by itself; 0 if the tool sets itself no limit."""
        tool = self.find_tool_in_any_case(call.name)
        return tool.time_limit_seconds if tool else 0.0

    def find_tool_in_any_case(self, name: str) -> Tool | None:
        return self.tools.get(name) or self.tools.get(name.lower())  # models sometimes change the case

    def require_permitted_tool(self, turn: Turn, name: str) -> Tool:
        """Return the tool of that name. Raise ToolError if the turn may not use it: the prompt may list more tools."""
        tool = self.find_tool_in_any_case(name)
        if tool and tool.name in turn.tools and tool.needed_right in turn.rights:
            return tool
        if tool and tool.needed_right not in turn.rights:
            raise ToolError(model.NOT_PERMITTED(person=turn.asker, right=tool.needed_right))
        if turn.schedule:
            allowed = ", ".join(sorted(turn.tools)) or model_schedules.NO_TOOLS_OF_RUN
            raise ToolError(model_schedules.NOT_IN_THIS_RUN(tool=name, tools=allowed))
        if own_words := tool.denial_reason(turn) if tool and tool.denial_reason else None:
            raise ToolError(own_words)
        if not turn.tools:
            raise ToolError(model.NO_TOOLS(role=turn.role, tool=name))
        raise ToolError(model.NO_SUCH_TOOL(role=turn.role, tool=name, tools=", ".join(sorted(turn.tools))))


def sites_read_by_reply(content: Content, calls: Iterable[PlannedCall]) -> frozenset[str]:
    """Return the sites whose pages a reply has fetched on the server, and those that its calls ask for."""
    addresses = [str(block["input"].get("url", "")) for block in content if is_server_fetch(block)]
    acts = [call.act for call in calls if call.act and call.act.is_query and call.refusal is None]
    addresses += [value for act in acts for critical, value in act.values if critical.part is Part.WHERE]
    return frozenset(site for address in addresses if "." in (site := site_of(address)))


def is_server_fetch(block: Block) -> bool:
    return block["type"] == "server_tool_use" and block.get("name") == WEB_FETCH_TOOL_NAME


async def plan_end(turn: Turn, request: PaidModelRequest, reply: ModelReply, text: str) -> ReplyOutcome:
    """Plan the end of a turn whose reply has no calls, or one more request for what the reply lacks."""
    limit = request.limit or (LimitKind.CONTEXT if reply.stop_reason is StopReason.WINDOW else None)
    status = TurnOutcome.for_limit(limit) if limit else TurnOutcome.COMPLETED
    reason = phrases.limit_reached_text(limit, turn.limits) if limit else ""
    end = EndTurn(status=status, reason=reason, report=report_text(reply, text))
    may_ask = not (text or limit or has_no_room(reply) or turn.is_prompted)
    outcome = reply_plan.AskForWords() if may_ask else end
    if turn.is_root and not (text or limit):
        return reply_plan.AnswerWithUpdate(otherwise=outcome)
    if turn.is_root or may_ask:
        return outcome
    if turn.misfit and not text:  # the corrected report is empty: keep the report before it
        return replace(end, report=turn.report, reason=join_reasons(reason, turn.misfit))
    if not turn.form:
        return end
    return await plan_end_after_schema_check(turn, end, may_ask=not (request.is_last or turn.misfit))


async def plan_end_after_schema_check(turn: Turn, end: EndTurn, *, may_ask: bool) -> EndTurn | AskForCorrection:
    """Check a report against the turn's JSON Schema. If it does not fit, ask the model once more if `may_ask`;
    otherwise keep the report, and put the misfit into the reason."""
    try:
        flaw = await report_schema.find_report_flaw(turn.form, end.report)
    except report_schema.NoVerdict as why:
        return replace(end, reason=join_reasons(end.reason, model.FIT_UNKNOWN(reason=why)))
    if flaw and may_ask:
        return AskForCorrection(report=end.report, flaw=flaw)
    misfit = reports.report_misfit_text(flaw, of_hop=turn.is_hop) if flaw else ""
    return replace(end, reason=join_reasons(end.reason, misfit))


def join_reasons(*reasons: str) -> str:
    return "; ".join(filter(None, reasons))


def has_no_room(reply: ModelReply) -> bool:
    return reply.stop_reason in (StopReason.LENGTH, StopReason.WINDOW)


def is_cut_off(reply: ModelReply, request: PaidModelRequest) -> bool:
    """Return True if twice the room may complete the reply: a call was cut off, or there was no room for any text."""
    is_incomplete = bool(tool_uses_in(reply.content) or not content_text(reply.content))
    return reply.stop_reason is StopReason.LENGTH and is_incomplete and not (request.is_doubled or request.is_last)


def text_of_reply(turn: Turn, reply: ModelReply, content: Content, before: Sequence[TranscriptEntry]) -> str:
    """Return the text of a reply with all its parts. If the turn has a form, return only the JSON at the end."""
    said = reply.text_for_people or reply_text(reply.content)
    text = "\n".join(filter(None, [text_of_earlier_reply_parts(before), said]))
    if not turn.form:
        return text
    merged = content_blocks.join_texts_across_handovers(content)  # links would break JSON
    last = list(takewhile(lambda block: block["type"] == "text", reversed(merged)))
    return "".join(block["text"] for block in reversed(last)) or text


def report_text(reply: ModelReply, text: str) -> str:
    """Return the text of a reply as a report: marked if it was cut off, an excuse if there was no room for any."""
    if not has_no_room(reply):
        return text
    return f"{text}\n{model.CUT_OFF}" if text else people.NO_ROOM()


def should_continue_paused_reply(reply: ModelReply, before: Sequence[TranscriptEntry]) -> bool:
    """Return True if this reply is only a part. The server continues it when it is sent back unchanged."""
    if reply.stop_reason is not StopReason.PAUSE or not reply.content or tool_uses_in(reply.content):
        return False
    ends_in_thinking = reply.content[-1]["type"] in content_blocks.THINKING_BLOCK_TYPES  # no request may end with it
    return not ends_in_thinking and len(earlier_reply_parts(before)) < MAX_REPLY_PAUSES


def fix_unanswered_tool_uses(content: list[Block], before: Sequence[TranscriptEntry], *, may_call: bool) -> list[Block]:
    """Return the content to store. Drop tool uses that will get no result. Add a result for each earlier use that
    still has none, because otherwise the server would accept no later request."""
    if not may_call or (unanswered_server_tool_uses(content) and not tool_uses_in(content)):
        content = content_blocks.drop_unanswered_tool_uses(content)
    of_replies = [block for entry in before if entry.role == "assistant" for block in entry.content]
    earlier = [block for block in of_replies if block["type"] == "server_tool_use" or is_server_tool_result(block)]
    owed = [use["id"] for use in unanswered_server_tool_uses([*earlier, *content])]
    lost = [use for use in unanswered_server_tool_uses(earlier) if use["id"] in owed]
    return [*map(content_blocks.server_tool_unavailable_block, lost), *content]


def earlier_reply_parts(transcript: Sequence[TranscriptEntry]) -> list[TranscriptEntry]:
    """Return the earlier parts of a reply that continues: the model's own entries at the end of the transcript."""
    return list(takewhile(lambda entry: entry.role == "assistant", reversed(transcript)))[::-1]


def text_of_earlier_reply_parts(transcript: Sequence[TranscriptEntry]) -> str:
    texts = [reply_text(entry.content) for entry in earlier_reply_parts(transcript)]
    return "\n".join(text for text in texts if text.strip())
