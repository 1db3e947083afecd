"""Run the whole bot in the simulator.

scripts/simulate 1000               a thousand seeds; exits with 1 if one of them is faulty, and names it
scripts/simulate 1000 --from 5000   those from 5000 on
scripts/simulate --seed 7           one seed: prints its hash; if it is faulty, tells the shortest story of it
scripts/simulate 20 --scenario town   twenty towns: fifty people each, who steer, stop, answer, edit and talk
scripts/simulate --bug NAME         how many seeds it takes until a deliberate bug is found; with --seed, its story
scripts/simulate --bugs             the same for each of them
scripts/simulate --until-fault      the seeds from 0 on until one is faulty
scripts/simulate --hashes 30        the hash of each of thirty seeds, which one process runs one after the other
"""

import argparse
import gc
import logging
import os
import re
import sys
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from statistics import median

from tests.rig.bugs import BUGS
from tests.rig.people import SCENARIOS
from tests.simulation.mutations import MUTATIONS, simulate_with
from tests.simulation.run import Simulation
from tests.simulation.scenarios import CROWDS
from tests.simulation.shrinking import shrink

CHUNK = 25  # seeds that a process takes at a time
MOST_SEEDS_FOR_A_BUG = 6_000
NONE_IS_FAULTY = "no seed is faulty"


def be_quiet() -> None:
    """Look only at what the bots log as an error. What is imported need not be looked through for garbage. What killed
    bots would still do when they are forgotten is of no interest: it reaches nothing."""
    logging.getLogger().setLevel(logging.ERROR)
    logging.getLogger().addHandler(logging.NullHandler())
    sys.unraisablehook = lambda found: None
    gc.collect()
    gc.freeze()
    gc.disable()


def play(seeds: range, scenario: str = "") -> list[tuple[int, list[str], str, Counter[str]]]:
    done = []
    for seed in seeds:
        run = Simulation(seed=seed, scenario=scenario).go()
        figures = Counter(run.figures) + Counter(kills=run.killed, commits=run.commits, messages=len(run.tags))
        done.append((seed, run.faults, run.scenario, figures))
    return done


def simulate(first: int, number: int, scenario: str = "") -> int:
    """Run so many seeds on all processors, in this scenario or in the one that each seed chooses. Return the number of
    faulty ones."""
    began, figures, faulty, count = time.monotonic(), Counter[str](), 0, 0
    size = 1 if scenario else CHUNK
    chunks = [range(at, min(at + size, first + number)) for at in range(first, first + number, size)]
    with ProcessPoolExecutor(os.cpu_count(), initializer=be_quiet) as pool:
        for done in pool.map(play, chunks, [scenario] * len(chunks)):
            for seed, faults, scenario, found in done:
                count += 1
                figures += found
                if faults:
                    faulty += 1
                    print(f"seed {seed} ({scenario}) is faulty:", *faults[:4], sep="\n   ", flush=True)
            if sys.stderr.isatty():
                print(f"\r{count} of {number}", end="", file=sys.stderr, flush=True)
    seconds = time.monotonic() - began
    listed = ", ".join(f"{name} {value}" for name, value in sorted(figures.items()))
    print(f"{count} seeds in {seconds:.0f} s ({count / seconds:.1f} a second): {listed}. FAULTY SEEDS {faulty}")
    return faulty


def find(bug: str, most: int = MOST_SEEDS_FOR_A_BUG, scenario: str = "") -> int | None:
    """Return the number of seeds after which a deliberate bug was found; None if it was not."""
    for seed in range(most):
        if Simulation(seed=seed, scenario=scenario, bug=bug).go().faults:
            return seed + 1
    return None


def find_mutation(name: str) -> int | None:
    """Return the number of seeds after which a deliberate change of the source was found; None if it was not."""
    mutation = MUTATIONS[name]
    where = ["--scenario", mutation.scenario] if mutation.scenario else []
    done = simulate_with(mutation, "--until-fault", *where)
    if found := re.search(r"found after (\d+) seeds", done.stdout):
        return int(found[1])
    if NONE_IS_FAULTY not in done.stdout:
        raise RuntimeError(f"the simulator failed with the change “{name}”: {done.stderr}")
    return None


def find_any(bug: str) -> int | None:
    return find_mutation(bug) if bug in MUTATIONS else find(bug)


