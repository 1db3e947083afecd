"""How what is said arrives: never silently lost, never silently doubled."""

from dataclasses import replace

import pytest

from bot.core.access import Access
from bot.core.errors import DeliveryDelayed, DeliveryError, NotDelivered
from bot.core.messages import Address
from bot.core.texts import people, reasons
from bot.store import outbox
from tests.support.bench import ACCESS, Bench
from tests.support.engine_options import engine_options
from tests.support.fakes import Pause, message
from tests.support.troubles import Clock, Sticky, Uneven, has_row, listed
from tests.support.wording import REPEAT_MARK

QUICK = engine_options(delivery_retry_seconds=0.001)
LOST = OSError("connection lost")


async def test_a_message_the_platform_rejected_is_sent_again_unmarked(bench: Bench) -> None:
    bench.model.says("lead", "Hello Ann")
    bench.chat.faults += [NotDelivered("no route"), NotDelivered("no route")]
    async with bench.run(**QUICK):
        bench.chat.hears("hello")
        assert await bench.chat.said() == "Hello Ann"
    assert bench.chat.sent.empty()


async def test_an_undetectable_repeat_is_marked(bench: Bench) -> None:
    bench.model.says("lead", "Hello Ann")
    bench.chat.accepts_anyway = True
    bench.chat.faults.append(LOST)
    async with bench.run(**QUICK):
        bench.chat.hears("hello")
        assert [await bench.chat.said() for _ in range(2)] == ["Hello Ann", f"{REPEAT_MARK}Hello Ann"]


async def test_a_platform_that_knows_nonces_is_sent_the_same_one_again(bench: Bench) -> None:
    bench.model.says("lead", "Hello Ann")
    bench.chat.nonce_memory_seconds = 120
    bench.chat.accepts_anyway = True
    bench.chat.faults.append(LOST)
    async with bench.run(**QUICK):
        bench.chat.hears("hello")
        first, second = [await bench.chat.part() for _ in range(2)]
    assert first.nonce == second.nonce
    assert len(first.nonce) == 25
    assert not second.may_be_shown_already


@pytest.mark.parametrize("seconds", [121, -1], ids=["too late", "after the clock was set back"])
@pytest.mark.parametrize("memory_seconds", [120, 0])
async def test_a_nonce_that_may_be_forgotten_tells_no_repeat(
    bench: Bench, memory_seconds: float, seconds: float
) -> None:
    clock = Clock()
    bench.chat = Sticky()
    bench.chat.nonce_memory_seconds = memory_seconds
    bench.model.says("lead", "Hello Ann")
    async with bench.run(now=clock):
        bench.chat.hears("hello")
        await bench.chat.reached.wait()
        bench.crashes()
    clock.passes(seconds=seconds)
    bench.chat.go_on.set()
    async with bench.run(now=clock):
        assert (await bench.chat.part()).may_be_shown_already


@pytest.mark.parametrize(("knows_nonces", "mark"), [(True, ""), (False, REPEAT_MARK)])
async def test_a_message_under_way_at_a_crash_is_settled_in_the_same_way(
    bench: Bench, knows_nonces: bool, mark: str
) -> None:
    bench.chat = Sticky()
    bench.chat.nonce_memory_seconds = 120.0 if knows_nonces else 0.0
    bench.model.says("lead", "Hello Ann")
    async with bench.run():
        bench.chat.hears("hello")
        await bench.chat.reached.wait()
        bench.crashes()
    bench.chat.go_on.set()
    async with bench.run():
        assert await bench.chat.said() == f"{mark}Hello Ann"


async def test_a_crash_between_two_parts_goes_on_with_the_next(bench: Bench) -> None:
    bench.chat = Sticky(1)
    bench.chat.length, bench.chat.nonce_memory_seconds = 4, 120
    bench.model.says("lead", "one two 3")
    async with bench.run():
        bench.chat.hears("count")
        assert await bench.chat.said() == "one "
        await bench.chat.reached.wait()
        bench.crashes()
    bench.chat.go_on.set()
    async with bench.run():
        assert [await bench.chat.said() for _ in range(2)] == ["two ", "3"]
    assert bench.chat.sent.empty()


