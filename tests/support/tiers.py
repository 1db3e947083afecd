"""The two tiers of the tests: what the marks `full` and `sample` of pyproject.toml leave to the full one."""

from collections import defaultdict
from collections.abc import Iterable

import pytest


def fast_tier(items: Iterable[pytest.Item]) -> set[pytest.Item]:
    """Return the tests of the fast tier: those without a mark, and of those with `sample` some of their cases."""
    chosen, sampled = set[pytest.Item](), defaultdict[str, list[pytest.Item]](list)
    for item in items:
        if item.get_closest_marker("sample"):
            sampled[item.nodeid.partition("[")[0]].append(item)
        elif not item.get_closest_marker("full"):
            chosen.add(item)
    for cases in sampled.values():
        mark = cases[0].get_closest_marker("sample")
        assert mark
        chosen.update(spread_evenly(cases, mark.kwargs.get("cases", 1)))
    return chosen


def spread_evenly(cases: list[pytest.Item], wanted: int) -> list[pytest.Item]:
    """Return `wanted` of the cases, the first among them; all if there are no more."""
    return [cases[number * len(cases) // wanted] for number in range(wanted)] if wanted < len(cases) else cases
