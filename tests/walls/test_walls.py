"""Nobody reads or changes what is somebody else's: by any tool, command, id, path, name or question."""

import pytest

from bot.config.roles import EXISTING_TOOLS
from bot.core.texts import people
from tests.support.bench import Bench
from tests.walls.attempts import COMMANDS, OTHER_COMMANDS, OTHERS, TOOLS
from tests.walls.playing import PAIRS, try_all
from tests.walls.world import Place, World

MOST_GUESSES = 3  # of each way, by the first pairs; `python -m tests.walls` makes all
TRIED = PAIRS[:7]
LEAST_ATTEMPTS = {"guest": 20, "annhall": 20}  # at those who have little to themselves


def test_each_tool_and_each_command_stands_in_the_table() -> None:
    assert {*TOOLS, *OTHERS} == EXISTING_TOOLS
    assert not TOOLS.keys() & OTHERS.keys()
    assert {*COMMANDS, *OTHER_COMMANDS} == {*people.COMMANDS}
    assert not COMMANDS.keys() & OTHER_COMMANDS.keys()


@pytest.mark.fast(cases=3)
@pytest.mark.parametrize(("actor", "victim"), TRIED, ids=[f"{actor.name}-{victim.name}" for actor, victim in TRIED])
async def test_no_attempt_reaches_what_is_anothers(bench: Bench, actor: Place, victim: Place) -> None:
    world = World(bench, bench.data, (actor, victim))
    async with bench.run(**world.options):
        outcome = await try_all(world, actor, victim, MOST_GUESSES)
    assert outcome.faults == []
    assert outcome.tried.total() >= LEAST_ATTEMPTS.get(victim.name, 80)
