"""The rig that kills the bot: it passes the bot as it is, and finds each of the bugs that it might have had."""

import asyncio
from collections.abc import Iterable
from typing import Any

import pytest

from tests.rig.crossing import OF_GROUPS
from tests.rig.people import SCENARIOS
from tests.rig.run import Run

BUG_PATIENCE_SECONDS, BUG_STILL_SECONDS = 25, 3
# The scenario, the chats that are enough, and moments of death: the first mostly show the bug, the others are for busy
# machines. What needs one moment of thousands, only the simulator finds.
WHERE = {
    "sending is unsent": ("go", ["tg:1"], [f"send:{k}" for k in range(3, 12)]),
    "started is not written": ("go", ["tg:1"], [f"effect:{k}" for k in range(1, 7)]),
    "results per step": ("go", ["tg:1"], [f"effect:{k}" for k in range(2, 7)]),
    "steering is taken first": ("instead", ["tg:1"], [""]),
    "attempts of all": ("one_bomb", ["tg:1"], [""]),
    "updates are drafts": ("nested", ["tg:1"], [""]),
    "held calls start without a yes": ("costly_late", ["tg:1"], [""]),
    "an answered question about cost is open again after a kill": (
        "costly",
        ["tg:1"],
        [f"effect:{k}" for k in (8, 5, 6, 7)],
    ),
    "a call runs before its yes": ("held", ["tg:1"], [""]),
    "a call that was agreed to takes the arguments of another": ("held", ["tg:1"], [""]),
    "a yes counts twice after a kill": ("held", ["tg:1"], [f"effect:{k}" for k in (1, 2, 3)]),
    **dict.fromkeys(OF_GROUPS, ("hops", [], [""] * 3)),  # a kept place shows only if one asks while others are free
}
FOUND_AS = {  # which check finds a bug that is made for it
    "updates are drafts": "was not said",
    "a call runs before its yes": "was done before its yes",
    "a call that was agreed to takes the arguments of another": "has other arguments than the model gave",
    "a yes counts twice after a kill": "was done 2 times",
    "an asked group posts in its own chat": "was said at",
    "answers are kept by name": "and should have been told",
    "an asked group has its asker's walls": "knows of",
    "places of asked groups are not counted": " groups are asked",
    "places of asked groups are kept": "one more is too many",
}
# By scenario: about how many commits one of its chats takes, and the events at which it is killed too.
SAMPLED = {
    "go": (95, ["effect:2"]),
    "stop_midway": (45, ["effect:2"]),
    "stop_searching": (40, ["model:2"]),
    "trouble": (22, ["send:2"]),
    "many": (200, ["model:20"]),
    "memory": (105, ["effect:3"]),
    "several": (105, ["effect:2"]),
    "hops": (180, ["effect:1"]),
    "files": (50, ["send:9", "effect:2"]),
    "arrivals": (33, ["fetch:2", "fetch:4"]),
    "held": (200, ["effect:1"]),
    "schedules": (240, ["send:9"]),
    "persons": (85, ["send:9"]),
    "clubs": (40, ["send:9", "leave:1"]),
    "voices": (32, ["transcription:2"]),
}
TOGETHER = ("hops", "persons")  # scenarios whose chats need each other


async def first_faults(runs: Iterable[Run]) -> list[str]:
    for run in runs:
        if faults := (await run.go()).faults:
            return faults
    return []


@pytest.mark.fast
@pytest.mark.timeout(120)
@pytest.mark.parametrize("bug", WHERE)
async def test_a_deliberate_bug_is_found(bug: str) -> None:
    scenario, chats, moments = WHERE[bug]
    # Some bugs are found because the run never comes to rest: mostly nothing happens any more.
    options: dict[str, Any] = {"patience_seconds": BUG_PATIENCE_SECONDS, "still_seconds": BUG_STILL_SECONDS}
    options |= {"only": chats, "ends_at_fault": bug not in FOUND_AS}
    runs = (Run(1, scenario, kill=moment, bug=bug, **options) for moment in moments)
    faults = await first_faults(runs)
    assert [fault for fault in faults if FOUND_AS.get(bug, "") in fault]


def moments_of(scenario: str) -> list[str]:
    """Return when the first lives of the bot end in each run: all over the scenario, and then early in the next life,
    which finds what the first has left."""
    commits, events = SAMPLED[scenario]
    first = [f"before:{commits // 6}", f"after:{commits // 3}", f"before:{commits // 2}", f"after:{commits * 4 // 5}"]
    then = ["after:2", "before:4", "after:9", "before:3", "before:6", "after:4"]
    return [f"{moment} {again}" for moment, again in zip([*first, *events], then, strict=False)]


@pytest.mark.timeout(120)
@pytest.mark.parametrize("scenario", SAMPLED)
async def test_nobody_in_the_world_can_tell_that_the_bot_was_killed(scenario: str) -> None:
    """At commits and events all over a scenario. (All of them, of all scenarios, are scripts/torture's.)"""
    chats = list(SCENARIOS[scenario])
    parts = [chats] if scenario in TOGETHER else [[chat] for chat in chats]
    runs = [
        Run(1, scenario, kill=moment, group=1, only=parts[number % len(parts)])
        for number, moment in enumerate(moments_of(scenario))
    ]
    waiting = runs[::-1]

    async def worker() -> None:
        while waiting:
            await waiting.pop().go()

    await asyncio.gather(*(worker() for _ in range(3)))
    assert [(str(run), fault) for run in runs for fault in run.faults] == []
    assert sum(run.killed for run in runs) > len(runs)
