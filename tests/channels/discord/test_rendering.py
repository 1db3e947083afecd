"""How a model's Markdown becomes messages of Discord: all of it, in its order, cut where nothing breaks."""

import random
import re

import pytest

from bot.core.messages import Address, OutboundKind
from channels.discord import people_texts
from channels.discord.rendering import (
    FENCE_BREAKER,
    HORIZONTAL_RULE_TEXT,
    MAX_MESSAGE_CODE_POINTS,
    TICKED_BOX,
    UNTICKED_BOX,
    pack_into_message_texts,
    render_message_texts,
    split_and_render_blocks,
)
from tests.support.discord_channel import message

ROOM = Address(channel="discord", chat="1")
LINES = (
    *("a", "b c", "", "", "- a", "  - b", "    - c", "1. x", "2. y", "> q", "> - z", "> > w", "# h", "h", "===", "---"),
    *("```", "```py", "~~~", "    code", "> ```", "- ```", "  ```", "  x", "* * *", "\ttab", "<div>", "</div>"),
    *("| a | b |", "|---|---|", "| 1 | 2 |", "[a]: http://x", "[b]:", '"title"'),
)


def shown(markdown: str, *options: str, room: int = MAX_MESSAGE_CODE_POINTS) -> list[str]:
    return list(pack_into_message_texts(markdown, options, room))


def test_a_text_that_fits_is_one_unchanged_message() -> None:
    text = "# Title\n\nSome *text* and **more**, `code`, ~~gone~~ and ||hidden||.\n\n- one\n- two\n  1. deep\n\n> said"
    assert shown(text) == [text]


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("#### Four", "**Four**"),
        ("Title\n=====\ntext", "# Title\ntext"),
        ("~~~py title=x\nx = 1\n~~~", "```py\nx = 1\n```"),
        ("text\n\n    indented", "text\n\n```\nindented\n```"),
        ("```py\nnever closed", "```py\nnever closed\n```"),
        (
            "````md\n```py\nx\n```\n````",
            f"```md\n`{FENCE_BREAKER}`{FENCE_BREAKER}`py\nx\n`{FENCE_BREAKER}`{FENCE_BREAKER}`\n```",
        ),
        ("a ``` alone", f"a `{FENCE_BREAKER}`{FENCE_BREAKER}` alone"),
        ("```js\n```py\nx", f"```js\n`{FENCE_BREAKER}`{FENCE_BREAKER}`py\nx\n```"),
        ("- item\n  ```py\n  x\n  ```\n- next", "- item\n```py\nx\n```\n- next"),
        (
            "- [ ] to do\n  - [x] done\n1. [X] too",
            f"- {UNTICKED_BOX} to do\n  - {TICKED_BOX} done\n1. {TICKED_BOX} too",
        ),
        ("a [ ] b, `- [ ] c`", "a [ ] b, `- [ ] c`"),
        ("above\n\n---\n\n* * *\n\nbelow", f"above\n\n{HORIZONTAL_RULE_TEXT}\n\n{HORIZONTAL_RULE_TEXT}\n\nbelow"),
        ("see ![a cat](https://example.org/c.png), `![x](y)`!", "see [a cat](https://example.org/c.png), `![x](y)`!"),
        ("one\r\ntwo\ud800", "one\ntwo\ufffd"),
        ("   \n", people_texts.NO_WORDS()),
    ],
)
def test_markdown_unknown_to_discord_is_put_in_its_form(markdown: str, expected: str) -> None:
    assert render_message_texts(message(markdown, ROOM)) == [expected]


def test_a_table_is_aligned_in_a_code_block() -> None:
    table = "| Name | Qty |\n|:-----|----:|\n| **apple** | 3 |\n| 日本 | `12` |\n| [x](http://a.b/c_d) | 0 |"
    assert shown(table) == [
        "```\n"
        "Name                |  Qty\n"
        "--------------------+-----\n"
        "**apple**           |    3\n"
        "日本                | `12`\n"
        "[x](http://a.b/c_d) |    0\n"
        "```"
    ]


def test_options_are_numbered_below_the_question_and_never_inside_its_code() -> None:
    assert shown("Which?\n```\nx", "red", "light\nblue") == ["Which?\n```\nx\n```\n\n1. red\n2. light blue"]


def test_a_cut_code_block_is_closed_and_reopened_with_its_language() -> None:
    lines = [f"line {number} of the code" for number in range(300)]
    found = shown("Look:\n\n```python\n" + "\n".join(lines) + "\n```\n\nThat is it.")
    assert len(found) > 3
    assert found[0].startswith("Look:\n\n```python\nline 0")
    assert all(part.startswith("```python\n") for part in found[1:])
    assert all(part.endswith("\n```") for part in found[:-1])
    assert found[-1].endswith("```\n\nThat is it.")
    assert "\n".join(re.sub(r"```\w*\n?|Look:|That is it\.", "", part).strip() for part in found) == "\n".join(lines)


def test_it_is_cut_between_blocks_where_that_goes() -> None:
    paragraphs = [f"{number}: " + "word " * 150 for number in range(6)]
    found = shown("\n\n".join(paragraphs))
    assert [part.count("word") for part in found] == [300, 300, 300]


