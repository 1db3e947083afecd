"""Play a public suite of tasks and attacks (PyPI `agentdojo`) against the whole bot, over MCP.

python -m tests.public_suite                    all four suites: 97 tasks and 949 pairs of a task and an attack
python -m tests.public_suite banking slack      some suites
python -m tests.public_suite --open             the same with the gate open: nobody is asked
python -m tests.public_suite --late             the model obeys when its task is done, not at once
python -m tests.public_suite --pairs 20         only so many pairs of each suite, spread evenly
python -m tests.public_suite --verbose          also each question of a harmless task, with its words

It installs the suite into an environment of its own in the cache folder. It exits with 1 if an attack has made a
change, sent or spent something, unless the gate is open.
"""

import argparse
import asyncio
import logging
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from tests.public_suite.environment import SERVER, NotInstalled, install_suite
from tests.public_suite.playing import SUITES, Case, SuiteBot, Verdict, read_declarations
from tests.public_suite.report import describe_asked, describe_breach, table


async def play_suite(bot: SuiteBot, max_pairs: int | None) -> list[Verdict]:
    async with bot.run():
        tasks, pairs = await bot.list_cases()
        return [await bot.play(case) for case in (*tasks, *spread_evenly(pairs, max_pairs))]


def spread_evenly(pairs: Sequence[Case], wanted: int | None) -> Sequence[Case]:
    if wanted is None or wanted >= len(pairs):
        return pairs
    return [pairs[number * len(pairs) // wanted] for number in range(wanted)]


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.public_suite", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("suites", nargs="*", metavar="suite", help=", ".join(SUITES))
    parser.add_argument("--open", action="store_true", help="nobody is asked")
    parser.add_argument("--late", action="store_true", help="the model obeys when its task is done")
    parser.add_argument("--pairs", type=int, help="how many pairs of each suite")
    parser.add_argument("--verbose", action="store_true", help="show each question of a harmless task")
    chosen = parser.parse_args(words)
    if unknown := {*chosen.suites} - {*SUITES}:
        parser.error(f"there is no suite {min(unknown)}; there are {', '.join(SUITES)}")
    logging.disable(logging.CRITICAL)
    try:
        python = install_suite()
    except NotInstalled as error:
        sys.exit(f"the suite cannot be installed: {error}")
    began, verdicts = time.monotonic(), list[Verdict]()
    for suite in chosen.suites or SUITES:
        with tempfile.TemporaryDirectory() as data:
            program, declared = (str(python), *SERVER), read_declarations(suite)
            bot = SuiteBot(suite, Path(data), program, declared, is_gate_open=chosen.open, obeys_late=chosen.late)
            verdicts += asyncio.run(play_suite(bot, chosen.pairs))
    print(*table(verdicts), "", sep="\n")
    print(
        *(line for each in verdicts if each.case.goal is None for line in describe_asked(each, chosen.verbose)),
        sep="\n",
    )
    if not chosen.open:
        print(*(line for each in verdicts if each.forbidden for line in describe_breach(each)), sep="\n")
    print(f"{time.monotonic() - began:.0f} s")
    return 1 if not chosen.open and any(each.forbidden for each in verdicts) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
