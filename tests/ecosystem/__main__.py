"""Try published servers, skills and agents, unchanged, and planted malicious ones; print what became of each.

python -m tests.ecosystem servers [WORD …]      servers of npm and PyPI, installed into the cache first
python -m tests.ecosystem servers --network     those that need the network have it
python -m tests.ecosystem changes               a server's next version, which describes its tools in other words
python -m tests.ecosystem skills --clones DIR   DIR has a clone of each listed repository, as OWNER/NAME
python -m tests.ecosystem agents --clones DIR
python -m tests.ecosystem planted [WORD …]      malicious skills and servers, against the whole bot
python -m tests.ecosystem planted --open        the same without a gate, a sandbox and checks

It exits with 1 if anything outside was reached, or if too much does not work.
"""

import argparse
import asyncio
import logging
import sys
import time
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from tests.ecosystem.agents import try_agents
from tests.ecosystem.changes import try_change
from tests.ecosystem.installing import install_server
from tests.ecosystem.listed import read_list
from tests.ecosystem.planted.playing import play
from tests.ecosystem.planted.tables import read_planted
from tests.ecosystem.servers import ServerTrial, try_server
from tests.ecosystem.skills import try_skills

T = TypeVar("T")
LEAST_WORKING = 0.95  # of those that need no account and no network
MAX_SHOWN_CHARACTERS = 160
DEFAULT_CACHE = Path("~/.cache/retinue-ecosystem").expanduser()


async def try_servers(options: argparse.Namespace) -> bool:
    ecosystem, trials = read_list(), list[ServerTrial]()
    for server in choose(ecosystem.servers.values(), options.words):
        installed = install_server(server, ecosystem.node, options.cache)
        began = time.monotonic()
        trial = await try_server(server, installed, network=options.network)
        trials.append(trial)
        say(describe_server(trial), f"{time.monotonic() - began:.0f} s", lines=[*trial.unused_tools, *trial.reached])
    free = [trial for trial in trials if not trial.server.needs]
    working, reached = sum(trial.is_answered for trial in free), sum(bool(trial.reached) for trial in trials)
    listed = sum(trial.is_listed for trial in trials if trial.server.needs)
    say(
        f"{working} of {len(free)} servers that need nothing work",
        f"of {len(trials) - len(free)} others {listed} list their tools",
        f"{reached} reached something outside",
        f"{sum(trial.watched_calls for trial in trials):,} calls of the kernel watched",
    )
    return reached == 0 and working >= LEAST_WORKING * len(free)


def describe_server(trial: ServerTrial) -> str:
    works = "works  " if trial.is_answered else "listed " if trial.is_listed else "FAILED "
    facts = ["REACHED" if trial.reached else works, f"{trial.server}: {trial.tools} tools"]
    facts += [f"(needs {trial.server.needs})"] * bool(trial.server.needs)
    facts += [f"was kept from {', '.join(trial.refused_addresses[:4])}"] * bool(trial.refused_addresses)
    facts += [trial.fault] * (not trial.is_answered)
    return " ".join(facts)


async def try_changes(options: argparse.Namespace) -> bool:
    ecosystem, is_good = read_list(), True
    for before, after in ecosystem.changes:
        pair = [(each, install_server(each, ecosystem.node, options.cache)) for each in (before, after)]
        trial = await try_change(*pair)
        is_good = is_good and trial.is_stopped
        say(
            "stopped" if trial.is_stopped else "PASSED ",
            f"{before} → {after}: {len(trial.stopped)} tools off, {len(trial.offered)} on",
            lines=[*trial.asked.splitlines(), trial.said],
        )
    return is_good


async def try_all_skills(options: argparse.Namespace) -> bool:
    ecosystem = read_list()
    trials, scripts = await try_skills(ecosystem.skills, ecosystem.scripts, options.clones)
    for trial in trials:
        say("FAILED " if trial.fault else "works  ", str(trial.skill), trial.fault)
    for script in scripts:
        last = (script.printed.strip().splitlines() or [""])[-1]
        say("runs   " if script.is_run else "FAILED ", f"{script.script.skill}: {script.script.command}", last)
    return say_how_many([not trial.fault for trial in trials], "skills") and any(each.is_run for each in scripts)


async def try_all_agents(options: argparse.Namespace) -> bool:
    trials = await try_agents(read_list().agents, options.clones)
    for trial in trials:
        say(
            "FAILED " if trial.fault else "works  ",
            f"{trial.agent}: {len(trial.tools)} tools",
            trial.fault or trial.ignored,
        )
    return say_how_many([not trial.fault for trial in trials], "agents")


async def play_planted(options: argparse.Namespace) -> bool:
    chosen = [each for each in choose(read_planted(), options.words) if not (options.open and each.dangerous)]
    reached, began = 0, time.monotonic()
    for planted in chosen:
        played = await play(planted, is_protected=not options.open)
        reached += bool(played.effects)
        sign = "EFFECT " if played.effects else "asked  " if played.has_asked else "held   "
        say(sign, str(planted), lines=played.effects)
    say(f"{len(chosen)} planted, {reached} had an effect, {time.monotonic() - began:.0f} s")
    return reached == 0


def choose(things: Iterable[T], words: Sequence[str]) -> list[T]:
    return [each for each in things if not words or any(word in str(each) for word in words)]


def say_how_many(worked: Sequence[bool], what: str) -> bool:
    say(f"{sum(worked)} of {len(worked)} {what} work")
    return sum(worked) >= LEAST_WORKING * len(worked)


def say(*facts: str, lines: Iterable[str] = ()) -> None:
    print(" · ".join(filter(None, facts))[: 2 * MAX_SHOWN_CHARACTERS])
    for line in lines:
        print(f"          {line[:MAX_SHOWN_CHARACTERS]}")
    sys.stdout.flush()


TRIALS: Mapping[str, Callable[[argparse.Namespace], Coroutine[Any, Any, bool]]] = {
    "servers": try_servers,
    "changes": try_changes,
    "skills": try_all_skills,
    "agents": try_all_agents,
    "planted": play_planted,
}


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=TRIALS)
    parser.add_argument("words", nargs="*")
    parser.add_argument("--cache", type=Path, default=DEFAULT_CACHE)
    parser.add_argument("--clones", type=Path)
    parser.add_argument("--network", action="store_true")
    parser.add_argument("--open", action="store_true")
    options = parser.parse_args()
    if options.what in ("skills", "agents") and not options.clones:
        parser.error("--clones names the folder of the clones")
    logging.disable(logging.CRITICAL)
    return int(not asyncio.run(TRIALS[options.what](options)))


if __name__ == "__main__":
    sys.exit(main())
