"""A call that carries long text: a server holds it back until it is whole, or sends it while it is written."""

from dataclasses import replace
from pathlib import Path

import pytest

from bot.core.limits import Timings
from bot.core.prompt_prefix import STREAMED_INPUT_KEY
from bot.core.role import LEAD_ROLE_NAME
from bot.models.claude.faults import RequestPatience
from bot.tools.files import file_tools
from tests.stand_ins.claude import ClaudeStandIn, Fault, Text, ToolUse, reply
from tests.support.bench import Bench
from tests.support.claude_bot import PROMPTED, Talk
from tests.support.engine_options import engine_options

TEXT = "so it is written there, word for word. " * 900  # about 10,000 tokens
HELD_SECONDS = 1.5  # in which they are written
SILENT_SECONDS = 0.5  # in which a server must say something


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "workspace").mkdir()
    return tmp_path


async def written(folder: Path, *, is_anthropic: bool) -> tuple[str, ClaudeStandIn]:
    """What the bot answers that is to write a long file, and its server."""
    patience = RequestPatience(read_timeout_seconds=SILENT_SECONDS, first_retry_seconds=0.01)
    async with ClaudeStandIn(seconds_per_token=HELD_SECONDS / (len(TEXT) / 3.5)) as server:
        talk = Talk(Bench(folder), server)
        tools = file_tools(folder / "workspace")
        lead = replace(PROMPTED[LEAD_ROLE_NAME], tools=frozenset(tool.name for tool in tools))
        talk.roles = {**PROMPTED, LEAD_ROLE_NAME: lead}
        writes = reply(ToolUse("write_file", {"path": "a.txt", "content": TEXT}))
        server.script.rule(lambda asked: reply("done") if asked.step else writes)
        async with talk.run(patience=patience, tools=tools, is_anthropic=is_anthropic):
            return await talk.ask("write it"), server


@pytest.mark.fast
async def test_a_long_file_is_written_though_the_server_is_silent_for_long(folder: Path) -> None:
    said, server = await written(folder, is_anthropic=True)
    assert said == "done"
    assert (folder / "workspace" / "a.txt").read_text() == TEXT
    tools = {tool["name"]: tool.get(STREAMED_INPUT_KEY, False) for tool in server.requests[0].asked.tools}
    assert tools == {"edit_file": True, "list_dir": False, "read_file": False, "write_file": True}


async def test_a_server_that_holds_calls_back_is_as_silent_as_the_real_one(folder: Path) -> None:
    said, server = await written(folder, is_anthropic=False)
    assert said != "done"
    turns = Bench(folder).rows("SELECT status FROM turns")
    assert turns == [("failed",)]
    assert len(server.requests) > 1
    assert not any(STREAMED_INPUT_KEY in tool for tool in server.requests[0].asked.tools)
    assert not (folder / "workspace" / "a.txt").exists()


@pytest.mark.fast
async def test_a_server_that_only_pings_in_mid_reply_makes_no_progress(tmp_path: Path) -> None:
    """The pings keep the connection, so the bot itself stops the turn. What the model wrote before stays."""
    options = engine_options(silence_told_seconds=0.2, silence_stop_seconds=0.5, silence_check_seconds=0.02)
    async with ClaudeStandIn() as server:
        server.script.say(reply(Text("It begins well, and then there is nothing more.", 12)))
        server.faults.append(Fault.STALL_WITH_PINGS)
        talk = Talk(Bench(tmp_path), server)
        async with talk.run(**options):
            said = await talk.ask("go")
    assert "no progress" in said
    assert len(server.requests) == 1
    assert talk.bench.select("status", "turns") == [("timeout",)]
    [(kept,)] = talk.bench.select("text", "outbox", "kind = 'update'")
    assert "It begins".startswith(kept)


@pytest.mark.fast
async def test_a_stalled_reply_is_stopped_and_not_repeated(tmp_path: Path) -> None:
    """The server sends nothing at all, not even pings. The client's own patience is a little longer, as by default."""
    timings, patience = Timings(), RequestPatience()
    assert patience.read_timeout_seconds > timings.silence_stop_seconds + timings.silence_check_seconds
    options = engine_options(silence_told_seconds=0.2, silence_stop_seconds=0.5, silence_check_seconds=0.02)
    async with ClaudeStandIn() as server:
        server.script.say(reply(Text("It begins well, and then there is nothing more.", 12)))
        server.faults.append(Fault.STALL)
        talk = Talk(Bench(tmp_path), server)
        async with talk.run(**options, patience=patience):
            said = await talk.ask("go")
    assert "no progress" in said
    assert len(server.requests) == 1


def test_the_time_for_silence_is_long_enough_for_the_longest_reply() -> None:
    """Nine and a half milliseconds a token were measured where a call was held back."""
    assert RequestPatience().read_timeout_seconds >= 300
