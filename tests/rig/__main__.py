"""The battery: kill the bot everywhere, and see that nobody in its world can tell.

scripts/torture calm                        every scenario, unharmed
scripts/torture commits go [stride]         before and after each commit of a scenario (or of `all`)
scripts/torture events go [stride]          at each accepted send, effect and model answer (or of `all`)
scripts/torture random mix 30 4             thirty runs, with four kills each at no moment in particular
scripts/torture whole [stride]              all of these, of all scenarios: what docs/reliability.md shows
scripts/torture load [telegram|discord]     many people at once, where limits hold: see tests/load/__main__.py
scripts/torture bombs [albums]              files made to do harm, and a flood of albums: see tests/load/bombs.py
scripts/torture tenants                     three in containers, one of them noisy: see tests/containers/noise.py
scripts/torture escapes [WORD]              programs that try to leave the sandbox: see tests/shell/__main__.py
"""

import asyncio
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Iterable

from tests.containers.noise import main as tenants
from tests.load.__main__ import main as load
from tests.load.bombs import main as bombs
from tests.rig.people import SCENARIOS
from tests.rig.run import Run
from tests.shell.__main__ import main as escapes

AT_ONCE = 4


async def all_of(runs: Iterable[Run]) -> list[Run]:
    waiting, done = list(runs)[::-1], []

    async def worker() -> None:
        while waiting:
            run = await waiting.pop().go()
            done.append(run)
            if run.faults:
                print("FAULT", run, *run.faults[:6], sep="\n   ", flush=True)

    await asyncio.gather(*(worker() for _ in range(AT_ONCE)))
    return done


async def commits(scenario: str, stride: int) -> list[Run]:
    count = (await Run(1, scenario, group=1).go()).commits
    moments = [f"{when}:{k}" for k in range(1, count + 1, stride) for when in ("before", "after")]
    return await all_of(Run(1, scenario, kill=moment, group=1) for moment in moments)


async def events(scenario: str, stride: int) -> list[Run]:
    counts = (await Run(1, scenario).go()).counts
    moments = [f"{what}:{k}" for what, n in counts.items() for k in range(1, n + 1, stride)]
    return await all_of(Run(1, scenario, kill=moment) for moment in moments)


async def at_random(scenario: str, number: int, kills: int) -> list[Run]:
    return await all_of(Run(100 + n, scenario, kills=kills, places=1 + n % 3) for n in range(number))


async def calm() -> list[Run]:
    narrow = [Run(8, "nested", places=1), Run(9, "nested", places=2)]
    return await all_of([*(Run(n, name) for n, name in enumerate(SCENARIOS)), *narrow])


async def timed(title: str, runs: Awaitable[list[Run]]) -> list[Run]:
    began = time.monotonic()
    done = await runs
    report(title, done, time.monotonic() - began)
    return done


async def whole(stride: int) -> list[Run]:
    """Run every scenario in all ways. The totals come last."""
    done = await timed("calm", calm())
    for name in SCENARIOS:
        done += await timed(f"commits {name}", commits(name, stride))
        done += await timed(f"events {name}", events(name, stride))
    return done + await timed("random mix", at_random("mix", 100, 4))


async def battery(what: str, *words: str) -> list[Run]:
    scenario, number, kills = [*words, *("mix", "1", "4")[len(words) :]][:3]
    names = SCENARIOS if scenario == "all" else [scenario]
    match what:
        case "calm":
            return await calm()
        case "commits":
            return [run for name in names for run in await commits(name, int(number))]
        case "events":
            return [run for name in names for run in await events(name, int(number))]
        case "random":
            return await at_random(scenario, int(number), int(kills))
        case "whole":
            return await whole(int(words[0]) if words else 1)
    sys.exit(__doc__)


def report(title: str, runs: list[Run], seconds: float) -> None:
    figures = sum((run.figures for run in runs), Counter[str]())
    figures["kills"] = sum(run.killed for run in runs)
    figures["messages"] = sum(len(run.tags) for run in runs)
    figures["sends"] = sum(len(run.world.sends) for run in runs)
    figures["effects"] = sum(len(run.world.effects) for run in runs)
    figures["model answers"] = sum(run.world.billings for run in runs)
    figures["most at work"] = max(run.world.most_at_work for run in runs)
    faulty = sum(bool(run.faults) for run in runs)
    listed = ", ".join(f"{name} {number}" for name, number in sorted(figures.items()))
    print(f"{title}: {len(runs)} runs in {seconds:.0f} s: {listed}. FAULTY RUNS {faulty}", flush=True)


def main(*words: str) -> int:
    if words[:1] == ("load",):
        return int(bool(asyncio.run(load(*words[1:]))))
    if words[:1] == ("bombs",):
        return asyncio.run(bombs(*words[1:]))
    if words[:1] == ("tenants",):
        return asyncio.run(tenants(*words[1:]))
    if words[:1] == ("escapes",):
        return asyncio.run(escapes(*words[1:]))
    began = time.monotonic()
    runs = asyncio.run(battery(*(words or ("calm",))))
    report(" ".join(words), runs, time.monotonic() - began)
    return int(any(run.faults for run in runs))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
