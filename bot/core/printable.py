"""Text that a terminal shows and does not obey."""


def escape_unprintable(text: str) -> str:
    """A path or a key may hold anything; a terminal must not obey it."""
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)
