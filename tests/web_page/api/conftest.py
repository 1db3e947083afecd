"""A program that asks the API: before a bot has run, and over the rows of a bot that has worked."""

from collections.abc import AsyncIterator

import pytest

from tests.support.bench import Bench
from tests.web_page.api.api_bench import SECRET, Program, serve_api
from tests.web_page.conftest import talk


@pytest.fixture
async def program(bench: Bench) -> AsyncIterator[Program]:
    async with serve_api(bench) as program:
        yield program


@pytest.fixture
async def talked(bench: Bench) -> AsyncIterator[Program]:
    """A program, and a bot that has answered Ann, with two roles, and Bob."""
    await talk(bench, f"all in all {SECRET}")
    async with serve_api(bench) as program:
        yield program
