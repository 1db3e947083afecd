"""The two tiers of the tests. The fast one leaves out what `full_tier.txt` lists: slow tests, and cases above a number.

The mark `fast` keeps a slow test in the fast tier, because it tests a promise. After a run with `scripts/test --all
--junitxml=FILE`, `python -m tests.support.tiers FILE` writes the list again.
"""

import sys
import xml.etree.ElementTree as ET
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

LIST = Path(__file__).with_name("full_tier.txt")
SLOW_SECONDS = 0.1  # of one case
TOGETHER_SECONDS = 0.2  # of all cases of one test
MAX_CASES = 4
FULL_ONLY = "tests/containers/"  # the first of these tests builds the image, whichever it is


def read_list() -> dict[str, int]:
    """Return how many cases the fast tier runs of the listed tests."""
    lines = [line.split() for line in LIST.read_text().splitlines()]
    return {test: int(cases) for cases, test in lines}


def fast_tier(items: Iterable[pytest.Item]) -> set[pytest.Item]:
    """Return the tests of the fast tier."""
    listed, tests = read_list(), defaultdict[str, list[pytest.Item]](list)
    for item in items:
        tests[item.nodeid.partition("[")[0]].append(item)
    chosen = set[pytest.Item]()
    for test, cases in tests.items():
        mark = cases[0].get_closest_marker("fast")
        wanted = mark.kwargs.get("cases", len(cases)) if mark else listed.get(test, len(cases))
        chosen.update(spread_evenly(cases, wanted))
    return chosen


def spread_evenly(cases: list[pytest.Item], wanted: int) -> list[pytest.Item]:
    """Return `wanted` of the cases, always with the first. Return all if there are no more."""
    return [cases[number * len(cases) // wanted] for number in range(wanted)] if wanted < len(cases) else cases


def measured_list(seconds: Mapping[str, list[float]]) -> Iterable[str]:
    """Yield the lines of the list. `seconds` has the duration of each case of each test."""
    for test, cases in sorted(seconds.items()):
        mean = sum(cases) / len(cases)
        if mean > SLOW_SECONDS or test.startswith(FULL_ONLY):
            yield f"0 {test}"
        elif len(cases) > (wanted := max(1, min(MAX_CASES, int(TOGETHER_SECONDS / max(mean, 0.001))))):
            yield f"{wanted} {test}"


def read_durations(report: Path) -> dict[str, list[float]]:
    """Return the seconds of each case by its test, from a JUnit report. Leave out skipped tests."""
    found = defaultdict[str, list[float]](list)
    for case in ET.parse(report).iter("testcase"):
        if case.find("skipped") is None:
            file = case.attrib["classname"].replace(".", "/")
            found[f"{file}.py::{case.attrib['name'].partition('[')[0]}"].append(float(case.attrib["time"]))
    return found


if __name__ == "__main__":
    LIST.write_text("".join(f"{line}\n" for line in measured_list(read_durations(Path(sys.argv[1])))))
