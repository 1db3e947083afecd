"""One sound for one answer: nothing else that a turn says makes one. On both platforms, from socket to model."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager

import pytest

from bot.core.content_blocks import text_block
from tests.channels.contract.conftest import at
from tests.channels.contract.test_contract import LONG
from tests.support.bench import Bench
from tests.support.engine_options import engine_options
from tests.support.fakes import delegates, reply, uses
from tests.support.patience import PATIENCE
from tests.support.places.discord import DiscordPlace, discord
from tests.support.places.telegram import TelegramPlace, telegram
from tests.support.writing_model import Writes

Ringing = TelegramPlace | DiscordPlace
PLACES: dict[str, Callable[[], AbstractAsyncContextManager[Ringing]]] = {"telegram": telegram, "discord": discord}


@pytest.fixture(params=PLACES)
async def place(request: pytest.FixtureRequest) -> AsyncIterator[Ringing]:
    async with PLACES[request.param]() as there:
        yield there


async def is_there(place: Ringing, text: str, *, is_alone: bool = False) -> None:
    async with asyncio.timeout(PATIENCE):
        while not any(text in each for each in place.sees()) or (is_alone and len(place.sees()) > 1):  # noqa: ASYNC110 -- a platform wakes nobody
            await asyncio.sleep(0.01)


async def test_an_answer_that_was_seen_growing_rings_once_and_its_draft_is_gone(bench: Bench, place: Ringing) -> None:
    step = Writes("Hello Ann")
    bench.model.says("lead", step)
    async with at(bench, place):
        place.says("hi")
        async with asyncio.timeout(PATIENCE):
            while "Hel" not in place.sees():
                step.shows("Hel")
                await asyncio.sleep(0.01)
        assert place.rang() == []
        step.ends()
        await is_there(place, "Hello Ann", is_alone=True)
    assert place.rang() == ["Hello Ann"]


async def test_a_long_answer_rings_with_its_first_part(bench: Bench, place: Ringing) -> None:
    bench.model.says("lead", LONG)
    async with at(bench, place, **engine_options(long_answer_parts=20)):
        place.says("tell me all")
        await is_there(place, "The end.")
    assert len(place.sees()) > 1
    assert place.rang() == [place.sees()[0]]


async def test_updates_and_boards_do_not_ring(bench: Bench, place: Ringing) -> None:
    both = reply(text_block("I let it be looked up"), *delegates("researcher", "analyst").content)
    bench.model.says("lead", both, "There.")
    for role in ("researcher", "analyst"):
        bench.model.says(role, reply(uses("message", text=f"{role} found it")), "done")
    async with at(bench, place):
        place.says("look")
        await is_there(place, "There.")
        await is_there(place, "[Analyst]: analyst found it")
    assert place.rang() == ["There."]


async def test_a_question_rings(bench: Bench, place: Ringing) -> None:
    bench.model.says(
        "lead", reply(text_block("Hm."), uses("ask_person", question="Which?", options=["red"])), "so be it"
    )
    async with at(bench, place):
        place.says("paint")
        await is_there(place, "Which?")
        place.answers("red")
        await is_there(place, "so be it")
    assert [text.partition("\n")[0] for text in place.rang()] == ["Which?", "so be it"]
