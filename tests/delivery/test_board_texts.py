"""What a board says and which buttons it has: of few delegations and of many."""

from datetime import UTC, datetime

import pytest

from bot.core.messages import Address, BoardLine, OutboundId, OutboundKind, OutboundMessage, RoleName
from bot.core.phrases import MAX_BOARD_LINES, board_text, closed_board_text, first_words, format_duration
from bot.core.texts import people
from channels import people_texts
from channels.discord.rendering import MAX_MESSAGE_CODE_POINTS, render_message_texts
from channels.formatting import button_rows_of_board, buttons_of_message

NOW = datetime(2026, 11, 27, 14, 2, tzinfo=UTC)
OFTEN = 30  # delegations that one request may have


def line(number: int, *, is_open: bool = True, task: str = "Find a hotel", activity: str = "") -> BoardLine:
    state, seconds = ("working", None) if is_open else ("completed", 48.0)
    return BoardLine(
        number=number,
        role=RoleName("researcher"),
        task=task,
        depth=1,
        state=state,
        since=NOW,
        seconds=seconds,
        cost=20_000,
        activity=activity,
    )


def board(*lines: BoardLine) -> OutboundMessage:
    text = board_text(lines, UTC, cost=100_000, expected=None, cap=1_000_000)
    address = Address(channel="discord", chat="5")
    return OutboundMessage(id=OutboundId("t1:board"), address=address, kind=OutboundKind.BOARD, text=text, board=lines)


@pytest.mark.parametrize(
    ("seconds", "said"), [(0, "0 s"), (48.4, "48 s"), (119, "119 s"), (193, "3 min 13 s"), (7_500, "2 h 5 min")]
)
def test_a_long_time_is_said_in_minutes_or_hours(seconds: float, said: str) -> None:
    assert format_duration(seconds) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Flights for four from Zurich to Lisbon, and back", "Flights for four from Zurich to Lisbon…"),
        ("Draft the invitation to the neighbourhood there", "Draft the invitation to the…"),
        ("x" * 50, "x" * 39 + "…"),
        ("short", "short"),
    ],
)
def test_a_task_is_cut_between_words(text: str, said: str) -> None:
    assert first_words(text, 40) == said


def test_a_closed_board_is_one_line_of_roles_time_and_cost() -> None:
    lines = [line(1, is_open=False), line(2, is_open=False)]
    assert closed_board_text(lines, cost=70_000) == "2 roles · 48 s · $0.07"


def test_a_board_of_many_shows_all_at_work_and_the_sum_on_every_platform() -> None:
    done = [line(number, is_open=False, task="x_y* " * 20) for number in range(1, OFTEN - 4)]
    shown = board(*done, *(line(number) for number in range(OFTEN - 4, OFTEN + 1)))
    [text] = render_message_texts(shown)
    assert len(text) <= MAX_MESSAGE_CODE_POINTS
    *lines, left_out, total = text.splitlines()
    assert [each.split()[0] for each in lines][-5:] == ["#26", "#27", "#28", "#29", "#30"]
    assert left_out == people.BOARD_LINES_LEFT_OUT(OFTEN - MAX_BOARD_LINES)
    assert total == people.BOARD_SUM(cost="$0.10", cap="$1.00")


@pytest.mark.parametrize("count", [1, 6, 7, MAX_BOARD_LINES, OFTEN])
def test_a_board_whose_roles_all_report_progress_fits_into_one_message(count: int) -> None:
    activity = "x_y*" * 25
    shown = board(*(line(number, activity=activity) for number in range(1, count + 1)))
    [text] = render_message_texts(shown)
    assert len(text) <= MAX_MESSAGE_CODE_POINTS
    assert (activity in shown.text) == (count <= 6)


@pytest.mark.parametrize("count", [1, 3, 10, OFTEN])
def test_a_board_offers_to_stop_all_and_its_buttons_fit_into_five_rows_of_five(count: int) -> None:
    shown = board(*(line(number) for number in range(1, count + 1)))
    rows = button_rows_of_board(shown)
    assert len(rows) <= 5
    assert all(len(row) <= 5 for row in rows)
    buttons = [button for row in rows for button in row]
    assert buttons == buttons_of_message(shown)
    assert len({button.id for button in buttons}) == len(buttons)
    labels = [button.label for button in buttons]
    assert (people_texts.STOP_ALL() in labels) == (count > 1)
    assert people_texts.STOP_ONE(number=count) in labels
    assert rows[-1][-1].label == (people_texts.DETAILS_OF(number=count) if count > 1 else people_texts.DETAILS())


def test_on_discord_a_board_shows_each_character_of_a_task() -> None:
    shown = board(line(1, task="**/*.py `__init__`"), line(2, task="<@5> [a](b) https://x.org/a_b"))
    first, second, _ = render_message_texts(shown)[0].splitlines()
    assert first.startswith(r"#1 Researcher: \*\*/\*.py \`\_\_init\_\_\` · ")
    assert second.startswith(r"#2 Researcher: \<@5> \[a](b) https://x.org/a_b · ")
