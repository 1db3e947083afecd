"""A shorter run with the same fault: with fewer choices that are not harmless."""

import re

from tests.simulation.choices import Choice
from tests.simulation.run import Simulation

ATTEMPTS = 400  # of shrinking
IDS_AND_QUOTATIONS = re.compile(r"'[^']*'|\S*\d\S*|\[.*\]")


def name_of(fault: str) -> str:
    """Return what two faults of the same kind have in common: the words without ids, numbers and quotations."""
    return IDS_AND_QUOTATIONS.sub("", fault)


def shrink(failed: Simulation, attempts: int = ATTEMPTS) -> Simulation:
    """Return a run with the same kind of fault, and as few choices that are not harmless as could be found."""
    wanted, best = name_of(failed.faults[0]), failed

    def replayed(choices: list[Choice]) -> Simulation | None:
        nonlocal attempts
        attempts -= 1
        given = {(each.name, each.number): each.value for each in choices}
        run = Simulation(seed=failed.seed, scenario=failed.scenario, bug=failed.bug, given=given).go()
        return run if run.faults and name_of(run.faults[0]) == wanted else None

    for name in sorted({each.name for each in best.choices.made}):
        if found := replayed([each for each in best.choices.made if each.name != name]):
            best = found
    size = max(1, len(best.choices.made) // 2)
    while size and attempts > 0:
        start = 0
        while start < len(best.choices.made) and attempts > 0:
            made = best.choices.made
            if found := replayed(made[:start] + made[start + size :]):
                best = found
            else:
                start += size
        size //= 2
    return best
