"""What the web costs: paid for in advance, counted, and capped by what the budgets have left."""

from typing import Any

import pytest

from bot.core.content_blocks import text_block
from bot.core.model import ModelReply
from bot.core.prices import MICROS_PER_WEB_SEARCH, PRICING_BY_MODEL, Micros, Usage
from bot.core.web import WEB_USE_LEVELS
from tests.support.bench import UNSHARED, Bench
from tests.support.engine_options import engine_options, limits_with
from tests.support.fakes import Pause, reply, uses
from tests.support.stores import Commits
from tests.support.web_bot import FULL, LESS, found, run, searches, web

__all__ = ["web"]


def caps(bench: Bench) -> list[Any]:
    return [request.web_use_limits for request in bench.model.seen]


async def test_searches_are_paid_for_in_advance_and_charged_by_their_number(web: Bench) -> None:
    pause = Pause(reply(searches(), found(), text_block("so"), usage=Usage(output=100, searches=2)))
    web.model.says("lead", pause)
    async with run(web):
        web.chat.hears("go")
        await pause.reached.wait()
        [(reserved,)] = web.rows("SELECT reserved FROM requests")
        pause.go_on.set()
        await web.chat.said()
    written = 3 * 2 * 8_000 * 2.5  # three uses of two tools, a page each, at the price of a cache write
    assert reserved >= 16_000 * 10 + written + 3 * MICROS_PER_WEB_SEARCH
    assert web.rows("SELECT cost FROM requests") == [(1_000 + 2 * MICROS_PER_WEB_SEARCH,)]
    assert caps(web) == [FULL]


@pytest.mark.parametrize(
    "budget",
    [
        lambda cost: engine_options(turn=limits_with(cost=cost)),
        lambda cost: engine_options(chat_day=cost),
        lambda cost: engine_options(day=cost, **UNSHARED),
    ],
    ids=["turn", "chat", "day"],
)
async def test_caps_shrink_to_the_tightest_budget_and_do_not_grow_again(web: Bench, budget: Any) -> None:
    def dear(cost: int) -> ModelReply:
        return reply(uses("read"), usage=Usage(output=cost // 10))

    web.model.says("lead", dear(1_000), dear(120_000), dear(100_000), dear(1_000), "done")
    async with run(web, **budget(Micros(400_000))):
        web.chat.hears("go")
        assert await web.chat.said() == "done"
    levels = [WEB_USE_LEVELS.index(each) for each in caps(web)]
    assert levels == sorted(levels)
    assert levels[:2] == [0, 0]
    assert levels[-1] > 0
    assert web.rows("SELECT max(reserved) <= 400000, sum(cost) <= 400000 FROM requests") == [(1, 1)]
    assert all(request.may_call_tools for request in web.model.seen)


async def test_the_next_turn_has_the_full_caps_again_if_it_can_pay_for_them(web: Bench) -> None:
    web.model.says("lead", reply(uses("read"), usage=Usage(searches=33)), "done", "and on")
    async with run(web, **engine_options(turn=limits_with(cost=Micros(500_000)))):
        web.chat.hears("go")
        await web.chat.said()
        web.chat.hears("and?")
        await web.chat.said()
    assert caps(web) == [FULL, LESS, FULL]


async def test_a_small_token_limit_gets_smaller_pages_from_the_start(web: Bench) -> None:
    web.model.says("lead", "done")
    async with run(web, **engine_options(turn=limits_with(tokens=50_000))):
        web.chat.hears("go")
        await web.chat.said()
    assert caps(web) == [LESS]


async def test_the_last_request_shows_the_web_as_before_and_reserves_its_cost(web: Bench) -> None:
    web.model.says("lead", reply(uses("read")), "as far as I got")
    async with run(web, **engine_options(turn=limits_with(iterations=1))):
        web.chat.hears("go")
        await web.chat.said()
    first, last = (row[0] for row in web.rows("SELECT reserved FROM requests ORDER BY id"))
    assert not web.model.seen[-1].may_call_tools
    assert web.model.seen[-1].server_tools == web.model.seen[0].server_tools
    assert last > 0.9 * first  # nearly all of both is what may be looked up


async def test_a_prompt_that_the_server_rereads_is_not_taken_for_a_long_one(web: Bench) -> None:
    usage = Usage(cache_read=500_000, output=100)
    web.model.says("lead", reply(searches(), found(), text_block("so"), usage=usage), "and on")
    async with run(web):
        web.chat.hears("go")
        await web.chat.said()
        [(tokens, cached)] = web.rows("SELECT tokens, cached FROM chapters")
        assert cached <= tokens < 5_000
        web.chat.hears("and?")
        assert await web.chat.said() == "and on"


async def test_a_turn_hindered_only_by_others_requests_waits_and_keeps_its_caps(web: Bench) -> None:
    other, commits = Pause("theirs"), Commits()
    looks = reply(uses("read"), usage=Usage(cache_write_1h=1_000, output=1_600))
    web.model.says("lead", other, looks, "mine")

    def how_many_wait() -> int:
        return int(web.rows("SELECT count(*) FROM turns WHERE waits_for != ''")[0][0])

    tight = engine_options(day=Micros(520_000), may_substitutes_answer=False, **UNSHARED)
    async with run(web, **tight, store=commits.store()):
        web.chat.hears("go", chat="theirs")
        await other.reached.wait()
        web.chat.hears("go", chat="mine")
        await commits.until(lambda: how_many_wait() == 1)
        other.go_on.set()
        assert {await web.chat.said() for _ in range(2)} == {"theirs", "mine"}
    assert caps(web) == [FULL] * 3


@pytest.mark.parametrize(("before", "price"), [(30_000, "short"), (110_000, "long")])
async def test_the_price_follows_the_prompt_and_not_the_servers_sum_of_readings(
    web: Bench, before: int, price: str
) -> None:
    """The server reads the prompt once more after each search, and counts it every time."""
    haiku = PRICING_BY_MODEL["claude-haiku-5-5"]
    summed = Usage(input=3_000, cache_read=110_000, cache_write_5m=30_000, output=1_500, searches=3)
    web.model.says("lead", reply(uses("read"), usage=Usage(input=before)))
    web.model.says("lead", reply(searches(), found(), text_block("so"), usage=summed))
    async with run(web, **engine_options(model__lead="claude-haiku-5-5")):
        web.chat.hears("go")
        assert await web.chat.said() == "so"
    _, (reserved, cost) = web.rows("SELECT reserved, cost FROM requests ORDER BY id")
    card = haiku.long_prompt_card if price == "long" else haiku.card
    assert card is not None
    assert cost == card.cost_of(summed) <= reserved
