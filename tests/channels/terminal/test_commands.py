"""Every command is answered in the terminal."""

import pytest

from bot.core.texts import people
from tests.support.attached_terminals import bench, chat, home, running
from tests.support.bench import Bench
from tests.support.command_answers import ANSWERS, ENDINGS
from tests.support.terminals import Home

__all__ = ["bench", "home"]


@pytest.mark.fast
async def test_every_command_is_answered_in_the_terminal(home: Home, bench: Bench) -> None:
    async with running(bench):
        said = await chat(home, "--lines", stdin="".join(f"{command}\n" for command in ANSWERS))
    there = said.stdout + said.stderr
    for command, begins in ANSWERS.items():
        assert there.count(begins) >= list(ANSWERS.values()).count(begins), command  # several begin in the same way
        assert ENDINGS.get(command, "") in there, command
        assert people.UNKNOWN_COMMAND(command=command) not in there
