"""The rig that kills the bot: it passes the bot as it is, and finds each of the bugs that it might have had."""

import asyncio
from collections.abc import Iterable

import pytest

from tests.rig.crossing import OF_GROUPS
from tests.rig.run import Run

BUG_PATIENCE_SECONDS, BUG_STILL_SECONDS, COMMITS_TO_KILL_AT = 25, 5, 10
# The scenario, and moments of death: the first mostly show the bug, the others are for busy machines. What needs one
# moment of thousands, only the simulator finds.
WHERE = {
    "sending is unsent": ("go", [f"send:{k}" for k in range(1, 25)]),
    "started is not written": ("go", [f"effect:{k}" for k in range(1, 17)]),
    "results per step": ("go", [f"effect:{k}" for k in range(2, 16)]),
    "steering is taken first": ("instead", [""]),
    "attempts of all": ("one_bomb", [""]),
    "updates are drafts": ("nested", [""]),
    "held calls start without a yes": ("costly", [""]),
    "an answered question about cost is open again after a kill": ("costly", [f"effect:{k}" for k in (16, 20, 12, 24)]),
    **dict.fromkeys(OF_GROUPS, ("hops", [""])),
}
FOUND_AS = {  # which check finds a bug that is made for it
    "updates are drafts": "was not said",
    "an asked group posts in its own chat": "was said at",
    "answers are kept by name": "and should have been told",
    "an asked group has its asker's walls": "knows of",
    "places of asked groups are not counted": " groups are asked",
    "places of asked groups are kept": "one more is too many",
}


async def first_faults(runs: Iterable[Run]) -> list[str]:
    for run in runs:
        if faults := (await run.go()).faults:
            return faults
    return []


@pytest.mark.fast
@pytest.mark.timeout(120)
@pytest.mark.parametrize("bug", WHERE)
async def test_a_deliberate_bug_is_found(bug: str) -> None:
    scenario, moments = WHERE[bug]
    # Some bugs are found because the run never comes to rest: mostly nothing happens any more.
    patience, still = BUG_PATIENCE_SECONDS, BUG_STILL_SECONDS
    runs = (
        Run(1, scenario, kill=moment, bug=bug, patience_seconds=patience, still_seconds=still) for moment in moments
    )
    faults = await first_faults(runs)
    assert [fault for fault in faults if FOUND_AS.get(bug, "") in fault]


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    "scenario",
    ["go", "stop_midway", "stop_searching", "trouble", "many", "memory", "several", "hops", "files", "persons"],
)
async def test_nobody_in_the_world_can_tell_that_the_bot_was_killed(scenario: str) -> None:
    """At commits and events all over a scenario. (All of them, of all scenarios, are scripts/torture's.)"""
    unharmed = await Run(1, scenario, group=1).go()
    assert unharmed.faults == []
    step = max(40, unharmed.commits // COMMITS_TO_KILL_AT)
    moments = [f"{when}:{k}" for k in range(1, unharmed.commits, step) for when in ("before", "after")]
    moments += [f"{what}:{n // 2}" for what, n in unharmed.counts.items() if n > 1]
    waiting = [Run(1, scenario, kill=moment, group=1) for moment in moments]
    faults: list[tuple[str, str]] = []

    async def worker() -> None:
        while waiting:
            run = await waiting.pop().go()
            faults.extend((str(run), fault) for fault in run.faults)

    await asyncio.gather(*(worker() for _ in range(3)))
    assert faults == []
