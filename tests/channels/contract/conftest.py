"""The bot on every platform: another would be added to `PLACES`, and to nothing else."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest

from tests.support.bench import Bench
from tests.support.engine_options import engine_options
from tests.support.places import Place
from tests.support.places.discord import discord
from tests.support.places.telegram import telegram
from tests.support.places.terminal import TerminalPlace
from tests.support.places.toy import toy

QUICK = engine_options(draft_delay_seconds=0.05, draft_edit_seconds=(0.05,), delivery_retry_seconds=0.01)


@asynccontextmanager
async def terminal(data: Path) -> AsyncIterator[Place]:
    yield TerminalPlace(data)


PLACES: dict[str, Callable[[Path], AbstractAsyncContextManager[Place]]] = {
    "terminal": terminal,
    "telegram": lambda _: telegram(),
    "discord": lambda _: discord(),
    "toy": lambda _: toy(),
}


@pytest.fixture(params=PLACES)
async def place(request: pytest.FixtureRequest, bench: Bench) -> AsyncIterator[Place]:
    async with PLACES[request.param](bench.data) as there:
        yield there


def at(bench: Bench, place: Place, **options: object) -> AbstractAsyncContextManager[object]:
    """The bot, at that place."""
    bench.chat = place.channel()  # type: ignore[assignment]  # a real one
    return bench.run(access=place.accesses, **{**QUICK, **options})
