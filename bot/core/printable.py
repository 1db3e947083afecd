"""Text that a terminal shows and does not obey."""

MOST_NAME_CHARACTERS = 300  # of a name or path that somebody else made up


def escape_unprintable(text: str, most: int | None = None) -> str:
    """Return the text on one line, with unprintable characters escaped; of a longer text only `most` characters.

    A path or a key may hold anything; a terminal must not obey it.
    """
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text[:most])
