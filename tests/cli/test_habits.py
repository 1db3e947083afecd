"""What people are used to: pipes that join, words that leave, Tab, NO_COLOR, no screen, a hint at a mistyped word."""

import asyncio
import re
import shlex
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from rich.console import Console
from rich.markdown import Markdown

from bot.cli import texts
from bot.core import program_names
from channels.terminal import conversation, drawing, people_texts
from tests.stand_ins.claude import ClaudeStandIn
from tests.support.attached_terminals import running
from tests.support.bench import Bench
from tests.support.fakes import delegates, reply, uses
from tests.support.patience import PATIENCE
from tests.support.shell import Shell
from tests.support.terminals import IS_THERE, RETINUE, Home

pytestmark = [pytest.mark.timeout(120), IS_THERE]
COLOUR = re.compile(rb"\x1b\[[0-9;]*(?:3[0-7]|4[0-7]|9[0-7])(?:;[0-9]+)*m")


@pytest.fixture
async def claude() -> AsyncIterator[ClaudeStandIn]:
    async with ClaudeStandIn() as server:
        yield server


@pytest.fixture
def shell(tmp_path: Path, claude: ClaudeStandIn) -> Shell:
    shell = Shell(tmp_path, {"ANTHROPIC_API_KEY": claude.api_key})
    shell.config(model={"base_url": claude.base_url})
    return shell


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def asked(claude: ClaudeStandIn) -> str:
    """What the person said, as the model reads it last."""
    return str(claude.requests[-1].body["messages"][-1]["content"])


async def test_piped_input_is_one_message(shell: Shell, claude: ClaudeStandIn) -> None:
    claude.script.say("It is a licence.")
    said = await shell.retinue("chat", stdin="MIT License\n\nCopyright\n")
    assert (said.status, said.out) == (0, "It is a licence.\n")
    assert len(claude.requests) == 1
    assert r"MIT License\n  \n  Copyright" in asked(claude)  # each further line is indented


@pytest.mark.fast
async def test_stdin_joins_the_message(shell: Shell, claude: ClaudeStandIn) -> None:
    claude.script.say("It is a licence.")
    file = shell.folder / "notes.txt"
    file.write_text("MIT License\n")
    command = f"{shlex.join(shell.program)} chat -m 'what is this?' <notes.txt"
    process = await asyncio.create_subprocess_shell(
        command, cwd=shell.folder, env=shell.environment, stdout=asyncio.subprocess.PIPE
    )
    out, _ = await process.communicate()
    assert out == b"It is a licence.\n"
    assert r"what is this?\n  \n  MIT License" in asked(claude)


async def test_each_line_is_a_message_if_one_says_so(shell: Shell, claude: ClaudeStandIn) -> None:
    claude.script.say("One", "Two")
    said = await shell.retinue("chat", "--lines", stdin="first\n\nsecond\n")
    assert said.out == "One\nTwo\n"


@pytest.mark.parametrize("words", [("-m", "a", "--lines"), ("--json", "--lines"), ("-m", " ")])
async def test_incompatible_options_are_refused(shell: Shell, words: tuple[str, ...]) -> None:
    assert (await shell.retinue("chat", *words)).status == 2


@pytest.mark.parametrize("word", sorted(conversation.LEAVE_WORDS))
def test_the_words_that_leave_elsewhere_leave_here(home: Home, word: str) -> None:
    with home.screen() as keyboard:
        keyboard.sees(people_texts.HELP()[:20], ">")
        keyboard.types(f"{word}\r")
        assert keyboard.process.wait(PATIENCE) == 0


def test_tab_completes_a_command_and_a_role(home: Home) -> None:
    with home.screen() as keyboard:
        keyboard.sees(people_texts.HELP()[:20], ">")
        keyboard.types("/he\t\r")
        keyboard.sees("/stop: ")
        keyboard.types("/stop resea\t\r")
        keyboard.sees("/stop researcher")


