"""`retinue chat` where lines are typed and nothing is drawn, and `--lines` from a pipe: how both are left."""

from pathlib import Path

import pytest

from bot.cli import texts
from bot.models.demo import PAGES_FOLDER, rules
from channels.terminal import people_texts
from channels.terminal.conversation import LEAVE_WORDS
from tests.cli.test_habits import claude, shell
from tests.stand_ins.claude import ClaudeStandIn
from tests.support.shell import Shell
from tests.support.terminals import IS_THERE, Home

__all__ = ["claude", "shell"]

pytestmark = IS_THERE


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


async def test_a_word_to_leave_by_is_no_message(shell: Shell, claude: ClaudeStandIn) -> None:
    claude.script.say("One")
    said = await shell.retinue("chat", "--lines", stdin="first\n Quit \nsecond\n")
    assert (said.status, said.out) == (0, "One\n")
    assert len(claude.requests) == 1


@pytest.mark.parametrize("words", [("-m", "exit"), ()])
async def test_as_the_one_message_it_is_one(shell: Shell, claude: ClaudeStandIn, words: tuple[str, ...]) -> None:
    claude.script.say("Good-bye")
    said = await shell.retinue("chat", *words, stdin="exit")
    assert (said.status, said.out) == (0, "Good-bye\n")


@pytest.mark.fast(cases=1)
@pytest.mark.parametrize("word", sorted(LEAVE_WORDS))
def test_the_words_that_leave_a_screen_leave_lines(home: Home, word: str) -> None:
    with home.screen("--plain") as keyboard:
        keyboard.sees(people_texts.HELP_OF_LINES(), people_texts.PROMPT())
        keyboard.types(f"{word}\n")
        assert keyboard.leaves() == 0
    assert "I am" not in keyboard.text


def test_a_word_to_leave_by_answers_a_question_that_is_open(home: Home) -> None:
    with home.screen("--plain") as keyboard:
        keyboard.sees(people_texts.PROMPT())
        keyboard.types("ask me something\n")
        keyboard.sees("3. Blue", people_texts.PROMPT())
        keyboard.types("exit\n")
        keyboard.sees("exit", people_texts.PROMPT())
        keyboard.types("exit\n")
        assert keyboard.leaves() == 0


def test_a_chat_begins_with_place_and_way_out_and_prompts_for_each_line(home: Home) -> None:
    with home.screen("--plain") as keyboard:
        where = texts.WHEREABOUTS(config=texts.NO_CONFIG_FILE, workspace=PAGES_FOLDER)
        keyboard.sees(where[:60], people_texts.HELP_OF_LINES(), f"\n{people_texts.PROMPT()}")
        keyboard.types("help\n")
        keyboard.sees(rules.ABOUT_DEMO_REPLY[:60], f"\n{people_texts.PROMPT()}")
        keyboard.types("\n")
        keyboard.sees(f"\n{people_texts.PROMPT()}")
        keyboard.types("\x04")
        assert keyboard.leaves() == 0
    assert keyboard.text.endswith(f"{people_texts.PROMPT()}\n")


def test_a_pipe_gets_no_prompt(home: Home) -> None:
    said = home.chat("--lines", stdin="help\nexit\n")
    assert people_texts.HELP_OF_LINES() not in said.stderr
    assert people_texts.PROMPT() not in said.stderr + said.stdout


def test_other_programs_words_for_new_and_usage_work_in_lines(home: Home) -> None:
    renamed = home.chat("--lines", stdin="help\n/clear\n/cost\n")
    own = home.chat("--lines", stdin="help\n/new\n/usage\n")
    assert (renamed.stdout, renamed.stderr) == (own.stdout, own.stderr)
