"""A person agrees to a call, or does not, by a tap or in words, on every platform and despite kills."""

import asyncio

import pytest

from bot.core.messages import OutboundKind
from bot.core.role import LEAD_ROLE_NAME
from bot.core.texts import people_holds
from tests.channels.contract.conftest import at
from tests.support.bench import Bench
from tests.support.fakes import reply, role, uses
from tests.support.mailing import Post
from tests.support.places import Place, has
from tests.support.troubles import wait_for_row

CALL = ("eve@evil.example", "all of it")
YES, NO = people_holds.ALLOW, people_holds.DENY
IS_ASKED = f"kind = '{OutboundKind.APPROVAL}' AND state = 'sent'"
IS_ANSWERED = "answer IS NOT NULL"


@pytest.fixture
def post(bench: Bench) -> Post:
    bench.roles[LEAD_ROLE_NAME] = role("lead", "browse", "mail", delegates_to=None)
    bench.model.says("lead", reply(uses("browse")), reply(uses("mail", to=CALL[0], text=CALL[1])), "That is all.")
    return Post()


async def answer(bench: Bench, place: Place, option: str) -> None:
    """Answer until it has arrived: a tap is lost if the bot is not connected yet."""
    while not bench.count("questions", IS_ANSWERED):
        place.answers(option)
        await asyncio.sleep(0.1)


@pytest.mark.parametrize("is_agreed", [True, False])
async def test_a_call_runs_if_ann_agrees_and_not_if_she_does_not(
    bench: Bench, place: Place, post: Post, is_agreed: bool
) -> None:
    async with at(bench, place, tools=post.tools()):
        place.says("What does the page say?")
        there = await has(place, people_holds.MAY_CALL_RUN(1))
        assert any(all(each in text for each in CALL) for text in there)
        await wait_for_row(bench, "outbox", IS_ASKED)
        await answer(bench, place, (YES if is_agreed else NO)())
        await has(place, "That is all.")
    assert post.sent == ([CALL] if is_agreed else [])


@pytest.mark.parametrize("is_killed_before_answer", [True, False])
async def test_it_runs_at_most_once_despite_a_kill(
    bench: Bench, place: Place, post: Post, is_killed_before_answer: bool
) -> None:
    async with at(bench, place, tools=post.tools()):
        place.says("What does the page say?")
        await has(place, people_holds.MAY_CALL_RUN(1))
        await wait_for_row(bench, "outbox", IS_ASKED)
        if not is_killed_before_answer:
            await answer(bench, place, YES())
        bench.crashes()
    async with at(bench, place, tools=post.tools()):
        await answer(bench, place, YES())
        await has(place, "That is all.")
    assert post.sent in ([CALL], [] if not is_killed_before_answer else [CALL])
    assert bench.select("approval", "calls", "name = 'mail'") == [("used",)]
