"""The steps of a turn: what its person writes meanwhile joins it, and near a limit it is warned."""

import pytest

from bot.core.content_blocks import text_block
from bot.core.limits import Limits
from bot.core.prices import Micros, Usage
from bot.core.texts import model
from bot.core.turn import TurnUsage
from tests.support.bench import Bench
from tests.support.engine_options import TURN_LIMITS, engine_options, limits_with
from tests.support.fakes import Pause, reply, uses


async def test_a_turn_takes_in_its_own_persons_new_messages_and_no_others(bench: Bench) -> None:
    pause = Pause(reply(uses("read")))
    bench.model.says("lead", pause, "to Ann", "to Bob")
    async with bench.run():
        bench.chat.hears("go")
        await pause.reached.wait()
        bench.chat.hears("and this")
        bench.chat.hears("me too", by="Bob")
        bench.chat.hears("and that")
        bench.model.says("lead", "to Ann again")
        await bench.chat.is_taken_in()
        pause.go_on.set()
        said = [await bench.chat.said() for _ in range(3)]
    assert said == ["to Ann", "to Bob", "to Ann again"]
    assert bench.model.heard("lead", 1) == ["read", "Ann: and this"]


@pytest.mark.parametrize(
    ("limits", "usage", "steps"),
    [
        (limits_with(iterations=5), Usage(output=10), 4),
        (limits_with(tokens=40_000), Usage(cache_write_1h=33_000), 1),
        (TURN_LIMITS, Usage(output=10, searches=85), 1),
    ],
    ids=["iterations", "tokens", "dollars"],
)
async def test_near_a_limit_a_turn_is_told_once_right_after_the_results(
    bench: Bench, limits: Limits, usage: Usage, steps: int
) -> None:
    several = [reply(uses("read", path=str(number)), usage=usage) for number in range(steps)]
    bench.model.says("lead", *several, reply(uses("read"), usage=Usage(output=10)), "done")
    async with bench.run(**engine_options(turn=limits)):
        bench.chat.hears("dig")
        assert await bench.chat.said() == "done"
    transcript = bench.model.seen[-1].transcript
    notices = [number for number, entry in enumerate(transcript) if entry.content == [text_block(model.NEARLY_USED_UP)]]
    assert notices == [2 * steps + 1]
    assert transcript[notices[0]].role == "system"
    assert transcript[notices[0] - 1].content[0]["content"] == "read"


async def test_a_turn_far_from_its_limits_is_told_nothing(bench: Bench) -> None:
    bench.model.says("lead", *(reply(uses("read", path=str(number))) for number in range(6)), "done")
    async with bench.run(**engine_options(turn=limits_with(iterations=10))):
        bench.chat.hears("dig")
        assert await bench.chat.said() == "done"
    assert {entry.role for entry in bench.model.seen[-1].transcript} == {"user", "assistant"}


def test_the_nearest_limit_counts() -> None:
    limits = Limits(iterations=10, tokens=1_000, cost=Micros(1_000), seconds=10)
    assert TurnUsage(steps=5, tokens=600, cost=Micros(700), seconds=8).highest_share_used(limits) == 0.8