async def test_only_the_part_that_may_be_there_is_marked(bench: Bench) -> None:
    bench.chat.length = 4
    bench.chat.faults += [LOST]
    bench.model.says("lead", "one two 3")
    async with bench.run(**QUICK):
        bench.chat.hears("count")
        assert [await bench.chat.said() for _ in range(3)] == [f"{REPEAT_MARK}one ", "two ", "3"]


async def test_a_rejected_part_is_not_marked_because_an_earlier_one_is_in_doubt(bench: Bench) -> None:
    bench.chat = Uneven()
    bench.chat.length = 4
    bench.chat.troubles["room"] += [LOST]
    bench.model.says("lead", "one two ")
    async with bench.run(**QUICK):
        bench.chat.hears("count")
        assert await bench.chat.said() == f"{REPEAT_MARK}one "
        bench.chat.troubles["room"] += [NotDelivered("no route")]
        assert await bench.chat.said() == "two "


async def test_the_order_within_a_lane_outlives_a_failure(bench: Bench) -> None:
    bench.model.says("lead", "first", "second")
    bench.chat.faults += [NotDelivered("no route")]
    async with bench.run(**engine_options(delivery_retry_seconds=0.05)):
        bench.chat.hears("1")
        bench.chat.hears("2", by="Bob")
        assert [await bench.chat.said() for _ in range(2)] == ["first", "second"]


async def test_a_rate_limit_holds_its_whole_lane_and_no_other_and_is_no_try(bench: Bench) -> None:
    clock, pause = Clock(), Pause("to Ann")
    bench.chat = Uneven()
    bench.chat.troubles["room"] += [DeliveryDelayed(3600)]
    bench.model.says("lead", pause, "to Bob")
    async with bench.run(now=clock):
        bench.chat.hears("hello")
        await pause.reached.wait()
        bench.chat.hears("/help")
        assert await bench.chat.has_tried() == "room"
        pause.go_on.set()
        bench.chat.hears("hello", by="Bob", chat="other")
        assert await bench.chat.said() == "to Bob"
        assert bench.rows("SELECT lane FROM lanes") == [("room",)]
    clock.passes(seconds=3599)
    async with bench.run(now=clock):  # it is a row: a restart does not forget it
        bench.chat.hears("/status", chat="other")
        await bench.chat.said()
        assert bench.select("tries, state", "outbox", "address = 'fake:room'") == [(0, "queued")] * 2
    clock.passes(seconds=2)
    async with bench.run(now=clock):
        assert (await bench.chat.said()).startswith("/start")
        assert await bench.chat.said() == "to Ann"


async def test_a_rate_limited_message_is_sent_when_the_limit_is_over(bench: Bench) -> None:
    bench.model.says("lead", "Hello Ann")
    bench.chat.faults += [DeliveryDelayed(0.01)] * 10  # more than a message has tries
    async with bench.run():
        bench.chat.hears("hello")
        assert await bench.chat.said() == "Hello Ann"


async def test_a_refused_message_is_told_of_in_its_chat_once(bench: Bench) -> None:
    bench.model.says("lead", "unspeakable", "fine")
    bench.chat.faults.append(DeliveryError("too rude"))
    async with bench.run():
        bench.chat.hears("hello")
        assert await bench.chat.said() == people.NOT_SHOWN(reason="too rude")
        bench.chat.hears("and now?")
        assert await bench.chat.said() == "fine"
        [failure] = listed(bench.data, outbox.list_failed_messages)
    assert (failure["text"], failure["is_told"]) == ("unspeakable", 1)


async def test_the_owner_hears_of_an_undeliverable_message_without_its_text(bench: Bench) -> None:
    bench.chat = Uneven()
    bench.chat.troubles["room"] += [DeliveryError("blocked")] * 2
    bench.model.says("lead", "for Ann's eyes")
    async with bench.run(access=with_owner()):
        bench.chat.hears("hello")
        part = await bench.chat.part()
    assert part.message.address.chat == "office"
    assert part.text == people.NOT_SHOWN_ELSEWHERE(channel="fake", chat="room", reason="blocked")


