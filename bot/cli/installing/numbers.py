"""Ask for a person's id: platforms have numbers for them, and names are none."""

from bot.cli.installing import texts
from bot.cli.installing.asking import line, say

LARGEST = 2**63


def number(question: str) -> int | None:
    """A whole number, or None for no answer."""
    while said := line(question):
        if said.isascii() and said.isdigit() and 0 < int(said) < LARGEST:
            return int(said)
        say(texts.NO_NUMERIC_ID)
    return None
