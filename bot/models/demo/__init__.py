"""A scripted model for a first look without an API key. It answers by rules; everything around it is real."""

import asyncio
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bot.core.content_blocks import Block, content_text, text_block
from bot.core.model import Model, ModelReply, ModelRequest, ShowTextCallback, StopReason
from bot.core.prices import Usage
from bot.core.program_names import IS_CHECKOUT, PROJECT_FOLDER
from bot.models.demo.rules import DemoReply, next_demo_reply
from bot.models.demo.state import build_demo_state

LEAD_MODEL, ROLES_MODEL = "demo", "demo-role"  # no price table lists them: the demo costs nothing
CHARACTERS_PER_TOKEN = 3.5
INSTALLED_PAGES_FOLDER = Path(__file__).with_name("pages_of_the_project")  # setup.py puts them there
PAGES_FOLDER = PROJECT_FOLDER if IS_CHECKOUT else INSTALLED_PAGES_FOLDER  # what the demo reads


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoPace:
    """How long the demo takes for a reply."""

    lead_thinking_seconds: float  # before the first word
    role_thinking_seconds: float
    seconds_per_word: float


# About as fast as a quick model writes. Roles take long enough for people to see the board and to write meanwhile.
WATCHED_PACE = DemoPace(lead_thinking_seconds=0.8, role_thinking_seconds=2.5, seconds_per_word=0.015)
UNWATCHED_PACE = DemoPace(lead_thinking_seconds=0.25, role_thinking_seconds=0.25, seconds_per_word=0.005)


class DemoModel(Model):
    """A `Model` whose answers depend on the transcript alone."""

    def __init__(self, pace: DemoPace = WATCHED_PACE) -> None:
        self.pace = pace

    async def reply(self, request: ModelRequest, show: ShowTextCallback) -> ModelReply:
        request.meter.sent_at_loop_seconds = asyncio.get_running_loop().time()
        is_lead = request.prefix.model == LEAD_MODEL
        said = next_demo_reply(build_demo_state(request.transcript, request.prefix, is_lead=is_lead))
        if not request.may_call_tools:
            said = DemoReply(text=said.text or "There is no more I may do for this.")
        calls = [
            {"type": "tool_use", "id": f"demo_{len(request.transcript)}_{number}", "name": name, "input": arguments}
            for number, (name, arguments) in enumerate(said.calls)  # ids from their position, so that each is unique
        ]
        content = [*([text_block(said.text)] if said.text else []), *calls]
        await asyncio.sleep(self.pace.lead_thinking_seconds if is_lead else self.pace.role_thinking_seconds)
        for word in re.finditer(r"\S+\s*", said.text):
            show(said.text[: word.end()])
            await asyncio.sleep(self.pace.seconds_per_word)
        usage = estimate_usage(request, content)
        request.meter.usage_at_end = usage
        return ModelReply(content=content, usage=usage, stop_reason=StopReason.CALLS if said.calls else StopReason.END)


def estimate_usage(request: ModelRequest, content: Sequence[Block]) -> Usage:
    prompt = len(request.prefix.canonical_json)
    for entry in request.transcript:
        prompt += len(content_text(entry.content))
        prompt += sum(len(json.dumps(block)) for block in entry.content if block["type"] != "text")
    written = len(json.dumps(list(content)))
    return Usage(input=round(prompt / CHARACTERS_PER_TOKEN), output=round(written / CHARACTERS_PER_TOKEN))
