"""What a plain turn costs: counted in commits, ways to the store, statements and requests, never in seconds."""

from dataclasses import dataclass
from functools import reduce
from operator import and_, or_

import pytest

from bot.core.messages import OutboundKind
from tests.support.bench import Bench
from tests.support.fakes import delegates, reply, uses
from tests.support.stores import Tally


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    commits: int
    ways: int  # to the store and back
    statements: int
    requests: int


A_FEW = 5  # steps of SQLite's machine
PLAIN = Cost(commits=4, ways=6, statements=49, requests=1)  # take in, reply with end, sending, sent


async def cost(bench: Bench, tally: Tally, text: str = "go") -> Cost:
    """What it takes to answer one message, until nothing is left to do."""
    await tally.rest()
    tally.forget()
    before = len(bench.model.seen)
    bench.chat.hears(text)
    await bench.chat.said(OutboundKind.REPLY)
    await tally.rest()
    return Cost(
        commits=tally.commits,
        ways=tally.ways,
        statements=len(tally.statements),
        requests=len(bench.model.seen) - before,
    )


async def test_a_plain_turn_takes_four_commits_six_store_calls_and_one_request(bench: Bench) -> None:
    tally = Tally()
    bench.model.says("lead", "one", "two")
    async with bench.run(store=tally.store()):
        await cost(bench, tally)  # the first takes the start with it
        assert await cost(bench, tally) == PLAIN


async def test_the_thirtieth_turn_of_a_chat_costs_what_the_second_did(bench: Bench) -> None:
    tally = Tally()
    bench.model.says("lead", *(str(number) for number in range(30)))
    async with bench.run(store=tally.store()):
        costs = [await cost(bench, tally) for _ in range(30)]
    assert set(costs[1:]) == {PLAIN}


@pytest.mark.parametrize("is_plain", [True, False], ids=["plain", "with tools and a role"])
async def test_no_statement_works_more_in_the_last_turn_than_in_the_first(bench: Bench, is_plain: bool) -> None:
    tally, work = Tally(), []
    async with bench.run(store=tally.store()):
        for _ in range(20):
            if not is_plain:
                bench.model.says("lead", reply(uses("read"), uses("change")), delegates("researcher"))
                bench.model.says("researcher", reply(uses("message", text="looking")), "found")
            bench.model.says("lead", "done")
            await cost(bench, tally)
            work.append(tally.most_work())
    # What else is under way differs from turn to turn; what grows is more in all of the last than in any of the first.
    most, least = reduce(or_, work[1:6]), reduce(and_, work[-5:])
    grown = {each: (most[each], steps) for each, steps in least.items() if steps > most[each] + A_FEW}
    assert grown == {}


async def test_a_turns_costs_do_not_depend_on_other_chats(bench: Bench) -> None:
    tally = Tally()
    bench.model.says("lead", *("done" for _ in range(22)))
    async with bench.run(store=tally.store()):
        await cost(bench, tally)
        for number in range(20):
            bench.chat.hears("go", chat=f"room {number}")
        for _ in range(20):
            await bench.chat.said()
        assert await cost(bench, tally) == PLAIN


async def test_a_step_with_a_tool_costs_three_commits_and_one_request_more(bench: Bench) -> None:
    tally = Tally()
    bench.model.says("lead", "one", reply(uses("read")), "two", reply(uses("read")), reply(uses("read")), "three")
    async with bench.run(store=tally.store()):
        await cost(bench, tally)
        one, two = await cost(bench, tally), await cost(bench, tally)
    assert (one.requests, two.requests) == (2, 3)
    assert one.commits - PLAIN.commits == two.commits - one.commits == 3  # the reply, the result, the results
    assert one.ways - PLAIN.ways == two.ways - one.ways
