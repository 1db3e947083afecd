"""Try to reach what others have: `python -m tests.walls`. Prints how often each has tried, and what was reached."""

import asyncio
import sys
import tempfile
import time
from pathlib import Path

from tests.support.bench import Bench
from tests.walls.playing import PAIRS, Outcome, try_all
from tests.walls.world import Place, World


async def play(actor: Place, victim: Place) -> Outcome:
    with tempfile.TemporaryDirectory() as folder:
        world = World(Bench(Path(folder)), Path(folder), (actor, victim))
        async with world.bench.run(**world.options):
            return await try_all(world, actor, victim)


def main() -> int:
    began, attempts, faults = time.monotonic(), 0, 0
    for actor, victim in PAIRS:
        outcome = asyncio.run(play(actor, victim))
        attempts, faults = attempts + outcome.tried.total(), faults + len(outcome.faults)
        lines = [f"{actor.name} at {victim.name}: {outcome.tried.total()} attempts", *outcome.faults]
        sys.stdout.write("\n   ".join(lines) + "\n")
        sys.stdout.flush()
    sys.stdout.write(f"{attempts} attempts in {time.monotonic() - began:.0f} s: {faults} faults\n")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
