"""An answer that grows on a screen: what is finished stands there for good, rendered; nothing twice, nothing lost."""

import asyncio
import fcntl
import re
import signal
import struct
import termios
from collections.abc import Sequence
from contextlib import ExitStack

import pytest

from bot.cli import texts
from bot.core.content_blocks import text_block
from bot.core.errors import RetryableModelFailure
from bot.core.texts import people_help
from channels.terminal import people_texts
from tests.support.attached_terminals import bench, home, running
from tests.support.bench import Bench
from tests.support.engine_options import engine_options
from tests.support.fakes import reply, uses
from tests.support.terminals import IS_THERE, Home, Keyboard
from tests.support.writing_model import Writes

__all__ = ["bench", "home"]

pytestmark = IS_THERE
ONE, TWO, THREE = "First **alpha** it is.\n\n", "- **beta** is here\n- and more\n\n", "Last comes **gamma**."
CTRL_C, CTRL_D = "\x03", "\x04"


async def sees(keyboard: Keyboard, *texts: str) -> None:
    await asyncio.to_thread(keyboard.sees, *texts)


async def asks(keyboard: Keyboard) -> None:
    await sees(keyboard, ">")
    keyboard.types("go\r")


async def leaves(keyboard: Keyboard) -> str:
    keyboard.types(CTRL_D)
    assert await asyncio.to_thread(keyboard.leaves) == 0
    return keyboard.text


def stands(keyboard: Keyboard, *names: str) -> list[int]:
    """How often each stands there for good: what is live still has its stars."""
    return [len(re.findall(rf"(?<!\*){name}(?!\*)", keyboard.text)) for name in names]


def grows(step: Writes, text: str) -> None:
    for end in range(1, len(text) + 1):
        step.shows(text[:end])


async def test_each_block_stands_there_once_while_the_next_is_written(home: Home, bench: Bench) -> None:
    step = Writes(f"{ONE}{TWO}{THREE}")
    bench.model.says("lead", step)
    async with running(bench):
        with home.screen() as keyboard:
            await asks(keyboard)
            grows(step, f"{ONE}{TWO}Last")
            await sees(keyboard, "First alpha it is.")
            grows(step, f"{ONE}{TWO}Last comes\n**gamma**")
            await sees(keyboard, "• beta is here")
            assert stands(keyboard, "alpha", "beta", "gamma") == [1, 1, 0]
            step.ends()
            await sees(keyboard, "Last comes gamma.", "tokens")
            await leaves(keyboard)
            assert stands(keyboard, "alpha", "beta", "gamma") == [1, 1, 1]
            assert people_texts.AGAIN() not in keyboard.text


@pytest.mark.parametrize("words", [(), ("--plain",)])
async def test_an_answer_that_ends_otherwise_is_said_whole(home: Home, bench: Bench, words: Sequence[str]) -> None:
    step = Writes(f"Not **alpha**.\n\n{TWO}{THREE}")
    bench.model.says("lead", step)
    async with running(bench):
        with home.screen(*words) as keyboard:
            if words:
                keyboard.types("go\n")
            else:
                await asks(keyboard)
            grows(step, f"{ONE}{TWO}Last\n")
            if not words:
                await sees(keyboard, "First alpha it is.")
            step.ends()
            await sees(keyboard, *([] if words else [people_texts.AGAIN()]), "Not ", "beta", "gamma", "tokens")
            await leaves(keyboard)
            assert ("First" in keyboard.text) is not bool(words)


async def test_words_beside_a_call_grow_and_so_does_the_answer_after_it(home: Home, bench: Bench) -> None:
    looks = Writes(reply(text_block(f"{ONE}{TWO}"), uses("read")))
    answers = Writes(f"Then **delta**.\n\n{THREE}")
    bench.model.says("lead", looks, answers)
    async with running(bench):
        with home.screen() as keyboard:
            await asks(keyboard)
            grows(looks, f"{ONE}{TWO}")
            await sees(keyboard, "First alpha it is.")
            looks.ends()
            await sees(keyboard, "beta is here")
            grows(answers, f"Then **delta**.\n\n{THREE}\n")
            await sees(keyboard, "Then delta.")
            answers.ends()
            await sees(keyboard, "gamma.", "tokens")
            await leaves(keyboard)
            assert stands(keyboard, "alpha", "beta", "delta", "gamma") == [1, 1, 1, 1]
            assert people_texts.AGAIN() not in keyboard.text


