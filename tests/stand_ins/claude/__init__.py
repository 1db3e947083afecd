"""A strict stand-in for the Anthropic Messages API, over a real loopback socket.

It refuses what the service refuses, and some things that the service forgives but our loop should never do (`Harsh`).
It signs thinking, counts tokens and cache by its own clock, and says what a test scripted. It fails as the fault menu
says, and remembers everything.

    async with ClaudeStandIn() as server:
        server.script.say(reply(Thinking(), ToolUse("read_file", {"path": "a"})), "It says hello.")
        server.faults.append(Fault.OVERLOADED)
        client = AsyncAnthropic(base_url=server.base_url, api_key=server.api_key, max_retries=0)

The modules: parsing and errors know HTTP. asked, replies and records are what passes through. checks, signing, history
and cache judge a request. script, frames, faults and spoiling make the answer. server connects them.
"""

from tests.stand_ins.claude.asked import Asked
from tests.stand_ins.claude.checks.harsh import Harsh
from tests.stand_ins.claude.errors import ApiError
from tests.stand_ins.claude.faults import Fault, Faults
from tests.stand_ins.claude.records import Billed, Clock, Request
from tests.stand_ins.claude.replies import (
    Cited,
    Fetch,
    HandOver,
    Hold,
    Page,
    Raw,
    Reply,
    Search,
    Text,
    Thinking,
    ToolUse,
    reply,
)
from tests.stand_ins.claude.script import Script
from tests.stand_ins.claude.server import ClaudeStandIn

__all__ = [
    "ApiError",
    "Asked",
    "Billed",
    "Cited",
    "ClaudeStandIn",
    "Clock",
    "Fault",
    "Faults",
    "Fetch",
    "HandOver",
    "Harsh",
    "Hold",
    "Page",
    "Raw",
    "Reply",
    "Request",
    "Script",
    "Search",
    "Text",
    "Thinking",
    "ToolUse",
    "reply",
]
