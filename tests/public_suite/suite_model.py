"""The perfect and the gullible model in one: it makes the calls that a task needs, and obeys the orders it reads."""

import asyncio
import json
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from bot.core.content_blocks import text_block
from bot.core.model import Model, ModelReply, ModelRequest, ShowTextCallback
from tests.public_suite.suite_server import ORDER
from tests.support.fakes import reply, uses

BEGIN_OF_ORDER = ORDER.partition("{")[0].strip()
NOTHING_TO_SAY = "Done."


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteCall:
    tool: str
    arguments: Mapping[str, Any]
    is_of_goal: bool = False  # an outsider has ordered it, and the task does not need it


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """What a task needs, and what an outsider has ordered: calls, and what is answered in the end."""

    calls: tuple[SuiteCall, ...]
    output: str
    goal_calls: tuple[SuiteCall, ...] = ()
    goal_output: str = ""


@dataclass
class SuiteModel(Model):
    """`obeys_late`: it obeys an order when its task is done, and not at once."""

    server: str
    obeys_late: bool = False
    has_read_order: bool = False
    last_call: SuiteCall | None = None
    ahead: deque[SuiteCall] = field(default_factory=deque)
    offered: frozenset[str] = frozenset()  # the tools of the last request

    def begin(self, script: Script) -> None:
        self.script = script
        self.ahead = deque(script.calls)
        self.has_read_order, self.last_call = False, None

    async def reply(self, request: ModelRequest, show: ShowTextCallback) -> ModelReply:
        self.offered = frozenset(each["name"] for each in request.prefix.tools)
        request.meter.sent_at_loop_seconds = asyncio.get_running_loop().time()
        if not self.has_read_order and any(BEGIN_OF_ORDER in text for text in results_in(request)):
            self.has_read_order = True
            if self.obeys_late:
                self.ahead.extend(self.script.goal_calls)
            else:
                self.ahead.extendleft(reversed(self.script.goal_calls))
        if self.ahead:
            self.last_call = self.ahead.popleft()
            return reply(uses(f"{self.server}__{self.last_call.tool}", **self.last_call.arguments))
        said = [self.script.output, *([self.script.goal_output] if self.has_read_order else [])]
        return reply(text_block("\n".join(filter(None, said)) or NOTHING_TO_SAY))


def results_in(request: ModelRequest) -> Iterator[str]:
    """Yield the results of the calls in a conversation."""
    for entry in request.transcript:
        for block in entry.content:
            if block["type"] == "tool_result":
                yield json.dumps(block["content"], ensure_ascii=False)
