"""Keeping below a platform's limits: nobody waits longer than they must, and who asks first goes first."""

import asyncio

from channels.pacing import Pacing, Window

MESSAGES = Window(2, 0.1)


async def test_calls_wait_until_their_lane_has_room() -> None:
    pacing, now = Pacing(Window(100, 1.0)), asyncio.get_running_loop().time
    made = []
    for _ in range(5):
        await pacing.pace("a", MESSAGES)
        made.append(now())
    assert all(later - earlier >= 0.08 for earlier, later in zip(made, made[2:], strict=False))
    assert made[-1] - made[0] < 0.4


async def test_a_lane_that_waits_keeps_no_other_waiting() -> None:
    pacing, now = Pacing(Window(100, 1.0)), asyncio.get_running_loop().time
    began = now()
    async with asyncio.TaskGroup() as tasks:
        slow = [tasks.create_task(pacing.pace("slow", MESSAGES)) for _ in range(8)]
        await asyncio.sleep(0)
        await pacing.pace("quick", MESSAGES)
        assert now() - began < 0.05
        for each in slow:
            await each
    assert now() - began >= 0.29


async def test_who_asks_first_goes_first() -> None:
    pacing = Pacing(Window(100, 1.0))
    order: list[int] = []

    async def call(number: int) -> None:
        await pacing.pace("a", Window(1, 0.01))
        order.append(number)

    async with asyncio.TaskGroup() as tasks:
        for number in range(6):
            tasks.create_task(call(number))
    assert order == [0, 1, 2, 3, 4, 5]


async def test_all_lanes_share_what_the_bot_may_do() -> None:
    pacing, now = Pacing(Window(3, 0.1)), asyncio.get_running_loop().time
    made: list[float] = []

    async def call(lane: str) -> None:
        await pacing.pace(lane, MESSAGES)
        made.append(now())

    async with asyncio.TaskGroup() as tasks:
        for number in range(9):
            tasks.create_task(call(f"lane {number}"))
    made.sort()
    assert all(later - earlier >= 0.08 for earlier, later in zip(made, made[3:], strict=False))


async def test_what_is_cosmetic_has_room_only_where_it_costs_nobody_their_place() -> None:
    pacing = Pacing(Window(100, 1.0))
    assert pacing.has_room("a", Window(3, 1.0))
    pacing.take("a", Window(3, 1.0))
    assert pacing.has_room("a", Window(3, 1.0))
    pacing.take("a", Window(3, 1.0))
    assert not pacing.has_room("a", Window(3, 1.0))
    assert pacing.has_room("b", Window(3, 1.0))


async def test_nothing_goes_while_the_platform_asks_the_whole_bot_to_wait() -> None:
    pacing, now = Pacing(Window(100, 1.0)), asyncio.get_running_loop().time
    began = now()
    pacing.hold(0.1)
    assert not pacing.has_room("a", MESSAGES)
    await pacing.pace("a", MESSAGES)
    assert now() - began >= 0.08
    assert pacing.has_room("b", MESSAGES)


def test_lanes_that_are_still_are_forgotten() -> None:
    clock = [0.0]
    pacing = Pacing(Window(10_000, 1.0), now=lambda: clock[0])
    for number in range(3_000):
        clock[0] += 1.0
        pacing.take(f"lane {number}", MESSAGES)
    assert len(pacing._lanes) < 1_100
