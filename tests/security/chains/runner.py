"""Play many chains, in several processes, and say what came of them."""

import asyncio
import logging
import multiprocessing
import os
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from multiprocessing.pool import ThreadPool
from pathlib import Path

from tests.security.chains.playing import Outcome, Played, play, shrink
from tests.security.chains.program import Chain, make_chain
from tests.security.chains.weakened import WEAKENED, Weakening, find_with

CHAINS_AT_A_TIME = 50  # of a process
MAX_SHOWN = 20
MOST_LOOKED_THROUGH, MOST_PLAYED = 20_000, 150  # chains, when one is looked for


def play_and_print(numbers: Sequence[int]) -> int:
    """Play the chains of these numbers, and print each hole and the figures. Return the exit status."""
    began = time.monotonic()
    outcomes = dict(play_in_processes(numbers))
    holes = sorted(number for number, outcome in outcomes.items() if outcome is Outcome.HOLE)
    for number in holes[:MAX_SHOWN]:
        chain = make_chain(number)
        print(f"{number}: {chain}\n    shrunk: {asyncio.run(shrink_in_new_folders(chain))}")
    counts, carriers = Counter(outcomes.values()), sum(len(make_chain(number).moves) + 1 for number in outcomes)
    figures = ", ".join(f"{counts[each]:,} {each}" for each in Outcome)
    seconds = time.monotonic() - began
    print(f"{len(outcomes):,} chains with {carriers:,} carriers: {figures}; {seconds:.0f} s")
    return 1 if holes else 0


def play_in_processes(numbers: Sequence[int]) -> Iterator[tuple[int, Outcome]]:
    """Yield what came of each chain. They come in no order."""
    parts = [numbers[first : first + CHAINS_AT_A_TIME] for first in range(0, len(numbers), CHAINS_AT_A_TIME)]
    with multiprocessing.get_context("spawn").Pool(os.cpu_count()) as pool:
        for played in pool.imap_unordered(play_some, parts):
            yield from played


def play_some(numbers: Sequence[int]) -> list[tuple[int, Outcome]]:
    logging.disable(logging.CRITICAL)
    return asyncio.run(play_one_after_the_other(numbers))


async def play_one_after_the_other(numbers: Iterable[int]) -> list[tuple[int, Outcome]]:
    return [(number, (await play_in_new_folder(make_chain(number))).outcome) for number in numbers]


async def play_in_new_folder(chain: Chain) -> Played:
    with tempfile.TemporaryDirectory() as folder:
        try:
            return await play(chain, Path(folder))
        except BaseException as error:
            error.add_note(f"while this was played: {chain}")
            raise


async def shrink_in_new_folders(chain: Chain) -> Chain:
    with tempfile.TemporaryDirectory() as folder:
        return await shrink(chain, lambda: Path(tempfile.mkdtemp(dir=folder)))


def find_and_print(way: str) -> int:
    """Play chains whose text holds `way` until one finds a hole. Return 0 if one does."""
    logging.disable(logging.CRITICAL)
    texts = ((number, make_chain(number)) for number in range(MOST_LOOKED_THROUGH))
    fitting = islice(((number, chain) for number, chain in texts if way in str(chain)), MOST_PLAYED)
    for tried, (number, chain) in enumerate(fitting, 1):
        if asyncio.run(play_in_new_folder(chain)).outcome is Outcome.HOLE:
            print(f"after {tried}: {number}: {chain}")
            return 0
    print("nothing found")
    return 1


def weaken_and_print(word: str) -> int:
    """Look for each weakening whose name holds the word. Return 0 if a hole was found in each."""
    chosen = [each for each in WEAKENED if word in each.name]
    with ThreadPool(os.cpu_count()) as pool:
        done = zip(chosen, pool.imap(find_with, chosen), strict=True)
        missed = [each for each, found in done if print_found(each, found)]
    print(f"{len(chosen) - len(missed)} of {len(chosen)} found")
    return 1 if missed else 0


def print_found(weakened: Weakening, found: subprocess.CompletedProcess[str]) -> bool:
    """Say what was found. Return True if nothing was."""
    print(f"{weakened.name}: {found.stdout.strip() or found.stderr.strip()}", flush=True)
    return found.returncode != 0
