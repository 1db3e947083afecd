"""What may get to a terminal, no matter who said it."""

import io
from collections.abc import Collection
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from rich.console import Console, RenderableType

from bot.config.roles import read_shipped_role_files
from bot.core.channel import MessagePart
from bot.core.messages import BoardLine, MessageId, OutboundId, OutboundKind, OutboundMessage, RoleName
from bot.core.role import LEAD_ROLE_NAME
from channels.terminal import drawing
from channels.terminal.channel import make_terminal_safe
from channels.terminal.conversation import LOCAL_ADDRESS, TerminalConversation
from channels.terminal.line_interface import LineInterface, iterate_single_text

CLEAR, TURNED = "\x1b[2J", "\u202e"
HEBREW, ARABIC = "שלום עולם (version 2)", "مرحبا بالعالم"
ASKED = OutboundMessage(
    id=OutboundId("q1"),
    address=LOCAL_ADDRESS,
    kind=OutboundKind.QUESTION,
    text="Which?",
    options=("red" + CLEAR, TURNED + "blue"),
)


class Nothing:
    """A chat where nothing was said."""

    def list_unanswered_message_ids(self) -> list[MessageId]:
        return []

    def list_open_question_messages(self) -> list[OutboundMessage]:
        return []

    def find_asker(self, question: OutboundId) -> None:
        return None

    def is_over(self, message: MessageId, shown: Collection[OutboundId]) -> bool:
        return False

    def is_answered(self, message: MessageId) -> bool:
        return False

    def find_reply_of_direct_turn(self, message: MessageId) -> None:
        return None

    def last_exchange(self) -> None:
        return None

    def find_turn_cost_of_reply(self, reply: OutboundId) -> None:
        return None


@pytest.mark.parametrize("number", [0x1B, 0x9B, 0x0D])
def test_a_control_character_is_shown_as_a_mark(number: int) -> None:
    assert make_terminal_safe(f"report{chr(number)}fdp.exe") == "report�fdp.exe"


@pytest.mark.parametrize("text", [HEBREW, ARABIC, "one\ttwo\nthree", f"\u200f{ARABIC}!\u200e", "👩‍🔬"])
def test_ordinary_text_stays_unchanged(text: str) -> None:
    assert make_terminal_safe(text) == text


async def test_an_option_can_move_no_cursor(capsys: pytest.CaptureFixture[str]) -> None:
    lines = LineInterface(
        TerminalConversation(Nothing(), "Ann", is_continuing=False), iterate_single_text("hello"), lambda: None
    )
    await lines.show(
        MessagePart(message=ASKED, text="Which?", number=0, nonce="", is_last=True, may_be_shown_already=False)
    )
    assert capsys.readouterr().err == "Which?\n  1. red�[2J\n  2. blue\n"


def test_nor_can_it_on_a_screen() -> None:
    _, *options = [text.plain for text in drawing.draw_question(ASKED)]
    assert options == ["  1. red�[2J", "  2. blue"]


def drawn(thing: RenderableType) -> str:
    console = Console(file=io.StringIO(), width=80, theme=drawing.MARKDOWN_THEME)
    console.print(thing)
    return "\n".join(line.rstrip() for line in console.file.getvalue().splitlines()).strip()  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "text",
    [
        "Use vector<int> and #include <stdio.h>, the tag <b>bold</b> <br>",
        "<details>\nhidden words\n</details>",
        "An old silent pond\nA frog jumps into the pond\nSplash! Silence again.",
    ],
)
def test_nothing_that_was_written_is_left_out_and_lines_stay_lines(text: str) -> None:
    assert drawn(drawing.draw_markdown(text)) == text


def test_the_shipped_roles_have_different_colours() -> None:
    names = [RoleName(file.name) for file in read_shipped_role_files().values() if file.name != LEAD_ROLE_NAME]
    assert len({drawing.role_colour(name) for name in names}) == len(names)


def test_a_roles_words_are_rendered_behind_its_label() -> None:
    update = replace(ASKED, kind=OutboundKind.UPDATE, role=RoleName("a_b*c"), options=())
    for text, shown in (("**three** of `four`", "[A_b*c]: three of four"), ("- one", "[A_b*c]:\n\n • one")):
        message = replace(update, text=text)
        part = MessagePart(message=message, text="", number=0, nonce="", is_last=True, may_be_shown_already=False)
        assert [drawn(each) for each in drawing.draw_message(part)] == [shown]


def test_the_number_of_a_role_stands_behind_its_label_as_it_is() -> None:
    update = replace(ASKED, kind=OutboundKind.UPDATE, role=RoleName("researcher"), options=(), speaker_number=2)
    message = replace(update, text="The fares are high.")
    part = MessagePart(message=message, text="", number=0, nonce="", is_last=True, may_be_shown_already=False)
    assert [drawn(each) for each in drawing.draw_message(part)] == ["[Researcher]: #2 · The fares are high."]


@pytest.mark.parametrize(
    ("activity", "shown"),
    [("", "look for cafés"), ("running pytest: \x1b[1m37 passed", "running pytest: \ufffd[1m37 passed")],
)
def test_the_line_of_a_role_says_what_its_call_reports_or_its_task(activity: str, shown: str) -> None:
    line = BoardLine(
        number=1,
        role=RoleName("coder"),
        task="look for cafés",
        depth=1,
        state="working",
        since=datetime.now(UTC),
        seconds=None,
        cost=0,
        activity=activity,
    )
    drawn = drawing.StatusArea(answerer_title="Lead", board_lines=[line]).render_lines(100)
    assert "".join(each[1] for each in drawn).startswith(f"  ● #1 Coder  {shown}  working  0:00")