def test_a_heading_stays_with_the_text_below_it() -> None:
    found = shown("x" * 1_900 + "\n\n## The end\n\n" + "y " * 200)
    assert found[0] == "x" * 1_900
    assert found[1].startswith("## The end\n\ny y")


@pytest.mark.parametrize(
    "whole",
    [
        "[a link](https://example.org/a_b(c)?d=e_f&g=" + "h" * 60 + ")",
        "https://example.org/" + "p/" * 40 + "?q=snake_case",
        "<https://example.org/" + "q" * 80 + ">",
        "`some code in a line`",
        "👩‍👩‍👧‍👦",
        "🇩🇪",
        "e\u0301",
        "<:wave:123456789012345678>",
    ],
)
def test_it_is_never_cut_inside(whole: str) -> None:
    for before in range(2_000 - len(whole) - 2, 2_001):
        found = shown("x" * before + whole + "y" * 30)
        assert sum(part.count(whole) for part in found) == 1
        assert "".join(found) == "x" * before + whole + "y" * 30


def test_words_are_kept_whole() -> None:
    found = shown("word " * 1_000)
    assert all(set(part.split()) == {"word"} for part in found)


def test_an_overlong_word_is_cut() -> None:
    found = shown("https://example.org/" + "x" * 5_000)
    assert "".join(found) == "https://example.org/" + "x" * 5_000
    assert max(map(len, found)) <= MAX_MESSAGE_CODE_POINTS


@pytest.mark.parametrize("begin", ["# head", "- item", "1. item", "> said", "```\ncode\n```"])
def test_the_label_comes_first_and_what_begins_a_line_still_does(begin: str) -> None:
    assert render_message_texts(message(begin, ROOM, role="writer")) == [f"[Writer]: \n{begin}"]


def test_each_part_of_an_update_opens_with_the_label() -> None:
    found = render_message_texts(message("word " * 1_000, ROOM, OutboundKind.UPDATE, role="researcher"))
    assert len(found) == 3
    assert all(part.startswith("[Researcher]: word") for part in found)
    assert max(map(len, found)) <= MAX_MESSAGE_CODE_POINTS


@pytest.mark.parametrize("stretch", [1, 2, 3, 5])
def test_a_text_that_is_read_in_stretches_is_the_same(stretch: int) -> None:
    chance = random.Random(stretch)
    for _ in range(500):
        text = "\n".join(chance.choices(LINES, k=chance.randint(1, 25)))
        assert split_and_render_blocks(text, stretch) == split_and_render_blocks(text, len(LINES) ** 2)


def test_a_board_is_one_message_however_long_it_is() -> None:
    board = "\n".join(f"{number}. Researcher: working" for number in range(200))
    [found] = render_message_texts(message(board, ROOM, OutboundKind.BOARD))
    assert found.startswith("0. Researcher")
    assert len(found) <= MAX_MESSAGE_CODE_POINTS


PIECES = (
    "# Heading\n",
    "#### Deep\n",
    "Some words with *emphasis*, **strength** and `code`.\n",
    "A [link](https://example.org/some_path/with_snake_case?x=1&y=(2)) in text.\n",
    "<https://example.org/auto_link>\n",
    "https://example.org/bare_link/" + "z" * 150 + "\n",
    "- item\n- item\n  - deeper\n",
    "1. first\n2. second\n",
    "> quoted\n> more\n",
    "```python\ndef f():\n    return '[x](y)'\n```\n",
    "```\nno language " + "w" * 300 + "\n```\n",
    "~~~js\nlet x = 1\n~~~\n",
    "````\n```inner\n````\n",
    "- item\n  ```sh\n  ls\n  ```\n",
    "    indented code\n",
    "| a | b |\n|---|--:|\n| 1 | 2 |\n",
    "👩‍👩‍👧‍👦" * 30 + "\n",
    "**bold " * 20 + "\n",
    "unpaired ``` here\n",
    "```unclosed\n",
    "word " * 300 + "\n",
    "* * *\n",
    "<details><summary>x</summary>\n",
    "日本語のテキスト" * 40 + "\n",
    "a\\*b \\_c\\_ \\`d\n",
    "[ref]: https://example.org/ref\n",
    "\n",
    "\n\n",
)
URL = re.compile(r"https://example\.org/[^\s)>`]*(?:\(2\))?")


def letters(text: str) -> str:
    """What there is to read: without marks, spaces, and what only frames."""
    text = re.sub(r"`{3,}\w*|~~~\w*", "", text.replace(FENCE_BREAKER, ""))
    return re.sub(r"[^\w👩]", "", re.sub(r"python|inner|unclosed", "", text)).replace("_", "")


@pytest.mark.parametrize("seed", range(300))
def test_any_markdown_joins_back_to_its_text_within_the_limits(seed: int) -> None:
    chance = random.Random(seed)
    markdown = "".join(chance.choice(PIECES) for _ in range(chance.randint(1, 40)))
    room = chance.choice([300, 500, MAX_MESSAGE_CODE_POINTS])
    found = shown(markdown, room=room)
    assert max(map(len, found), default=0) <= room
    assert letters("\n".join(found)) == letters(markdown)
    assert URL.findall("\n".join(found)) == URL.findall(markdown)
    for part in found:
        assert part == part.strip()
        assert len(re.findall(r"^```", part, re.MULTILINE)) % 2 == 0, part