def find_all(bugs: Sequence[str]) -> int:
    """Find deliberate bugs, and say how many seeds each took. Return how many were not found."""
    found = []
    with ProcessPoolExecutor(os.cpu_count(), initializer=be_quiet) as pool:
        for bug, seeds in zip(bugs, pool.map(find_any, bugs), strict=True):
            said = f"found after {seeds} seeds" if seeds else f"NOT FOUND in {MOST_SEEDS_FOR_A_BUG} seeds"
            print(f"{bug}: {said}", flush=True)
            found.append(seeds)
    print(f"median {median(seeds or MOST_SEEDS_FOR_A_BUG for seeds in found):g}, of at most {MOST_SEEDS_FOR_A_BUG}")
    return found.count(None)


def print_hashes(seeds: range) -> int:
    """Print each seed's line, as `replay` does. What one run leaves in its process must not change the next one."""
    be_quiet()
    for seed in seeds:
        print(describe(Simulation(seed=seed, scenario="").go()))
    return 0


def describe(run: Simulation) -> str:
    return f"seed {run.seed}, {run.scenario}: {run.hash.hexdigest()}"


def replay(seed: int, bug: str, scenario: str) -> int:
    be_quiet()
    run = Simulation(seed=seed, scenario=scenario, bug=bug).go()
    print(describe(run))
    if not run.faults:
        return 0
    short = shrink(run)
    print(f"{len(run.choices.made)} choices, shrunk to {len(short.choices.made)}:")
    for choice in short.choices.made:
        print(f"   {choice.name}, number {choice.number}: {choice.value} of {choice.below - 1}")
    print(*short.story, sep="\n")
    for error in short.errors[:1]:
        sys.excepthook(type(error), error, error.__traceback__)
    return 1


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="simulate", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("number", nargs="?", type=int, help="how many seeds: 1000 if not given")
    parser.add_argument("--from", dest="first", type=int, default=0, help="the first of them")
    parser.add_argument("--seed", type=int, help="run only this one")
    parser.add_argument("--until-fault", action="store_true", help="stop at the first faulty seed, and count")
    parser.add_argument("--hashes", action="store_true", help="print the hashes of these seeds")
    scenarios = [*CROWDS, *SCENARIOS]
    parser.add_argument("--scenario", choices=scenarios, default="", metavar="NAME", help="in this scenario")
    bugs = [*BUGS, *MUTATIONS]
    parser.add_argument("--bug", choices=bugs, default="", metavar="NAME", help="with this deliberate bug")
    parser.add_argument("--bugs", action="store_true", help="find each deliberate bug")
    given = parser.parse_args()
    if given.until_fault and given.bug in MUTATIONS:
        parser.error(f"--bug alone counts the seeds until “{given.bug}” is found")
    if given.bug and given.seed is None and (given.number or given.first):
        parser.error("--bug takes the seeds from 0 on until the bug is found: name no number, or one with --seed")
    if given.until_fault:
        be_quiet()
        found = find(given.bug, given.number or MOST_SEEDS_FOR_A_BUG, given.scenario)
        print(f"found after {found} seeds" if found else NONE_IS_FAULTY)
        return int(found is not None)
    if given.seed is not None and given.bug in MUTATIONS:
        where = ["--scenario", given.scenario or MUTATIONS[given.bug].scenario]
        done = simulate_with(MUTATIONS[given.bug], "--seed", str(given.seed), *(where if where[1] else []))
        print(done.stdout, end="")
        print(done.stderr, end="", file=sys.stderr)
        return done.returncode
    if given.seed is not None:
        return replay(given.seed, given.bug, given.scenario)
    if given.hashes:
        return print_hashes(range(given.first, given.first + (given.number or 1_000)))
    if given.bug or given.bugs:
        return int(find_all([given.bug] if given.bug else bugs) > 0)
    return int(simulate(given.first, given.number or 1_000, given.scenario) > 0)


if __name__ == "__main__":
    if os.environ.get("PYTHONHASHSEED") != "0":  # the order of sets is a choice too, and must be the same each time
        os.environ["PYTHONHASHSEED"] = "0"
        os.execv(sys.executable, [sys.executable, "-m", "tests.simulation", *sys.argv[1:]])
    sys.exit(main())
