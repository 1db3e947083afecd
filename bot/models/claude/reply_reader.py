"""Read a stream to its end: the blocks as they are stored, the usage, and the reason why it ended. The events are plain
dictionaries. The SDK's own objects cost five times as much to make, and they parse a call's arguments at each piece."""

from __future__ import annotations

import asyncio
import json
import logging
from collections import defaultdict
from collections.abc import AsyncIterable, Callable
from dataclasses import replace
from typing import Any

from bot.core.citations import reply_text
from bot.core.content_blocks import MODEL_HANDOVER_BLOCK_TYPE, Block, drop_unanswered_tool_uses, text_block
from bot.core.model import NO_USAGE, ModelReply, RequestMeter, ShowTextCallback, StopReason
from bot.core.phrases import describe_activity
from bot.core.prices import Usage, make_substitute_usage
from bot.core.prompt_prefix import estimate_tokens
from bot.core.web import WEB_SEARCH_TOOL_NAME, WEB_USE_LEVELS
from bot.models.claude import operator_texts as texts
from bot.models.claude import substitutes
from bot.models.claude.message_layout import CALL_BLOCK_TYPES
from bot.models.claude.substitutes import SubstituteAllowance, is_other_model

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
CUMULATIVE_USAGE = (
    *("input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"),
    "server_tool_use",
)
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
        self._blocks: list[Block] = []  # as the reply holds them, unknown kinds too; arguments come from `_json`
        self._json: defaultdict[int, list[str]] = defaultdict(list)  # the parts of each block's arguments, as they came
        self._usage: Block = {}  # as the server counts it, of the model that answers
        self._stop: Block = {}  # why the reply ended; empty until it has

    async def read_stream(
        self, events: AsyncIterable[Block], has_come: Callable[[], None], end_in: Callable[[float], None]
    ) -> None:
        """Read a stream's events, as the Messages API names them, to the end, which may come before the reply is whole.
        Call `has_come` when the reply is whole. If another model answers, call `end_in` with the seconds paid for."""
        clock = asyncio.get_running_loop().time
        async for event in events:
            if event["type"] != "ping":
                self.meter.last_piece_at_loop_seconds = clock()
            match event["type"]:
                case "message_start" if not self.has_begun:
                    self.begin_reply(event["message"])
                case _ if not self.has_begun:
                    continue
                case "content_block_delta":
                    self.grow_block(event["index"], event["delta"])
                case "content_block_start":
                    self.begin_block(event["content_block"])
                case "content_block_stop" if self._blocks[event["index"]]["type"] == MODEL_HANDOVER_BLOCK_TYPE:
                    self.continue_with_substitute(self._blocks[event["index"]], clock())
                case "content_block_stop":
                    self.note_finished_block(self._blocks[event["index"]], event["index"])
                case "message_delta":
                    self.note_totals(event["delta"], event["usage"])
                case "message_stop" if self._stop:
                    self.is_whole = True
                    has_come()
            is_billed = event["type"] in BILLED_STREAM_EVENTS
            if is_billed and self.allowance and self.meter.substitute_model and not self.is_whole:
                end_in(self.allowance.payable_seconds_left(self.meter, clock()))

    def begin_reply(self, message: Block) -> None:
        self.has_begun = True
        self._usage = dict(message["usage"])
        self.meter.usage_at_start = parse_billed_usage(self._usage, self.cache_ttl)
        model = str(message.get("model") or "")
        if self.allowance and is_other_model(model, self.allowance.requested_model):
            self.meter.substitute_model = model

    def begin_block(self, block: Block) -> None:
        self._blocks.append(block)
        if block["type"] == "tool_use" and not self._calls:
            self._calls = True
            if (text := reply_text(self.visible_blocks())) != reply_text(self._finished):
                self.show(text)

    def grow_block(self, index: int, delta: Block) -> None:
        """Add a piece to a block. Show a text as it grows."""
        block = self._blocks[index]
        match delta["type"]:
            case "text_delta" if block["type"] == "text":
                block["text"] += delta["text"]
                self.show(reply_text([*self.visible_blocks(), text_block(block["text"])]))
            case "input_json_delta":
                self._json[index].append(delta["partial_json"])
            case "citations_delta" if block["type"] == "text":
                block["citations"] = [*(block.get("citations") or []), delta["citation"]]
            case "thinking_delta" if block["type"] == "thinking":
                block["thinking"] += delta["thinking"]
            case "signature_delta" if block["type"] == "thinking":
                block["signature"] = delta["signature"]

    def note_totals(self, delta: Block, final: Block) -> None:
        """Note the usage so far. The figures replace those of the start, where they are given. With a stop reason they
        are those of the whole request."""
        self._usage |= {name: final[name] for name in CUMULATIVE_USAGE if final.get(name) is not None}
        if delta.get("stop_reason"):
            self._stop = delta
            self.meter.usage_at_end = self.total_usage(final)

    def note_finished_block(self, block: Block, index: int) -> None:
        """Note a finished block. From now on our bill includes what the server looked up on the web for it."""
        match block["type"]:
            case "text":
                self._finished.append(block)
                return
            case "thinking" if self.shows_notes and block["thinking"].strip():
                self._finished.append({"type": NOTE_FOR_PEOPLE_BLOCK_TYPE, "text": block["thinking"]})
                return
            case "server_tool_use":
                self.meter.searches_since_start += block["name"] == WEB_SEARCH_TOOL_NAME
                arguments = self.arguments_of_call(index) or {}
                self.show(reply_text(self.visible_blocks()) or None, describe_activity([(block["name"], arguments)]))
            case "web_search_tool_result" | "web_fetch_tool_result":
                found = estimate_tokens(json.dumps(block, ensure_ascii=False, separators=(",", ":")))
                self.meter.estimated_found_tokens += min(found, WEB_USE_LEVELS[0].tokens_per_page)
                self.show(reply_text(self.visible_blocks()) or None)
        self._finished.append({"type": block["type"]})

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

    def total_usage(self, final: Block) -> Usage:
        """Return the usage of the whole request. `usage` covers the model that answered, `iterations` each attempt."""
        own = parse_billed_usage(self._usage, self.cache_ttl)
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

    def arguments_of_call(self, index: int) -> dict[str, Any] | None:
        """Return the arguments of a call: its pieces together, or what it began with if no piece came. Return None if
        they are not a JSON object."""
        if text := "".join(self._json[index]):
            return parse_call_arguments(text)
        begun_with = self._blocks[index].get("input") or {}
        return begun_with if isinstance(begun_with, dict) else None

    def build_reply(self) -> ModelReply | None:
        """Return the whole reply; None if a call's arguments are not a JSON object, because that call cannot be run."""
        assert self.meter.usage_at_end
        reason = str(self._stop["stop_reason"])
        if reason not in STOP_REASON_BY_API_VALUE:
            log.warning(texts.UNKNOWN_STOP, reason)
        stop = STOP_REASON_BY_API_VALUE.get(reason, StopReason.END)
        content: list[Block] = []
        handovers = [at for at, block in enumerate(self._blocks) if block["type"] == MODEL_HANDOVER_BLOCK_TYPE]
        last_handover = handovers[-1] if handovers else -1
        for at, kept in enumerate(self._blocks):
            if kept["type"] == "text" and not kept["text"].strip():
                continue  # the API writes blank texts, but refuses to read them
            if kept["type"] in CALL_BLOCK_TYPES:
                arguments = self.arguments_of_call(at)
                if arguments is None and at > last_handover and stop not in CUT_OFF_STOP_REASONS:
                    return None
                kept["input"] = arguments or {}
            content.append(kept)
        content = substitutes.drop_declined_thinking_and_calls(content)
        has_calls = any(block["type"] == "tool_use" for block in content)
        if has_calls and stop not in (StopReason.CALLS, *CUT_OFF_STOP_REASONS):
            content = drop_unanswered_tool_uses(content)  # the model does not wait for results, so they are not run
        self._calls = any(block["type"] == "tool_use" for block in content)
        said = reply_text(self.visible_blocks())  # with blank texts: they separate paragraphs between citations
        why = str((self._stop.get("stop_details") or {}).get("category") or "")
        return ModelReply(
            content=content, usage=self.meter.usage_at_end, stop_reason=stop, text_for_people=said, refusal_category=why
        )


def parse_call_arguments(text: str) -> dict[str, Any] | None:
    """Return a call's arguments; None if they are not a strict JSON object."""

    def refuse_constant(name: str) -> None:
        raise ValueError(name)

    try:
        value = json.loads(text, parse_constant=refuse_constant)
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
