"""The tool `shell`: what it returns, what stops a command, and what happens to files with protected names."""

import asyncio
import json
import os
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

import pytest

from bot.core.call_progress import ignore_progress
from bot.core.errors import ToolError
from bot.core.settings import ShellSettings
from bot.tools import texts
from bot.tools.shell import MAX_COMMAND_CHARACTERS, clean_output, shell_tools
from tests.shell.test_sandbox import needs_sandbox

pytestmark = needs_sandbox
SETTINGS = ShellSettings(enabled=True, max_processes=20, memory_megabytes=100, disk_megabytes=10, max_seconds=20)
# The tool looks at its turn, to find the role, and reports what the command prints
NO_CONTEXT: Any = SimpleNamespace(turn=None, report_progress=ignore_progress)
Run = Callable[..., Coroutine[Any, Any, str]]
# A bot whose lowest free descriptors are 8 and 9
RUN_WITH_LOW_DESCRIPTORS = """
import asyncio, os, pathlib, sys
from types import SimpleNamespace
from bot.core.settings import ShellSettings
from bot.tools.shell import shell_tools
while os.dup(0) < 9: pass
async def run():
    [tool] = shell_tools(ShellSettings(enabled=True), [])(pathlib.Path(sys.argv[1]))
    os.closerange(8, 10)
    print(await tool.run(SimpleNamespace(report_progress=lambda text: None), {"command": "echo ran"}))
asyncio.run(run())
"""


@pytest.fixture
def run(tmp_path: Path) -> Run:
    [tool] = shell_tools(SETTINGS, [tmp_path / "secrets"])(tmp_path)

    async def run_command(command: str, seconds: int = 10) -> str:
        return str(await tool.run(NO_CONTEXT, {"command": command, "timeout": seconds}))

    return run_command


async def test_it_returns_the_exit_status_and_both_streams(run: Run) -> None:
    said = await run("echo out; echo err >&2; exit 3")
    first, *rest = said.split("\n")
    assert first.startswith(texts.COMMAND_ENDED(status=3, seconds=0)[:20])
    assert rest == ["out", "err"]


async def test_a_long_output_keeps_its_beginning_and_its_end(run: Run) -> None:
    said = await run("seq 1 20000")
    assert "\n1\n2\n" in said
    assert said.endswith("\n19999\n20000")
    assert texts.OUTPUT_LEFT_OUT(bytes=108_894 - 20_000) in said
    assert len(said) < 21_000


async def test_a_command_that_writes_for_ever_is_stopped_in_time(run: Run) -> None:
    said = await run("yes", seconds=1)
    assert said.startswith("stopped after 1.")


async def test_a_command_with_too_many_processes_gets_no_more(run: Run) -> None:
    said = await run("python3 -c 'import os\nwhile True: os.fork() or os._exit(__import__(\"time\").sleep(9))'", 5)
    limit = SETTINGS.max_processes
    assert texts.COMMAND_STOPPED["processes"](seconds=0, limit=limit)[20:] in said or "BlockingIOError" in said


async def test_a_command_that_writes_too_much_is_stopped() -> None:
    with TemporaryDirectory(dir="/var/tmp") as folder:  # what is in memory counts as memory
        [tool] = shell_tools(SETTINGS, [])(Path(folder))
        said = str(
            await tool.run(NO_CONTEXT, {"command": "for n in 1 2 3; do head -c 9M /dev/zero >$n; done; sleep 9"})
        )
    assert texts.COMMAND_STOPPED["disk"](seconds=0, limit=SETTINGS.disk_megabytes)[20:] in said


async def test_a_process_gets_no_more_memory_than_allowed(run: Run) -> None:
    assert "MemoryError" in await run("python3 -c 'bytearray(200 * 2**20)'")


async def test_nothing_of_a_command_runs_on_after_it(run: Run, tmp_path: Path) -> None:
    await run("sleep 98761 & setsid sleep 98762 & (setsid setsid sleep 98763 > /dev/null &) ; true")
    assert not running_with("9876")


async def test_a_cancelled_call_ends_its_command(run: Run, tmp_path: Path) -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.3):
            await run("setsid sleep 98771 & touch begun; sleep 98772")
    assert await asyncio.to_thread((tmp_path / "begun").exists)
    assert not running_with("9877")


