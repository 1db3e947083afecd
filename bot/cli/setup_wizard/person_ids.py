"""Ask for a person's id: platforms have numbers for them, and names are none."""

from bot.cli.setup_wizard import texts
from bot.cli.setup_wizard.prompts import ask_line, print_text

MAX_PERSON_ID = 2**63


def ask_person_id(question: str) -> int | None:
    """A whole number, or None for no answer."""
    while said := ask_line(question):
        if said.isascii() and said.isdigit() and 0 < int(said) < MAX_PERSON_ID:
            return int(said)
        print_text(texts.NO_NUMERIC_ID)
    return None
