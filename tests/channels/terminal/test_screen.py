"""`retinue chat` on a screen: what a person types and sees."""

import re
from pathlib import Path

import pytest

from bot.core import phrases
from bot.models.demo import rules
from channels.terminal import people_texts
from tests.support.patience import PATIENCE
from tests.support.terminals import IS_THERE, BadDisk, Home

LOST = rules.NO_RULE_REPLY[:18]  # what the demo says where it has no rule, as far as a line of the screen holds it
COMPARE = "compare the README and the design page"
CTRL_C, CTRL_D, UP = "\x03", "\x04", "\x1b[A"
PASTE = "\x1b[200~{}\x1b[201~"
pytestmark = IS_THERE


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def test_a_line_is_answered_with_updates_in_colour_and_the_board_below(home: Home) -> None:
    with home.screen() as person:
        person.sees("demo", "leave")
        person.types(f"{COMPARE}\r")
        person.sees("#1 Reader")
        person.sees_in_any_order("working", "[Reader]: ", "[Analyst]: ", "docs/architecture.md is ")
        assert people_texts.AT_WORK.english.partition("{")[0] + "0:0" in person.text
        colours = re.findall(rb"\x1b\[1;(\d+)m\[(?:Reader|Analyst)\]", person.raw)
        assert len(set(colours)) == 2
        assert not re.search(r" {100}\n\[", person.text), "the empty line below the part before is enough"
        person.types(CTRL_D)
        assert person.leaves() == 0


@pytest.mark.fast
def test_a_question_is_answered_by_number(home: Home) -> None:
    with home.screen() as person:
        person.sees("leave")
        person.types("ask me something\r")
        person.sees("Which colour", "2. Green")
        person.types("2\r")
        person.sees("You said: Green")


@pytest.mark.fast
def test_ctrl_c_stops_a_turn_and_twice_leaves(home: Home) -> None:
    with home.screen() as person:
        person.sees("leave")
        person.types(f"{COMPARE}\r")
        person.sees("#1 Reader")
        person.types(CTRL_C)
        person.sees("Stopped: ")
        person.types(CTRL_C)
        person.types(CTRL_C)
        assert person.leaves() == 0


def test_a_paste_is_one_message_and_the_history_outlives_a_run(home: Home) -> None:
    with home.screen() as person:
        person.sees("leave")
        person.types(PASTE.format("fly me\nto the moon") + "\r")
        person.sees(LOST)
        person.types(CTRL_D)
        assert person.leaves() == 0
    assert home.chat("--continue", "-m", "/usage").returncode == 0
    with home.screen() as person:
        person.sees("leave")
        person.types(f"{UP}\r")
        person.sees(LOST)
        assert person.text.count(LOST) == 1


def test_a_killed_runs_work_goes_on_and_its_question_is_shown_again(home: Home) -> None:
    with home.screen() as person:
        person.sees("leave")
        person.types("ask me something\r")
        person.sees("3. Blue")
        person.process.kill()
        person.process.wait()
    with home.screen() as person:
        person.sees(people_texts.STILL_OPEN(), "3. Blue")
        person.types("blue\r")
        person.sees(people_texts.LEFT_OVER(), "You said: Blue")


def test_a_full_disk_is_shown_below_the_line_until_it_works_again(home: Home) -> None:
    with home.screen() as person:
        person.sees("leave")
        disk = BadDisk(person.process)
        person.types("fly\r")
        person.sees(phrases.disk_state_text("disk I/O error")[:56])
        disk.recovers()
        person.sees(LOST, phrases.disk_state_text(None)[:31])
        assert "exception" not in person.text


def test_one_can_leave_while_the_disk_takes_nothing(home: Home) -> None:
    with home.screen() as person:
        person.sees("leave")
        BadDisk(person.process)
        person.types("fly\r")
        person.sees(phrases.disk_state_text("")[:22])
        person.types(CTRL_D)
        assert person.leaves() == 0


@pytest.mark.parametrize("typed", ["", f"{COMPARE}\r"])
def test_a_terminal_that_is_closed_is_a_way_to_leave(home: Home, typed: str) -> None:
    with home.screen() as person:
        person.sees("leave")
        person.types(typed)
        if typed:
            person.sees("#1 Reader")
        person.closes()
        assert person.process.wait(PATIENCE) == 0


def test_a_history_that_cannot_be_kept_lasts_as_long_as_the_run(home: Home) -> None:
    (home.data / "history").mkdir(parents=True)
    with home.screen() as person:
        person.sees("leave")
        person.types(f"{UP}fly\r")
        person.sees(LOST)
        person.types(f"{UP}\r")
        person.sees(LOST)
        person.types(CTRL_D)
        assert person.leaves() == 0
