"""The whole command with the real SDK, killed in the middle of a conversation over a socket, and started again."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from bot.core.prices import cost_of_usage
from tests.stand_ins.claude import ClaudeStandIn, Thinking, ToolUse, reply
from tests.support.claude_bot import usage_of
from tests.support.terminals import IS_THERE, Home

LEAD, ROLE = "claude-sonnet-5-5", "claude-haiku-5-5"
ANSWER = "Both have been read; the result is in result.txt."
STATUSES = "SELECT status FROM turns"
REPEAT = f"(possibly a repeat) {ANSWER}"
pytestmark = [IS_THERE, pytest.mark.timeout(60)]  # two whole processes, and one of them imports the SDK


def script(server: ClaudeStandIn) -> None:
    """By what a conversation has had, so that a repeated request gets the same reply."""
    two = [ToolUse("delegate", {"role": role, "task": "Read notes.txt."}) for role in ("researcher", "analyst")]
    write = ToolUse("write_file", {"path": "result.txt", "content": "done"})
    server.script.each(reply(Thinking(), *two), reply(Thinking(), write), ANSWER, model=LEAD)
    read, post = ToolUse("read_file", {"path": "notes.txt"}), ToolUse("message", {"text": "I have read it."})
    server.script.each(reply(Thinking(), read), reply(post), "It holds one line.", model=ROLE)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    workspace = tmp_path / "retinue" / "workspace"
    workspace.mkdir(parents=True)
    (workspace / "notes.txt").write_text("a note\n")
    return Home(tmp_path)


@pytest.mark.fast(cases=1)
@pytest.mark.parametrize("taken", range(1, 10, 2), ids=lambda taken: f"at request {taken} of 9")
async def test_a_conversation_with_claude_outlives_a_kill(home: Home, taken: int) -> None:
    async with ClaudeStandIn() as server:
        script(server)
        settings = {"ANTHROPIC_API_KEY": server.api_key, "RETINUE_MODEL__BASE_URL": server.base_url}
        with home.begun("-m", "Read the notes, and write the file result.txt.", **settings) as process:
            await server.until(lambda: len(server.requests) >= taken)
            process.kill()
            shown, _ = await asyncio.to_thread(process.communicate)
        said = await asyncio.to_thread(home.chat, "--continue", "-m", "/status", **settings)
        assert server.refused == []  # among what it refuses are transcripts that are not whole, or were changed
        billed = sum(cost_of_usage(request.asked.model, usage_of(request.billed)) for request in server.requests)
    shown += said.stderr
    assert shown.count(ANSWER) == 1 + shown.count(REPEAT)
    assert (home.folder / "retinue" / "workspace" / "result.txt").read_text() == "done"
    with closing(sqlite3.connect(home.folder / "retinue" / "data" / "bot.db")) as db:
        assert db.execute(STATUSES).fetchall() == [("completed",)] * 3
        [(spent,)] = db.execute("SELECT sum(cost) FROM requests").fetchall()
    assert spent >= billed  # what a crash took is charged at its worst case
