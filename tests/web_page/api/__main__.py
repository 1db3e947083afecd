"""Try the HTTP API with a client that is generated from its description.

python -m tests.web_page.api                three rounds, each with a bot and a seed of its own
python -m tests.web_page.api --rounds 20    more of them
python -m tests.web_page.api --seed 7       one round again

It exits with 1 if an answer is not as the description says.
"""

import argparse
import asyncio
import random
import re
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.web_page.api.generated_client import HOW, LOCK, find_program, try_api

EXAMPLES = 10  # of each operation
PARTS = ("examples,coverage", "fuzzing", "stateful")  # of a round: each ends before the bot of a test must


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.web_page.api", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, help="of the only round")
    chosen = parser.parse_args(words)
    program = find_program()
    if program is None:
        sys.exit(f"the client is not installed: {HOW.format(lock=LOCK)}")
    seeds = [chosen.seed] if chosen.seed is not None else [random.randrange(10**6) for _ in range(chosen.rounds)]
    failed = [seed for seed in seeds if not asyncio.run(play_round(program, seed))]
    print(f"{len(failed)} of {len(seeds)} rounds failed", *failed)
    return 1 if failed else 0


async def play_round(program: str, seed: int) -> bool:
    """Run each part with a bot of its own. Print what failed. Return True if nothing did."""
    is_good = True
    for phases in PARTS:
        with tempfile.TemporaryDirectory() as data:
            options = ["--seed", str(seed), "--phases", phases, "--max-examples", str(EXAMPLES)]
            code, printed = await try_api(Path(data), program, options)
        cases = re.search(r"\d+ generated.*", printed)
        print(printed if code or not cases else f"seed {seed}, {phases}: {cases[0]}", flush=True)
        is_good &= code == 0
    return is_good


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
