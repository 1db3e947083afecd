"""The API answers as its own description says, also what it does not allow."""

from pathlib import Path

import pytest

from tests.web_page.api.generated_client import HOW, LOCK, find_program, try_api

SHORT = ("--seed", "20", "--phases", "examples,coverage,stateful", "--max-examples", "2")


@pytest.mark.skipif(find_program() is None, reason=HOW.format(lock=LOCK))
async def test_a_client_made_of_the_description_finds_nothing(tmp_path: Path) -> None:
    code, printed = await try_api(tmp_path, str(find_program()), SHORT)
    assert code == 0, printed
    assert "Tested: 11" in printed, printed
