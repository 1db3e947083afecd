"""What somebody at a terminal sees while nothing comes: that it goes on, how long it is waited for, and the end."""

import asyncio
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from bot.core.messages import InboundEvent
from bot.core.texts import reasons
from channels.terminal import people_texts
from channels.terminal.conversation import TerminalConversation
from channels.terminal.line_interface import LineInterface, iterate_single_text
from tests.channels.terminal.test_text import Nothing
from tests.stand_ins.claude import ClaudeStandIn, Fault
from tests.support.patience import PATIENCE
from tests.support.terminals import IS_THERE, Home

SAID = people_texts.STILL_AT_WORK.english.partition("{")[0]


async def test_a_line_on_stderr_says_during_silence_that_work_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    async def publish(batch: Sequence[InboundEvent]) -> None:
        pass

    errors = ""
    lines = LineInterface(
        TerminalConversation(Nothing(), "Ann", is_continuing=False),
        iterate_single_text("hello"),
        lambda: None,
        reassure_after_seconds=0.1,
    )
    running = asyncio.ensure_future(lines.run(publish))
    async with asyncio.timeout(PATIENCE):
        while errors.count(SAID) < 2:  # the second after twice the time
            await asyncio.sleep(0.02)
            errors += capsys.readouterr().err
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    assert all(line.startswith(f"retinue: {SAID}") for line in errors.splitlines())


@IS_THERE
async def test_one_message_waits_for_an_absent_model_for_the_set_time(tmp_path: Path) -> None:
    home = Home(tmp_path)
    async with ClaudeStandIn() as server:
        server.faults.always(Fault.OVERLOADED)
        settings = {"ANTHROPIC_API_KEY": server.api_key, "RETINUE_MODEL__BASE_URL": server.base_url}
        said = await asyncio.to_thread(home.chat, "-m", "Hello", "--wait", "0.5", **settings)
        assert said.returncode == 1
        assert said.stdout == ""
        assert reasons.MODEL_AWAY() in said.stderr
        assert len(server.requests) >= 2
    with closing(sqlite3.connect(home.data.parent / "bot.db")) as db:
        assert db.execute("SELECT patience FROM turns").fetchall() == [(0.5,)]
