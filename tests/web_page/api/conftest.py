"""A program that asks the API: before a bot has run, and over the rows of a bot that has worked."""

from collections.abc import AsyncIterator

import pytest

from bot.core.messages import OutboundKind
from tests.support.bench import Bench
from tests.support.fakes import delegates
from tests.web_page.api.api_bench import SECRET, Program, serve_api


@pytest.fixture
async def program(bench: Bench) -> AsyncIterator[Program]:
    async with serve_api(bench) as program:
        yield program


@pytest.fixture
async def talked(bench: Bench) -> AsyncIterator[Program]:
    """A program, and a bot that has answered Ann, with two roles, and Bob."""
    bench.model.says("lead", delegates("researcher", "analyst"), f"all in all {SECRET}", "hello, Bob")
    bench.model.says("researcher", "found the mill")
    bench.model.says("analyst", "the train is cheaper")
    async with bench.run():
        bench.chat.hears("plan our offsite")
        await bench.chat.said(OutboundKind.REPLY)
        bench.chat.hears("hello", by="Bob", chat="attic")
        await bench.chat.said(OutboundKind.REPLY)
    async with serve_api(bench) as program:
        yield program
