"""What a stream says, read to its end: the blocks as they are kept, the usage, and why it ended.

Only types of the SDK are named here, for the type checker; the SDK itself is in bot/claude/wire.py.
"""

from __future__ import annotations

import json
import logging
from collections import defaultdict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from bot.activity import activity_of
from bot.blocks import Block, without_uses, words
from bot.citations import answer_of
from bot.model import Meter, ModelReply, Show, Stop
from bot.prefix import estimate
from bot.prices import Usage
from bot.web import LEVELS, SEARCHING

if TYPE_CHECKING:
    from anthropic.lib.streaming import AsyncMessageStream
    from anthropic.types import ContentBlock, Message
    from anthropic.types import Usage as Billed

log = logging.getLogger(__name__)

STOPS = {
    "end_turn": Stop.END,
    "stop_sequence": Stop.END,
    "tool_use": Stop.CALLS,
    "pause_turn": Stop.PAUSE,
    "max_tokens": Stop.LENGTH,
    "model_context_window_exceeded": Stop.WINDOW,
    "refusal": Stop.REFUSAL,
}
NOTE = "note"  # our name for such thinking
CUT = (Stop.LENGTH, Stop.WINDOW)  # calls in such a reply may be cut, and nobody runs them


class Reading:
    """One reply as it comes in."""

    def __init__(self, meter: Meter, show: Show, ttl: str, *, shows_notes: bool = False) -> None:
        self.meter = meter
        self.show = show
        self.ttl = ttl
        self.shows_notes = shows_notes  # what it thinks is for people too, where a call follows
        self.is_whole = False
        self.has_begun = False
        self._finished: list[Block] = []  # of texts and notes, all; of the others, only that they were there
        self._calls = False  # whether a call has begun
        self._json: defaultdict[int, list[str]] = defaultdict(list)  # of each block's arguments, as they came
        self._message: Message | None = None

    async def follow(self, stream: AsyncMessageStream[Any], has_come: Callable[[], None]) -> None:
        """Read to the end of the stream; that it ends does not mean that the reply is whole. Once it is, says so."""
        async for event in stream:
            match event.type:
                case "message_start":
                    self.has_begun = True
                    self.meter.usage = usage_of(event.message.usage, self.ttl)
                case _ if not self.has_begun:
                    continue
                case "text":
                    self.show(answer_of([*self.seen(), words(event.snapshot)]))
                case "content_block_start" if event.content_block.type == "tool_use" and not self._calls:
                    self._calls = True
                    if (text := answer_of(self.seen())) != answer_of(self._finished):
                        self.show(text)
                case "content_block_delta" if event.delta.type == "input_json_delta":
                    self._json[event.index].append(event.delta.partial_json)
                case "content_block_stop":
                    self.finish(event.content_block, event.index)
                case "message_delta" if event.delta.stop_reason:
                    self._message = stream.current_message_snapshot
                    self.meter.final = usage_of(self._message.usage, self.ttl)
                case "message_stop" if self._message:
                    self.is_whole = True
                    has_come()

    def finish(self, block: ContentBlock, index: int) -> None:
        """A block is there; what the server looks up on the web for it is on our bill from now on."""
        match block.type:
            case "text":
                self._finished.append(block.to_dict(warnings=False))
                return
            case "thinking" if self.shows_notes and block.thinking.strip():
                self._finished.append({"type": NOTE, "text": block.thinking})
                return
            case "server_tool_use":
                self.meter.searches += block.name == SEARCHING
                arguments = parsed("".join(self._json[index])) or {}
                self.show(answer_of(self.seen()), activity_of([(block.name, arguments)]))
            case "web_search_tool_result" | "web_fetch_tool_result":
                self.meter.found += min(estimate(block.to_json(indent=None, warnings=False)), LEVELS[0].page)
                self.show(answer_of(self.seen()))
        self._finished.append({"type": block.type})

    def seen(self) -> list[Block]:
        """What people see of it by now: notes only where a call follows, and never before the final answer."""
        return [words(block["text"]) if block["type"] == NOTE and self._calls else block for block in self._finished]

    def reply(self) -> ModelReply | None:
        """The reply that came whole; None if it has a call whose arguments are no JSON object: nobody can act on it."""
        assert self._message
        assert self.meter.final
        stop = self.stop(self._message)
        content: list[Block] = []
        for at, block in enumerate(self._message.content):
            kept: Block = block.to_dict(warnings=False)  # of a kind that the SDK does not know, too
            if kept["type"] == "text" and not kept["text"].strip():
                continue  # the API writes texts of blanks, and then refuses to read them
            if kept["type"] == "tool_use":
                # The SDK's own parser takes what it can get of arguments that are cut, or that others follow.
                arguments = parsed("".join(self._json[at]))
                if arguments is None and stop not in CUT:
                    return None
                kept["input"] = arguments or {}
            content.append(kept)
        if stop not in (Stop.CALLS, *CUT) and any(block["type"] == "tool_use" for block in content):
            content = without_uses(content)  # it does not wait for their results, so they are not run
        self._calls = any(block["type"] == "tool_use" for block in content)
        said = answer_of(self.seen())  # with the blanks: between what is cited they part the paragraphs
        return ModelReply(content=content, usage=self.meter.final, stop=stop, said=said)

    @staticmethod
    def stop(message: Message) -> Stop:
        reason = str(message.stop_reason)
        if reason not in STOPS:
            log.warning("the model stopped for a reason unknown to us: %s", reason)
        return STOPS.get(reason, Stop.END)


def parsed(text: str) -> dict[str, Any] | None:
    """Arguments, read strictly; a call without any has no JSON at all."""
    try:
        value = json.loads(text or "{}", parse_constant=no_constant)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def usage_of(billed: Billed, ttl: str) -> Usage:
    """Where the server does not say how long a cache write lives, it is as long as we asked for.

    The split is told at the start alone; what is written after that was not asked for by us, and lives five minutes.
    """
    written = billed.cache_creation_input_tokens or 0
    split = billed.cache_creation
    for_an_hour = min(written, split.ephemeral_1h_input_tokens) if split else written if ttl == "1h" else 0
    return Usage(
        requests=1,
        input=billed.input_tokens or 0,
        output=billed.output_tokens or 0,
        cache_read=billed.cache_read_input_tokens or 0,
        cache_write_1h=for_an_hour,
        cache_write_5m=written - for_an_hour,
        searches=(billed.server_tool_use.web_search_requests or 0) if billed.server_tool_use else 0,
    )
