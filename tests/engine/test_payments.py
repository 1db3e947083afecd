"""Money: what a request may come to is kept apart on every budget above it before it is made."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bot.core.content_blocks import text_block
from bot.core.messages import Address, OutboundKind
from bot.core.model import ModelReply, ModelRequest, ShowTextCallback
from bot.core.prices import Micros, Usage, format_micro_dollars
from bot.core.settings import Settings
from bot.core.texts import people, reasons
from bot.engine.dispatcher import load_open_turns_and_free_addresses
from tests.support.bench import UNSHARED, WORKERS, Bench
from tests.support.engine_options import EngineOptions, engine_options, limits_with
from tests.support.fakes import Pause, delegates, message, reply, uses
from tests.support.stores import Gate, most_at_once

REPLY, NOTICE = OutboundKind.REPLY, OutboundKind.NOTICE
RESEARCHER = WORKERS[0]
TOO_LITTLE = engine_options(day=Micros(400_000), **UNSHARED)  # for ten requests of 16,000 tokens at once


async def at_worst(request: ModelRequest, show: ShowTextCallback) -> ModelReply:
    """A reply as dear as its request could be."""
    usage = Usage(cache_write_1h=request.meter.estimated_prompt_tokens, output=request.max_tokens)
    return reply(text_block("dear"), usage=usage)


def spending(bench: Bench, chat: str) -> list[tuple[int, int]]:
    return [(row[0], row[1]) for row in bench.rows("SELECT cost, reserved FROM spending WHERE chat = ?", chat)]


async def test_a_request_is_reserved_on_turn_parents_chat_and_day(bench: Bench) -> None:
    pause = Pause("found")
    bench.model.says("lead", delegates("researcher"), "done")
    bench.model.says("researcher", pause)
    async with bench.run():
        bench.chat.hears("go")
        await pause.reached.wait()
        worth = bench.rows("SELECT reserved FROM requests WHERE state = 'open'")[0][0]
        assert bench.select("cost, reserved", "turns", order="depth") == [(3_000, worth), (0, worth)]
        assert spending(bench, "fake:room") == spending(bench, "") == [(3_000, worth)]
        pause.go_on.set()
        assert await bench.chat.said() == "done"
    assert bench.select("cost, reserved", "turns", order="depth") == [(6_150, 0), (150, 0)]
    assert spending(bench, "fake:room") == spending(bench, "") == [(6_150, 0)]


@pytest.mark.parametrize(
    "settings",
    [
        engine_options(turn=limits_with(cost=Micros(60_000))),
        engine_options(chat_day=Micros(60_000)),
        engine_options(day=Micros(60_000), **UNSHARED),
    ],
    ids=["turn", "chat", "day"],
)
async def test_the_tightest_budget_decides_how_much_may_be_written(bench: Bench, settings: EngineOptions) -> None:
    bench.model.says("lead", "brief")
    async with bench.run(**settings):
        bench.chat.hears("go")
        assert await bench.chat.said() == "brief"
    assert 1_024 <= bench.model.seen[0].max_tokens < 6_000
    assert bench.rows("SELECT max(reserved) FROM requests")[0][0] <= 60_000


async def test_a_role_may_spend_at_most_its_parents_rest(bench: Bench) -> None:
    bench.model.says("lead", reply(*delegates("researcher").content, usage=Usage(output=8_000)), "done")
    bench.model.says("researcher", "found")
    async with bench.run(**engine_options(turn=limits_with(cost=Micros(130_000)))):
        bench.chat.hears("go")
        await bench.chat.said()
    assert bench.select("max_cost", "turns", "depth = 1") == [(50_000,)]
    assert bench.select("max(reserved) <= 50000", "requests", "turn LIKE '%/%'") == [(1,)]


async def test_ten_chats_at_once_stay_below_the_days_cap_and_all_are_answered(bench: Bench) -> None:
    store, most = most_at_once()
    pauses = [Pause(f"done {number}") for number in range(10)]
    bench.model.says("lead", *pauses)
    async with bench.run(**TOO_LITTLE, store=store):
        for number in range(10):
            bench.chat.hears("go", chat=f"room {number}")
        await bench.chat.is_taken_in()
        assert bench.count("turns", "waits_for != ''") == 7
        for pause in pauses:
            await pause.reached.wait()
            pause.go_on.set()
        said = {await bench.chat.said() for _ in pauses}
    assert said == {f"done {number}" for number in range(10)}
    assert 200_000 < most["day"] <= 400_000
    assert bench.select("sum(cost), sum(reserved)", "spending", "chat LIKE 'fake:%'") == [(30_000, 0)]


async def test_a_day_that_is_used_up_is_said_in_every_chat_and_never_overspent(bench: Bench) -> None:
    store, most = most_at_once()
    bench.model.says("lead", *[at_worst] * 10)
    async with bench.run(**TOO_LITTLE, store=store):
        for number in range(10):
            bench.chat.hears("go", chat=f"room {number}")
        said = [await bench.chat.said() for _ in range(10)]
    assert set(said) == {"dear", people.LEFT(reason=reasons.NO_MONEY["day"](time_zone="UTC"), messages="“go”")}
    assert most["day"] <= 400_000
    assert bench.rows("SELECT sum(cost) <= 400000 FROM requests") == [(1,)]


@pytest.mark.parametrize(
    ("settings", "cap"),
    [
        ({"turn": limits_with(cost=Micros(60_000))}, "turn"),
        ({"chat_day": Micros(60_000)}, "chat"),
        ({"day": Micros(60_000), **UNSHARED}, "day"),
    ],
    ids=["turn", "chat", "day"],
)
async def test_ten_roles_at_once_stay_below_every_cap(bench: Bench, settings: dict[str, Any], cap: str) -> None:
    store, most = most_at_once()
    first = reply(*delegates(*["researcher"] * 10).content, usage=Usage(output=1_000))
    bench.model.says("lead", first, "as far as it went")
    bench.model.says("researcher", *[at_worst] * 20)
    async with bench.run(**engine_options(**settings, swarm__max_concurrent=10), store=store):
        bench.chat.hears("go")
        await bench.chat.said()
    assert most[cap] <= 60_000
    ended = bench.rows("SELECT status, count(*) FROM turns WHERE depth = 1 GROUP BY status")
    assert sum(count for _, count in ended) == 10
    assert ended[-1][0] == "completed"


async def test_a_chat_and_its_threads_share_one_budget(bench: Bench) -> None:
    bench.model.says("lead", at_worst, "unreachable")
    async with bench.run(**engine_options(chat_day=Micros(20_000))):
        bench.chat.hears("go")
        assert await bench.chat.said() == "dear"
        thread = Address(channel="fake", chat="room", thread="7")
        bench.chat.incoming.put_nowait(replace(message("and here"), address=thread))
        reason = reasons.NO_MONEY["chat"](time_zone="UTC")
        assert await bench.chat.said() == people.LEFT(reason=reason, messages="“and here”")
    assert [chat for (chat,) in bench.rows("SELECT chat FROM spending ORDER BY chat")] == ["", "@fake:Ann", "fake:room"]


async def test_a_model_without_a_price_costs_nothing_and_is_held_by_its_tokens(bench: Bench) -> None:
    bench.model.says("lead", *(reply(uses("read"), usage=Usage(input=2_000)) for _ in range(2)), "as far as I got")
    async with bench.run(**engine_options(model__lead="some/local-model", turn=limits_with(tokens=9_000))):
        bench.chat.hears("dig")
        assert await bench.chat.said() == "as far as I got"
    assert bench.rows("SELECT status, reason FROM turns") == [("budget", reasons.TOKENS_USED(tokens=9_000))]
    assert bench.rows("SELECT sum(cost), sum(reserved) FROM requests") == [(0, 0)]


async def test_a_request_that_a_stop_came_before_costs_nothing(bench: Bench) -> None:
    gate = Gate(load_open_turns_and_free_addresses)
    bench.model.says("lead", "one")
    async with bench.run(store=gate.store()):
        bench.chat.hears("hello")
        await bench.chat.said()
        gate.close()  # a turn that is opened now is not begun
        bench.chat.hears("go")
        await bench.chat.is_taken_in()
        bench.chat.hears("/stop")
        await bench.chat.is_taken_in()
        gate.open()
        assert await bench.chat.said() == people.STOPPED(messages="“go”")
    assert bench.rows("SELECT state, cost FROM requests ORDER BY id") == [("settled", 3_000), ("settled", 0)]


async def test_a_request_that_the_end_of_the_process_came_before_costs_nothing(bench: Bench) -> None:
    gate = Gate(load_open_turns_and_free_addresses)
    bench.model.says("lead", "one", "two")
    async with bench.run(store=gate.store()):
        bench.chat.hears("hello")
        await bench.chat.said()
        gate.close()
        bench.chat.hears("go")
        await bench.chat.is_taken_in()
    async with bench.run():
        assert await bench.chat.said() == "two"
    assert [cost for (cost,) in bench.rows("SELECT cost FROM requests ORDER BY id")] == [3_000, 0, 3_000]


async def test_a_lost_request_is_charged_as_reserved_and_called_an_estimate(bench: Bench) -> None:
    pause = Pause()
    bench.model.says("lead", pause, reply(text_block("back"), usage=Usage(output=1_000)))
    async with bench.run():
        bench.chat.hears("hello")
        await pause.reached.wait()
        reserved, fresh = bench.rows("SELECT reserved, fresh FROM requests")[0]
        bench.crashes()
    async with bench.run(**engine_options(**UNSHARED)):
        assert await bench.chat.said() == "back"
        bench.chat.hears("/usage")
        usage = await bench.chat.said(NOTICE)
    assert bench.rows("SELECT state, cost FROM requests ORDER BY id") == [("lost", reserved), ("settled", 10_000)]
    cost = format_micro_dollars(reserved + 10_000)
    total = people.TOTAL_ESTIMATED(tokens=fresh + 1_000, cost=cost, estimated=format_micro_dollars(reserved))
    assert usage.splitlines() == [
        people.CHAT_TODAY(total=total),
        people.CHAT_THIS_MONTH(total=total),
        people.COST_BY_ROLE(parts=people.COST_PART(name="Lead", today=cost, month=cost)),
        people.COST_BY_MODEL(parts=people.COST_PART(name=Settings().model.lead, today=cost, month=cost)),
        people.LEFT_TODAY(left=format_micro_dollars(5_000_000 - reserved - 10_000), chat="$5.00", day="$20.00"),
    ]


async def test_a_request_cut_off_at_its_worst_costs_at_most_what_was_reserved(bench: Bench) -> None:
    """Also if the server counts fewer tokens than the bot estimates: the count of the reply before is used for both."""
    bench.model.says("lead", reply(text_block("one"), usage=Usage(cache_write_1h=50)), at_worst)
    async with bench.run():
        for text in ("first", "second"):
            bench.chat.hears(text)
            await bench.chat.said()
    _, (reserved, cost) = bench.rows("SELECT reserved, cost FROM requests ORDER BY id")
    assert cost <= reserved


@pytest.mark.parametrize(("minutes", "is_cached"), [(1, True), (61, False)])
async def test_an_expired_cache_holds_nothing_of_a_cut_off_request(bench: Bench, minutes: int, is_cached: bool) -> None:
    now = datetime.now(UTC)
    bench.model.says("lead", reply(text_block("one"), usage=Usage(cache_write_1h=5_000)), "two")
    async with bench.run(now=lambda: now):
        bench.chat.hears("first")
        await bench.chat.said()
        now += timedelta(minutes=minutes)
        bench.chat.hears("second")
        await bench.chat.said()
    meter = bench.model.seen[1].meter
    assert meter.cached_prompt_tokens == (5_000 if is_cached else 0) < meter.estimated_prompt_tokens


async def test_unpriced_usage_is_shown_without_a_price(bench: Bench) -> None:
    bench.model.says("lead", "cheap")
    async with bench.run(**engine_options(model__lead="nobody-prices-this")):
        bench.chat.hears("hello")
        await bench.chat.said()
        bench.chat.hears("/usage")
        usage = await bench.chat.said(NOTICE)
    assert people.TOTAL_UNPRICED(tokens=1_100, unpriced=1_100, cost="$0.00") in usage


async def test_a_crashs_lost_unpriced_tokens_count_as_unpriced(bench: Bench) -> None:
    pause = Pause()
    bench.model.says("lead", pause, "back")
    unpriced = engine_options(model__lead="nobody-prices-this")
    async with bench.run(**unpriced):
        bench.chat.hears("hello")
        await pause.reached.wait()
        bench.crashes()
    async with bench.run(**unpriced):
        assert await bench.chat.said() == "back"
    [(tokens, without_price)] = bench.rows("SELECT tokens, unpriced FROM spending WHERE chat = ''")
    [(fresh,)] = bench.rows("SELECT fresh FROM requests WHERE state = 'lost'")
    assert tokens == without_price == fresh + 1_100
