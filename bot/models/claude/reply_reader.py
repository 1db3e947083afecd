"""Read a stream to its end: the blocks as they are stored, the usage, and the reason why it ended. This imports only
types of the SDK, for the type checker: sdk_client.py imports the SDK itself."""

from __future__ import annotations

import asyncio
import json
import logging
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bot.core.citations import reply_text
from bot.core.content_blocks import MODEL_HANDOVER_BLOCK_TYPE, Block, drop_unanswered_tool_uses, text_block
from bot.core.model import NO_USAGE, ModelReply, RequestMeter, ShowTextCallback, StopReason
from bot.core.phrases import describe_activity
from bot.core.prices import Usage, make_substitute_usage
from bot.core.prompt_prefix import estimate_tokens
from bot.core.web import WEB_SEARCH_TOOL_NAME, WEB_USE_LEVELS
from bot.models.claude import operator_texts as texts
from bot.models.claude import substitutes
from bot.models.claude.substitutes import SubstituteAllowance, is_other_model

if TYPE_CHECKING:
    from anthropic.lib.streaming import AsyncMessageStream
    from anthropic.types import ContentBlock, Message

log = logging.getLogger(__name__)

STOP_REASON_BY_API_VALUE = {
    "end_turn": StopReason.END,
    "stop_sequence": StopReason.END,
    "tool_use": StopReason.CALLS,
    "pause_turn": StopReason.PAUSE,
    "max_tokens": StopReason.LENGTH,
    "model_context_window_exceeded": StopReason.WINDOW,
    "refusal": StopReason.REFUSAL,
}
BILLED_STREAM_EVENTS = ("message_start", "content_block_stop")  # each of these may raise our bill
NOTE_FOR_PEOPLE_BLOCK_TYPE = "note"  # our name for thinking that is written for people
CUT_OFF_STOP_REASONS = (StopReason.LENGTH, StopReason.WINDOW)  # calls in such a reply may be cut, and nobody runs them


