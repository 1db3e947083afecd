"""Slots within a platform's limits: never too close, given out in the order they were asked for."""

import asyncio
import random
from itertools import pairwise

import pytest

from channels.pacing import CallPacing, PacingScope, RateLimit


class Time:
    def __init__(self) -> None:
        self.seconds = 100.0

    def __call__(self) -> float:
        return self.seconds


BOT = PacingScope("bot", RateLimit(5, 1.0))


def scopes(lane: int) -> list[PacingScope]:
    return [PacingScope(("chat", lane), RateLimit(1, 1.0)), PacingScope(("group", lane), RateLimit(4, 7.0)), BOT]


def keeps_to(times: list[float], window: RateLimit) -> bool:
    """Whether no window of that length holds more."""
    ordered = sorted(times)
    return all(
        later - first >= window.window_seconds - 1e-9
        for first, later in zip(ordered, ordered[window.max_calls :], strict=False)
    )


@pytest.mark.parametrize("seed", range(40))
def test_no_window_ever_holds_more_than_it_may(seed: int) -> None:
    chance, time = random.Random(seed), Time()
    pacing = CallPacing(time)
    all_times: list[float] = []
    by_lane: dict[int, list[float]] = {lane: [] for lane in range(6)}
    for _ in range(150):
        lane = chance.randrange(6)
        at = pacing.book_earliest_slot(scopes(lane))
        assert at >= time.seconds
        all_times.append(at)
        by_lane[lane].append(at)
        time.seconds += chance.choice((0.0, 0.0, 0.1, 0.7))
    assert keeps_to(all_times, BOT.rate_limit)
    for times in by_lane.values():
        assert keeps_to(times, RateLimit(1, 1.0))
        assert keeps_to(times, RateLimit(4, 7.0))
        assert all(first < second for first, second in pairwise(times))  # first come, first served


def test_one_busy_chat_costs_another_nothing() -> None:
    pacing = CallPacing(Time())
    for _ in range(20):
        last = pacing.book_earliest_slot(scopes(1))
    assert last > 120
    assert pacing.book_earliest_slot(scopes(2)) < 102


def test_a_free_chat_waits_for_nothing() -> None:
    assert CallPacing(Time()).book_earliest_slot(scopes(1)) == 100.0


async def test_cosmetic_sendings_leave_room_for_necessary_ones() -> None:
    time = Time()
    pacing, burst = CallPacing(time), PacingScope("burst", RateLimit(3, 3.0, reserved_calls=1))
    for _ in range(2):
        assert pacing.has_unreserved_room("lane", [burst])
        async with pacing.wait_and_count_call("lane", [burst]):
            pass
    assert not pacing.has_unreserved_room("lane", [burst])
    assert pacing.book_earliest_slot([burst]) == 100.0
    time.seconds += 3.1
    assert pacing.has_unreserved_room("lane", [burst])


async def test_a_lanes_own_unused_slot_leaves_room_for_its_next_call() -> None:
    time = Time()
    pacing, burst = CallPacing(time), PacingScope("burst", RateLimit(3, 3.0, reserved_calls=1))
    async with pacing.wait_and_count_call("lane", [burst]):
        pass
    await pacing.book_slot_and_wait("lane", [burst])  # and then there was nothing to send
    assert pacing.has_unreserved_room("lane", [burst])
    assert not pacing.has_unreserved_room("another", [burst])
    async with pacing.wait_and_count_call("lane", [burst]):
        pass
    assert not pacing.has_unreserved_room("lane", [burst])


async def test_a_call_during_a_lanes_wait_for_its_slot_ends_no_wait() -> None:
    pacing, burst = CallPacing(), PacingScope("burst", RateLimit(1, 0.05))
    async with pacing.wait_and_count_call("lane", [burst]):
        pass
    waiting = asyncio.create_task(pacing.book_slot_and_wait("lane", [burst]))
    await asyncio.sleep(0)
    assert not pacing.has_unreserved_room("lane", [burst])  # its slot has not come yet
    async with pacing.wait_and_count_call("lane", [PacingScope("edits", RateLimit(9, 1.0))]):
        pass
    await waiting


async def test_a_slot_that_was_waited_for_is_counted_once() -> None:
    time = Time()
    pacing, burst = CallPacing(time), PacingScope("burst", RateLimit(2, 3.0))
    await pacing.book_slot_and_wait("lane", [burst])
    async with pacing.wait_and_count_call("lane", [burst]):
        pass
    assert pacing.book_earliest_slot([burst]) == 100.0


