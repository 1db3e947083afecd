"""Tables, on both platforms: every character of every cell is shown, in its place."""

import random
import re
from collections.abc import Callable, Sequence

import pytest

from bot.core.messages import Address, OutboundId, OutboundKind, OutboundMessage
from channels.discord import rendering
from channels.discord.rendering import render_message_texts
from channels.tables import display_width, split_row_into_cells
from channels.telegram import markdown_escaping
from channels.telegram.rendering import render_message_parts

CELLS = [
    "https://x.org/a*b*c",
    "[a](http://x.org/(b)_) [c](http://x.org/(b)_)",
    "__init__ and __main__",
    "2*3*4",
    "`code`",
    "**bold** ~~gone~~ ||hidden||",
    "<b>html</b> &amp; &lt;",
    "$1 and $2, $x_1$",
    "C:\\dir\\*.txt \\_",
    "``two`` ``` three",
    "![](x) [ ] [x] [^1]",
    "日本 👨‍👩‍👧‍👦 é",
    "> not a quote",
    "# not a heading",
    "- no list",
    "1. no list",
    "-$5 100% 10_000",
    "",
]
LETTERS = "ab_*`~[]()<>!#$%&\\-+=.:/ 1é日\"'^{}"


def message(text: str) -> OutboundMessage:
    here = Address(channel="telegram", chat="7")
    return OutboundMessage(id=OutboundId("t1"), address=here, kind=OutboundKind.REPLY, text=text)


def on_telegram(text: str) -> str:
    """What is shown, if all of the table is in code."""
    (piece,) = render_message_parts(message(text))
    (entity,) = [each for each in piece.entities if each.type == "pre"]
    return piece.text.encode("utf-16-le")[2 * entity.offset : 2 * entity.end].decode("utf-16-le")


def on_discord(text: str) -> str:
    (part,) = render_message_texts(message(text))
    found = re.search(r"```\n(.*)\n```", part, re.DOTALL)
    assert found
    return found[1].replace("`\u200b", "`")  # which keeps three of them from ending the code


PLATFORMS = [on_telegram, on_discord]
MOST: dict[Callable[[str], str], int] = {
    on_telegram: markdown_escaping.MAX_TABLE_COLUMNS,
    on_discord: rendering.MAX_TABLE_COLUMNS,
}  # columns


def markdown(rows: Sequence[Sequence[str]], frame: str = "") -> str:
    heads, *others = [" | ".join(cell.replace("|", "\\|") for cell in row) for row in rows]
    rule = " | ".join("---" for _ in rows[0])
    return "\n".join(f"{frame}| {row} |" for row in [heads, rule, *others])


def records(rows: Sequence[Sequence[str]]) -> str:
    """What is seen of a table that is too wide for a phone."""
    heads, *others = rows
    lines = ["\n".join(f"{head}: {cell}" for head, cell in zip(heads, row, strict=True) if cell) for row in others]
    return "\n\n".join(filter(None, lines))


def is_shown(look: Callable[[str], str], rows: Sequence[Sequence[str]]) -> bool:
    text = markdown(rows)
    widths = [max(map(display_width, column)) for column in zip(*rows, strict=True)]
    is_wide = sum(widths) + 3 * (len(widths) - 1) > MOST[look]
    return look(text) == records(rows) if is_wide else shown(look, text) == list(map(list, rows))


def shown(look: Callable[[str], str], text: str) -> list[list[str]]:
    """The rows that are seen; a cell with a pipe of its own is not told from two."""
    heads, rule, *others = look(text).split("\n")
    assert set(rule) <= set("-+")
    return [[cell.strip() for cell in f"{row} ".split(" | ")] for row in [heads, *others]]


@pytest.mark.parametrize("look", PLATFORMS)
@pytest.mark.parametrize("cell", [cell for cell in CELLS if "|" not in cell])
def test_a_cell_is_shown_as_it_was_typed(cell: str, look: Callable[[str], str]) -> None:
    assert is_shown(look, [["name", "value"], ["one", cell], [cell, "two"], [cell, cell]])


