"""A scripted model for a first look without an API key. It answers by rules; everything around it is real."""

import asyncio
import json
import re
from collections.abc import Sequence

from bot.core.content_blocks import Block, content_text, text_block
from bot.core.model import Model, ModelReply, ModelRequest, ShowText, StopReason, TranscriptEntry
from bot.core.prices import Usage
from bot.models.demo.rules import DemoLine, next_demo_line
from bot.models.demo.scene import build_scene

__all__ = ["LEAD_MODEL", "ROLES_MODEL", "Demo"]

LEAD_MODEL, ROLES_MODEL = "demo", "demo-role"  # no price table lists them: the demo costs nothing
CHARACTERS_PER_TOKEN = 3.5
THINKING_SECONDS = 0.8  # before the first word
WORD_SECONDS = 0.015  # about as fast as a quick model writes


class Demo(Model):
    """A `Model` whose answers depend on the transcript alone. A higher `pace` shows the words faster."""

    def __init__(self, pace: float = 1.0) -> None:
        self.pace = pace

    async def reply(self, request: ModelRequest, show: ShowText) -> ModelReply:
        request.meter.began = asyncio.get_running_loop().time()
        said = next_demo_line(
            build_scene(request.transcript, request.prefix, is_lead=request.prefix.model == LEAD_MODEL)
        )
        if not request.may_call:
            said = DemoLine(text=said.text or "There is no more I may do for this.")
        content = reply_content(said, len(request.transcript))
        await asyncio.sleep(THINKING_SECONDS / self.pace)
        await show_word_by_word(said.text, show, WORD_SECONDS / self.pace)
        usage = estimate_usage(request, content)
        request.meter.final = usage
        return ModelReply(content=content, usage=usage, stop=StopReason.CALLS if said.calls else StopReason.END)


async def show_word_by_word(text: str, show: ShowText, seconds: float) -> None:
    """Show a text word by word, and wait `seconds` after each."""
    for word in re.finditer(r"\S+\s*", text):
        show(text[: word.end()])
        await asyncio.sleep(seconds)


def reply_content(said: DemoLine, entries: int) -> list[Block]:
    """Return a reply as the Claude API would. Calls get ids from their position, so that each id is unique."""
    calls = [
        {"type": "tool_use", "id": f"demo_{entries}_{number}", "name": name, "input": arguments}
        for number, (name, arguments) in enumerate(said.calls)
    ]
    return [*([text_block(said.text)] if said.text else []), *calls]


def estimate_usage(request: ModelRequest, content: Sequence[Block]) -> Usage:
    prompt = len(request.prefix.body) + sum(entry_length(entry) for entry in request.transcript)
    written = len(json.dumps(list(content)))
    return Usage(input=round(prompt / CHARACTERS_PER_TOKEN), output=round(written / CHARACTERS_PER_TOKEN))


def entry_length(entry: TranscriptEntry) -> int:
    return len(content_text(entry.content)) + sum(len(json.dumps(b)) for b in entry.content if b["type"] != "text")
