"""A short slice of the month, and what must be true of its lists. `python -m tests.month` plays all of it."""

from collections import Counter
from pathlib import Path

import pytest

from tests.month.__main__ import play
from tests.month.registry import SITUATIONS
from tests.month.situations_list import read_lists

SLICE = {7, 14, 21, 37, 47}
LINES = read_lists()


def test_there_are_200_situations_of_ten_kinds() -> None:
    kinds = Counter(line.kind for line in LINES.values())
    assert (len(LINES), len(kinds)) == (200, 10)
    assert min(kinds.values()) >= 15


def test_40_situations_are_foreign_and_40_have_a_kill() -> None:
    assert sum(line.is_foreign for line in LINES.values()) == 40
    assert sum(line.has_kill for line in LINES.values()) == 40


def test_each_line_has_a_function_and_each_function_a_line() -> None:
    assert set(SITUATIONS) == set(LINES)


@pytest.mark.timeout(90)
async def test_a_slice_of_the_month_is_lived_through(tmp_path: Path) -> None:
    done, books = await play(SLICE, tmp_path, is_told=False)
    assert set(done) == SLICE
    assert {number: stage.faults for number, stage in done.items() if stage.faults} == {}
    assert {number for number, stage in done.items() if stage.has_killed} == {14}
    assert len(books.kills) == 1
    assert books.written
