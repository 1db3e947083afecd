"""Programs in the sandbox that try to get out. The bombs and the watch by strace: `python -m tests.shell`."""

import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.core.settings import ShellSettings
from bot.tools.shell import NO_NETWORK, shell_tools
from tests.shell.escapes import BOMBS, ESCAPED, Escape, judge_escape, read_escapes
from tests.shell.outside import CANARY, Outside, built_outside
from tests.shell.test_sandbox import needs_sandbox
from tests.shell.test_shell_tool import NO_CONTEXT

SETTINGS = ShellSettings(enabled=True, max_processes=30, memory_megabytes=200, disk_megabytes=50)
HARMLESS = (  # where they are not in a sandbox
    "read the data folder by its path",
    "read it through links of the workspace",
    "read the environment of each process",
    "connect to the control socket",
    "connect to an abstract socket",
    "send a datagram",
)
QUICK = [each for each in read_escapes() if each.kind != BOMBS]


@pytest.fixture
def outside(tmp_path: Path) -> Iterator[Outside]:
    with built_outside(tmp_path) as found:
        yield found


@needs_sandbox
@pytest.mark.parametrize("escape", QUICK, ids=str)
async def test_no_program_gets_out_of_the_sandbox(outside: Outside, escape: Escape) -> None:
    network = outside.network if escape.has_hosts else NO_NETWORK
    [tool] = shell_tools(SETTINGS, outside.hidden, network=network)(outside.workspace)
    before, command = outside.snapshot(), escape.command(outside.words)
    said = str(await tool.run(NO_CONTEXT, {"command": command, "timeout": escape.seconds}))
    assert judge_escape(outside, before, command, said) == []


def test_the_judge_sees_what_a_program_did(outside: Outside) -> None:
    before = outside.snapshot()
    (outside.top / "config.json").write_text("x")
    (outside.workspace / "copy").write_text(CANARY)
    (outside.workspace / "program").touch()
    (outside.workspace / "program").chmod(0o4755)
    (outside.workspace / ".bashrc").touch()
    with socket.create_connection(("127.0.0.1", outside.ports["tcp"])):
        pass
    said = f"{CANARY}\n{ESCAPED}\n\x1b[2J"
    found = judge_escape(outside, before, "", said)
    assert sorted(each.partition(":")[0] for each in found) == [
        *(CANARY, ESCAPED, "changed", "copied", "left behind", "left behind"),
        *("printed what a terminal obeys", "reached"),
    ]


@pytest.mark.parametrize("name", HARMLESS)
def test_without_a_sandbox_the_judge_finds_fault(outside: Outside, name: str) -> None:
    [escape] = [each for each in QUICK if each.name == name]
    before, command = outside.snapshot(), escape.command(outside.words)
    done = subprocess.run(
        ["bash", "-c", command], cwd=outside.workspace, capture_output=True, text=True, timeout=20, check=False
    )
    assert judge_escape(outside, before, command, done.stdout + done.stderr) != []
