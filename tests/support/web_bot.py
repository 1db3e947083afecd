"""A bot whose lead may use the web. The scripted model also writes what the server's web tools return."""

from dataclasses import replace
from typing import Any

import pytest

from bot.core.content_blocks import Block
from bot.core.role import LEAD_ROLE_NAME
from bot.core.web import WEB_USE_LEVELS
from bot.tools.web import web_tools
from tests.support.bench import ROLES, Bench

WEB = ("web_search", "web_fetch")
FULL, LESS, _ = WEB_USE_LEVELS


@pytest.fixture
def web(bench: Bench) -> Bench:
    lead = ROLES[LEAD_ROLE_NAME]
    bench.roles[LEAD_ROLE_NAME] = replace(lead, tools=frozenset({*(lead.tools or ()), *WEB}))
    return bench


def run(bench: Bench, **options: Any) -> Any:
    return bench.run(tools=[*bench.tools(), *web_tools()], **options)


def searches(id: str = "srvtoolu_1") -> Block:
    return {"type": "server_tool_use", "id": id, "name": "web_search", "input": {"query": "q"}}


def found(id: str = "srvtoolu_1") -> Block:
    page = {"type": "web_search_result", "url": "https://a.example/", "title": "A", "encrypted_content": "e"}
    return {"type": "web_search_tool_result", "tool_use_id": id, "content": [page]}


def unavailable(id: str = "srvtoolu_1") -> Block:
    error = {"type": "web_search_tool_result_error", "error_code": "unavailable"}
    return {"type": "web_search_tool_result", "tool_use_id": id, "content": error}
