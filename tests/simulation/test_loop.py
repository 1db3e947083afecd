"""The loop on virtual time, and the choices: what a kill leaves undone, and how a run is done again."""

import asyncio
import contextvars
from collections.abc import Callable, Iterator

import pytest

from tests.simulation.choices import Choices, ChosenRandom
from tests.simulation.loop import OF_WORLD, Killed, SimulatedLoop, Stuck, process
from tests.simulation.store import tear

MakeLoop = Callable[..., SimulatedLoop]


@pytest.fixture
def make_loop() -> Iterator[MakeLoop]:
    """Make loops, whose choices are harmless unless some are given. They are closed at the end."""
    made: list[SimulatedLoop] = []

    def make(choices: Choices | None = None) -> SimulatedLoop:
        made.append(SimulatedLoop(choices or Choices(0, given={})))
        return made[-1]

    yield make
    for loop in made:
        loop.close()


def of_process(number: int) -> contextvars.Context:
    context = contextvars.copy_context()
    context.run(process.set, number)
    return context


def test_time_jumps_to_the_next_timer(make_loop: MakeLoop) -> None:
    loop = make_loop()

    async def main() -> float:
        await asyncio.sleep(3_600)
        return loop.time()

    assert 3_600 <= loop.run(main()) < 3_601


def test_the_order_of_what_is_ready_follows_the_seed(make_loop: MakeLoop) -> None:
    def order(choices: Choices) -> list[int]:
        found: list[int] = []

        async def main() -> None:
            await asyncio.gather(*(note(n) for n in range(20)))

        async def note(n: int) -> None:
            found.append(n)

        make_loop(choices).run(main())
        return found

    assert order(Choices(0, given={})) == list(range(20))
    assert order(Choices(1)) == order(Choices(1)) != order(Choices(2))


def test_a_killed_process_does_nothing_more_and_runs_no_finally(make_loop: MakeLoop) -> None:
    loop, done = make_loop(), []

    async def work() -> None:
        try:
            await asyncio.sleep(1)
            done.append("the work")
        finally:
            done.append("finally")

    async def main() -> None:
        loop.create_task(work(), context=of_process(1))
        loop.create_task(work(), context=of_process(2))
        await asyncio.sleep(0.5)
        loop.dead.add(1)
        await asyncio.sleep(1)

    loop.run(main())
    assert done == ["the work", "finally"]


def test_a_step_that_dies_ends_only_itself(make_loop: MakeLoop) -> None:
    loop = make_loop()

    def die() -> None:
        raise Killed

    async def main() -> int:
        loop.call_soon(die)
        await asyncio.sleep(0.1)
        return process.get()

    assert loop.run(main()) == OF_WORLD


def test_a_wait_that_nobody_ends_is_found(make_loop: MakeLoop) -> None:
    async def main() -> None:
        await asyncio.Event().wait()

    with pytest.raises(Stuck, match="nobody will do"):
        make_loop().run(main())


def test_steps_without_end_are_found(make_loop: MakeLoop) -> None:
    async def main() -> None:
        while True:  # noqa: ASYNC110 -- that is the fault
            await asyncio.sleep(0)

    with pytest.raises(Stuck, match="steps without a wait"):
        make_loop().run(main())


def test_choices_that_were_written_down_are_made_again() -> None:
    first = Choices(5)
    rng = ChosenRandom(first, "rng")
    made = [first.pick("a", 10), first.happens("b", 0.5), rng.uniform(1, 2), rng.choice("xyz"), first.pick("a", 10)]
    again = Choices(0, given={(each.name, each.number): each.value for each in first.made})
    rng = ChosenRandom(again, "rng")
    assert [
        *(again.pick("a", 10), again.happens("b", 0.5), rng.uniform(1, 2), rng.choice("xyz"), again.pick("a", 10))
    ] == made
    harmless = Choices(0, given={})
    assert (harmless.pick("a", 10), harmless.happens("b", 1.0), harmless.seconds("c", 1, 2)) == (0, False, 1)


@pytest.mark.parametrize(("share", "left"), [(0.0, b"abc"), (0.5, b"abcx"), (0.99, b"abcx")])
def test_a_torn_log_has_only_a_part_of_the_last_write(share: float, left: bytes) -> None:
    assert tear(b"abc", b"abcxy", share) == left
    assert tear(b"abcd", b"xyzd", 0.7) == b"xycd"
    old = b"a" * 100  # a log that has begun anew
    assert tear(old, b"xyz" + old[3:], 0.5) == b"x" + old[1:]


def test_an_error_that_nobody_asks_for_is_kept(make_loop: MakeLoop) -> None:
    loop = make_loop()

    async def fail() -> None:
        raise ValueError("unheard")

    async def main() -> None:
        loop.create_task(fail(), context=of_process(1))
        loop.create_task(fail(), context=of_process(2))
        await asyncio.sleep(1)
        loop.dead.add(2)

    loop.run(main())
    assert [str(error) for error in loop.unretrieved_errors()] == ["unheard"]
