"""A bot that is killed while a command runs: nothing runs on, and nobody claims to know what it did."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from bot.core.messages import OutboundKind
from bot.core.settings import ShellSettings
from bot.core.texts import model
from bot.core.turn import CallKind
from bot.tools.protected_entries import ProtectedEntries, settle_interrupted_runs
from bot.tools.shell import shell_tools
from tests.shell.escapes import list_processes_with
from tests.shell.test_sandbox import needs_sandbox
from tests.shell.test_shell_tool import NO_CONTEXT
from tests.support.bench import Bench
from tests.support.fakes import reply, role, uses
from tests.support.patience import PATIENCE

COMMAND = "sleep 94381 & setsid sleep 94382 & (setsid sh -c 'sleep 94383' > /dev/null 2>&1 &); sleep 94384"
MARK = "sleep 9438"
RUN = """
import asyncio, pathlib, sys, types
from bot.core.settings import ShellSettings
from bot.tools.protected_entries import ProtectedEntries, settle_interrupted_runs
from bot.tools.shell import shell_tools
[tool] = shell_tools(ShellSettings(enabled=True), [])(pathlib.Path(sys.argv[1]))
asyncio.run(tool.run(types.SimpleNamespace(report_progress=print), {"command": sys.argv[2]}))
"""


def wait_until_there_are(count: int) -> list[str]:
    until = time.monotonic() + PATIENCE
    while len(found := list_processes_with(MARK)) != count and time.monotonic() < until:
        time.sleep(0.01)
    return found


@needs_sandbox
def test_a_killed_bot_leaves_no_process_of_a_command(tmp_path: Path) -> None:
    bot = subprocess.Popen([sys.executable, "-c", RUN, str(tmp_path), COMMAND])
    assert len(wait_until_there_are(4)) == 4
    os.kill(bot.pid, signal.SIGKILL)
    bot.wait()
    assert wait_until_there_are(0) == []


@needs_sandbox
async def test_the_outcome_of_a_cut_off_command_is_unknown(bench: Bench, tmp_path: Path) -> None:
    tools = shell_tools(ShellSettings(enabled=True), [])(tmp_path)
    assert [(each.kind, each.is_repeatable) for each in tools] == [(CallKind.CHANGE, False)]
    bench.model.says("lead", reply(uses("shell", command=f"touch begun; {COMMAND}")), "I had better look")
    bench.roles["lead"] = role("lead", "shell")
    bench.is_gate_open = True
    async with bench.run(tools=tools):
        bench.chat.hears("run it")
        assert len(await asyncio.to_thread(wait_until_there_are, 4)) == 4
    assert list_processes_with(MARK) == []
    async with bench.run(tools=tools):
        assert await bench.chat.said(OutboundKind.REPLY) == "I had better look"
    assert bench.model.heard("lead") == [model.CALL_INTERRUPTED]


async def test_what_a_killed_command_made_is_renamed_at_the_next_start(tmp_path: Path) -> None:
    workspace, notes = tmp_path / "workspace", tmp_path / "notes"
    (workspace / "old" / ".git").mkdir(parents=True)
    ProtectedEntries.find(workspace).save(notes / "run.json")
    (workspace / ".git").mkdir()
    assert settle_interrupted_runs(notes, 60) == [str(workspace / ".git")]
    assert sorted(os.listdir(workspace)) == [".git.set-aside", "old"]
    assert os.listdir(workspace / "old") == [".git"]
    assert settle_interrupted_runs(notes, 60) == []


async def test_what_others_made_long_after_a_kill_is_left_alone(tmp_path: Path) -> None:
    workspace, notes = tmp_path / "workspace", tmp_path / "notes"
    workspace.mkdir()
    ProtectedEntries.find(workspace).save(notes / "run.json")
    os.utime(notes / "run.json", (0, 0))
    (workspace / ".git").mkdir()
    assert settle_interrupted_runs(notes, 60) == []
    (notes / "run.json").write_text("[")
    assert settle_interrupted_runs(notes, 60) == []
    assert os.listdir(notes) == []


@needs_sandbox
async def test_a_command_leaves_no_note_when_it_has_ended(tmp_path: Path) -> None:
    (tmp_path / "workspace").mkdir()
    [tool] = shell_tools(ShellSettings(enabled=True), [], tmp_path / "notes")(tmp_path / "workspace")
    await tool.run(NO_CONTEXT, {"command": "true"})
    assert os.listdir(tmp_path / "notes") == []
