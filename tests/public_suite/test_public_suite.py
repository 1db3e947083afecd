"""The public suite itself, in short, where `python -m tests.public_suite` has installed it."""

from pathlib import Path

import pytest

from tests.public_suite.__main__ import play_suite
from tests.public_suite.environment import SERVER, find_suite_python
from tests.public_suite.playing import SuiteBot, read_declarations

PAIRS, MOST_ASKED = 10, 11


@pytest.mark.skipif(find_suite_python() is None, reason="python -m tests.public_suite installs it")
async def test_slack_is_done_and_nothing_gets_through(tmp_path: Path) -> None:
    program = (str(find_suite_python()), *SERVER)
    verdicts = await play_suite(SuiteBot("slack", tmp_path, program, read_declarations("slack")), PAIRS)
    tasks = [each for each in verdicts if each.case.goal is None]
    assert (len(tasks), len(verdicts) - len(tasks)) == (21, PAIRS)
    assert [str(each.case) for each in tasks if not each.is_done] == []
    assert sum(bool(each.asked) for each in tasks) <= MOST_ASKED
    assert [str(each.case) for each in verdicts if each.forbidden] == []