@pytest.mark.parametrize("look", PLATFORMS)
def test_a_pipe_in_a_cell_is_shown_without_its_backslash(look: Callable[[str], str]) -> None:
    assert "a||b|c" in look(markdown([["x", "y"], ["a||b|c", "z"]]))


@pytest.mark.parametrize("look", PLATFORMS)
def test_cells_beyond_the_heads_are_shown(look: Callable[[str], str]) -> None:
    assert shown(look, "| a | b |\n|---|---|\n| 1 | 2 | 3 |\n| 4 |")[1:] == [["1", "2", "3"], ["4", "", ""]]


@pytest.mark.parametrize("look", PLATFORMS)
def test_columns_stand_on_their_side(look: Callable[[str], str]) -> None:
    table = "| left | right | middle |\n|:--|--:|:-:|\n| a | b | c |"
    assert look(table).split("\n")[2] == "a    |     b |   c"


@pytest.mark.parametrize("look", PLATFORMS)
@pytest.mark.parametrize("frame", ["> ", "> > "])
def test_a_table_in_a_quote_is_whole(look: Callable[[str], str], frame: str) -> None:
    rows = [["name", "value"], ["2*3*4", "__init__"]]
    assert shown(look, markdown(rows, frame)) == rows


@pytest.mark.parametrize("look", PLATFORMS)
@pytest.mark.parametrize("seed", range(300))
def test_any_cells_are_shown_as_they_were_typed(seed: int, look: Callable[[str], str]) -> None:
    dice = random.Random(seed)

    def cell() -> str:
        return "x" + "".join(dice.choices(LETTERS, k=dice.randrange(12))).rstrip("\\ ")

    width = dice.randrange(2, 5)
    assert is_shown(look, [[cell() for _ in range(width)] for _ in range(dice.randrange(2, 6))])


@pytest.mark.parametrize("look", PLATFORMS)
def test_a_table_wider_than_a_phone_is_shown_as_records(look: Callable[[str], str]) -> None:
    link = "https://example.org/a_b*c?x=1&y=(2)"
    rows = [["Hotel", "Price", "Link"], ["Lisboa Azul", "120 €", link], ["Tejo", "", link]]
    assert look(markdown(rows)) == (f"Hotel: Lisboa Azul\nPrice: 120 €\nLink: {link}\n\nHotel: Tejo\nLink: {link}")


@pytest.mark.parametrize("look", PLATFORMS)
def test_a_wide_table_in_a_quote_is_shown_as_records(look: Callable[[str], str]) -> None:
    rows = [["name", "value"], ["x" * 30, "y" * 30], ["z", "y" * 30]]
    assert look(markdown(rows, "> ")) == records(rows)


@pytest.mark.parametrize("look", PLATFORMS)
def test_a_sentence_right_below_a_table_makes_it_no_wider(look: Callable[[str], str]) -> None:
    sentence = "These prices are for two nights, and include breakfast."
    assert look(f"| a | b |\n|---|---|\n| 1 | 2 |\n{sentence}").split("\n")[2:] == ["1 | 2", sentence]


@pytest.mark.parametrize("look", PLATFORMS)
def test_the_widest_table_that_fits_stays_one(look: Callable[[str], str]) -> None:
    room = MOST[look] - 3
    rows = [["a", "b"], ["x" * (room - 10), "y" * 10]]
    assert shown(look, markdown(rows)) == rows
    assert look(markdown([["a", "b"], ["x" * (room - 9), "y" * 10]])).startswith("a: x")


@pytest.mark.parametrize("seed", range(50))
def test_a_row_is_cut_into_the_cells_that_it_was_made_of(seed: int) -> None:
    dice = random.Random(seed)
    row = ["x" + "".join(dice.choices("ab| ", k=6)).strip() for _ in range(4)]
    escaped = [cell.replace("|", "\\|") for cell in row]
    assert split_row_into_cells(f"| {' | '.join(escaped)} |") == row