async def test_a_stop_leaves_what_stands_and_shows_the_rest(home: Home, bench: Bench) -> None:
    step = Writes("never")
    bench.model.says("lead", step)
    async with running(bench):
        with home.screen() as keyboard:
            await asks(keyboard)
            grows(step, f"{ONE}{THREE}\n")
            await sees(keyboard, "First alpha it is.")
            keyboard.types(CTRL_C)
            await sees(keyboard, "Last comes gamma.", "— stopped")
            await leaves(keyboard)
            assert stands(keyboard, "alpha", "gamma") == [1, 1]


async def test_a_commands_answer_does_not_split_the_answer_that_grows(home: Home, bench: Bench) -> None:
    step = Writes(f"{ONE}{TWO}{THREE}")
    bench.model.says("lead", step)
    async with running(bench):
        with home.screen() as keyboard:
            await asks(keyboard)
            grows(step, f"{ONE}{TWO}Last")
            await sees(keyboard, "First alpha it is.")
            keyboard.types("/help\r")
            await sees(keyboard, people_help.HELP_OF_OWNER())  # at once: it is below what is being written
            step.ends()
            await sees(keyboard, "Last comes gamma.", "tokens", "> /help", people_help.HELP_OF_OWNER())
            text = await leaves(keyboard)
            stays = text[text.rindex("• beta is here") :]
            assert stays.index("Last comes gamma.") < stays.index("> /help") < stays.index(people_help.HELP_OF_OWNER())
            assert stands(keyboard, "alpha", "beta", "gamma") == [1, 1, 1]


async def test_a_notice_that_answers_no_command_is_written_at_once(home: Home, bench: Bench) -> None:
    overloaded = RetryableModelFailure("the service is overloaded", seconds=0.02)
    cut, again = Writes(overloaded), Writes(f"{ONE}{TWO}{THREE}")
    bench.model.says("lead", cut, again)
    async with running(bench, **engine_options(announced_wait_seconds=0.01)):
        with home.screen() as keyboard:
            await asks(keyboard)
            grows(cut, f"{ONE}{TWO}Last\n")
            await sees(keyboard, "• beta is here")
            cut.ends()
            await sees(keyboard, "/stop ends the wait")
            grows(again, f"{ONE}{TWO}{THREE}")
            again.ends()
            await sees(keyboard, "Last comes gamma.", "tokens")
            text = await leaves(keyboard)
            assert text.rindex("/stop ends the wait") < text.rindex("Last comes gamma.")


async def test_a_resize_in_the_middle_changes_nothing_of_that(home: Home, bench: Bench) -> None:
    step = Writes(f"{ONE}{TWO}{THREE}")
    bench.model.says("lead", step)
    async with running(bench):
        with home.screen() as keyboard:
            await asks(keyboard)
            grows(step, f"{ONE}{TWO}Last\n")
            await sees(keyboard, "beta is here")
            fcntl.ioctl(keyboard.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 20, 44, 0, 0))
            keyboard.process.send_signal(signal.SIGWINCH)
            grows(step, f"{ONE}{TWO}{THREE}")
            step.ends()
            await sees(keyboard, "Last comes gamma.", "tokens")
            await leaves(keyboard)
            assert stands(keyboard, "alpha", "beta", "gamma") == [1, 1, 1]


async def test_a_bot_that_was_killed_and_writes_it_again_goes_on_where_it_was(home: Home, bench: Bench) -> None:
    step, again = Writes("never"), Writes(f"{ONE}{TWO}{THREE}")
    bench.model.says("lead", step)
    with ExitStack() as kept:
        async with running(bench):
            keyboard = kept.enter_context(home.screen())
            await asks(keyboard)
            grows(step, f"{ONE}{TWO}Last\n")
            await sees(keyboard, "beta is here")
            bench.crashes()
        bench.model.says("lead", again)
        async with running(bench):
            await sees(keyboard, texts.BOT_BACK[-8:])  # of what stood there before only that is drawn again
            grows(again, f"{ONE}{TWO}{THREE}")
            again.ends()
            await sees(keyboard, "Last comes gamma.", "tokens")
            await leaves(keyboard)
    assert stands(keyboard, "alpha", "beta", "gamma") == [1, 1, 1]
    assert people_texts.AGAIN() not in keyboard.text