async def test_a_board_in_a_lanes_slot_takes_no_answers_place() -> None:
    pacing, answers = CallPacing(Time()), PacingScope("answers", RateLimit(1, 1.0))
    both = PacingScope("both", RateLimit(2, 3.0))
    await pacing.book_slot_and_wait("lane", [answers, both])
    async with pacing.wait_and_count_call("lane", [both]):
        pass
    assert pacing.book_earliest_slot([answers, both]) == 100.0
    assert pacing.book_earliest_slot([both]) == 103.0


async def test_a_slot_that_nobody_used_is_given_back() -> None:
    pacing, chat = CallPacing(Time()), PacingScope("chat", RateLimit(1, 30.0))
    async with asyncio.timeout(1):
        await pacing.book_slot_and_wait("lane", [chat])
        await pacing.book_slot_and_wait("lane", [chat])


async def test_a_sender_waits_for_its_slot() -> None:
    pacing, chat = CallPacing(), PacingScope("chat", RateLimit(1, 0.05))
    clock = asyncio.get_running_loop().time
    await pacing.book_slot_and_wait("lane", [chat])
    async with pacing.wait_and_count_call("lane", [chat]):
        pass
    began = clock()
    await pacing.book_slot_and_wait("lane", [chat])
    assert clock() - began > 0.04


def test_a_lane_that_is_held_up_is_so_for_its_time() -> None:
    time = Time()
    pacing = CallPacing(time)
    pacing.pause_lane("lane", 35)
    assert pacing.remaining_lane_pause_seconds("lane") > 0
    assert pacing.remaining_lane_pause_seconds("other") == 0
    time.seconds += 35
    assert pacing.remaining_lane_pause_seconds("lane") == 0


async def test_calls_that_are_late_for_their_slots_do_not_bunch_up() -> None:
    pacing, bot, made = CallPacing(), PacingScope("bot", RateLimit(2, 0.1)), []
    clock = asyncio.get_running_loop().time

    async def call(lane: int) -> None:
        await pacing.book_slot_and_wait(lane, [bot])
        if lane < 4:
            await asyncio.sleep(0.25)  # the machine is busy
        async with pacing.wait_and_count_call(lane, [bot]):
            made.append(clock())

    async with asyncio.TaskGroup() as tasks:
        for lane in range(8):
            tasks.create_task(call(lane))
    assert all(later - earlier > 0.09 for earlier, later in zip(sorted(made), sorted(made)[2:], strict=False))


async def test_calls_that_arrive_late_do_not_bunch_up_with_those_after_them() -> None:
    pacing, bot, arrived = CallPacing(), PacingScope("bot", RateLimit(2, 0.1)), []
    clock = asyncio.get_running_loop().time

    async def call(lane: int) -> None:
        await pacing.book_slot_and_wait(lane, [bot])
        async with pacing.wait_and_count_call(lane, [bot]):
            if lane < 2:
                await asyncio.sleep(0.09)  # a connection is opened
            arrived.append(clock())

    async with asyncio.TaskGroup() as tasks:
        for lane in range(6):
            tasks.create_task(call(lane))
    assert all(later - earlier > 0.09 for earlier, later in zip(arrived, arrived[2:], strict=False))


async def test_a_call_without_an_answer_takes_up_room_for_two_seconds_more() -> None:
    time = Time()
    pacing, bot = CallPacing(time), PacingScope("bot", RateLimit(1, 3.0))
    async with pacing.wait_and_count_call("lane", [bot]):
        for seconds, left in ((0.0, 3.0), (1.0, 3.0), (1.0, 3.0), (1.0, 2.0), (2.0, 0.0)):
            time.seconds += seconds
            assert pacing.seconds_until_room(bot) == left


async def test_waits_told_to_several_lanes_hold_for_the_whole_bot() -> None:
    time = Time()
    pacing, scope = CallPacing(time), PacingScope("x", RateLimit(10, 1.0))
    for lane in (1, 1, 2):
        pacing.pause_lane(lane, 35)
        assert pacing.book_earliest_slot([scope]) == 100.0
    pacing.pause_lane(3, 35)
    assert pacing.book_earliest_slot([scope]) == 135.0
    assert not pacing.has_unreserved_room("lane", [scope])


async def test_lanes_told_at_different_times_are_each_held_alone() -> None:
    time = Time()
    pacing = CallPacing(time)
    for lane in range(6):
        pacing.pause_lane(lane, 35)
        time.seconds += 1.0
    assert pacing.book_earliest_slot([PacingScope("x", RateLimit(10, 1.0))]) == time.seconds


def test_a_long_unused_scope_is_forgotten() -> None:
    time = Time()
    pacing = CallPacing(time)
    for number in range(20_000):
        pacing.book_earliest_slot([PacingScope(number, RateLimit(1, 1.0))])
        time.seconds += 0.1
    assert len(pacing._booked) < 6_000
