"""A text that grows: its finished blocks are shown for good, once, and what is said goes on where they end."""

import io
import time

import pytest
from rich.console import Console, Group

from channels.terminal import drawing
from channels.terminal.growing_text import GrowingText, GrowingTextsByTurn

LIST = "- one\n- two\n\n  more of two\n\n- three\n"
NUMBERED = "1. one\n\n2. two\n\n10. ten\n"
CODE = "```python\ndef f():\n\n    return '[x]: y'\n\n- no list\n```\n"
TABLE = "| a | b |\n|---|---|\n| 1 | 2 |\n"
TEXTS = {
    "paragraphs": "One\nand more.\n\nTwo.\n\nThree.",
    "list": f"Before:\n\n{LIST}\nAfter it.",
    "numbers": f"{NUMBERED}\nAfter them.",
    "code": f"So:\n{CODE}And so.",
    "indented code": "So:\n\n    a\n\n    b\n\nAnd so.",
    "table": f"A table:\n\n{TABLE}\nAfter it.",
    "headings": "# First\nText.\n## Second\nUnder\n===\nText.\n\n---\nEnd",
    "quote": "> a\n> b\nlazy\n\n> c\n\nEnd",
    "everything": "\n\n".join(["# All", "Words.", LIST, CODE, TABLE, NUMBERED, "The end."]),
    "nothing finished": "one line without an end",
    "line of its own kind": "A\u2028B\n\nC\n\nD",
}
LATE_ADDRESS = "See [the page][1] for it.\n\nThat is all.\n\n[1]: https://example.org/\n"


def grown(flow: GrowingText, text: str, step: int) -> list[str]:
    """What is shown for good while a text grows by so many characters at a time."""
    shown = []
    for end in range(step, len(text) + step, step):
        flow.set_draft_text(text[:end])
        shown.append(flow.take_finished_blocks())
        assert "".join(shown) + flow.unshown_text == text[:end]
    return [each for each in shown if each]


def drawn(*texts: str) -> str:
    console = Console(file=io.StringIO(), width=60)
    *blocks, rest = texts
    shown = [drawing.draw_markdown(each, is_whole=False) for each in blocks]
    console.print(Group(*shown, drawing.draw_markdown(rest)))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("step", [1, 3, 7])
def test_all_is_shown_once_and_looks_as_if_it_had_come_whole(name: str, step: int) -> None:
    flow, text = GrowingText(), TEXTS[name]
    blocks = grown(flow, text, step)
    rest = flow.take_rest_of_complete_text(text)
    assert rest is not None
    assert "".join(blocks) + rest == text
    assert drawn(*blocks, rest) == drawn(text)


def test_each_block_is_shown_as_soon_as_the_next_has_a_line() -> None:
    flow = GrowingText()
    flow.set_draft_text("One.\n\nTw")
    assert (flow.take_finished_blocks(), flow.unshown_text) == ("", "One.\n\nTw")
    flow.set_draft_text("One.\n\nTwo\nis longer")
    assert (flow.take_finished_blocks(), flow.unshown_text) == ("One.\n\n", "Two\nis longer")


def test_the_part_that_differs_from_the_draft_is_said_whole() -> None:
    flow = GrowingText()
    assert grown(flow, "One.\n\nTwo.\nThree.", 1) == ["One.\n\n"]
    assert flow.take_rest_of_complete_text("One.\n\nZwei.") == "Zwei."
    flow = GrowingText()
    assert grown(flow, "One.\n\nTwo.\n\nThree.\n", 1) == ["One.\n\n", "Two.\n\n"]
    assert flow.take_rest_of_complete_text("Eins.\n\nTwo.") is None


def test_rewritten_text_is_live_until_it_is_said() -> None:
    flow = GrowingText()
    grown(flow, "One.\n\nTwo.\n", 1)
    flow.set_draft_text("Other.\n\nWords.\n\nMore.\n")
    assert (flow.take_finished_blocks(), flow.unshown_text) == ("", "Other.\n\nWords.\n\nMore.\n")
    flow.set_draft_text("One.\n\nTwo.\n\nThree.\n")
    assert (flow.take_finished_blocks(), flow.unshown_text) == ("Two.\n\n", "Three.\n")


def test_a_text_whose_links_stand_apart_is_said_whole_so_that_none_is_lost() -> None:
    flow = GrowingText()
    assert grown(flow, LATE_ADDRESS, 1)
    assert flow.take_rest_of_complete_text(LATE_ADDRESS) is None
    assert "https://example.org/" in drawn(LATE_ADDRESS)


def test_a_draft_that_comes_after_its_text_was_said_is_nothing() -> None:
    flow = GrowingText()
    assert flow.take_rest_of_complete_text("One.\n\nTwo.") == "One.\n\nTwo."
    flow.set_draft_text("One.\n\nTw")
    assert (flow.unshown_text, flow.take_finished_blocks()) == ("", "")
    flow.set_draft_text("Another text")
    assert flow.unshown_text == "Another text"


def test_of_two_turns_the_older_is_shown_until_it_is_over() -> None:
    flows = GrowingTextsByTurn()
    assert (flows.oldest_text.unshown_text, flows.oldest_text.take_finished_blocks()) == ("", "")
    for turn in ("t7", "t9"):
        flows.find_or_add_text_of_turn(turn).set_draft_text(f"{turn}\n\nmore\n")
    assert (flows.oldest_text.take_finished_blocks(), flows.oldest_text.unshown_text) == ("t7\n\n", "more\n")
    flows.forget_turns_up_to("t7")
    assert (flows.oldest_text.take_finished_blocks(), flows.oldest_text.unshown_text) == ("t9\n\n", "more\n")
    flows.find_or_add_text_of_turn("t11").set_draft_text("t11")
    flows.forget_turns_up_to("t11")
    assert flows.oldest_text.unshown_text == ""


def seconds(lines: int) -> float:
    text, flow = "".join(f"- item {number} with **bold** words\n" for number in range(lines)), GrowingText()
    begun = time.process_time()
    for end in range(0, len(text) + 40, 40):
        flow.set_draft_text(text[:end])
        flow.take_finished_blocks()
    return time.process_time() - begun


def test_a_long_list_takes_time_in_proportion_to_its_length() -> None:
    seconds(20)
    assert seconds(800) < 3 * 8 * seconds(100)
