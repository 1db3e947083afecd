"""The simulator: the same seed is the same run, the bot passes, deliberate bugs are found and told as short stories."""

import os
import re
import shutil
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from bot.store.connection import Connection
from tests.simulation.invariants import find_broken
from tests.simulation.mutation import Mutation
from tests.simulation.mutations import MUTATIONS, ROOT, simulate_with
from tests.support.empty_database import empty_database

VILLAGES = 4  # together they do a little of everything
WARY_RUNS, ASKED_RUNS, RUNS_WITH_THREADS, PLANNED_RUNS, KIN_RUNS = 8, 8, 3, 16, 4
SHORT_FORM = 24  # seeds
RUNS_BEFORE = 10  # the last of them is compared with the same seed alone
QUICKLY_FOUND = ("sending is unsent", "started is not written", "updates are drafts")
HASH = re.compile(r"[0-9a-f]{64}")


def simulate(*words: str) -> subprocess.CompletedProcess[str]:
    """Run the simulator as `scripts/simulate` does. It needs a process of its own, with fixed hashes of strings."""
    return subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "tests.simulation", *words],
        capture_output=True,
        text=True,
        timeout=280,
        env={**os.environ, "PYTHONHASHSEED": "0"},
        check=False,
    )


@pytest.mark.timeout(120)
def test_a_seed_is_the_same_run_each_time() -> None:
    first, again, other = simulate("--seed", "7"), simulate("--seed", "7"), simulate("--seed", "9")
    assert first.returncode == other.returncode == 0, first.stdout + other.stdout
    assert first.stdout == again.stdout
    assert HASH.findall(first.stdout) != HASH.findall(other.stdout)


@pytest.mark.timeout(120)
def test_a_seed_does_not_depend_on_the_runs_before_it() -> None:
    after_others, alone = simulate("--hashes", str(RUNS_BEFORE)), simulate("--seed", str(RUNS_BEFORE - 1))
    assert after_others.returncode == alone.returncode == 0, after_others.stderr + alone.stderr
    assert after_others.stdout.splitlines()[-1] == alone.stdout.strip()


@pytest.mark.timeout(300)
def test_the_bot_passes() -> None:
    done = simulate(str(SHORT_FORM))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "FAULTY SEEDS 0" in done.stdout
    figures = {name: int(number) for name, number in re.findall(r"(kills|sigterm|lost|marked) (\d+)", done.stdout)}
    assert figures["kills"] > SHORT_FORM / 2
    assert min(figures.values()) > 0


@pytest.mark.timeout(120)
def test_each_message_of_a_village_does_what_the_rules_say() -> None:
    """`scripts/simulate 20 --scenario town` is the long form."""
    done = simulate(str(VILLAGES), "--scenario", "village")
    assert done.returncode == 0, done.stdout + done.stderr
    figures = {name: int(number) for name, number in re.findall(r"town: ([\w ]+) (\d+)", done.stdout)}
    assert min(figures[name] for name in ("told", "again", "answers", "stops", "changed", "lead", "nothing")) > 0
    assert figures["steers in the next request"] > 0 < figures["within 50 ms of a commit"]


@pytest.mark.timeout(120)
def test_costly_roles_begin_only_if_their_person_agrees() -> None:
    done = simulate(str(WARY_RUNS), "--scenario", "wary")
    assert done.returncode == 0, done.stdout + done.stderr
    figures = dict(re.findall(r"costs (\w+) (\d+)", done.stdout))
    assert figures.keys() >= {"agreed", "refused"}


@pytest.mark.timeout(120)
def test_held_calls_run_by_their_own_yes_and_once() -> None:
    """`scripts/simulate 1000 --scenario asked` is the long form."""
    done = simulate(str(ASKED_RUNS), "--scenario", "asked")
    assert done.returncode == 0, done.stdout + done.stderr
    figures = dict(re.findall(r"approvals (\w+) (\d+)", done.stdout))
    assert figures.keys() >= {"agreed", "refused", "expired"}


@pytest.mark.timeout(120)
def test_a_request_with_a_thread_returns_one_line_to_its_channel() -> None:
    done = simulate(str(RUNS_WITH_THREADS), "--scenario", "threads")
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"threads {3 * RUNS_WITH_THREADS}" in done.stdout


@pytest.mark.timeout(120)
def test_each_time_of_a_schedule_comes_once_or_is_told() -> None:
    """`scripts/simulate 2000 --scenario planners` is the long form."""
    done = simulate(str(PLANNED_RUNS), "--scenario", "planners")
    assert done.returncode == 0, done.stdout + done.stderr
    figures = dict(re.findall(r"times ([\w ]+) (\d+)", done.stdout))
    assert figures.keys() >= {"reminder posted", "run", "nothing to tell"}


@pytest.mark.timeout(120)
def test_what_is_forgotten_is_nowhere_and_memories_follow_links() -> None:
    """`scripts/simulate 2000 --scenario kin` is the long form."""
    done = simulate(str(KIN_RUNS), "--scenario", "kin")
    assert done.returncode == 0, done.stdout + done.stderr
    figures = {name: int(number) for name, number in re.findall(r"kin: ([\w ]+) (\d+)", done.stdout)}
    wanted = ("forgotten words", "people forgotten", "linked", "memories of other accounts found")
    assert min(figures[name] for name in wanted) > 0


@pytest.mark.timeout(120)
def test_a_message_that_does_what_the_rules_forbid_is_found() -> None:
    anybody = MUTATIONS["anybody's tap answers a question that was asked of another person"]
    done = simulate_with(anybody, "1", "--scenario", "village")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "misrouted: Act(" in done.stdout


@pytest.mark.fast(cases=1)
@pytest.mark.timeout(300)
@pytest.mark.parametrize("bug", QUICKLY_FOUND)
def test_a_deliberate_bug_is_found(bug: str) -> None:
    """`scripts/simulate --bugs` finds all of them."""
    done = simulate("--bug", bug)
    assert done.returncode == 0, done.stdout + done.stderr


def test_rows_that_must_never_be_are_found_after_a_commit(tmp_path: Path) -> None:
    (tmp_path / "bot.db").write_bytes(empty_database())
    with closing(Connection(tmp_path / "bot.db")) as db:
        assert find_broken(db) == []
        db.execute("INSERT INTO spending (day, chat, cost) VALUES ('2026-01-01', 'tg:1', -1)")
        assert find_broken(db) == ["after a commit: a sum of money is negative: tg:1"]


@pytest.mark.timeout(120)
def test_a_faulty_run_is_told_as_a_short_story() -> None:
    done = simulate("--seed", "0", "--scenario", "go", "--bug", "updates are drafts")
    assert done.returncode == 1
    made, left = map(int, re.findall(r"(\d+) choices, shrunk to (\d+)", done.stdout)[0])
    assert left <= 3 < made
    assert "bot 1 starts" in done.stdout
    assert "was not said: I think, at step 0" in done.stdout


@pytest.mark.parametrize("mutation", MUTATIONS.values(), ids=MUTATIONS)
def test_a_deliberate_change_still_finds_its_place(mutation: Mutation, tmp_path: Path) -> None:
    copy = tmp_path / mutation.path
    copy.parent.mkdir(parents=True)
    shutil.copy(ROOT / mutation.path, copy)
    mutation.apply(tmp_path)
    compile(copy.read_text(), mutation.path, "exec")


@pytest.mark.timeout(120)
def test_a_deliberate_change_of_the_source_is_found() -> None:
    done = simulate("--bug", "a request that a kill cut off costs nothing")
    assert done.returncode == 0, done.stdout + done.stderr