async def test_a_protected_file_can_be_read_but_not_changed(run: Run, tmp_path: Path) -> None:
    (tmp_path / "app" / ".git" / "hooks").mkdir(parents=True)
    config = tmp_path / "app" / ".git" / "config"
    config.write_text("[core]\n")
    os.symlink("app/.git/config", tmp_path / ".gitconfig")
    said = await run(
        "cat app/.git/config; echo x >> app/.git/config; echo x > .gitconfig; ln app/.git/config other;"
        "touch app/.git/hooks/pre-commit; rm -rf app/.git; mv app/.git moved; mv app elsewhere; ls -a"
    )
    assert "[core]" in said
    assert (tmp_path / "elsewhere" / ".git" / "config").read_text() == "[core]\n"
    assert not (tmp_path / "elsewhere" / ".git" / "hooks" / "pre-commit").exists()
    assert not (tmp_path / "other").exists()


async def test_a_new_protected_file_is_renamed_and_said(run: Run, tmp_path: Path) -> None:
    said = await run("mkdir -p a/.git/hooks .git; echo x > .bashrc; ln -s .bashrc .zshrc; echo x > HEAD; echo y > b")
    assert sorted(os.listdir(tmp_path)) == [
        *(".bashrc.set-aside", ".git.set-aside", ".zshrc.set-aside", "HEAD.set-aside", "a", "b"),
    ]
    assert texts.SET_ASIDE(paths=".bashrc, .git, .zshrc, HEAD, a/.git", ending=".set-aside") in said


async def test_a_link_with_a_protected_name_comes_back(run: Run, tmp_path: Path) -> None:
    (tmp_path / "settings").write_text("mine")
    os.symlink("settings", tmp_path / ".envrc")
    await run("rm .envrc; echo evil > .envrc; echo evil > settings")
    assert os.readlink(tmp_path / ".envrc") == "settings"
    assert (tmp_path / "settings").read_text() == "mine"


@pytest.mark.parametrize(
    ("command", "error"),
    [
        (" \n", texts.COMMAND_IS_EMPTY),
        ("echo \0", texts.COMMAND_HAS_NULL),
        ("echo \ud800", texts.COMMAND_HAS_NULL),
        ("#" * (MAX_COMMAND_CHARACTERS + 1), texts.COMMAND_TOO_LONG(most=MAX_COMMAND_CHARACTERS)),
    ],
)
async def test_a_command_that_no_program_can_be_given_is_refused(run: Run, command: str, error: str) -> None:
    with pytest.raises(ToolError, match=f"^{error[:30]}"):
        await run(command)


@pytest.mark.parametrize("seconds", [0, -1, 21])
async def test_a_timeout_is_at_most_what_the_operator_allows(run: Run, seconds: int) -> None:
    with pytest.raises(ToolError, match="'timeout' must be from 1 to 20 seconds"):
        await run("true", seconds=seconds)


def test_no_terminal_obeys_an_output() -> None:
    output = b"\x1b[31mred\x1b[0m a\rb\rdone\r\n\x1b]0;title\x07tab\there \xff\x07\xe2\x80\xae \x1b]52;c;ZQ==\x1b\\\n"
    assert clean_output(output) == "done\ntab\there \ufffd\\x07\\u202e "


def running_with(words: str) -> list[str]:
    """Return the command lines of this machine's processes with these words."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = path.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if words in line and "pytest" not in line:
            found.append(line)
    return found


def test_the_schema_names_what_the_tool_takes(tmp_path: Path) -> None:
    [tool] = shell_tools(SETTINGS, [])(tmp_path)
    assert sorted(tool.input_schema["properties"]) == ["command", "timeout"]
    assert len(json.dumps(tool.schema_for_model)) < 1_000


async def test_commands_in_a_workspace_and_in_one_within_it_take_turns(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    make = shell_tools(SETTINGS, [])
    [outer], [inner] = make(tmp_path), make(tmp_path / "in")
    script = "for n in 1 2 3; do printf {} >> {}; sleep 0.05; done"
    await asyncio.gather(
        outer.run(NO_CONTEXT, {"command": script.format("a", "in/log")}),
        inner.run(NO_CONTEXT, {"command": script.format("b", "log")}),
    )
    assert await asyncio.to_thread((tmp_path / "in" / "log").read_text) in ("aaabbb", "bbbaaa")


async def test_a_command_runs_whichever_descriptors_are_free(tmp_path: Path) -> None:
    bot = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", RUN_WITH_LOW_DESCRIPTORS, str(tmp_path)), stdout=asyncio.subprocess.PIPE
    )
    said, _ = await bot.communicate()
    assert said.decode().split("\n")[1] == "ran"
