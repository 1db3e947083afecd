"""Codes that people read in one chat and type in another."""

import secrets

CODE_ALPHABET = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"  # without characters that look like others


def make_code() -> str:
    """Return a new code, such as K7MW-3QXA. Of these there are 800 billion."""
    return "-".join("".join(secrets.choice(CODE_ALPHABET) for _ in range(4)) for _ in range(2))


def normalize_code(typed: str) -> str:
    """Return a code as a person has typed it, without what does not matter: case, spaces and dashes."""
    return "".join(typed.split()).upper().replace("-", "")