@pytest.mark.parametrize("has_owner", [True, False])
async def test_a_failure_that_reaches_nobody_is_listed(bench: Bench, has_owner: bool) -> None:
    bench.chat = Uneven()
    for chat in ("room", "office"):
        bench.chat.troubles[chat] += [DeliveryError("blocked")] * 2
    bench.model.says("lead", "lost", "fine")
    async with bench.run(access=with_owner() if has_owner else ACCESS):
        bench.chat.hears("hello")
        for _ in range(3 if has_owner else 2):
            await bench.chat.has_tried()
        bench.chat.hears("hello", chat="other")
        assert await bench.chat.said() == "fine"
    failure = listed(bench.data, outbox.list_failed_messages)[0]
    assert (failure["text"], failure["reason"], failure["is_told"]) == ("lost", "blocked", 0)


async def test_a_message_that_fails_while_others_pass_ends_after_eight_tries(bench: Bench) -> None:
    bench.chat = Uneven()
    bench.chat.troubles["odd words"] += [NotDelivered("odd")] * 1_000
    bench.model.says("lead", "odd words")
    async with bench.run(**QUICK):
        bench.chat.hears("hello")
        await bench.chat.has_tried()
        while not listed(bench.data, outbox.list_failed_messages):
            bench.chat.hears("/help", by="Bob", chat="other")
            await bench.chat.said()
        told = await has_row(bench, "SELECT text FROM outbox WHERE key = 't1:reply:failed' AND state = 'sent'")
    assert told == [(people.NOT_SHOWN(reason="odd"),)]
    assert bench.select("tries", "outbox", "state = 'failed'") == [(7,)]  # the eighth is not counted any more


async def test_a_message_that_fails_as_all_do_is_not_given_up(bench: Bench) -> None:
    bench.chat.faults += [NotDelivered("no route")] * 20
    bench.model.says("lead", "there you are")
    async with bench.run(**QUICK):
        bench.chat.hears("hello")
        assert await bench.chat.said() == "there you are"


async def test_a_message_is_given_up_after_a_day(bench: Bench) -> None:
    clock = Clock()
    bench.chat = Uneven()
    bench.chat.troubles["room"] += [NotDelivered("no route")] * 2
    bench.model.says("lead", "never shown")
    async with bench.run(now=clock, **QUICK):
        bench.chat.hears("hello")
        await bench.chat.has_tried()
        clock.passes(hours=25)
        assert await bench.chat.said() == people.NOT_SHOWN(reason="no route")


async def test_the_days_that_the_bot_was_away_are_not_counted_against_a_message(bench: Bench) -> None:
    clock = Clock()
    bench.chat = Uneven()
    bench.chat.troubles["room"] += [NotDelivered("no route")] * 2
    bench.model.says("lead", "shown at last")
    async with bench.run(now=clock, **QUICK):
        bench.chat.hears("hello")
        await bench.chat.has_tried()
    clock.passes(hours=48)
    async with bench.run(now=clock, **QUICK):
        await bench.chat.has_tried()
        clock.passes(hours=1)
        assert await bench.chat.said() == "shown at last"


async def test_a_reply_goes_to_the_thread_its_message_came_from(bench: Bench) -> None:
    thread = Address(channel="fake", chat="room", thread="a:b")
    bench.model.says("lead", "one", "two")
    async with bench.run():
        for address in (thread, thread.whole_chat):
            bench.chat.incoming.put_nowait(replace(message("hello"), address=address))
            assert (await bench.chat.part()).message.address == address


def with_owner() -> dict[str, Access]:
    return {"fake": replace(ACCESS["fake"], owner_address=Address(channel="fake", chat="office"))}


async def test_a_channels_bug_with_one_message_is_reported_and_delays_no_other(bench: Bench) -> None:
    bench.chat = Uneven()
    bench.chat.troubles["odd"].append(ValueError("a bug"))
    bench.model.says("lead", "odd", "even")
    async with bench.run():
        bench.chat.hears("hello")
        assert await bench.chat.said() == people.NOT_SHOWN(reason=reasons.NOT_SHOWN_BY_MISTAKE())
        bench.chat.hears("hello?")
        assert await bench.chat.said() == "even"
