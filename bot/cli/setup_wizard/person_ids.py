"""Ask for a person's id. The platforms use numbers as ids; a name is not an id."""

from bot.cli.setup_wizard import texts
from bot.cli.setup_wizard.prompts import ask_line, print_text

MAX_PERSON_ID = 2**63


def ask_person_id(question: str) -> int | None:
    """Ask until the answer is a positive whole number. Return it, or None if the answer is empty."""
    while said := ask_line(question):
        if said.isascii() and said.isdigit() and 0 < int(said) < MAX_PERSON_ID:
            return int(said)
        print_text(texts.NO_NUMERIC_ID)
    return None
