"""Hold a long random talk, and build each of its requests again.

python -m tests.time_travel [TURNS] [SEED]      1,000 messages of people if nothing is said, and seed 1
"""

import asyncio
import logging
import sys
import tempfile
from pathlib import Path

from tests.stand_ins.claude import ClaudeStandIn
from tests.time_travel.judging import Findings, talk_and_judge

TURNS, SEED = 1_000, 1


async def judge(turns: int, seed: int) -> Findings:
    with tempfile.TemporaryDirectory() as folder:
        async with ClaudeStandIn() as server:
            return await talk_and_judge(Path(folder), server, seed, turns)


def main() -> int:
    logging.disable()
    given = [int(value) for value in sys.argv[1:3]]
    turns, seed = [*given, *(TURNS, SEED)[len(given) :]]
    found = asyncio.run(judge(turns, seed))
    sys.stdout.write(f"{found}\n")
    return int(bool(found.not_rebuilt or found.different))


if __name__ == "__main__":
    sys.exit(main())