@pytest.mark.parametrize("is_coloured", [True, False])
async def test_no_color_is_heeded(tmp_path: Path, is_coloured: bool) -> None:
    settings = {} if is_coloured else {"NO_COLOR": "1"}
    home = Home(tmp_path)
    home.data.mkdir(parents=True)
    bot = Bench(home.data)
    bot.model.says("lead", delegates("researcher"), "Both of them, in `code` and **bold**.")
    bot.model.says("researcher", reply(uses("message", text="The first is read.")), "It is done.")
    async with running(bot):
        with home.screen(**settings) as keyboard:
            await asyncio.to_thread(keyboard.sees, people_texts.HELP()[:20], ">")
            keyboard.types("go\r")
            await asyncio.to_thread(keyboard.sees, "[Researcher]", "Both of them", ">")
            assert bool(COLOUR.search(keyboard.raw)) is is_coloured


def test_plain_draws_nothing_over(home: Home) -> None:
    with home.screen("--plain") as keyboard:
        keyboard.types("help\n")
        keyboard.sees("README")
        keyboard.types("\x04")
        assert keyboard.process.wait(PATIENCE) == 0
    assert b"\x1b" not in keyboard.raw


def test_code_has_no_background_of_ours() -> None:
    console = Console(
        force_terminal=True, color_system="truecolor", width=60, theme=drawing.MARKDOWN_THEME, record=True
    )
    with console.capture() as shown:
        console.print(Markdown("Call `f()`:\n\n```python\n# why\nreturn 'x' + 1\n```", code_theme=drawing.CODE_THEME))  # type: ignore[arg-type]
    assert not re.search(r"\x1b\[[0-9;]*\b4[0-8]\b", shown.get())


def test_a_mistyped_command_gets_the_nearest() -> None:
    said = subprocess.run([RETINUE, "caht"], capture_output=True, text=True)
    assert said.returncode == 2
    assert texts.NO_SUCH_COMMAND_BUT(command="caht", nearest="chat") in said.stderr
    said = subprocess.run([RETINUE, "xyzzy"], capture_output=True, text=True)
    assert texts.NO_SUCH_COMMAND(command="xyzzy") + "\n" in said.stderr


@pytest.mark.parametrize("words", [(), ("pair",)])
def test_the_word_help_shows_the_help(words: tuple[str, ...]) -> None:
    said, wanted = (
        subprocess.run([RETINUE, *each], capture_output=True, text=True)
        for each in (("help", *words), (*words, "--help"))
    )
    assert (said.returncode, said.stdout) == (0, wanted.stdout)


@pytest.mark.parametrize("words", [("-m", "hi there"), ("--continue",), ("--json", "-m", "hi")])
def test_an_option_of_chat_alone_gets_the_command_with_chat(words: tuple[str, ...]) -> None:
    said = subprocess.run([RETINUE, *words], capture_output=True, text=True)
    assert (said.returncode, said.stdout) == (2, "")
    assert (
        texts.OPTION_OF_CHAT(option=words[0], command=program_names.retinue_command(shlex.join(["chat", *words])))
        in said.stderr
    )


@pytest.mark.parametrize("words", [("--config", "x", "chat"), ("--nonsense",)])
def test_another_option_that_is_not_there_gets_no_such_hint(words: tuple[str, ...]) -> None:
    said = subprocess.run([RETINUE, *words], capture_output=True, text=True)
    assert said.returncode == 2
    assert texts.OPTION_OF_CHAT.partition("{option}")[0] not in said.stderr


@IS_THERE
def test_words_behind_chat_are_told_how_to_be_said_at_once(tmp_path: Path) -> None:
    said = Home(tmp_path).chat("hello", "there")
    assert said.returncode == 2
    assert texts.TO_SAY_AT_ONCE(command=program_names.retinue_command("chat -m 'hello there'")) in said.stderr


def test_the_end_of_a_draft_is_broken_between_words() -> None:
    assert drawing.last_wrapped_rows("power gives three of heat", rows=9, columns=12) == "power gives \nthree of \nheat"
    assert drawing.last_wrapped_rows("one\n\ntwo", rows=2, columns=12) == "\ntwo"
