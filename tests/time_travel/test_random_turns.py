"""Random turns of the whole bot, built again from their rows: what Claude's stand-in read from its socket."""

from collections import Counter
from pathlib import Path

import pytest

from tests.stand_ins.claude import ClaudeStandIn
from tests.time_travel.judging import Findings, talk_and_judge

SHORT_TURNS = 30


@pytest.mark.fast
async def test_random_turns_are_built_again_as_they_were_sent(tmp_path: Path) -> None:
    async with ClaudeStandIn() as server:
        found = await talk_and_judge(tmp_path, server, seed=1, turns=SHORT_TURNS)
    assert (found.not_rebuilt, found.different) == ([], [])
    assert found.requests > 3 * SHORT_TURNS
    assert_it_was_a_wide_talk(found)


def assert_it_was_a_wide_talk(found: Findings) -> None:
    """Raise AssertionError if the talk had not everything that requests are made of."""
    assert found.summaries > 0
    assert found.delegations > 0
    assert found.refusals > 0  # of pictures that cannot be read
    kinds = {"tool_result", "image", "document", "web_search_tool_result", "web_fetch_tool_result", "thinking"}
    assert kinds - Counter(found.blocks).keys() == set()
