"""A text twice as long takes about twice the time: steps within a pattern cannot be counted, so these are timed.

Only the ratio is asserted. Before they were mended, most of these took minutes at this length, and some hours.
"""

import time
from collections.abc import Callable, Sequence

import pytest

from bot.core.speaker_labels import without_false_labels
from tests.channels.test_rendering_steps import parts_on_discord, parts_on_telegram, said

pytestmark = pytest.mark.timeout(60)
MOST = 3.0  # times the time for twice the text
TRIES = 5
LENGTH = 12_000
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
def test_twice_the_line_takes_twice_the_time_to_be_free_of_labels(sign: str) -> None:
    once, twice = (sign * (length // len(sign)) for length in (2 * LENGTH, 4 * LENGTH))
    assert seconds(without_false_labels, twice) <= MOST * seconds(without_false_labels, once)


@pytest.mark.parametrize("parts", [parts_on_telegram, parts_on_discord])
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_twice_the_text_takes_twice_the_time(
    text: Callable[[int], str], parts: Callable[..., Sequence[object]]
) -> None:
    def rendered(markdown: str) -> object:
        return parts(said(markdown))

    assert seconds(rendered, text(2 * LENGTH)) <= MOST * seconds(rendered, text(LENGTH))
