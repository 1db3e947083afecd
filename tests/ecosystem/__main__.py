"""Try published servers, skills and agents, unchanged, and planted malicious ones; print what became of each.

python -m tests.ecosystem --cache DIR servers [WORD]           servers; installed into DIR first, from npm and PyPI
python -m tests.ecosystem --cache DIR --network servers WORD   those that need the network have it
python -m tests.ecosystem --cache DIR changes                  a server's next version, with other descriptions
python -m tests.ecosystem --repositories DIR skills agents     DIR has a clone of each repository, as OWNER/NAME
python -m tests.ecosystem planted [WORD]                       malicious skills and servers
python -m tests.ecosystem --unprotected planted [WORD]         the same without sandbox, gate and checks

It exits with 1 if anything outside was reached, or if too much does not work.
"""

import argparse
import asyncio
import logging
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from tests.ecosystem.installing import install_server
from tests.ecosystem.listed import Ecosystem, read_list
from tests.ecosystem.servers import ServerTrial, try_server

LEAST_WORKING = 0.95  # of those that need no account and no network
MAX_SHOWN_CHARACTERS = 160


def chosen(things: Iterable[object], words: Sequence[str]) -> list[Any]:
    return [each for each in things if not words or any(word in str(each) for word in words)]


async def try_servers(ecosystem: Ecosystem, options: argparse.Namespace) -> bool:
    trials = []
    for server in chosen(ecosystem.servers.values(), options.words):
        installed = install_server(server, ecosystem.node, options.cache)
        began = time.monotonic()
        trial = await try_server(server, installed, network=options.network)
        trials.append(trial)
        print(describe_server(trial), f"{time.monotonic() - began:.0f} s", sep=" · ", flush=True)
        for line in (*trial.unused_tools[:5], *trial.reached[:5]):
            print(f"         {line[:MAX_SHOWN_CHARACTERS]}", flush=True)
    free = [trial for trial in trials if not trial.server.needs]
    working = sum(trial.is_answered for trial in free)
    reached = sum(bool(trial.reached) for trial in trials)
    calls = sum(trial.watched_calls for trial in trials)
    print(
        f"{working} of {len(free)} servers that need nothing work; of {len(trials) - len(free)} others "
        f"{sum(trial.is_listed for trial in trials if trial.server.needs)} list their tools; "
        f"{reached} reached something outside; {calls:,} calls of the kernel watched"
    )
    return reached == 0 and working >= LEAST_WORKING * len(free)


def describe_server(trial: ServerTrial) -> str:
    sign = "REACHED" if trial.reached else "works  " if trial.is_answered else "listed " if trial.is_listed else "FAILED "
    facts = [f"{sign} {trial.server}", f"{trial.tools} tools"]
    facts += [f"needs {trial.server.needs}"] * bool(trial.server.needs)
    facts += [f"was kept from {', '.join(trial.refused_addresses[:4])}"] * bool(trial.refused_addresses)
    facts += [trial.fault[:MAX_SHOWN_CHARACTERS]] * (not trial.is_answered)
    return " · ".join(facts)


async def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--cache", type=Path, default=Path("~/.cache/retinue-ecosystem").expanduser())
    parser.add_argument("--network", action="store_true")
    parser.add_argument("what", choices=["servers"])
    parser.add_argument("words", nargs="*")
    options = parser.parse_args()
    logging.disable(logging.CRITICAL)
    return int(not await try_servers(read_list(), options))


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
