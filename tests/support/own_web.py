"""The web tools that run here, beside what they ask."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from bot.core.domains import DomainRules
from bot.core.errors import ToolError
from bot.core.images_and_pdfs import Media
from bot.tools import CallResult, Tool
from tests.stand_ins.pages import Pages, answer
from tests.stand_ins.searching import SearchStandIn

NO_CONTEXT: Any = None  # the web tools use only their arguments


@dataclass(frozen=True)
class OwnWeb:
    pages: Pages
    searching: SearchStandIn
    tools: dict[str, Tool]
    with_domains: Callable[[DomainRules], "OwnWeb"]

    def site(self, path: str = "/", host: str = "site.example") -> str:
        return f"http://{host}:{self.pages.port}{path}"

    def has_page(self, body: str | bytes, path: str = "/", type: str = "text/html; charset=utf-8") -> str:
        """Let the server have a page, and return its address."""
        self.pages.answers[path] = answer(body.encode() if isinstance(body, str) else body, type=type)
        return self.site(path)

    async def runs(self, name: str, **arguments: Any) -> str | Media | CallResult:
        return await self.tools[name].run(NO_CONTEXT, arguments)

    async def reads(self, url: str, **arguments: Any) -> str:
        return str(await self.runs("web_fetch", url=url, **arguments))

    async def fails(self, name: str, **arguments: Any) -> str:
        with pytest.raises(ToolError) as error:
            await self.runs(name, **arguments)
        return str(error.value)