class ReplyReader:
    def __init__(
        self,
        meter: RequestMeter,
        show: ShowTextCallback,
        ttl: str,
        allowance: SubstituteAllowance | None,
        *,
        shows_notes: bool,
    ) -> None:
        self.meter = meter
        self.show = show
        self.cache_ttl = ttl
        self.shows_notes = shows_notes  # whether people see its thinking, if a call follows
        self.allowance = allowance  # what a substitute model may cost, if one may answer
        self.declined_category = ""  # the category of the last handover
        self.is_whole = False
        self.has_begun = False
        self._finished: list[Block] = []  # texts and notes whole; other blocks as types only
        self._calls = False  # whether a call has begun
        self._json: defaultdict[int, list[str]] = defaultdict(list)  # the parts of each block's arguments, as they came
        self._message: Message | None = None

    async def read_stream(
        self, stream: AsyncMessageStream[Any], has_come: Callable[[], None], end_in: Callable[[float], None]
    ) -> None:
        """Read the stream to its end, which may come before the reply is whole. Call `has_come` when the reply is
        whole. If another model answers, call `end_in` with the seconds paid for."""
        clock = asyncio.get_running_loop().time
        async for event in stream:
            match event.type:
                case "message_start":
                    self.has_begun = True
                    billed = event.message.usage.to_dict(warnings=False)
                    self.meter.usage_at_start = parse_billed_usage(billed, self.cache_ttl)
                    if self.allowance and is_other_model(event.message.model, self.allowance.requested_model):
                        self.meter.substitute_model = event.message.model
                case _ if not self.has_begun:
                    continue
                case "text":
                    self.show(reply_text([*self.visible_blocks(), text_block(event.snapshot)]))
                case "content_block_start" if event.content_block.type == "tool_use" and not self._calls:
                    self._calls = True
                    if (text := reply_text(self.visible_blocks())) != reply_text(self._finished):
                        self.show(text)
                case "content_block_delta" if event.delta.type == "input_json_delta":
                    self._json[event.index].append(event.delta.partial_json)
                case "content_block_stop" if str(event.content_block.type) == MODEL_HANDOVER_BLOCK_TYPE:
                    self.continue_with_substitute(event.content_block.to_dict(warnings=False), clock())
                case "content_block_stop":
                    self.note_finished_block(event.content_block, event.index)
                case "message_delta" if event.delta.stop_reason:
                    self._message = stream.current_message_snapshot
                    self.meter.usage_at_end = self.total_usage(self._message, event.usage.to_dict(warnings=False))
                case "message_stop" if self._message:
                    self.is_whole = True
                    has_come()
            is_billed = event.type in BILLED_STREAM_EVENTS
            if is_billed and self.allowance and self.meter.substitute_model and not self.is_whole:
                end_in(self.allowance.payable_seconds_left(self.meter, clock()))

    def note_finished_block(self, block: ContentBlock, index: int) -> None:
        """Note a finished block. From now on our bill includes what the server looked up on the web for it."""
        match block.type:
            case "text":
                self._finished.append(block.to_dict(warnings=False))
                return
            case "thinking" if self.shows_notes and block.thinking.strip():
                self._finished.append({"type": NOTE_FOR_PEOPLE_BLOCK_TYPE, "text": block.thinking})
                return
            case "server_tool_use":
                self.meter.searches_since_start += block.name == WEB_SEARCH_TOOL_NAME
                arguments = parse_call_arguments("".join(self._json[index])) or {}
                self.show(reply_text(self.visible_blocks()) or None, describe_activity([(block.name, arguments)]))
            case "web_search_tool_result" | "web_fetch_tool_result":
                self.meter.estimated_found_tokens += min(
                    estimate_tokens(block.to_json(indent=None, warnings=False)), WEB_USE_LEVELS[0].tokens_per_page
                )
                self.show(reply_text(self.visible_blocks()) or None)
        self._finished.append({"type": block.type})

    def continue_with_substitute(self, seam: Block, now: float) -> None:
        """Continue with another model. It sees only the texts. No earlier call is run, so no note on one is shown."""
        shown = reply_text(self.visible_blocks())
        kept = [each for each in self._finished if each["type"] not in (NOTE_FOR_PEOPLE_BLOCK_TYPE, "tool_use")]
        self._finished = [*kept, seam]
        self._calls = False
        if shown and reply_text(self.visible_blocks()) != shown:
            self.show(reply_text(self.visible_blocks()))
        self.declined_category = str(seam["trigger"].get("category") or "")
        if self.allowance and self.meter.substitute_model != seam["to"]["model"]:
            self.meter.record_handover_to_substitute(seam["to"]["model"], now, self.allowance.max_tokens)

    def total_usage(self, message: Message, final: Block) -> Usage:
        """Return the usage of the whole request. `usage` covers the model that answered, `iterations` each attempt."""
        own = parse_billed_usage(message.usage.to_dict(warnings=False), self.cache_ttl)
        iterations = final.get("iterations") or []
        if not self.allowance:
            return own
        usages = [parse_billed_usage(each, self.cache_ttl) for each in iterations]
        if found := substitutes.find_usage_with_substitutes(iterations, self.allowance.requested_model, usages):
            return replace(found, searches=own.searches)
        substitute, declined = self.meter.substitute_model, self.meter.declined_usage or NO_USAGE
        return make_substitute_usage(substitute, own, declined) if substitute else own

    def visible_blocks(self) -> list[Block]:
        """Return what people see of the reply so far: notes only if a call follows, never before the final answer."""
        shown = NOTE_FOR_PEOPLE_BLOCK_TYPE if self._calls else None
        return [text_block(block["text"]) if block["type"] == shown else block for block in self._finished]

    def build_reply(self) -> ModelReply | None:
        """Return the whole reply; None if a call's arguments are not a JSON object, because that call cannot be run."""
        assert self._message
        assert self.meter.usage_at_end
        reason = str(self._message.stop_reason)
        if reason not in STOP_REASON_BY_API_VALUE:
            log.warning(texts.UNKNOWN_STOP, reason)
        stop = STOP_REASON_BY_API_VALUE.get(reason, StopReason.END)
        content: list[Block] = []
        blocks: list[Block] = [block.to_dict(warnings=False) for block in self._message.content]  # unknown kinds too
        last_handover = max(
            (at for at, block in enumerate(blocks) if block["type"] == MODEL_HANDOVER_BLOCK_TYPE), default=-1
        )
        for at, kept in enumerate(blocks):
            if kept["type"] == "text" and not kept["text"].strip():
                continue  # the API writes blank texts, but refuses to read them
            if kept["type"] == "tool_use" and at > last_handover:
                # The SDK's own parser accepts arguments that are cut or that other text follows.
                arguments = parse_call_arguments("".join(self._json[at]))
                if arguments is None and stop not in CUT_OFF_STOP_REASONS:
                    return None
                kept["input"] = arguments or {}
            content.append(kept)
        content = substitutes.drop_declined_thinking_and_calls(content)
        has_calls = any(block["type"] == "tool_use" for block in content)
        if has_calls and stop not in (StopReason.CALLS, *CUT_OFF_STOP_REASONS):
            content = drop_unanswered_tool_uses(content)  # the model does not wait for results, so they are not run
        self._calls = any(block["type"] == "tool_use" for block in content)
        said = reply_text(self.visible_blocks())  # with blank texts: they separate paragraphs between citations
        why = str(getattr(self._message.stop_details, "category", None) or "")
        return ModelReply(
            content=content, usage=self.meter.usage_at_end, stop_reason=stop, text_for_people=said, refusal_category=why
        )


def parse_call_arguments(text: str) -> dict[str, Any] | None:
    """Return a call's arguments; None if they are not a strict JSON object. An empty text means no arguments."""

    def refuse_constant(name: str) -> None:
        raise ValueError(name)

    try:
        value = json.loads(text or "{}", parse_constant=refuse_constant)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def parse_billed_usage(billed: Block, ttl: str) -> Usage:
    """Return the usage in a server's figures. If they do not say how long cache writes live, assume the lifetime that
    we asked for. They say it only at the start; later writes, which we did not ask for, live five minutes."""
    written = billed.get("cache_creation_input_tokens") or 0
    split = billed.get("cache_creation")
    hour = min(written, split.get("ephemeral_1h_input_tokens") or 0) if split else written if ttl == "1h" else 0
    return Usage(
        requests=1,
        input=billed.get("input_tokens") or 0,
        output=billed.get("output_tokens") or 0,
        cache_read=billed.get("cache_read_input_tokens") or 0,
        cache_write_1h=hour,
        cache_write_5m=written - hour,
        searches=(billed.get("server_tool_use") or {}).get("web_search_requests") or 0,
    )
