"""A text eight times as long takes about eight times the time: steps within a pattern cannot be counted.

Only the ratio is asserted. Before they were mended, most of these took minutes at this length, and some hours.
"""

import time
from collections.abc import Callable, Sequence

import pytest

from bot.core.speaker_labels import replace_brackets_of_false_labels
from tests.channels.test_rendering_steps import parts_on_discord, parts_on_telegram, said

pytestmark = pytest.mark.timeout(60)
LONGER = 8
MOST = 3.0 * LONGER  # times the time: steps that grow as a square would take 64 times
TRIES = 5
LENGTH = 3_000
LINES = {"brackets": "[", "brackets apart": "[ ", "closing brackets": "]", "labels": "[a]: ", "boxes": "[]: "}
TEXTS: dict[str, Callable[[int], str]] = {
    "dots in the words of a link": lambda length: f"[{'a.' * (length // 2)}](http://x.org/)",
    "dashes in the words of a link": lambda length: f"[{'a-' * (length // 2)}](http://x.org/)",
    "quotes in a spoiler": lambda length: "||a" + "\n> " * (length // 3) + "a||",
    "dollars": lambda length: "$" * length,
    "brackets": lambda length: "[" * length,
    "one list": lambda length: "- a\n" * (length // 4),
}


def seconds(work: Callable[[str], object], text: str) -> float:
    """Of this thread alone, and the best of some: what else the machine does is no part of it."""

    def once() -> float:
        began = time.thread_time()
        work(text)
        return time.thread_time() - began

    return min(once() for _ in range(TRIES))


@pytest.mark.parametrize("sign", LINES.values(), ids=LINES)
def test_the_time_to_remove_labels_grows_as_the_line(sign: str) -> None:
    short, long = (sign * (length // len(sign)) for length in (LENGTH, LONGER * LENGTH))
    assert seconds(replace_brackets_of_false_labels, long) <= MOST * seconds(replace_brackets_of_false_labels, short)


@pytest.mark.parametrize("parts", [parts_on_telegram, parts_on_discord])
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_the_time_to_render_grows_as_the_text(
    text: Callable[[int], str], parts: Callable[..., Sequence[object]]
) -> None:
    def rendered(markdown: str) -> object:
        return parts(said(markdown))

    assert seconds(rendered, text(LONGER * LENGTH)) <= MOST * seconds(rendered, text(LENGTH))
