"""Try the HTTP API with a client that is generated from its description.

python -m tests.web_page.api                three rounds, each with a bot and a seed of its own
python -m tests.web_page.api --rounds 20    more of them
python -m tests.web_page.api --seed 7       one round again

It exits with 1 if an answer is not as the description says.
"""

import argparse
import asyncio
import random
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.web_page.api.generated_client import HOW, LOCK, find_program, try_api

EXAMPLES = 8  # of each operation in a round, which must end before the bot of a test does


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
    failed = 0
    for seed in seeds:
        with tempfile.TemporaryDirectory() as data:
            options = ["--seed", str(seed), "--max-examples", str(EXAMPLES)]
            code, printed = asyncio.run(try_api(Path(data), program, options))
        print(printed if code else printed.partition("SUMMARY")[2])
        failed += bool(code)
    print(f"{failed} of {len(seeds)} rounds failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
